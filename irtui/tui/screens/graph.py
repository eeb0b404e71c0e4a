"""The mode Graph: what the document of the cursor links to, and what links to it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from irtui.tui.lanes import Answered
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.listing import PlainRows

__all__ = ["GraphScreen"]


class GraphScreen(ModeScreen):
    """The links of one document."""

    MODE: ClassVar[str] = "graph"
    SCOPES: ClassVar[tuple[str, ...]] = ("graph", "list")
    FIRST_FOCUS: ClassVar[str] = "#links"
    TOPIC: ClassVar[str] = "What the document under the cursor of Search links to. Press e there."

    def compose_body(self) -> ComposeResult:
        """Show one list."""
        yield PlainRows(id="links")

    def on_screen_resume(self) -> None:
        """Show the links of what the cursor of Search is on."""
        hit = self.ir.current_hit
        if hit is None:
            message = "no document yet: press 1, search, and press e on a result"
            self.query_one(PlainRows).show_rows([("", [("muted", f" {message}")])])
            return
        self.ask_command(
            "graph", "links", self._linked, which=hit["artifact_id"], corpus=[hit["source"]]
        )

    def _linked(self, answered: Answered) -> None:
        if answered.error is not None:
            self.say(str(answered.error), "failed")
            return
        data = answered.value.data
        links = data if isinstance(data, list) else data.get("links", [])
        rows = [(str(i), [("", f" {link}")]) for i, link in enumerate(links)]
        self.query_one(PlainRows).show_rows(rows or [("", [("muted", " no links")])])
