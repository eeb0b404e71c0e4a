"""What the modes share that have a row for each corpus and a pane beside them about one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from irtui.commands.live import problem_data
from irtui.tui.jobs import Job
from irtui.tui.lanes import Answered, Ticket
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.listing import PlainRows
from irtui.tui.widgets.panes import Notice, error_lines

__all__ = ["CorpusRows"]


class CorpusRows(ModeScreen):
    """A mode whose first focus is a list of corpora; a ``Notice`` ``#notice`` is in its place.

    ``BESIDE`` is the class that shows the pane where there is no room for both. The ids of its keys
    begin with its ``MODE``.
    """

    BESIDE: ClassVar[str] = ""

    rows: dict[str, dict[str, Any]]
    files: dict[str, dict[str, Any]]
    """How the files of each corpus compare with its index, as ``irtui coverage`` says."""
    _comparing: frozenset[str] = frozenset()
    _problem: dict[str, str] | None = None

    @property
    def name_now(self) -> str:
        """The corpus of the cursor, or ``""``."""
        key = self.query_one(self.FIRST_FOCUS, PlainRows).key_at_cursor
        return key if key in self.rows else ""

    def load(self) -> None:
        """Ask for the rows."""
        raise NotImplementedError

    def paint(self) -> None:
        """Show the rows as they are known now."""
        raise NotImplementedError

    def compare_files(self) -> None:
        """Compare the built corpora of files with their files, one after the other, once."""
        names = [
            name
            for name, row in self.rows.items()
            if row["built"] and row["kind"] == "files" and name not in self.files
        ]
        if self._comparing.issuperset(names):
            return
        self._comparing = frozenset(names)
        live = self.ir.live

        def work(ticket: Ticket) -> Iterator[Any]:
            for name in names:
                if ticket.superseded():
                    return
                yield name, next(iter(live.run("coverage", names=[name]).data), {})

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(f"files cannot be compared: {answered.error}", "due")
                return
            name, report = answered.value
            self.files[name] = dict(report)
            self.paint()

        self.ask("drift", work, told)

    def forget_files(self, names: Iterable[str] | None = None) -> None:
        """Let files be compared again: of these corpora, of all by default."""
        for name in list(self.files if names is None else names):
            self.files.pop(name, None)
        self._comparing = frozenset()

    def job_of(self, name: str) -> Job | None:
        """Return the running job of a corpus."""
        raise NotImplementedError

    def action_cancel(self) -> None:
        """Stop what runs for this corpus; again: at once."""
        if not self._refused("cancel"):
            job = self.job_of(self.name_now)
            if job is not None:
                self.ir.jobs.cancel(job)
                self.say(f"{job.title} stops at the next safe point; c again: at once")

    def corpora_changed(
        self, state: Mapping[str, Mapping[str, Any]], changed: tuple[str, ...]
    ) -> None:
        """Show the new state."""
        self.load()

    def step_back(self) -> bool:
        """Leave the pane beside the rows."""
        if self.has_class(self.BESIDE):
            self.remove_class(self.BESIDE)
            return True
        return False

    def error_text(self) -> str:
        """Return the error that is shown."""
        told = self._problem
        return "" if told is None else f"{told['code']}: {told['message']}\n{told['hint']}".strip()

    def _refused(self, verb: str, what: str = "") -> bool:
        """Say why a key does nothing, if so."""
        why = self.allowed(f"{self.MODE}.{verb}")
        if why:
            self.say(why)
            return True
        return bool(what) and self.ir.refuses(what)

    def _unreadable(self, error: Exception, what: str) -> None:
        """Show in the place of the rows why there are none."""
        self._problem = problem_data(error)
        self.query_one("#notice", Notice).show_lines(error_lines(self._problem, what=what))
        self.add_class("-notice")
