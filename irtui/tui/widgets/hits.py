"""The list of hits: painted line by line, described page by page, its cursor kept by id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar

from textual.message import Message

from irtui.render.clean import clean_line
from irtui.tui.widgets.lines import RowList
from irtui.tui.widgets.painting import Span, marked

__all__ = ["HitList"]

_BAR = 4


def _around(
    snippet: str, spans: Sequence[Sequence[int]], width: int
) -> tuple[str, list[tuple[int, int]]]:
    """Return a snippet that begins so that its first match is seen in ``width`` cells."""
    if not spans or width < 8 or spans[0][1] <= width:
        return snippet, [(span[0], span[1]) for span in spans]
    begin = max(0, spans[0][0] - width // 4)
    blank = snippet.find(" ", begin, spans[0][0])
    begin = blank + 1 if blank >= 0 else begin
    cut = snippet[begin:]
    return f"…{cut}", [(span[0] - begin + 1, span[1] - begin + 1) for span in spans]


class HitList(RowList):
    """Ranked hits, two lines each: what it is, and where it matches."""

    SCOPES: ClassVar[tuple[str, ...]] = ("hits", "list")
    HINTS: ClassVar[tuple[str, ...]] = ("search.query", "search.read")
    row_height = 2

    class Moved(Message):
        """The cursor is on another hit, or on none."""

    class Opened(Message):
        """A hit is to be read."""

    class Wanted(Message):
        """Rows are seen that nobody has described yet."""

        def __init__(self, start: int, stop: int) -> None:
            super().__init__()
            self.first, self.end = start, stop

        def can_replace(self, message: Message) -> bool:
            """Only the last wish counts."""
            return isinstance(message, HitList.Wanted)

    def __init__(
        self,
        *,
        picked: Callable[[str], bool],
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._picked = picked
        self._keys: list[str] = []
        self._places: dict[str, int] = {}
        self._rows: dict[int, dict[str, Any]] = {}
        self._best = 0.0
        self._several = False
        self.committed: Mapping[str, str] = {}
        """Keys that a commitment would take, with the word that marks them."""
        self.range_from: int | None = None
        """Where a range began."""

    def show_hits(
        self,
        keys: Sequence[str],
        rows: Sequence[dict[str, Any]],
        *,
        keep: str | None,
        several: bool,
    ) -> None:
        """Show a ranking: all its keys, and the first rows of it."""
        self._keys = list(keys)
        self._places = {key: row for row, key in enumerate(self._keys)}
        self._rows = dict(enumerate(rows))
        self._best = max((abs(float(row["score"])) for row in rows), default=0.0)
        self._several = several
        self.committed = {}
        self.range_from = None
        if keep is None:
            self.set_reactive(RowList.at, 0)
        self.rows_changed(keep)

    def add_rows(self, start: int, rows: Sequence[dict[str, Any]]) -> None:
        """Take in described rows of the ranking that is shown."""
        for row, data in enumerate(rows, start):
            if row < len(self._keys) and self._keys[row] == data["key"]:
                self._rows[row] = data
        self.refresh()
        if start <= self.at < start + len(rows):
            self.moved()

    @property
    def hit(self) -> dict[str, Any] | None:
        """The described hit of the cursor."""
        return self._rows.get(self.at)

    def described(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return those of the rows from ``start`` to ``stop`` that are described."""
        return [self._rows[row] for row in range(start, stop) if row in self._rows]

    def visible_rows(self) -> tuple[int, int]:
        """Return the first row that is seen and the one after the last."""
        top = self.scroll_offset.y // self.row_height
        return top, min(len(self._keys), top + -(-self.size.height // self.row_height) + 1)

    def row_count(self) -> int:
        """Return how many hits are ranked."""
        return len(self._keys)

    def row_key(self, row: int) -> str:
        """Return corpus and artifact."""
        return self._keys[row]

    def row_with(self, key: str) -> int | None:
        """Return the row of that key."""
        return self._places.get(key)

    def line_role(self, line: int) -> str:
        """Colour the cursor, and a range that is being chosen."""
        row = line // self.row_height
        if row == self.at:
            return "cursor"
        if self.range_from is not None:
            low, high = sorted((self.range_from, self.at))
            return "chip" if low <= row <= high else ""
        return ""

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        """Return a line of a hit."""
        data = self._rows.get(row)
        if data is None:
            return [("muted", f"  {row + 1:>3}  …")] if line == 0 else []
        if line == 1:
            snippet, spans = _around(str(data["snippet"]), data["spans"], width - 8)
            return [("", "       "), *marked(snippet, spans, "" if row == self.at else "muted")]
        return self._head(row, data, width)

    def _head(self, row: int, data: Mapping[str, Any], width: int) -> list[Span]:
        key = self._keys[row]
        picked = self._picked(key)
        pointer = "▸" if row == self.at else " "
        mark: Span = ("selected", "✓") if picked else ("", " ")
        head: list[Span] = [("", pointer), mark, ("muted", f"{row + 1:>3} ")]
        if width >= 50:
            head += [("score", self._bar(float(data["score"]))), ("", " ")]
        badge = self.committed.get(key)
        if badge:
            head.append(("ok", f"{badge} "))
        if data.get("gone"):
            head.append(("failed", "gone "))
        elif data.get("changed"):
            head.append(("due", "changed "))
        title = clean_line(str(data["title"]))
        where = clean_line(str(data["artifact_id"]))
        if title in (where, PurePosixPath(where).stem):  # named by its file: once is enough
            title, where = where, ""
        if self._several:
            where = f"{clean_line(str(data['source']))}/{where}".rstrip("/")
        if data.get("line"):
            where += f":{data['line']}"
        head.append(("title", title))
        head.append(("muted", where if where.startswith(":") else f"  {where}"))
        return head

    def _bar(self, score: float) -> str:
        share = abs(score) / self._best if self._best > 0 else 0.0
        full, half = divmod(max(1, min(2 * _BAR, round(share * 2 * _BAR))), 2)
        return ("━" * full + "╸" * half).ljust(_BAR)

    def moved(self) -> None:
        """Say that the cursor moved."""
        self.post_message(self.Moved())

    def opened(self) -> None:
        """Say that a hit is to be read."""
        self.post_message(self.Opened())

    def render_line(self, y: int) -> Any:
        """Paint a line, and ask for what is missing around it."""
        row = (y + self.scroll_offset.y) // self.row_height
        if row < len(self._keys) and row not in self._rows:
            top, bottom = self.visible_rows()
            self.post_message(self.Wanted(top, bottom))
        return super().render_line(y)
