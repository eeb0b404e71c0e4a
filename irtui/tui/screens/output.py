"""What a line for commands wrote: to read, to copy, and to go on from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from irtui.tui.screens.help import TextScreen
from irtui.tui.widgets.painting import Span, text_of

if TYPE_CHECKING:
    from irtui.tui.app import IrApp

__all__ = ["OutputScreen"]

_AROUND = 6
_WIDEST, _NARROWEST = 140, 30


class OutputScreen(TextScreen):
    """Lines a command wrote; ``y`` copies them, ``:`` writes the next command."""

    DEFAULT_CSS = f"""
    OutputScreen > .box {{ width: {_WIDEST}; }}
    """
    FOOT = "y copies all · : another command · esc closes"

    def __init__(self, title: str, lines: Sequence[Sequence[Span]]) -> None:
        super().__init__(title, lines)
        self._lines = lines

    @staticmethod
    def width_in(width: int) -> int:
        """Return how many cells a line has in a terminal of so many."""
        return max(_NARROWEST, min(_WIDEST, width) - _AROUND)

    def key_y(self) -> None:
        """Copy."""
        text = "".join(f"{text_of(line)}\n" for line in self._lines)
        cast("IrApp", self.app).copy(text, what="the output")

    def key_colon(self) -> None:
        """Close, and open the line again."""
        app = cast("IrApp", self.app)
        self.dismiss(None)
        app.call_later(app.action_command_line)
