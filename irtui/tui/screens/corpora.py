"""The mode Corpora: what there is to search, adding to it, and looking after it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from irtui.commands.live import problem_data
from irtui.render.clean import clean_line
from irtui.tui.jobs import Job
from irtui.tui.keys import bindings
from irtui.tui.lanes import Answered
from irtui.tui.screens.corpora_actions import CorporaActions
from irtui.tui.screens.corpora_details import details, waits_said
from irtui.tui.screens.listing import Lines, PlainRows
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.painting import Span
from irtui.tui.widgets.panes import Notice, error_lines
from irtui.tui.widgets.strips import PaneTitle

__all__ = ["CorporaScreen"]

_SETTLE = 0.08


class CorporaScreen(CorporaActions):
    """The list of corpora with their state, and everything about the one of the cursor."""

    MODE: ClassVar[str] = "corpora"
    SCOPES: ClassVar[tuple[str, ...]] = ("corpora",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("corpora"))
    FIRST_FOCUS: ClassVar[str] = "#corpora"
    BESIDE: ClassVar[str] = "-show-info"
    TOPIC: ClassVar[str] = """\
A corpus is a named set of documents with an index. Enter searches the one the cursor is on.

a adds a folder: type its path and see at once what would be indexed and what not; n defines a
corpus of any kind. Building runs beside the app: go on searching, c stops it at the next safe
point, and what was indexed until then stays.

The state says ready, not built, unfinished, source missing or damaged, and how many files are new,
changed or gone since it was indexed; b brings the index up to date. R reads every file again. V
compares what is stored with itself. d forgets a corpus; your own files are never touched.

e changes the model it is searched by meaning with, and when the index is brought up to date. x
writes down how a corpus is defined: as the command that registers it again, or as JSON.
"""
    DEFAULT_CSS = """
    CorporaScreen #list-pane { width: 3fr; height: 100%; }
    CorporaScreen #corpora { height: 1fr; }
    CorporaScreen #info-pane { width: 2fr; height: 100%; background: $surface; display: none; }
    CorporaScreen.-three #info-pane, CorporaScreen.-wide #info-pane { display: block; }
    CorporaScreen.-show-info #info-pane { display: block; }
    CorporaScreen.-one.-show-info #list-pane, CorporaScreen.-two.-show-info #list-pane {
        display: none;
    }
    CorporaScreen.-hide-info #info-pane { display: none; }
    CorporaScreen #info { height: 1fr; }
    CorporaScreen #notice { display: none; }
    CorporaScreen.-notice #notice { display: block; }
    CorporaScreen.-notice #corpora, CorporaScreen.-notice #info-pane { display: none; }
    CorporaScreen.-short PaneTitle, CorporaScreen.-tiny PaneTitle { display: none; }
    """

    def compose_body(self) -> ComposeResult:
        """Put the list beside the details."""
        with Horizontal():
            with Vertical(id="list-pane"):
                yield PaneTitle("Corpora", id="list-title")
                yield PlainRows(id="corpora", on_open=self.search_in, on_move=self._moved)
                yield Notice(id="notice")
            with Vertical(id="info-pane"):
                yield PaneTitle("About", id="info-title")
                yield Lines(id="info")

    def on_mount(self) -> None:
        """Ask for the list."""
        super().on_mount()
        self.rows: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.known: dict[str, dict[str, Any]] = {}
        self.added: dict[str, Path] = {}
        self._timer: Any = None
        self.load()

    def on_screen_resume(self) -> None:
        """Look again: other processes change corpora too."""
        self.load()

    def load(self) -> None:
        """Ask for the list, then how far each is from its files."""
        self.ask_command("corpora", "ls", self._listed)

    def _listed(self, answered: Answered) -> None:
        if answered.error is not None:
            self._unreadable(answered.error, "The list cannot be read")
            return
        self._problem = None
        rows = {str(row["name"]): dict(row) for row in answered.value.data}
        stale = {
            name
            for name, row in rows.items()
            if self.rows.get(name, {}).get("generation") != row["generation"]
        }
        self.rows = rows
        for name in stale:
            self.known.pop(name, None)
        if stale:
            self.forget_files(stale)
        self.set_class(not rows, "-notice")
        if not rows:
            self.query_one("#notice", Notice).show_lines(_NOTHING)
        self.paint()
        self.compare_files()

    def paint(self) -> None:
        """Show the list as it is known now."""
        name_width = min(28, max((len(name) for name in self.rows), default=4))
        states = {name: self._state(row) for name, row in self.rows.items()}
        state_width = max((len(text) for _, text in states.values()), default=8)
        docs = {name: f"{row['artifacts']:,} docs" for name, row in self.rows.items()}
        docs_width = max(map(len, docs.values()), default=6)
        files_width = max((len(self._files_said(name)) for name in self.rows), default=0)
        shown = []
        for name, row in self.rows.items():
            role, state = states[name]
            head: list[Span] = [
                ("selected", "*" if name in self.ir.searched else " "),
                ("title", f"{clean_line(name):<{name_width}.{name_width}} "),
                (role, f"{state:<{state_width}}  "),
                ("", f"{docs[name]:>{docs_width}} "),
            ]
            shown.append((name, [*head, *self._tail(row, files_width)]))
        self.query_one("#corpora", PlainRows).show_rows(shown)
        texts = sum(int(row["records"]) for row in self.rows.values())
        said: list[Span] = [("", _corpora(len(self.rows))), ("muted", f" · {texts:,} passages")]
        self.query_one(StatusLine).counts(said)
        self.query_one("#list-title", PaneTitle).tell([("muted", "enter searches it")])

    def _state(self, row: Mapping[str, Any]) -> Span:
        job = self.job_of(str(row["name"]))
        if job is not None:
            return ("running", f"▶ {job.says()}")
        role, mark = _MARKS[row["state"]]
        return (role, f"{mark} {row['state']}")

    def _tail(self, row: Mapping[str, Any], width: int) -> list[Span]:
        files = self._files_said(str(row["name"]))
        problem = row["problem"]
        told = problem["message"] if isinstance(problem, dict) else problem
        return [
            ("due" if files not in _CALM else "muted", f" {files:<{width}} " if width else ""),
            ("muted", f" {row['kind'] or 'tried'}  {told or row['root'] or ''}"),
        ]

    def _files_said(self, name: str) -> str:
        report = self.files.get(name)
        if report is None:
            return ""
        return "?" if "error" in report or not report else waits_said(report) or "up to date"

    # --- the details ----------------------------------------------------------------------------

    def _moved(self, name: str) -> None:
        del name
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SETTLE, self.show_details)

    def show_details(self) -> None:
        """Show what is known of the corpus of the cursor, and ask for it."""
        self._timer = None
        name = self.name_now
        if not name:
            return
        self.query_one("#info-title", PaneTitle).tell([("title", name)])
        known = self.known.get(name)
        if known is not None:
            lines = details(known, self._files_said(name), self.last_job_of(name))
            self.query_one("#info", Lines).show_lines(lines)
            return

        def told(answered: Answered) -> None:
            if answered.error is not None:
                lines = error_lines(problem_data(answered.error), what="Nothing is known of it")
                self.query_one("#info", Lines).show_lines(lines)
                return
            self.known[name] = answered.value.data
            if name == self.name_now:
                self.show_details()

        self.ask_command("info", "info", told, name=name)

    # --- from outside ---------------------------------------------------------------------------

    def job_of(self, name: str) -> Job | None:
        """Return the running job of a corpus."""
        return next((job for job in self.ir.jobs.active if name in job.words[1:]), None)

    def last_job_of(self, name: str) -> Job | None:
        """Return the newest job of a corpus, running or not."""
        return next((job for job in reversed(list(self.ir.jobs)) if name in job.words[1:]), None)

    def job_changed(self, job_id: int, *, ended: bool) -> None:
        """Show how far it is; look again when it has ended."""
        if ended:
            for name in self.ir.jobs[job_id].words[1:]:
                self.forget_files([name])
                self.known.pop(name, None)
                if self.ir.jobs[job_id].state == "done":
                    self.take_over(name)
            self.load()
        else:
            self.paint()
        self.show_details()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the details anew."""
        del event
        self.call_after_refresh(self.show_details)

    def equivalent_command(self) -> str:
        """Return the command that shows this corpus."""
        return shlex.join(["irtui", "info", self.name_now]) if self.name_now else "irtui ls"


_MARKS = {
    "ready": ("ok", "●"),
    "not built": ("due", "○"),
    "unfinished": ("due", "!"),
    "source missing": ("due", "!"),
    "damaged": ("failed", "!"),
}
_CALM = ("", "up to date", "?")
_NOTHING: list[list[Span]] = [
    [("heading", "No corpus yet")],
    [],
    [("title", "a"), ("", " adds a folder of yours, after a look at what would be indexed")],
    [("title", "n"), ("", " defines a corpus of another kind: packages, skills, reports …")],
    [("title", "1"), ("", " Search offers a sample that is built in seconds")],
]


def _corpora(number: int) -> str:
    return "1 corpus" if number == 1 else f"{number:,} corpora"
