"""A box above a mode."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

__all__ = ["Dialog"]

_Answer = TypeVar("_Answer")


class Dialog(ModalScreen[_Answer], Generic[_Answer]):
    """A box in the middle, as wide as it needs and the screen allows; Escape closes it."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > .box {
        width: 84; max-width: 100%; height: auto; max-height: 90%;
        background: $surface; color: $foreground; border: round $ir-muted; padding: 0 1;
        border-title-color: $ir-title; border-title-style: bold;
    }
    Dialog .foot { height: 1; color: $ir-muted; width: 100%; }
    Dialog LineView { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "app.interrupt", "stop", show=False),
        Binding("ctrl+q", "app.leave", "quit", show=False),
    ]
    ESCAPE_TO_MINIMIZE = False

    def key_escape(self) -> None:
        """Close without an answer."""
        self.dismiss(None)
