"""Fitting text into columns, counted in terminal cells rather than code points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irtui.render.clean import clean
from irtui.render.look import Line, Span

__all__ = ["cells", "fit", "pad", "wrap"]


def cells(text: str) -> int:
    """Return how many terminal cells ``text`` takes once it is cleaned."""
    from rich.cells import cell_len

    return cell_len(clean(text))


def fit(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Return ``text`` cut to at most ``width`` cells, with an ellipsis when it was cut."""
    text = clean(text).replace("\n", " ")
    if cells(text) <= width:
        return text
    room = width - cells(ellipsis)
    kept = []
    for character in text:
        room -= cells(character)
        if room < 0:
            break
        kept.append(character)
    return ("".join(kept) + ellipsis) if width >= cells(ellipsis) else ""


def pad(text: str, width: int) -> str:
    """Return ``text`` cut or filled with spaces to exactly ``width`` cells."""
    text = fit(text, width)
    return text + " " * (width - cells(text))


def wrap(
    text: str, spans: Iterable[Sequence[int]], width: int, *, most: int = 0, style: str = "match"
) -> list[Line]:
    """Return ``text`` as lines of at most ``width`` cells, the ``[start, end)`` spans styled.

    Lines break at line feeds and spaces, and inside a word only when it is longer than a line
    (which is how text without spaces is broken). ``most`` limits the number of lines; what is
    cut off shows as an ellipsis.
    """
    text = clean(text)  # one code point for one: the spans stay right
    marked = bytearray(len(text))
    for start, end in spans:
        marked[start:end] = b"\1" * len(marked[start:end])
    ranges = _ranges(text, max(width, 4))
    if most and len(ranges) > most:
        ranges = ranges[:most]
        start, end = ranges[-1]
        while end > start and cells(text[start:end]) > width - 1:
            end -= 1
        lines = [_line(text, marked, *each, style) for each in ranges[:-1]]
        return [*lines, [*_line(text, marked, start, end, style), ("dim", "…")]]
    return [_line(text, marked, start, end, style) for start, end in ranges]


def _ranges(text: str, width: int) -> list[tuple[int, int]]:
    """Return the ``[start, end)`` of each line, white space at a break left out."""
    ranges: list[tuple[int, int]] = []
    start = space = -1
    used = 0
    for index, character in enumerate(text):
        if start < 0:
            if character == " ":
                continue
            start, space, used = index, -1, 0
        if character == "\n":
            ranges.append((start, index))
            start = -1
            continue
        size = cells(character)
        if used + size > width and character != " ":
            end = space if space > start else index
            ranges.append((start, end))
            start = end
            while start < index and text[start] == " ":
                start += 1
            used, space = cells(text[start:index]), -1
        if character == " ":
            space = index
        used += size
    if start >= 0:
        ranges.append((start, len(text)))
    return [(begin, begin + len(text[begin:end].rstrip())) for begin, end in ranges]


def _line(text: str, marked: bytearray, start: int, end: int, style: str) -> Line:
    line: list[Span] = []
    while start < end:
        stop = start + 1
        while stop < end and marked[stop] == marked[start]:
            stop += 1
        line.append((style if marked[start] else "", text[start:stop]))
        start = stop
    return line
