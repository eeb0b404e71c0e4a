"""Put the pieces of a text together again, each repeated stretch once.

Chunks overlap, so that none starts in the dark. Read one after the other they stammer; stitched
they read like the text they were cut from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

__all__ = ["DFLT_MIN_STITCH_OVERLAP", "Piece", "line_ranges", "shared_overlap", "stitch"]

DFLT_MIN_STITCH_OVERLAP = 8
"""Characters two pieces must share at the seam before it is taken for an overlap, not chance."""

_APART = "\n\n"
_WIDEST_SPACE = 8  # characters of white space that one line break or gap in a line may stand for


class Piece(Protocol):
    """What is stitched: a stored record, or anything with these of its attributes."""

    @property
    def surface_kind(self) -> str:
        """What the text is."""
        ...

    @property
    def surface_index(self) -> int:
        """Its position among all surfaces of the artifact."""
        ...

    @property
    def text(self) -> str:
        """The text itself."""
        ...

    @property
    def metadata(self) -> Mapping[str, Any]:
        """May hold ``char_start``, ``line_start`` and ``line_end``."""
        ...


def shared_overlap(left: str, right: str, *, least: int = 1) -> int:
    """Return the length of the longest end of ``left`` that ``right`` starts with.

    0 when it is shorter than ``least`` characters. Time is linear in the two lengths: the
    prefix function of Knuth, Morris and Pratt (1977, "Fast pattern matching in strings").

    >>> shared_overlap("to be or not to be", "not to be, that is")
    9
    >>> shared_overlap("to be", "be that", least=8)
    0
    """
    longest = min(len(left), len(right))
    least = max(least, 1)
    if longest < least:
        return 0
    # The overlap starts where the head of ``right`` does; mostly the first such place is it.
    first = left.find(right[:least], len(left) - longest)
    if first < 0:
        return 0
    if left.endswith(right[: len(left) - first]):
        return len(left) - first
    tail = left[first + 1 :]
    borders = _prefix_function(right[: len(tail)])
    matched = 0
    for char in tail:  # shorter than ``right``: a match is whole at the last character or never
        while matched and right[matched] != char:
            matched = borders[matched - 1]
        if right[matched] == char:
            matched += 1
    return matched if matched >= least else 0


def _prefix_function(text: str) -> list[int]:
    """Return, for each prefix, the length of its longest proper prefix that is its end too."""
    borders = [0] * len(text)
    matched = 0
    for position in range(1, len(text)):
        while matched and text[matched] != text[position]:
            matched = borders[matched - 1]
        if text[matched] == text[position]:
            matched += 1
        borders[position] = matched
    return borders


def stitch(pieces: Iterable[Piece]) -> str:
    """Return the texts of ``pieces`` as one, in the order given.

    Neighbours (one kind, the next ``surface_index``) are joined without what the second repeats
    of the first. Where both say their ``char_start`` and the texts bear it out, the seam is exact:
    an overlap of any length goes, pieces that touch are joined as they are, and the white space
    between them comes back as the line breaks their line numbers tell of. Else the longest common
    stretch at the seam goes when it has :data:`DFLT_MIN_STITCH_OVERLAP` characters or more, judged
    by the first piece's own text. Everything else is set apart by a blank line.
    """
    parts: list[str] = []
    before: Piece | None = None
    reach: Piece | None = None  # the piece of the present run that goes furthest in the text
    for piece in pieces:
        if before is None or reach is None:
            parts.append(piece.text)
            reach = piece
        elif not _adjacent(before, piece):
            parts += (_APART, piece.text)
            reach = piece
        else:
            joint = _exact_joint(reach, piece)
            if joint is None:
                cut = shared_overlap(before.text, piece.text, least=DFLT_MIN_STITCH_OVERLAP)
                joint = ("", cut) if cut else (_APART, 0)
                reach = piece
            elif _end(piece) >= _end(reach):
                reach = piece
            parts += (joint[0], piece.text[joint[1] :])
        before = piece
    return "".join(parts)


def _adjacent(left: Piece, right: Piece) -> bool:
    return left.surface_kind == right.surface_kind and right.surface_index - left.surface_index == 1


def _exact_joint(left: Piece, right: Piece) -> tuple[str, int] | None:
    """Return what to put between two pieces and how much of the second to leave out.

    ``None`` when their offsets are not known, or their texts say otherwise.
    """
    start, other = _number(left, "char_start"), _number(right, "char_start")
    if start is None or other is None or other < start:
        return None
    shared = start + len(left.text) - other
    if shared > 0:
        inside = left.text[other - start :][: len(right.text)]
        cut = min(shared, len(right.text))
        return ("", cut) if right.text.startswith(inside) else None
    return _gap(left, right, -shared)


def _gap(left: Piece, right: Piece, width: int) -> tuple[str, int] | None:
    """Return the white space that ``width`` characters between two pieces were."""
    if width == 0:
        return "", 0
    ended, begins = _number(left, "line_end"), _number(right, "line_start")
    if ended is None or begins is None or not 0 <= begins - ended <= width:
        return None
    breaks = begins - ended
    if width > _WIDEST_SPACE * max(breaks, 1):
        return None  # more than white space is missing here
    return (("\n" * min(breaks, 2)) or " "), 0


def _end(piece: Piece) -> int:
    return (_number(piece, "char_start") or 0) + len(piece.text)


def line_ranges(pieces: Iterable[Piece]) -> tuple[tuple[int, int], ...]:
    """Return the lines the pieces take up, 1-based and inclusive, in the order given.

    Ranges of one kind that overlap or touch are one; pieces that do not say their lines are
    passed over.
    """
    ranges: list[tuple[str, int, int]] = []
    for piece in pieces:
        first, last = _number(piece, "line_start"), _number(piece, "line_end")
        if first is None or last is None or last < first:
            continue
        if ranges and ranges[-1][0] == piece.surface_kind:
            kind, start, end = ranges[-1]
            if start <= first <= end + 1:
                ranges[-1] = kind, start, max(end, last)
                continue
        ranges.append((piece.surface_kind, first, last))
    return tuple((first, last) for _, first, last in ranges)


def _number(piece: Piece, key: str) -> int | None:
    value = piece.metadata.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
