"""A list of plain rows, for modes and dialogs that show what a command says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from irtui.tui.widgets.lines import LineView, RowList
from irtui.tui.widgets.painting import Span

__all__ = ["Lines", "PlainRows"]


class PlainRows(RowList):
    """Rows of spans with keys; ``on_open`` and ``on_move`` are called with the key of a row."""

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual calls it so
        on_open: Callable[[str], None] | None = None,
        on_move: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._rows: list[tuple[str, list[Span]]] = []
        self._on_open, self._on_move = on_open, on_move

    def show_rows(self, rows: Sequence[tuple[str, Sequence[Span]]]) -> None:
        """Show these rows; the cursor stays on its key."""
        keep = self.key_at_cursor
        self._rows = [(key, list(spans)) for key, spans in rows]
        self.rows_changed(keep)

    @property
    def key_at_cursor(self) -> str | None:
        """The key of the row of the cursor."""
        return self._rows[self.at][0] if self.at < len(self._rows) else None

    def row_count(self) -> int:
        """Return how many rows there are."""
        return len(self._rows)

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        """Return the spans of a row."""
        del line, width
        return self._rows[row][1]

    def row_key(self, row: int) -> str:
        """Return the key of a row."""
        return self._rows[row][0]

    def moved(self) -> None:
        """Tell where the cursor is."""
        if self._on_move is not None and self._rows:
            self._on_move(self._rows[self.at][0])

    def opened(self) -> None:
        """Tell which row was opened."""
        if self._on_open is not None:
            self._on_open(self._rows[self.at][0])


class Lines(LineView):
    """Lines of spans to read; they scroll with the mouse, and with keys of whoever holds them."""

    can_focus = False
    DEFAULT_CSS = """
    Lines { background: $surface; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._lines: list[list[Span]] = []

    def show_lines(self, lines: Sequence[Sequence[Span]]) -> None:
        """Show these lines, wrapped."""
        from irtui.tui.documents import wrapped

        width = max(8, self.text_width)
        self._lines = [
            part for line in lines for part in (wrapped(list(line), width) if line else [[]])
        ]
        self.lines_changed()

    def line_count(self) -> int:
        """Return how many lines there are."""
        return len(self._lines)

    def spans_at(self, line: int, width: int) -> list[Span]:
        """Return a line."""
        del width
        return self._lines[line]
