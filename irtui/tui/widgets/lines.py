"""Line views: what is long is painted line by line, so that a million rows cost what is seen."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from irtui.tui.keys import bindings
from irtui.tui.widgets.painting import PAINT_CSS, ROLES, Span, strip_of, text_of

__all__ = ["LineView", "RowList"]

_MOST_COPIED = 20_000


class LineView(ScrollView, can_focus=True):
    """Lines that are made when they are seen: subclasses give :meth:`spans_at`.

    ``SCOPES`` names the keys that work here, for help and hints.
    """

    SCOPES: ClassVar[tuple[str, ...]] = ()
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--{role}" for role in ROLES}
    ALLOW_SELECT = True
    DEFAULT_CSS = f"""
    LineView {{
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        {PAINT_CSS}
    }}
    """

    _styles_made: dict[str, dict[str, Style]] | None = None
    _seen: dict[int, tuple[str, tuple[Span, ...]] | None] = {}  # noqa: RUF012 - never changed
    _seen_at: tuple[int, Size] | None = None

    def line_count(self) -> int:
        """Return how many lines there are."""
        raise NotImplementedError

    def spans_at(self, line: int, width: int) -> list[Span]:
        """Return what line ``line`` shows in ``width`` cells."""
        raise NotImplementedError

    def line_role(self, line: int) -> str:
        """Return a role that colours the whole line, or ``""``."""
        del line
        return ""

    @property
    def text_width(self) -> int:
        """How many cells a line has."""
        return max(1, self.scrollable_content_region.width)

    def lines_changed(self) -> None:
        """Say that the number of lines, or any of them, is another one.

        Of those that are seen only what looks otherwise now is painted again: the same hits come
        with most keys, and painting is what takes the time.
        """
        # Setting the size plainly would lay out the whole screen. The scrollbar is always there, so
        # nothing but its thumb depends on how many lines there are.
        size = Size(self.text_width, self.line_count())
        self.set_reactive(ScrollView.virtual_size, size)
        bar = self.vertical_scrollbar
        bar.window_virtual_size, bar.window_size = size.height, self.size.height
        if self.scroll_y > self.max_scroll_y:
            self.scroll_to(0, self.max_scroll_y, animate=False, force=True)
        top, width = self.scroll_offset.y, self.text_width
        if self._seen_at != (top, self.size):
            self.refresh()
            return
        for line in range(top, top + self.size.height):
            if self._seen.get(line) != self._look_of(line, width):
                self.refresh_line(line)

    def _look_of(self, line: int, width: int) -> tuple[str, tuple[Span, ...]] | None:
        """Return all that decides what a line looks like, but the theme; ``None`` = blank."""
        if not 0 <= line < self.line_count():
            return None
        return self.line_role(line), tuple(self.spans_at(line, width))

    def render_line(self, y: int) -> Strip:
        """Paint one line of the screen."""
        line = y + self.scroll_offset.y
        width = self.text_width
        if self._seen_at != (self.scroll_offset.y, self.size):
            self._seen_at = (self.scroll_offset.y, self.size)
            self._seen = {}
        look = self._look_of(line, width)
        self._seen[line] = look
        if look is None:
            return Strip.blank(self.size.width, self._styles_on("")[""])
        role, spans = look
        strip = strip_of(spans, self._styles_on(role), width, line=line)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line)) is not None:
            start, end = span
            mark = self.screen.get_component_rich_style("screen--selection")
            if self.app.current_theme.ansi:
                mark += Style(reverse=True)  # a palette without colours still shows it
            cells = strip.crop(start, None if end == -1 else end).apply_style(mark)
            after = [] if end == -1 else [strip.crop(end, width)]
            strip = Strip.join([strip.crop(0, start), cells, *after])
        # The scrollbar stands on the last cell.
        return strip.adjust_cell_length(self.size.width, self._styles_on(role)[""])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text somebody marked with the mouse."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.line_count() - 1
        lines = []
        for line in range(
            max(0, first), min(last, first + _MOST_COPIED, self.line_count() - 1) + 1
        ):
            text = text_of(self.spans_at(line, self.text_width)).rstrip()
            span = selection.get_span(line)
            if span is not None:
                text = text[span[0] : None if span[1] == -1 else span[1]]
            lines.append(text)
        return "\n".join(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint again what is marked."""
        del selection
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget the colours of the theme before."""
        self._styles_made = None
        super().notify_style_update()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another width."""
        del event
        self.lines_changed()

    def _styles_on(self, line_role: str) -> dict[str, Style]:
        """Return the style of each role on a line of that role."""
        if self._styles_made is None:
            self._styles_made = {}
        made = self._styles_made.get(line_role)
        if made is None:
            base = self.rich_style
            if line_role:
                base += self._role_style(line_role)
            made = {role: base + self._role_style(role) for role in ROLES} | {"": base}
            self._styles_made[line_role] = made
        return made

    def _role_style(self, role: str) -> Style:
        return self.get_component_rich_style(f"line--{role}", partial=True)


class RowList(LineView):
    """A list with a cursor; each row has ``row_height`` lines and a key that outlives a refresh."""

    SCOPES: ClassVar[tuple[str, ...]] = ("list",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("list"))

    at: reactive[int] = reactive(0, init=False)
    """The row of the cursor; 0 in an empty list."""

    row_height = 1

    @property
    def shows_cursor(self) -> bool:
        """Whether the row of the cursor is coloured now."""
        return True

    def row_count(self) -> int:
        """Return how many rows there are."""
        raise NotImplementedError

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        """Return what line ``line`` of row ``row`` shows."""
        raise NotImplementedError

    def row_key(self, row: int) -> str:
        """Return what identifies a row."""
        raise NotImplementedError

    def row_with(self, key: str) -> int | None:
        """Return the row of that key, or ``None``."""
        return next((row for row in range(self.row_count()) if self.row_key(row) == key), None)

    def moved(self) -> None:
        """Take note that the cursor is on another row."""

    def opened(self) -> None:
        """Open the row of the cursor."""

    def line_count(self) -> int:
        """Return how many lines all rows have."""
        return self.row_count() * self.row_height

    def spans_at(self, line: int, width: int) -> list[Span]:
        """Return the spans of a line of a row."""
        row = line // self.row_height
        spans = self.row_spans(row, line % self.row_height, width)
        if row != self.at or not self.shows_cursor:
            return spans
        # What is dim elsewhere could not be read on the colour of the cursor.
        return [("match" if role == "match" else "", text) for role, text in spans]

    def line_role(self, line: int) -> str:
        """Colour the row of the cursor."""
        return "cursor" if self.shows_cursor and line // self.row_height == self.at else ""

    def rows_changed(self, keep: str | None) -> None:
        """Show other rows; the cursor goes to the row of key ``keep`` where there is one."""
        last = max(0, self.row_count() - 1)
        row = None if keep is None else self.row_with(keep)
        self.set_reactive(RowList.at, min(self.at, last) if row is None else row)
        self.lines_changed()
        self._show_cursor()
        self.moved()

    def validate_at(self, at: int) -> int:
        """Keep the cursor within the rows."""
        return max(0, min(at, self.row_count() - 1))

    def watch_at(self, before: int, after: int) -> None:
        """Follow the cursor."""
        if before != after:
            self._show_cursor()
            self.refresh()
            self.moved()

    def action_cursor(self, by: int) -> None:
        """Move the cursor."""
        self.at += by

    def action_cursor_to(self, row: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.at = self.row_count() - 1 if row < 0 else row

    def action_page(self, by: int) -> None:
        """Move the cursor by pages."""
        self.at += by * max(1, self.size.height // self.row_height - 1)

    def action_open(self) -> None:
        """Open the row of the cursor."""
        if self.row_count():
            self.opened()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row, open it with a double click."""
        row = (event.y + self.scroll_offset.y) // self.row_height
        if 0 <= row < self.row_count():
            self.at = row
            if event.chain > 1:
                self.opened()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another size; the cursor stays in sight."""
        event.prevent_default()
        self.lines_changed()
        self._show_cursor()

    def _show_cursor(self) -> None:
        region = Region(0, self.at * self.row_height, 1, self.row_height)
        self.scroll_to_region(region, animate=False, force=True)
