"""The jump overlay: a letter on each pane, and typing it goes there."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from irtui.tui.modes import MODES
from irtui.tui.widgets.painting import content_of

__all__ = ["JumpScreen"]

_LETTERS = "asdfghjklwertyuiopzxcvbnm"


class JumpScreen(ModalScreen[None]):
    """Letters on panes; digits go to modes; anything else closes."""

    DEFAULT_CSS = """
    JumpScreen { background: $background 40%; layers: base; }
    JumpScreen > Static { width: 3; height: 1; position: absolute; }
    """

    def __init__(self, panes: Sequence[Widget]) -> None:
        super().__init__()
        self._panes = dict(zip(_LETTERS, panes, strict=False))

    def compose(self) -> ComposeResult:
        """Put a letter on the corner of each pane."""
        for letter, pane in self._panes.items():
            mark = Static(content_of([("cursor", f" {letter} ")]), markup=False)
            mark.styles.offset = (pane.region.x, pane.region.y)
            yield mark

    async def on_key(self, event: events.Key) -> None:
        """Go where the letter is."""
        event.stop()
        event.prevent_default()
        pane = self._panes.get(event.character or "")
        self.dismiss(None)
        if pane is not None:
            pane.focus()
        elif (event.character or "") in [str(n) for n in range(1, len(MODES) + 1)]:
            await self.app.run_action(f"mode('{list(MODES)[int(event.character or 1) - 1]}')")
