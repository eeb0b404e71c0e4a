"""Small drawings of dots: two by four in each cell, in the braille block."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["Canvas", "wheel"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


class Canvas:
    """A picture of ``width`` × ``height`` cells; x grows to the right, y downwards, in dots."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(1, width), max(1, height)
        self._cells = [[0] * self.width for _ in range(self.height)]
        self._marks: dict[tuple[int, int], str] = {}

    def dot(self, x: float, y: float) -> None:
        """Set a dot; one outside is left out."""
        column, row = round(x), round(y)
        if 0 <= column < 2 * self.width and 0 <= row < 4 * self.height:
            self._cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw a line, ends included."""
        steps = max(1, math.ceil(max(abs(x1 - x0), abs(y1 - y0))))
        for step in range(steps + 1):
            self.dot(x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps)

    def mark(self, x: float, y: float, character: str) -> None:
        """Put a character over the cell of a dot; it must be one cell wide."""
        cell = (
            max(0, min(self.width - 1, round(x) // 2)),
            max(0, min(self.height - 1, round(y) // 4)),
        )
        self._marks[cell] = character

    def lines(self) -> list[str]:
        """Return the picture, one text a line, each ``width`` cells."""
        return [
            "".join(
                self._marks.get((column, row)) or (chr(0x2800 + bits) if bits else " ")
                for column, bits in enumerate(cells)
            )
            for row, cells in enumerate(self._cells)
        ]


def wheel(
    parents: Mapping[str, str],
    order: Sequence[str],
    depths: Mapping[str, int],
    *,
    width: int,
    height: int,
    at: str,
    crossing: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Draw a tree as a wheel: its top in the middle, each step away a ring further out.

    Args:
        parents: of each node the one above; the top has none.
        order: the nodes in the order of the tree.
        depths: how many steps each is away.
        width: cells.
        height: cells.
        at: the node to mark.
        crossing: edges between nodes beside those of the tree.
    """
    canvas = Canvas(width, height)
    deepest = max(depths.values(), default=0) or 1
    below: dict[str, list[str]] = {}
    for node in order:
        if node in parents:
            below.setdefault(parents[node], []).append(node)
    leaves: dict[str, int] = {}
    for node in reversed(order):
        leaves[node] = sum(leaves[child] for child in below.get(node, ())) or 1
    angles: dict[str, float] = {}
    tops = [node for node in order if node not in parents]
    stack = [(node, 0.0, 2 * math.pi) for node in tops[:1]]
    while stack:
        node, begin, end = stack.pop()
        angles[node] = (begin + end) / 2
        share = (end - begin) / max(1, sum(leaves[child] for child in below.get(node, ())))
        for child in below.get(node, ()):
            stack.append((child, begin, begin + share * leaves[child]))
            begin += share * leaves[child]
    middle = (width - 0.5, 2.0 * height - 0.5)
    reach = (max(1.0, width - 2.0), max(1.0, 2.0 * height - 3.0))

    def place(node: str) -> tuple[float, float]:
        ring = depths[node] / deepest
        angle = angles[node] - math.pi / 2
        return (
            middle[0] + reach[0] * ring * math.cos(angle),
            middle[1] + reach[1] * ring * math.sin(angle),
        )

    known = [node for node in order if node in angles]
    for node in known:
        if node in parents and parents[node] in angles:
            canvas.line(*place(parents[node]), *place(node))
    for one, other in crossing:
        if one in angles and other in angles:
            canvas.line(*place(one), *place(other))
    for node in known:
        canvas.mark(*place(node), "●" if node == at else "○" if node in parents else "◎")
    if at in angles:
        canvas.mark(*place(at), "●")
    return canvas.lines()
