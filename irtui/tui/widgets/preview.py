"""The preview: a document of which the lines that are seen are painted, at its match."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from irtui.tui.documents import Laid
from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.widgets.lines import LineView
from irtui.tui.widgets.painting import Span

__all__ = ["Preview"]

register_keys(
    (
        Key("preview.down", "j,down", "line(1)", "down", "scroll down"),
        Key("preview.up", "k,up", "line(-1)", "up", "scroll up"),
        Key("preview.page_down", "ctrl+d,pagedown", "screenful(1)", "page", "a page down"),
        Key("preview.page_up", "ctrl+u,pageup", "screenful(-1)", "page up", "a page up"),
        Key("preview.top", "g,home", "line_to(0)", "top", "to the beginning"),
        Key("preview.end", "G,end", "line_to(-1)", "end", "to the end"),
        Key("preview.next_match", "n", "match(1)", "next match", "to the next match", 11),
        Key("preview.last_match", "N", "match(-1)", "match before", "to the match before"),
    )
)


class Preview(LineView):
    """Shows a laid-out document under its title; keeps it until there is another one."""

    SCOPES: ClassVar[tuple[str, ...]] = ("preview",)
    HINTS: ClassVar[tuple[str, ...]] = ("preview.next_match", "app.back", "app.zoom")
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("preview"))
    DEFAULT_CSS = """
    Preview { padding: 0 1; background: $surface; }
    """

    class Resized(Message):
        """It has another width or height: its document is to be laid out again."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._laid = Laid((), (), ())
        self._at_match = -1
        self.shown: Any = None
        """What identifies the document that is shown."""

    def show_document(self, laid: Laid, *, of: Any, number: int | None) -> None:
        """Show a document, with line ``number`` of it near the top; the same one stays in place."""
        same = of == self.shown
        self._laid, self.shown = laid, of
        self.lines_changed()
        if same:
            return
        self._at_match = -1
        if number is None:
            target = laid.matches[0] if laid.matches else 0
        else:
            target = laid.line_of(number)
        self.scroll_to(0, max(0, target - 2), animate=False, force=True)

    @property
    def match_number(self) -> int | None:
        """The line of the document of the match one went to last."""
        if not 0 <= self._at_match < len(self._laid.matches):
            return None
        return self._laid.numbers[self._laid.matches[self._at_match]]

    def on_resize(self, event: events.Resize) -> None:
        """Ask for lines of the new width."""
        del event
        self.post_message(self.Resized())

    def line_count(self) -> int:
        """Return how many lines the document has."""
        return len(self._laid.lines)

    def spans_at(self, line: int, width: int) -> list[Span]:
        """Return a line of the document."""
        del width
        return list(self._laid.lines[line])

    def action_line(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to(0, self.scroll_offset.y + by, animate=False, force=True)

    def action_line_to(self, line: int) -> None:
        """Scroll to a line; -1 is the last."""
        self.scroll_to(0, self.line_count() if line < 0 else line, animate=False, force=True)

    def action_screenful(self, by: int) -> None:
        """Scroll by what fits."""
        self.action_line(by * max(1, self.size.height - 2))

    def action_match(self, by: int) -> None:
        """Go to another match; after the last comes the first."""
        matches = self._laid.matches
        if not matches:
            getattr(self.app, "say", str)("no word of the query stands here")
            return
        if self._at_match < 0:
            here = self.scroll_offset.y
            ahead = [i for i, line in enumerate(matches) if line > here + 2]
            behind = [i for i, line in enumerate(matches) if line < here]
            near = (ahead[:1] or [0]) if by > 0 else (behind[-1:] or [len(matches) - 1])
            self._at_match = near[0]
        else:
            self._at_match = (self._at_match + by) % len(matches)
        self.scroll_to(0, max(0, matches[self._at_match] - 2), animate=False, force=True)
