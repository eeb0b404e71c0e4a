"""Documents as lines of spans: markdown rendered lightly, code coloured, matches marked, wrapped.

Pure functions over text, made to run beside the event loop. Offsets of matches are places in the
text as it was read; marks of markdown that are not shown take no part in them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells

from irtui.render.clean import clean

if TYPE_CHECKING:
    from irtui.tui.widgets.painting import Span

__all__ = ["Laid", "kind_of", "lay_out", "wrapped"]

_MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"))
_PLAIN = frozenset((".txt", ".text", ".rst", ".org", ".adoc", ".asciidoc", ""))
_MOST_COLOURED = 200_000
_FENCE = re.compile(r"\s*(```|~~~)")
_BLOCK = re.compile(
    r"(?P<heading>\#{1,6}[ ]+)|(?P<quote>\s*>[ ]?)|(?P<rule>\s*([-*_])(\s*\4){2,}\s*$)"
    r"|(?P<bullet>\s*[-*+][ ]+)"
)
_ALONE = re.compile(r"\s*(\||<|=+\s*$|\[[^\]]*\]:|\d{1,9}[.)][ ])|\s*$")
"""Lines of markdown that do not go on from the line before: tables, HTML, underlines, addresses."""
_ENTRY = re.compile(r"\s*\d{1,9}[.)][ ]")
_INDENTED = "    "
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|__(?P<strong2>[^_]+)__"
    r"|(?<![\w*])\*(?P<emphasis>[^*\s][^*]*)\*(?!\w)|!?\[(?P<label>[^\]]*)\]\((?P<target>[^)\s]*)[^)]*\)"
    r"|\[\[(?P<wiki>[^\]|]+)(?:\|(?P<alias>[^\]]+))?\]\]"
)


@dataclass(frozen=True, slots=True)
class Laid:
    """A document as lines.

    Attributes:
        lines: what each line shows.
        matches: the lines that hold a match, in order.
        numbers: the line of the text each line comes from, 1-based.
    """

    lines: tuple[tuple[Span, ...], ...]
    matches: tuple[int, ...]
    numbers: tuple[int, ...]

    def line_of(self, number: int) -> int:
        """Return the first line that shows line ``number`` of the text or a later one."""
        return min(bisect_left(self.numbers, number), max(0, len(self.numbers) - 1))


def kind_of(path: str | None, artifact_id: str) -> str:
    """Return ``markdown``, ``code`` or ``plain`` for the name of a file."""
    suffix = PurePath(path or artifact_id).suffix.casefold()
    if suffix in _MARKDOWN:
        return "markdown"
    if suffix in _PLAIN:
        return "plain"
    return "code"


def lay_out(
    text: str,
    spans: Iterable[Sequence[int]],
    *,
    width: int,
    kind: str = "plain",
    name: str = "",
    first: int = 1,
) -> Laid:
    """Return ``text`` as lines of at most ``width`` cells.

    Args:
        text: the document, or a part of it.
        spans: ``[start, end)`` offsets of matches.
        width: cells of a line, at least 1.
        kind: how it is rendered: see :func:`kind_of`.
        name: a file name, to choose the colours of code by.
        first: the number of its first line.
    """
    found = sorted((int(pair[0]), int(pair[1])) for pair in spans)
    starts = [start for start, _ in found]
    colours = _coloured(text, name) if kind == "code" and len(text) <= _MOST_COLOURED else None
    page = _Page(width, first)
    fenced = matter = goes_on = False
    at = 0
    for index, raw in enumerate(text.split("\n")):
        pieces: list[_Piece]
        joins = may_go_on = False
        if kind == "markdown":
            if index == 0 and first == 1 and raw.strip() == "---":
                matter = True
                pieces = [(raw, "muted", 0)]
            elif matter:
                matter = raw.strip() not in ("---", "...")
                pieces = [(raw, "muted", 0)]
            elif _FENCE.match(raw):
                fenced = not fenced
                pieces = [(raw, "muted", 0)]
            elif fenced:
                pieces = [(raw, "code", 0)]
            else:
                joins, may_go_on = _flow(raw, goes_on=goes_on)
                pieces = list(_markdown(raw, width))
        elif colours is not None:
            pieces = _sliced(colours, at, at + len(raw))
        else:
            pieces = [(raw, "", 0)]
        if joins:
            pieces = _unindented(pieces)
        around = found[_first_after(starts, found, at) : bisect_left(starts, at + len(raw))]
        shown = (
            list(_with_matches(pieces, at, around))
            if around
            else [(role, clean(part)) for part, role, _ in pieces]
        )
        page.add(shown, index, joins=joins)
        goes_on = may_go_on
        at += len(raw) + 1
    return page.laid()


class _Page:
    """Takes lines of a text, joins those that are one paragraph, and wraps them."""

    def __init__(self, width: int, first: int) -> None:
        self._width, self._first = width, first
        self._lines: list[tuple[Span, ...]] = []
        self._matches: list[int] = []
        self._numbers: list[int] = []
        self._open: list[Span] = []
        self._parts: list[tuple[int, int]] = []  # where a line of the text begins, and which
        self._length = 0

    def add(self, shown: list[Span], index: int, *, joins: bool) -> None:
        """Add line ``index`` of the text, to the paragraph before or below it."""
        if joins and self._parts:
            shown = [("", " "), *shown]
        else:
            self._close()
        self._parts.append((self._length, index))
        self._open += shown
        self._length += sum(len(part) for _, part in shown)

    def laid(self) -> Laid:
        """Return what was added."""
        self._close()
        return Laid(tuple(self._lines), tuple(self._matches), tuple(self._numbers))

    def _close(self) -> None:
        if not self._parts:
            return
        at = part = 0
        for line in wrapped(self._open, self._width):
            while part + 1 < len(self._parts) and self._parts[part + 1][0] < at + 1:
                part += 1
            if any(role == "match" for role, _ in line):
                self._matches.append(len(self._lines))
            self._lines.append(tuple(line))
            self._numbers.append(self._first + self._parts[part][1])
            at += sum(len(text) for _, text in line)
        self._open, self._parts, self._length = [], [], 0


def _flow(raw: str, *, goes_on: bool) -> tuple[bool, bool]:
    """Return whether a line of markdown goes on from the one before, and may be gone on from."""
    block = _BLOCK.match(raw)
    ends = raw.endswith(("  ", "\\"))
    if block is not None:
        return False, bool(block["bullet"]) and not ends
    if _ALONE.match(raw):
        return False, bool(_ENTRY.match(raw)) and not ends
    if raw.startswith(_INDENTED) and not goes_on:
        return False, False
    return goes_on, not ends


def _unindented(pieces: list[_Piece]) -> list[_Piece]:
    """Return the pieces of a line without the blanks it begins with."""
    if not pieces:
        return pieces
    part, role, place = pieces[0]
    bare = part.lstrip()
    moved = None if place is None else place + len(part) - len(bare)
    return [(bare, role, moved), *pieces[1:]]


_Piece = tuple[str, str, "int | None"]
"""A text, its role, and where in its line it stands; ``None`` for what is not in the text."""


def _first_after(starts: list[int], found: list[tuple[int, int]], at: int) -> int:
    """Return the first match that ends after ``at``; one may begin on the line before."""
    place = bisect_left(starts, at)
    while place and found[place - 1][1] > at:
        place -= 1
    return place


def _markdown(raw: str, width: int) -> Iterator[_Piece]:
    block = _BLOCK.match(raw)
    at, role = 0, ""
    if block is not None:
        at = block.end()
        if block["heading"]:
            role = "heading"
        elif block["rule"]:
            yield "─" * min(width, 40), "muted", None
            return
        elif block["quote"]:
            yield "▌ ", "muted", None
        else:
            mark = block["bullet"]
            indent = len(mark) - len(mark.lstrip())
            yield " " * indent + "• ", "muted", None
    for found in _INLINE.finditer(raw, at):
        if found.start() > at:
            yield raw[at : found.start()], role, at
        group, inner = _inline(found)
        yield found[group], inner, found.start(group)
        at = found.end()
    if at < len(raw):
        yield raw[at:], role, at


def _inline(found: re.Match[str]) -> tuple[str, str]:
    if found["label"] is not None:
        return ("label" if found["label"] else "target"), "link"
    if found["wiki"] is not None:
        return ("alias" if found["alias"] else "wiki"), "link"
    for group, role in (("code", "code"), ("strong", "strong"), ("strong2", "strong")):
        if found[group] is not None:
            return group, role
    return "emphasis", "emphasis"


def _coloured(text: str, name: str) -> list[_Piece] | None:
    """Return the whole text in coloured pieces; ``None`` when nobody knows its language."""
    from pygments.lexers import get_lexer_for_filename  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    pieces: list[_Piece] = []
    for at, token, part in lexer.get_tokens_unprocessed(text):
        head = str(token).removeprefix("Token.")
        role = next((role for begin, role in _TOKENS if head.startswith(begin)), "")
        pieces.append((part, role, at))
    return pieces


_TOKENS = (
    ("Comment", "muted"),
    ("Keyword", "heading"),
    ("Literal.String", "ok"),
    ("Literal.Number", "due"),
    ("Name.Function", "link"),
    ("Name.Class", "link"),
    ("Name.Decorator", "code"),
    ("Name.Tag", "heading"),
    ("Operator.Word", "heading"),
)


def _sliced(pieces: list[_Piece], start: int, end: int) -> list[_Piece]:
    """Return what of ``pieces`` stands between two offsets, counted from the first."""
    from bisect import bisect_right

    found: list[_Piece] = []
    index = max(0, bisect_right(pieces, start, key=lambda piece: piece[2] or 0) - 1)
    while index < len(pieces):
        part, role, at = pieces[index]
        at = at or 0
        if at >= end:
            break
        low, high = max(start, at), min(end, at + len(part))
        if low < high:
            found.append((part[low - at : high - at], role, low - start))
        index += 1
    return found


def _with_matches(
    pieces: Iterable[_Piece], line_at: int, spans: Sequence[tuple[int, int]]
) -> Iterator[Span]:
    for part, role, place in pieces:
        if place is None:
            yield role, part
            continue
        part = clean(part)
        begin, at = line_at + place, 0
        for start, end in spans:
            low, high = max(start - begin, at), min(end - begin, len(part))
            if low < high:
                if low > at:
                    yield role, part[at:low]
                yield "match", part[low:high]
                at = high
        if at < len(part):
            yield role, part[at:]


def wrapped(spans: Sequence[Span], width: int) -> list[list[Span]]:
    """Return spans in lines of at most ``width`` cells, broken at blanks where there are any.

    Nothing is left out, not even the blanks at a break. A line without text stays one line.
    """
    width = max(1, width)
    text = "".join(part for _, part in spans)
    if text.isascii() and len(text) <= width:
        return [list(spans)]
    ends = list(_breaks(text, width))
    lines: list[list[Span]] = []
    index, used = 0, 0
    at = 0
    for end in ends:
        line: list[Span] = []
        while at < end and index < len(spans):
            role, part = spans[index]
            take = min(end - at, len(part) - used)
            if take:
                line.append((role, part[used : used + take]))
            at, used = at + take, used + take
            if used == len(part):
                index, used = index + 1, 0
        lines.append(line)
    return lines or [[]]


def _breaks(text: str, width: int) -> Iterator[int]:
    """Yield where each line ends."""
    at, ascii_only = 0, text.isascii()
    while len(text) - at > width or not ascii_only:
        if ascii_only:
            fits = at + width
        else:
            ahead = text[at : at + width]
            if cell_len(ahead) <= width and at + width >= len(text):
                break
            fits = at + max(1, len(chop_cells(ahead, width)[0]))
        if fits >= len(text):
            break
        blank = text.rfind(" ", at, fits + 1)
        end = blank + 1 if blank > at else fits
        yield end
        at = end
    yield len(text)
