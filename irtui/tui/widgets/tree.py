"""The surroundings of a node as a tree, and as a small drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual.binding import BindingType

from irtui.commands.ego import IN, OUT, SAME
from irtui.render.clean import clean_line
from irtui.tui.drawing import wheel
from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.widgets.lines import LineView, RowList
from irtui.tui.widgets.painting import Span

__all__ = ["GraphTree", "Overview", "edge_words"]

register_keys(
    (
        Key("tree.open", "l,right", "unfold", "unfold", "open the node, all its edges", 12),
        Key("tree.close", "h,left", "fold", "fold", "close the node, or go to the one above", 13),
    )
)
_WORDS = {
    ("LINK", OUT): "links to",
    ("LINK", IN): "linked from",
    ("LINK", SAME): "linked both ways",
    ("RELATED", OUT): "related",
    ("RELATED", IN): "related",
    ("REF", OUT): "needs",
    ("REF", IN): "needed by",
    ("PARENT", OUT): "part of",
    ("PARENT", IN): "has part",
    ("SIMILAR", SAME): "similar",
}


def edge_words(kind: str, way: str) -> str:
    """Return what an edge is called, by its type and which way it leads from the node above."""
    word = _WORDS.get((kind, way), kind.casefold())
    return f"{word} {'~' if kind == 'SIMILAR' else way}"


class GraphTree(RowList):
    """Rows as :func:`irtui.commands.ego.ego` gives them."""

    SCOPES: ClassVar[tuple[str, ...]] = ("tree", "list")
    HINTS: ClassVar[tuple[str, ...]] = ("list.open", "graph.back")
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("tree"))

    def __init__(
        self,
        *,
        on_move: Callable[[], None],
        on_open: Callable[[], None],
        on_fold: Callable[[bool], None],
        picked: Callable[[str], bool],
        id: str | None = None,  # noqa: A002 - Textual calls it so
    ) -> None:
        super().__init__(id=id)
        self.rows: list[dict[str, Any]] = []
        self.mark: str | None = None
        self._on_move, self._on_open, self._on_fold = on_move, on_open, on_fold
        self._picked = picked

    def show_tree(self, rows: list[dict[str, Any]], *, keep: str | None) -> None:
        """Show these rows, with the cursor on key ``keep``."""
        self.rows = rows
        if keep is None:
            self.set_reactive(RowList.at, 0)
        self.rows_changed(keep)

    @property
    def row(self) -> Mapping[str, Any] | None:
        """The row of the cursor."""
        return self.rows[self.at] if self.at < len(self.rows) else None

    def row_count(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def row_key(self, row: int) -> str:
        """Return what identifies a row: the node and the one above it."""
        data = self.rows[row]
        return f"{data['parent']}\0\0{data['key']}"

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        """Return a row of the tree."""
        del line, width
        data = self.rows[row]
        indent = "  " * data["depth"]
        pointer: Span = ("", "▸" if row == self.at else " ")
        if data["what"] == "more":
            return [pointer, ("muted", f"{indent}… {data['left']:,} more (enter)")]
        mark = "A" if data["key"] == self.mark else "✓" if self._picked(data["key"]) else " "
        spans: list[Span] = [pointer, ("selected", mark), ("", indent)]
        if data["what"] == "seen":
            spans.append(("muted", "· "))
        elif data["what"] == "outside":
            spans.append(("due", "⌀ "))
        elif data["edges"]:
            spans.append(("score", "▾ " if data["open"] else "▹ "))
        else:
            spans.append(("muted", "· "))
        if data["type"]:
            word = edge_words(data["type"], data["way"])
            if data["type"] == "SIMILAR":
                word += f"{data['weight']:.2f}"
            spans.append(("muted", f"{word} "))
        spans.append(("title" if data["depth"] == 0 else "", clean_line(str(data["title"]))))
        if data["what"] == "seen":
            spans.append(("muted", "  ↻"))
        elif data["what"] == "outside":
            spans.append(("muted", "  not in this corpus"))
        elif data["edges"] and not data["open"]:
            spans.append(("muted", f"  {data['edges']:,}"))
        return spans

    def moved(self) -> None:
        """Tell that the cursor moved."""
        self._on_move()

    def opened(self) -> None:
        """Go on from the row of the cursor."""
        self._on_open()

    def action_unfold(self) -> None:
        """Open the node of the cursor."""
        self._on_fold(True)

    def action_fold(self) -> None:
        """Close the node of the cursor."""
        self._on_fold(False)


class Overview(LineView):
    """The tree as a wheel, with the node of the cursor filled."""

    can_focus = False
    DEFAULT_CSS = """
    Overview { overflow-y: hidden; scrollbar-size-vertical: 0; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._rows: list[dict[str, Any]] = []
        self._at = ""
        self._drawn: tuple[Any, list[str]] = (None, [])

    def show_tree(self, rows: list[dict[str, Any]], at: str) -> None:
        """Draw these rows."""
        self._rows, self._at = rows, at
        self._drawn = (None, [])
        self.lines_changed()

    def line_count(self) -> int:
        """Return how many lines fit."""
        return self.size.height

    def spans_at(self, line: int, width: int) -> list[Span]:
        """Return a line of the drawing."""
        mark = (width, self.size.height)
        if self._drawn[0] != mark:
            self._drawn = (mark, self._draw(width, self.size.height))
        lines = self._drawn[1]
        return [("score", lines[line])] if line < len(lines) else []

    def _draw(self, width: int, height: int) -> list[str]:
        nodes = [row for row in self._rows if row["what"] in ("node", "outside")]
        crossing = [  # all of them would be a tangle
            (row["parent"], row["key"])
            for row in self._rows
            if row["what"] == "seen" and self._at in (row["parent"], row["key"])
        ]
        if not nodes or width < 4 or height < 3:
            return []
        return wheel(
            {row["key"]: row["parent"] for row in nodes if row["depth"]},
            [row["key"] for row in nodes],
            {row["key"]: row["depth"] for row in nodes},
            width=width,
            height=height,
            at=self._at,
            crossing=crossing,
        )
