"""The mode Maintenance: which corpora are due."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from irtui.tui.lanes import Answered
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.listing import PlainRows

__all__ = ["MaintenanceScreen"]


class MaintenanceScreen(ModeScreen):
    """What maintenance would do now."""

    MODE: ClassVar[str] = "maintenance"
    SCOPES: ClassVar[tuple[str, ...]] = ("maintenance", "list")
    FIRST_FOCUS: ClassVar[str] = "#due"
    TOPIC: ClassVar[str] = "What maintenance would do if it ran now."

    def compose_body(self) -> ComposeResult:
        """Show one list."""
        yield PlainRows(id="due")

    def on_screen_resume(self) -> None:
        """Ask what is due."""
        self.ask_command("maintenance", "maintain", self._told, dry_run=True)

    def _told(self, answered: Answered) -> None:
        if answered.error is not None:
            self.say(str(answered.error), "failed")
            return
        data = answered.value.data
        rows = data if isinstance(data, list) else data.get("results", data.get("corpora", []))
        shown = [(str(i), [("", f" {row}")]) for i, row in enumerate(rows)]
        self.query_one(PlainRows).show_rows(shown or [("", [("muted", " nothing is due")])])
