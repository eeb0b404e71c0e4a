"""Columns for people: aligned by terminal cells, the widest column giving way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from irtui.render.look import Line, Look
from irtui.render.wrap import cells, pad

__all__ = ["cell_text", "pairs", "table"]

_GAP = "  "
_LEAST = 8


def table(header: Sequence[str], rows: Sequence[Sequence[str]], look: Look) -> list[Line]:
    """Return a header line and the rows, cut to the width of ``look`` where it cuts."""
    widths = [max(cells(row[column]) for row in [header, *rows]) for column in range(len(header))]
    while look.cuts and sum(widths) + len(_GAP) * (len(widths) - 1) > look.width:
        widest = widths.index(max(widths))
        if widths[widest] <= _LEAST:
            break
        widths[widest] -= 1
    lines: list[Line] = [[("dim", _row(header, widths))]]
    return lines + [[("", _row(row, widths))] for row in rows]


def pairs(items: Sequence[tuple[str, str]]) -> list[Line]:
    """Return ``name  value`` lines with the values aligned."""
    width = max((cells(name) for name, _ in items), default=0)
    return [[("dim", pad(name, width) + _GAP), ("", value)] for name, value in items]


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(pad(text, width) for text, width in zip(row, widths, strict=True))


def cell_text(value: Any) -> str:
    """Return any value of JSON data as the text of a cell.

    >>> cell_text(None), cell_text(True), cell_text(["a", "b"]), cell_text(0.1234567)
    ('-', 'yes', 'a, b', '0.1235')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list) and all(isinstance(each, (str, int)) for each in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
