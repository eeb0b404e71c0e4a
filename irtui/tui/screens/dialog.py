"""A box above a mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget

from irtui.tui.widgets.painting import Span, content_of

__all__ = ["Dialog", "Foot"]

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
    Dialog .foot {
        height: 1; color: $ir-muted; width: 100%; text-wrap: nowrap; text-overflow: ellipsis;
    }
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


class Foot(Widget):
    """The keys of a box: the first ones there is room for, and always the last."""

    DEFAULT_CSS = """
    Foot { height: 1; width: 100%; }
    """

    def __init__(self, *hints: tuple[str, str]) -> None:
        super().__init__(classes="foot")
        self._hints = hints

    def render(self) -> Content:
        """Leave out, from the end, what does not fit before the last."""
        *others, last = self._hints
        for count in range(len(others), -1, -1):
            shown = _hints_content([*others[:count], last])
            if shown.cell_length <= self.size.width:
                break
        return shown


def _hints_content(hints: Sequence[tuple[str, str]]) -> Content:
    spans: list[Span] = []
    for key, text in hints:
        spans += [("", "  ")] * bool(spans) + [("title", key), ("muted", f" {text}")]
    return content_of(spans)
