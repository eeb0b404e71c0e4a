"""How much text fits in a chunk: budgets that count characters or tokens."""

from __future__ import annotations

import inspect
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol

from irengine.errors import IrError
from irengine.strategy.boundaries import in_word, last_space, safe_before

__all__ = ["Budget", "CharBudget", "Offsets", "TokenBudget", "offsets_of", "tokenizer_for"]

Offsets = Callable[[str], "list[tuple[int, int]]"]
"""A tokenizer, as far as chunks go: code-point ``(start, end)`` of each token of a text."""

_BLOCK = 1 << 18
_CHARS_PER_TOKEN = 16


class Budget(Protocol):
    """What a chunk may hold and how much of it the next one may repeat."""

    overlap: int

    def limit(self, start: int) -> int:
        """Return the furthest end of a slice from ``start`` that fits; more than ``start``."""

    def back(self, end: int, *, overlap: bool) -> int:
        """Return the earliest start of a slice to ``end`` that fits the budget (or overlap)."""

    def settle(self, start: int, cut: int) -> int:
        """Return ``cut``, moved back if the slice counts more than the whole text suggests."""

    def forget(self, before: int) -> None:
        """Drop what is known of the text before a position: nobody will ask again."""


class CharBudget:
    """Counts code points."""

    def __init__(self, size: int, overlap: int) -> None:
        self.size = size
        self.overlap = min(overlap, size - 1)

    def limit(self, start: int) -> int:
        """Return ``start`` plus the size."""
        return start + self.size

    def back(self, end: int, *, overlap: bool) -> int:
        """Return ``end`` minus the size or the overlap."""
        return max(0, end - (self.overlap if overlap else self.size))

    def settle(self, start: int, cut: int) -> int:
        """Return ``cut``: characters count the same everywhere."""
        return cut

    def forget(self, before: int) -> None:
        """Do nothing."""


class TokenBudget:
    """Counts the tokens of a tokenizer, and caps the characters at 16 a token.

    The text is tokenised once, in blocks of a quarter of a million characters that end at line
    ends, just ahead of the position asked about; tokens behind are dropped, so memory stays
    bounded. The cap is for what tokenizers fold into one token: runs of white space, strings so
    long that they are "unknown".
    """

    def __init__(self, text: str, offsets: Offsets, size: int, overlap: int) -> None:
        self.size = size
        self.overlap = min(overlap, size - 1)
        self._text = text
        self._offsets = offsets
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._loaded = 0

    def limit(self, start: int) -> int:
        """Return where the first token begins that does not fit any more."""
        cap = min(len(self._text), start + self.size * _CHARS_PER_TOKEN)
        first = self._first(start)
        while len(self._starts) <= first + self.size and self._loaded < cap:
            self._load()
            first = self._first(start)
        after = first + self.size
        if after < len(self._starts):
            cap = min(cap, self._starts[after])
        return max(cap, start + 1)

    def back(self, end: int, *, overlap: bool) -> int:
        """Return the start of the token that is the budget (or overlap) before ``end``."""
        units = self.overlap if overlap else self.size
        while self._loaded < end:
            self._load()
        after = bisect_left(self._starts, end)
        if units == 0 or after == 0:
            return end
        return max(self._starts[max(0, after - units)], end - units * _CHARS_PER_TOKEN)

    def settle(self, start: int, cut: int) -> int:
        """Tokenise the slice by itself when it starts or ends inside a word.

        Half a word is made of other tokens than the whole word. Everywhere else the tokens of
        the text are the tokens of the slice.
        """
        if not (in_word(self._text, start) or in_word(self._text, cut)):
            return cut
        while cut - start > 1:
            tokens = self._offsets(self._text[start:cut])
            if len(tokens) <= self.size:
                break
            closer = safe_before(self._text, start + max(1, tokens[self.size][0]), start)
            cut = closer if closer < cut else start + (cut - start) // 2
        return cut

    def forget(self, before: int) -> None:
        """Drop the tokens before ``before``, once they are many."""
        count = bisect_right(self._ends, before)
        if count >= _BLOCK // 16:
            del self._starts[:count]
            del self._ends[:count]

    def _first(self, position: int) -> int:
        return bisect_right(self._ends, position)

    def _load(self) -> None:
        """Tokenise the next block."""
        start, end = self._loaded, self._loaded + _BLOCK
        if end < len(self._text):
            line = self._text.rfind("\n", start, end)
            space = line if line > start else last_space(self._text, start + _BLOCK // 2, end)
            end = space + 1 if space > start else safe_before(self._text, end, start)
        tokens = self._offsets(self._text[start:end])
        self._starts += [start + low for low, high in tokens if high > low]
        self._ends += [start + high for low, high in tokens if high > low]
        self._loaded = min(end, len(self._text))


def offsets_of(tokenizer: Any) -> Offsets:
    """Return a tokenizer as a function of text to offsets.

    Takes such a function, a ``tokenizers.Tokenizer`` (``encode(...).offsets``) or a Hugging Face
    fast tokenizer (``tokenizer(text, return_offsets_mapping=True)["offset_mapping"]``).
    """
    if not callable(tokenizer):

        def encode(text: str) -> list[tuple[int, int]]:
            return [(a, b) for a, b in tokenizer.encode(text, add_special_tokens=False).offsets]

        return encode
    parameters = inspect.signature(tokenizer).parameters.values()
    if not any(p.name == "return_offsets_mapping" or p.kind is p.VAR_KEYWORD for p in parameters):
        plain: Offsets = tokenizer
        return plain

    def mapping(text: str) -> list[tuple[int, int]]:
        encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        pairs: Iterable[tuple[int, int]] = encoded["offset_mapping"]
        return [(start, end) for start, end in pairs]

    return mapping


@lru_cache(maxsize=8)
def _lookup(model: str | None) -> tuple[Offsets | None, str]:
    from irengine.embed import tokenizer_offsets

    try:
        return tokenizer_offsets(model), ""
    except IrError as error:
        return None, str(error)


def tokenizer_for(model: str | None) -> Offsets | None:
    """Return the offsets of an embedding model's tokenizer (``None``: the default model's).

    Returns ``None`` with a ``UserWarning`` when that tokenizer is not available here. The last
    eight answers are remembered, the negative ones too.
    """
    offsets, reason = _lookup(model)
    if offsets is None:
        warnings.warn(
            f"the tokenizer of {model or 'the default model'} is not available, so chunks are "
            f"counted in characters: {reason}",
            UserWarning,
            stacklevel=3,
        )
    return offsets
