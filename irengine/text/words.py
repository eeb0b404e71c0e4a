"""The words of a text one after the other, for conditions on what stands next to what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from irengine.text._normalize import clean, fold
from irengine.text._tokens import tokens

__all__ = ["Word", "words_of"]

_CACHED_CHUNKS = 1 << 16
_CACHED_LENGTH = 48


class Word(NamedTuple):
    """A word: the index terms it is found by, and how it is written, case and accents aside."""

    terms: frozenset[str]
    written: str


def words_of(text: str) -> list[Word]:
    """Return the words of ``text`` in order.

    Every term of a word is one that :func:`irengine.text.analyze` gives for the text.

    >>> [word.written for word in words_of("Mom's cloud-init, fetchUrl")]
    ["mom's", 'cloud', 'init', 'fetchurl']
    """
    words: list[Word] = []
    for chunk in text.split():
        # Long chunks are mostly prose without spaces, and never come again.
        words += _known_chunk(chunk) if len(chunk) <= _CACHED_LENGTH else _words_of_chunk(chunk)
    return words


def _words_of_chunk(chunk: str) -> tuple[Word, ...]:
    """Return the words of a chunk without white space: the smallest tokens, in order.

    The analyzer also has whole identifiers, pairs of characters and pieces of ``camelCase``: the
    first two consist of smaller ones, the last is no word of its own. ``C++`` has only one word
    inside, so that it is a word itself.
    """
    cleaned = clean(chunk)
    terms: dict[tuple[int, int], set[str]] = {}
    for token in tokens(cleaned):
        if not _inside_word(cleaned, token.start) and not _inside_word(cleaned, token.end):
            terms.setdefault((token.start, token.end), set()).add(token.term)
    smallest, larger = _smallest(terms)
    starts = [start for start, _ in smallest]
    for start, end in larger:
        at = bisect_left(starts, start)
        if at + 1 == len(smallest) or smallest[at + 1][1] > end:
            smallest[at] = (start, end)
    return tuple(
        Word(frozenset(terms[span]), fold(cleaned[slice(*span)].casefold())) for span in smallest
    )


_known_chunk = lru_cache(maxsize=_CACHED_CHUNKS)(_words_of_chunk)


def _inside_word(text: str, at: int) -> bool:
    """Return whether ``at`` cuts a word of plain letters and digits in two."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isascii() and around.isalnum()


def _smallest(
    spans: Iterable[tuple[int, int]],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Divide spans into those that contain no other one, ascending, and the others."""
    smallest: list[tuple[int, int]] = []
    larger: list[tuple[int, int]] = []
    # From the right; of spans that start together the shortest comes first.
    for span in sorted(spans, key=lambda span: (-span[0], span[1])):
        (larger if smallest and smallest[-1][1] <= span[1] else smallest).append(span)
    return smallest[::-1], larger
