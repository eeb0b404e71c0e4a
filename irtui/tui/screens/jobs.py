"""The job centre: what runs, what ran, what it said; stopping it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from irtui.tui.jobs import Job
from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.screens.dialog import Dialog, Foot
from irtui.tui.screens.listing import PlainRows
from irtui.tui.widgets.painting import Span

if TYPE_CHECKING:
    from irtui.tui.app import IrApp

__all__ = ["JobsScreen"]

register_keys(
    (
        Key("jobs.cancel", "c", "cancel", "cancel", "stop the job; again: at once", 10),
        Key("jobs.copy", "y", "copy", "copy", "copy its command line", 20),
    ),
    above=True,
)
_ROLES = {"running": "running", "stopping": "due", "done": "ok", "failed": "failed"}


class JobsScreen(Dialog[None]):
    """All jobs of this session, and what the one under the cursor said."""

    SCOPES: ClassVar[tuple[str, ...]] = ("jobs", "list")
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("jobs"))
    DEFAULT_CSS = """
    JobsScreen > .box { height: 90%; width: 110; }
    JobsScreen #jobs { height: 1fr; }
    JobsScreen #said { height: 2fr; border-top: solid $ir-muted; }
    """

    def compose(self) -> ComposeResult:
        """Show the list above what was said."""
        with Vertical(classes="box") as box:
            box.border_title = "Jobs"
            yield PlainRows(id="jobs", on_move=lambda _: self._tell())
            yield PlainRows(id="said")
            yield Foot(("c", "cancels"), ("y", "copies the command"), ("esc", "closes"))

    def on_mount(self) -> None:
        """Follow the jobs."""
        self.query_one("#jobs").focus()
        self._fill()
        self.set_interval(0.5, self._fill)

    @property
    def _job(self) -> Job | None:
        key = self.query_one("#jobs", PlainRows).key_at_cursor
        return self._ir.jobs[int(key)] if key else None

    @property
    def _ir(self) -> IrApp:
        return cast("IrApp", self.app)

    def action_cancel(self) -> None:
        """Stop the job."""
        job = self._job
        if job is not None and not self._ir.jobs.cancel(job):
            self._ir.say(f"{job.title} does not run any more")
        self._fill()

    def action_copy(self) -> None:
        """Copy the command line of the job."""
        job = self._job
        if job is not None:
            import shlex

            self._ir.copy(shlex.join(["irtui", *job.words]), what="the command")

    def _fill(self) -> None:
        rows: list[tuple[str, list[Span]]] = [
            (
                str(job.id),
                [
                    (_ROLES.get(job.state, "muted"), f" {job.says():<22} "),
                    ("", job.title),
                    ("muted", f"  {job.seconds:.0f} s"),
                ],
            )
            for job in reversed(list(self._ir.jobs))
        ]
        empty: list[tuple[str, list[Span]]] = [
            ("", [("muted", " no jobs yet: builds and maintenance show up here")])
        ]
        self.query_one("#jobs", PlainRows).show_rows(rows or empty)
        self._tell()

    def _tell(self) -> None:
        job = self._job
        lines: list[list[Span]] = []
        if job is not None:
            if job.error is not None:
                lines.append([("failed", job.error["message"])])
                if job.error["hint"]:
                    lines.append([("muted", "try: "), ("", job.error["hint"])])
            for event in reversed(job.events):
                if event.get("event") in ("note", "warning"):
                    role = "due" if event["event"] == "warning" else ""
                    lines.append([(role, str(event.get("text", "")))])
            lines += [[("muted", line)] for line in reversed(job.lines)]
            if isinstance(job.result, (dict, list)):
                import json

                text = json.dumps(job.result, ensure_ascii=False, indent=1)
                lines += [[("", line)] for line in text.splitlines()[:400]]
        self.query_one("#said", PlainRows).show_rows(
            [(str(i), line) for i, line in enumerate(lines)]
        )
