"""The mode Maintenance: what is due, what runs, what failed, when it goes on."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from irtui.commands.upkeep import dashboard, run_lines
from irtui.tui.jobs import Job
from irtui.tui.keys import bindings
from irtui.tui.lanes import Answered
from irtui.tui.screens.listing import Lines, PlainRows
from irtui.tui.screens.maintenance_actions import MaintenanceActions
from irtui.tui.screens.maintenance_lines import about_lines, row_spans, schedule_spans
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.panes import Notice
from irtui.tui.widgets.strips import PaneTitle

__all__ = ["MaintenanceScreen"]

_EVERY = 2.0


class MaintenanceScreen(MaintenanceActions):
    """A row for each registered corpus; beside it its times, its log, and the schedule."""

    MODE: ClassVar[str] = "maintenance"
    SCOPES: ClassVar[tuple[str, ...]] = ("maintenance",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("maintenance"))
    FIRST_FOCUS: ClassVar[str] = "#due"
    BESIDE: ClassVar[str] = "-show-log"
    TOPIC: ClassVar[str] = """\
Maintenance brings registered corpora up to date: by itself when the operating system runs
irtui --maintain (i sets that up), and here when you press r.

The state of each: running, failed, overdue, due, never (not built yet), ok, paused (only when
asked). "due in" says when it will be due, on the clock its policy names; it is run at the first run
of maintenance after that. The bars are its last runs,
oldest first: as high as they were long, ✗ where they failed. The line before them is how much of
the files is indexed.

e changes when it is due: a cron line shows its next five times while you type. n says what would
be done and does nothing. p pauses, and lets go on. R runs everything that is due. What runs here
runs beside the app; c stops it at the next safe point.
"""
    DEFAULT_CSS = """
    MaintenanceScreen #list-pane { width: 3fr; height: 100%; }
    MaintenanceScreen #due { height: 1fr; }
    MaintenanceScreen #log-pane { width: 2fr; height: 100%; background: $surface; display: none; }
    MaintenanceScreen.-three #log-pane, MaintenanceScreen.-wide #log-pane { display: block; }
    MaintenanceScreen.-show-log #log-pane { display: block; }
    MaintenanceScreen.-one.-show-log #list-pane, MaintenanceScreen.-two.-show-log #list-pane {
        display: none;
    }
    MaintenanceScreen.-hide-log #log-pane { display: none; }
    MaintenanceScreen #log { height: 1fr; }
    MaintenanceScreen #notice { display: none; }
    MaintenanceScreen.-notice #notice { display: block; }
    MaintenanceScreen.-notice #due, MaintenanceScreen.-notice #log-pane { display: none; }
    MaintenanceScreen.-tiny PaneTitle { display: none; }
    """

    def compose_body(self) -> ComposeResult:
        """Put the rows beside the log."""
        with Horizontal():
            with Vertical(id="list-pane"):
                yield PaneTitle("Schedule", id="schedule")
                yield PlainRows(id="due", on_open=self._opened, on_move=self._moved)
                yield Notice(id="notice")
            with Vertical(id="log-pane"):
                yield PaneTitle("Log", id="log-title")
                yield Lines(id="log")

    def on_mount(self) -> None:
        """Look again every two seconds, while it is shown."""
        super().on_mount()
        self.rows: dict[str, dict[str, Any]] = {}
        self.schedule: dict[str, Any] | None = None
        self._log: dict[str, list[dict[str, Any]]] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.set_interval(_EVERY, self._look_again)

    def on_screen_resume(self) -> None:
        """Look at once, also at the system's schedule."""
        self.load()
        self.ask_command("schedule", "schedule", self._scheduled, status=True)

    def _look_again(self) -> None:
        if self.app.screen is self and not self.ir.lanes["maintenance"].busy:
            self.load()

    def load(self) -> None:
        """Ask how everything is."""
        live = self.ir.live

        self.ask_once("maintenance", lambda: live.call(dashboard), self._told)

    def _told(self, answered: Answered) -> None:
        if answered.error is not None:
            self._unreadable(answered.error, "The state cannot be read")
            return
        self._problem = None
        before = self.rows
        self.rows = {str(row["name"]): row for row in answered.value}
        self.set_class(not self.rows, "-notice")
        if not self.rows:
            self.query_one("#notice", Notice).show_lines(
                [
                    [("heading", "Nothing to look after")],
                    [],
                    [("", "What was only tried is not kept up to date.")],
                    [
                        ("title", "2"),
                        ("", " Corpora: "),
                        ("title", "a"),
                        ("", " adds a folder for good, also one that was tried"),
                    ],
                ]
            )
        self.paint()
        self.compare_files()
        name = self.name_now
        if name and self.rows[name].get("runs") != before.get(name, {}).get("runs"):
            self._ask_log(name)

    def paint(self) -> None:
        """Show the rows as they are known now."""
        now = datetime.now().astimezone()
        room = self.query_one("#due", PlainRows).size.width
        width = min(24, max((len(name) for name in self.rows), default=4))
        self.query_one("#due", PlainRows).show_rows(
            [
                (
                    name,
                    row_spans(
                        row,
                        self.job_of(name),
                        now=now,
                        name_width=width,
                        room=room,
                        files=self.files.get(name),
                    ),
                )
                for name, row in self.rows.items()
            ]
        )
        counts: dict[str, int] = {}
        for row in self.rows.values():
            counts[row["state"]] = counts.get(row["state"], 0) + 1
        said = " · ".join(f"{count} {state}" for state, count in counts.items())
        self.query_one(StatusLine).counts([("", said)])
        self._show_about()

    def _scheduled(self, answered: Answered) -> None:
        title = self.query_one("#schedule", PaneTitle)
        if answered.error is not None:
            title.tell([("failed", str(answered.error))])
            return
        self.schedule = dict(answered.value.data)
        title.tell(schedule_spans(self.schedule))

    # --- the log --------------------------------------------------------------------------------

    def _opened(self, name: str) -> None:
        del name
        self.action_log()

    def _moved(self, name: str) -> None:
        if name in self.rows and name not in self._log:
            self._ask_log(name)
        self._show_about()

    def _ask_log(self, name: str) -> None:
        live = self.ir.live

        def told(answered: Answered) -> None:
            if answered.error is None:
                self._log[name] = answered.value
                self._show_about()
            else:
                self.say(str(answered.error), "failed")

        self.ask_once("log", lambda: live.call(run_lines, name), told)

    def _show_about(self) -> None:
        name = self.name_now
        if not name:
            return
        self.query_one("#log-title", PaneTitle).tell([("title", name)])
        lines = about_lines(
            self.rows[name], self.job_of(name), self._log.get(name, []), self.files.get(name)
        )
        self.query_one("#log", Lines).show_lines(lines)

    # --- from outside ---------------------------------------------------------------------------

    def job_of(self, name: str) -> Job | None:
        """Return the running job of this session that looks after a corpus."""
        for job in self.ir.jobs.active:
            if name in job.words[1:] or job.words[:1] == ("maintain",) and "-c" not in job.words:
                return job
        return None

    def job_changed(self, job_id: int, *, ended: bool) -> None:
        """Show how far it is; look again when it has ended."""
        if ended:
            self._log.clear()
            self.forget_files()
            self.load()
            if self.ir.jobs[job_id].words[:1] == ("schedule",):
                self.ask_command("schedule", "schedule", self._scheduled, status=True)
        else:
            self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new width."""
        del event
        self.call_after_refresh(self.paint)

    def error_text(self) -> str:
        """Return the error that is shown: that of the screen, else that of the corpus."""
        if self._problem is not None:
            return super().error_text()
        row = self.rows.get(self.name_now, {})
        return f"{row['error']}\n{row['hint']}".strip() if row.get("error") else ""

    def equivalent_command(self) -> str:
        """Return the command line that looks after this corpus now."""
        words = ["irtui", "maintain", "--all"]
        return shlex.join([*words, "-c", self.name_now] if self.name_now else ["irtui", "maintain"])
