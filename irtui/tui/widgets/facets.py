"""The facets of a search: fields, their values with counts, ranges as small histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import BindingType
from textual.message import Message

from irtui.render.clean import clean_line
from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.widgets.lines import RowList
from irtui.tui.widgets.painting import Span

__all__ = ["FacetList", "bars"]

register_keys(
    (
        Key("facets.toggle", "space", "choose", "choose", "narrow by this value, or not", 10),
        Key("facets.clear", "x,delete", "clear", "drop", "take the filters of this field away", 12),
        Key("facets.next", "right_curly_bracket", "field(1)", "next field", "to the next field"),
        Key("facets.last", "left_curly_bracket", "field(-1)", "last field", "to the field before"),
    )
)
_BLOCKS = "▁▂▃▄▅▆▇█"


def bars(counts: Sequence[int]) -> str:
    """Return counts as bars one cell wide; what is not there is a blank."""
    most = max(counts, default=0)
    return "".join(
        _BLOCKS[max(0, -(-count * len(_BLOCKS) // most) - 1)] if count else " " for count in counts
    )


class FacetList(RowList):
    """Fields with their values; what is chosen is marked. Keys: ``field``, ``field\\0value``…"""

    SCOPES: ClassVar[tuple[str, ...]] = ("facets", "list")
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("facets"))

    class Toggled(Message):
        """A value is to be taken, or given up."""

        def __init__(self, field: str, value: Any) -> None:
            super().__init__()
            self.field, self.value = field, value

    class Wanted(Message):
        """All values, or the range, of a field are to be chosen from; ``""`` is any field."""

        def __init__(self, field: str) -> None:
            super().__init__()
            self.field = field

    class Cleared(Message):
        """The conditions on a field are to go."""

        def __init__(self, field: str) -> None:
            super().__init__()
            self.field = field

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._rows: list[tuple[str, str, Any]] = []  # field, what, data
        self._told = False

    def show_panel(self, panel: Mapping[str, Any] | None) -> None:
        """Show what was counted; ``None`` while there is nothing to count."""
        keep = self.row_key(self.at) if self._rows and self.at else None
        rows: list[tuple[str, str, Any]] = []
        for facet in panel["facets"] if panel is not None else ():
            field = facet["field"]
            rows.append((field, "field", facet))
            if facet.get("bins"):
                rows.append((field, "range", facet))
            for value in facet["values"] if facet["kind"] == "values" else ():
                rows.append((field, "value", value))
            for value in facet["values"] if facet["kind"] != "values" else ():
                if value["chosen"]:
                    rows.append((field, "value", value))
            left = facet["distinct"] - len(facet["values"])
            if facet["kind"] == "values" and left > 0:
                rows.append((field, "more", left))
        if panel is not None and panel["hidden"]:
            rows.append(("", "hidden", (len(panel["hidden"]), bool(rows))))
        self._rows = rows
        self._told = panel is not None
        self.rows_changed(keep)

    def row_count(self) -> int:
        """Return how many rows there are."""
        return max(1, len(self._rows))

    def row_key(self, row: int) -> str:
        """Return the field, what the row is, and its value."""
        if row >= len(self._rows):
            return ""
        field, what, data = self._rows[row]
        return f"{field}\0{what}\0{data['value']}" if what == "value" else f"{field}\0{what}"

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        """Return a row."""
        del line
        if not self._rows:
            says = "nothing to narrow by" if self._told else "type to narrow"
            return [("muted", f" {says}")]
        field, what, data = self._rows[row]
        if what == "field":
            mark: Span = ("selected", " ×") if data["chosen"] else ("", "")
            return [("heading", f" {field}"), mark, ("muted", f"  {data['distinct']:,}")]
        if what == "range":
            chart = bars([each["count"] for each in data["bins"]])
            ends = f"{data['bins'][0]['low']}–{data['bins'][-1]['high']}"
            return [("", "   "), ("score", chart), ("muted", f" {ends}")]
        if what == "more":
            return [("muted", f"   … {data:,} more")]
        if what == "hidden":
            count, more = data
            said = f" … {count:,} more fields" if more else f" any of {count:,} fields"
            return [("muted", said), ("title", "  F")]
        text = clean_line(str(data["value"])) or '""'
        count = f"{data['count']:,}"
        room = max(3, width - 5 - len(count) - 1)
        if cell_len(text) > room:
            text = set_cell_size(text, room - 1) + "…"
        role, dot = ("selected", "◉") if data["chosen"] else ("", "○")
        gap = " " * max(1, room - cell_len(text) + 1)
        return [(role, f"  {dot} "), (role, text), ("muted", f"{gap}{count}")]

    @property
    def shows_cursor(self) -> bool:
        """Show the cursor while the pane has the focus: the hits beside it have their own."""
        return self.has_focus

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Show no cursor."""
        self.refresh()

    def action_choose(self) -> None:
        """Take the value of the cursor, or give it up; on other rows, open."""
        self.opened()

    def action_clear(self) -> None:
        """Take the conditions of the field of the cursor away."""
        if self._rows and self._rows[self.at][0]:
            self.post_message(self.Cleared(self._rows[self.at][0]))

    def action_field(self, by: int) -> None:
        """Go to another field."""
        heads = [row for row, (_, what, _) in enumerate(self._rows) if what in ("field", "hidden")]
        ahead = [row for row in heads if (row > self.at if by > 0 else row < self.at)]
        if ahead:
            self.at = ahead[0] if by > 0 else ahead[-1]

    def opened(self) -> None:
        """Say what the row of the cursor is for."""
        if not self._rows:
            return
        field, what, data = self._rows[self.at]
        if what == "value":
            self.post_message(self.Toggled(field, data["value"]))
        else:
            self.post_message(self.Wanted(field))

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked, with one click."""
        row = event.y + self.scroll_offset.y
        if 0 <= row < len(self._rows):
            self.at = row
            self.opened()
        event.prevent_default()
