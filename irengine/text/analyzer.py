"""Text to terms: one analyzer for indexing and for querying.

A text is cut at white space, and each chunk is analysed on its own, so that the terms of a
chunk can be cached. Inside a chunk there are words, identifiers (words joined by ``-``, ``_``,
``.``, ``/``, ``::`` …), runs of scripts written without spaces, and lone symbols.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import NamedTuple

from irengine.text._normalize import MARKS, clean, fold
from irengine.text._stopwords import STOP_WORDS

__all__ = ["ANALYZER_ID", "Token", "analyze", "chunk_terms", "is_unspaced", "query_terms", "tokens"]

ANALYZER_ID = "words-stem-bigrams/1"
"""Stored with every index; changes whenever the terms of any text would."""

MAX_WORD = 64
"""Code points of a word or identifier that count; the rest of a blob is not indexed."""

MAX_PARTS = 64
"""Parts of one identifier that are indexed besides the whole."""

_CACHE_SIZE = 1 << 16
_CACHE_CHUNK = 48  # longer chunks are mostly prose without spaces, and never come again

OPT = dict(joined=True, uni=True, quni=False, hangword=False, camel=True, segments=True, exact=True)


class Token(NamedTuple):
    """A term and where it stands in its cleaned chunk (code points, end exclusive)."""

    start: int
    end: int
    term: str
    is_stop: bool


_WORD = rf"(?:[^\W_]|[{MARKS}])+"
_CONNECTOR = r"(?:[-./\\:'@&#]|::|:/{2,3}|_+|->|(?<=\d),(?=\d))"
_COMPOUND = re.compile(rf"{_WORD}(?:{_CONNECTOR}{_WORD})*(?:\+\+|#)?")
_PART = re.compile(_WORD)
_SEGMENT = re.compile(r"[^/\\:@#&]+")
_CONTRACTION = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")

# Scripts written without spaces (Han, kana, bopomofo, Hangul, Thai, Lao, Myanmar, Khmer).
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1100-\u11ff"
    "\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_HAS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

def is_unspaced(char: str) -> bool:
    """Return whether ``char`` is of a script written without spaces."""
    return _HAS_UNSPACED.match(char) is not None


_BACKTICKED = re.compile(r"`([^\w\s`]{1,8})`")
_AROUND_SYMBOLS = "`\"'“”«»,.;:?"
# Punctuation of prose and of markup: a term only in backticks.
_PROSE = frozenset(".,;:?!'\"`´-–—…*#|>()·•‐‒―“”‘’«»„¿¡、。，；：？！「」『』（）《》〈〉【】・")


def analyze(text: str) -> list[str]:
    """Return the terms of ``text`` in order, with repetitions.

    Words are case-folded and stemmed; a word with accents gives its folded and its exact form.
    An identifier gives the whole and its parts. Runs of scripts without spaces give
    single characters and pairs. Never raises for any ``str``.

    >>> analyze("The fetchUrl helper")
    ['the', 'fetchurl', 'fetch', 'url', 'helper']
    """
    terms: list[str] = []
    for chunk in text.split():
        terms.extend(chunk_terms(chunk))
    return terms


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a query in order of first appearance.

    Stop words are dropped unless nothing else is left. Blank text and punctuation give ``[]``.

    >>> query_terms("Why does Hono avoid runtime dependencies?")
    ['hono', 'avoid', 'runtim', 'depend']
    >>> query_terms("to be")
    ['to', 'be']
    """
    content: dict[str, None] = {}
    stops: dict[str, None] = {}
    for chunk in text.split():
        for token in tokens(clean(chunk), query=True):
            (stops if token.is_stop else content)[token.term] = None
    return list(content or stops)


_cache: dict[str, tuple[str, ...]] = {}


def chunk_terms(chunk: str) -> tuple[str, ...]:
    """Return the index terms of one chunk, which must not contain white space."""
    terms = _cache.get(chunk)
    if terms is None:
        terms = tuple(token.term for token in tokens(clean(chunk)))
        if len(chunk) <= _CACHE_CHUNK:
            if len(_cache) >= _CACHE_SIZE:
                _cache.clear()
            _cache[chunk] = terms
    return terms


def tokens(cleaned: str, *, query: bool = False) -> list[Token]:
    """Return the tokens of one cleaned chunk.

    With ``query``, single characters of unspaced scripts come only from runs of length one,
    since pairs say the same more precisely.
    """
    found: list[Token] = []
    for match in _COMPOUND.finditer(cleaned):
        _add_compound(found, match.start(), match[0], query)
    if "`" in cleaned:
        for match in _BACKTICKED.finditer(cleaned):
            _add_symbol(found, match.start(1), match[1])
    if not found:
        symbol = cleaned.strip(_AROUND_SYMBOLS)
        if symbol == "!" or not _PROSE.issuperset(symbol):
            _add_symbol(found, cleaned.find(symbol), symbol)
    return found


def _add_compound(found: list[Token], start: int, text: str, query: bool) -> None:
    parts = list(_PART.finditer(text))
    if len(parts) == 1 and parts[0].end() == len(text):
        _add_word(found, start, text, query)
        return
    contraction = _CONTRACTION.fullmatch(text)
    if contraction and len(parts) == 2:
        base = contraction[1]
        _add_word(found, start, base, query, end=start + len(text))
        return
    folded = text.casefold()
    if folded.endswith("n't") and len(parts) == 2:
        _add_forms(found, start, start + len(text), folded)
        return
    whole_is_stop = folded in STOP_WORDS
    if not _HAS_UNSPACED.search(text):
        found.append(Token(start, start + len(text), folded[:MAX_WORD], whole_is_stop))
        if OPT["joined"]:
            _add_joined(found, start, text, parts)
        if OPT["segments"]:
            _add_segments(found, start, text)
    inner: list[Token] = []
    for part in parts[:MAX_PARTS]:
        _add_word(inner, start + part.start(), part[0], query)
    if not whole_is_stop and all(token.is_stop for token in inner):
        # "to-do": every part is a stop word, so none of them may go.
        inner = [token._replace(is_stop=False) for token in inner]
    found.extend(inner)


def _add_joined(found: list[Token], start: int, text: str, parts: list[re.Match[str]]) -> None:
    """Add ``plugin`` for ``plug-in`` and ``fetchurl`` for ``fetch_url``."""
    joined = "".join(part[0] for part in parts)
    if (
        2 <= len(parts) <= 4
        and len(joined) <= 32
        and joined.isalpha()
        and not any(c in text for c in "/\\:@#&,+")
    ):
        _add_forms(found, start, start + len(text), joined.casefold())


def _add_segments(found: list[Token], start: int, text: str) -> None:
    """Add ``store.ts`` for ``src/store.ts``: the identifiers inside a path or an address."""
    segments = list(_SEGMENT.finditer(text))
    if len(segments) < 2:
        return
    for segment in segments[:MAX_PARTS]:
        trimmed = segment[0].strip("-")
        if trimmed and not _PART.fullmatch(trimmed):
            a = start + segment.start()
            found.append(Token(a, a + len(segment[0]), trimmed.casefold()[:MAX_WORD], False))


def _add_word(
    found: list[Token], start: int, word: str, query: bool, *, end: int | None = None
) -> None:
    if word.isascii() or not _HAS_UNSPACED.search(word):
        _add_spaced(found, start, start + len(word) if end is None else end, word)
        return
    for run in _RUNS.finditer(word):
        a, text = start + run.start(), run[0]
        if not _HAS_UNSPACED.match(text):
            _add_spaced(found, a, a + len(text), text)
            continue
        text = text.casefold()
        if len(text) == 1 or (not query and OPT["uni"]) or (query and OPT["quni"]):
            found.extend(Token(a + i, a + i + 1, char, False) for i, char in enumerate(text))
        found.extend(
            Token(a + i, a + i + 2, text[i : i + 2], False) for i in range(len(text) - 1)
        )
        if OPT["hangword"] and len(text) > 2 and len(text) <= 6:
            found.append(Token(a, a + len(text), text, False))


def _add_spaced(found: list[Token], start: int, end: int, word: str) -> None:
    if len(word) > MAX_WORD:
        found.append(Token(start, end, word[:MAX_WORD].casefold(), False))
        return
    _add_forms(found, start, end, word.casefold())
    if OPT["camel"] and word.isascii() and len(word) <= 40 and _MIXED_CASE.search(word):
        for piece in _CAMEL.finditer(word):
            if len(piece[0]) > 1 and len(piece[0]) < len(word):
                a = start + piece.start()
                _add_forms(found, a, a + len(piece[0]), piece[0].casefold())


def _add_forms(found: list[Token], start: int, end: int, folded_case: str) -> None:
    plain = fold(folded_case)
    is_stop = plain in STOP_WORDS
    stemmed = _stem(plain)
    found.append(Token(start, end, stemmed, is_stop))
    if plain != folded_case and OPT["exact"]:
        exact = _stem(folded_case) if plain.isascii() else folded_case
        if exact != stemmed:
            found.append(Token(start, end, exact, is_stop))


def _add_symbol(found: list[Token], start: int, symbol: str) -> None:
    # Runs such as "====" are rules and underlines.
    if 0 < len(symbol) <= 8 and symbol.isprintable() and not (
        len(symbol) > 2 and len(set(symbol)) == 1
    ):
        found.append(Token(start, start + len(symbol), symbol, symbol in STOP_WORDS))


_local = threading.local()


def _stem(word: str) -> str:
    """Return the English Snowball stem of a word of Latin letters, other words unchanged."""
    if not word.isalpha():
        return word
    try:
        stem: Callable[[str], str] = _local.stem
    except AttributeError:
        import Stemmer

        # One per thread: a stemmer is not re-entrant. The chunk cache replaces its own.
        _local.stem = stem = Stemmer.Stemmer("english", 0).stemWord
    return stem(word)
