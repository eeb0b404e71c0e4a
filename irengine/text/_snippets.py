"""Highlights: which stretches of a text match a query, and the windows that show them best."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from irengine.errors import ParameterError
from irengine.text._normalize import clean_with_offsets
from irengine.text._tokens import is_unspaced, tokens
from irengine.text.analyzer import chunk_terms, query_terms

__all__ = ["Snippet", "highlight", "match_spans"]

_CHUNK = re.compile(r"\S+")
# White space and control characters: a snippet is one line that cannot move the cursor.
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_GAP = " … "
_MIN_WIDTH = 20
_LEAD = 0.25  # share of a window that stands before its first match


@dataclass(frozen=True, slots=True)
class Snippet:
    """One line of text out of a longer one.

    Attributes:
        text: the windows with white space collapsed, joined by an ellipsis; no markup.
        spans: what matched, as (start, end) code-point offsets into ``text``; ascending and
            not overlapping.
        windows: where the windows stand in the original text, in its order.
    """

    text: str
    spans: list[tuple[int, int]]
    windows: list[tuple[int, int]]


class _Match(NamedTuple):
    start: int
    end: int
    terms: frozenset[str]


def match_spans(text: str, query: str) -> list[tuple[int, int]]:
    """Return every stretch of ``text`` that matches a term of ``query``.

    Spans are (start, end) in code points of the original text, end exclusive, ascending;
    overlapping and touching ones are joined. Matching is that of the index: stems, folded
    accents, parts of identifiers, pairs of characters.

    >>> match_spans("Le Châtelier", "chatelier")
    [(3, 12)]
    """
    return _spans(_matches(text, query))


def highlight(text: str, query: str, *, max_windows: int = 3, width: int = 240) -> Snippet:
    """Return the windows of ``text`` that cover the most distinct terms of ``query``.

    One window is taken when it covers as much as several smaller ones. Without a match the
    snippet is the beginning of the text. Words are never cut, unless one is wider than a
    window; scripts without spaces are cut between characters.

    Args:
        text: any text.
        query: the query as typed.
        max_windows: most windows, at least 1.
        width: most code points of the snippet, at least 20.

    Raises:
        ParameterError: ``max_windows`` or ``width`` is too small.
    """
    if max_windows < 1:
        raise ParameterError(f"max_windows must be at least 1, not {max_windows}")
    if width < _MIN_WIDTH:
        raise ParameterError(f"width must be at least {_MIN_WIDTH}, not {width}")
    matches = _matches(text, query)
    if not matches:
        return _render(text, [_fit(text, 0, 0, width)], [])
    best: list[tuple[int, int]] = []
    most, room = 0, width
    for count in range(1, max_windows + 1):
        size = (width - len(_GAP) * (count - 1)) // count
        if count > 1 and size < _MIN_WIDTH:
            break
        chosen, covered = _choose(matches, count, size)
        if covered > most:
            best, most, room = chosen, covered, size
    windows: list[tuple[int, int]] = []
    for first, last in sorted(best):
        start, end = _fit(text, matches[first].start, matches[last].end, room)
        if windows and not text[windows[-1][1] : start].strip():
            start, _ = windows.pop()
        windows.append((start, end))
    return _render(text, windows, _spans(matches))


def _matches(text: str, query: str) -> list[_Match]:
    wanted = frozenset(query_terms(query))
    if not wanted:
        return []
    found: list[_Match] = []
    for chunk in _CHUNK.finditer(text):
        if wanted.isdisjoint(chunk_terms(chunk[0])):
            continue
        cleaned, starts, ends = clean_with_offsets(chunk[0])
        spans: dict[tuple[int, int], set[str]] = {}
        for token in tokens(cleaned):
            if token.term in wanted:
                span = (
                    chunk.start() + starts[token.start],
                    chunk.start() + ends[token.end - 1],
                )
                spans.setdefault(span, set()).add(token.term)
        found += [_Match(a, b, frozenset(terms)) for (a, b), terms in sorted(spans.items())]
    return found


def _choose(matches: list[_Match], count: int, size: int) -> tuple[list[tuple[int, int]], int]:
    """Pick greedily at most ``count`` windows of ``size`` code points.

    Returns the first and last match of each, and how many distinct terms they cover.
    """
    chosen: list[tuple[int, int]] = []
    covered: set[str] = set()
    for _ in range(count):
        first, last, gain = _best_window(matches, size, covered)
        if not gain:
            break
        chosen.append((first, last))
        covered.update(*(match.terms for match in matches[first : last + 1]))
    return chosen, len(covered)


def _best_window(matches: list[_Match], size: int, covered: set[str]) -> tuple[int, int, int]:
    """Return the window with the most terms not yet covered, then the most matches."""
    counts: dict[str, int] = {}
    best, value, end = (0, 0), (0, 0), 0
    for first, match in enumerate(matches):
        while end < len(matches) and (end <= first or matches[end].end <= match.start + size):
            for term in matches[end].terms - covered:
                counts[term] = counts.get(term, 0) + 1
            end += 1
        if (len(counts), end - first) > value:
            best, value = (first, end - 1), (len(counts), end - first)
        for term in match.terms - covered:
            counts[term] -= 1
            if not counts[term]:
                del counts[term]
    return *best, value[0]


def _fit(text: str, first: int, last: int, size: int) -> tuple[int, int]:
    """Return a window of at most ``size`` code points around ``text[first:last]``.

    It begins and ends at white space where there is some, else between words, else between
    characters.
    """
    last = min(last, first + size)
    lead = min(int(size * _LEAD), size - (last - first))
    start = max(0, first - lead)
    start = _cut(text, range(start, first + 1))
    end = min(len(text), start + size)
    end = _cut(text, range(end, min(end, max(last, start + 1)) - 1, -1))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, choices: range) -> int:
    """Return the best of ``choices`` to cut ``text`` at, the first one among equals."""
    for allowed in (_at_blank, _between_words, _between_characters):
        for position in choices:
            if allowed(text, position):
                return position
    return choices[0]


def _at_blank(text: str, at: int) -> bool:
    return at <= 0 or at >= len(text) or text[at - 1].isspace() or text[at].isspace()


def _between_words(text: str, at: int) -> bool:
    left, right = text[at - 1], text[at]
    if is_unspaced(left) or is_unspaced(right):
        return _between_characters(text, at)
    return not (left.isalnum() and right.isalnum()) and _between_characters(text, at)


def _between_characters(text: str, at: int) -> bool:
    # Marks, joiners, variation selectors and emoji modifiers belong to what stands before.
    left, right = text[at - 1], text[at]
    return (
        unicodedata.category(right)[0] != "M"
        and "\u200d" not in (left, right)
        and not "\U0001f3fb" <= right <= "\U0001f3ff"
    )


def _spans(matches: list[_Match]) -> list[tuple[int, int]]:
    """Return where the matches stand, ascending; overlapping and touching ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((match.start, match.end) for match in matches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _render(text: str, windows: list[tuple[int, int]], matched: list[tuple[int, int]]) -> Snippet:
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for start, end in windows:
        if pieces:
            pieces.append(_GAP)
            length += len(_GAP)
        inside = [(max(a, start), min(b, end)) for a, b in matched if a < end and b > start]
        line, moved = _one_line(text[start:end])
        spans += [(length + moved[a - start], length + moved[b - start]) for a, b in inside]
        pieces.append(line)
        length += len(line)
    return Snippet("".join(pieces), spans, [window for window in windows if window[0] < window[1]])


def _one_line(text: str) -> tuple[str, list[int]]:
    """Return ``text`` with blanks collapsed, and the new offset of each old one."""
    moved: list[int] = []
    pieces: list[str] = []
    length = 0
    at = 0
    for blank in _BLANK.finditer(text):
        moved += range(length, length + blank.start() - at)
        pieces.append(text[at : blank.start()])
        length += blank.start() - at
        moved += [length] * (blank.end() - blank.start())
        pieces.append(" ")
        length += 1
        at = blank.end()
    moved += range(length, length + len(text) - at + 1)
    pieces.append(text[at:])
    return "".join(pieces), moved
