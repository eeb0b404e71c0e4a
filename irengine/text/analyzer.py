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

_MAX_CAMEL = 40
_MAX_SYMBOL = 8

_CACHE_SIZE = 1 << 16
_CACHE_CHUNK = 48  # longer chunks are mostly prose without spaces, and never come again

_SHORT_QUERY = 3  # chunks; longer queries are prose, where hyphens only join words


class Token(NamedTuple):
    """A term and where it stands in its cleaned chunk (code points, end exclusive).

    Attributes:
        start: first code point.
        end: after the last code point.
        term: what is indexed.
        is_stop: a query drops it when something else is left.
        is_overlap: it repeats what other tokens say, so it adds nothing to the document length.
        is_hyphenated: it is a whole of plain words, which a long query leaves out.
    """

    start: int
    end: int
    term: str
    is_stop: bool = False
    is_overlap: bool = False
    is_hyphenated: bool = False


_WORD = rf"(?:[^\W_]|[{MARKS}])+"
_CONNECTOR = r"(?:[-./\\:'@&#]|::|:/{2,3}|_+|->|(?<=\d),(?=\d))"
_COMPOUND = re.compile(rf"{_WORD}(?:{_CONNECTOR}{_WORD})*(?:\+\+|#)?")
_PART = re.compile(_WORD)
_SEGMENT = re.compile(r"[^/\\:@#&]+")
_CONTRACTION = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_HYPHENATED = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})+")
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
        terms.extend(chunk_terms(chunk)[0])
    return terms


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a query in order of first appearance.

    Stop words are dropped unless nothing else is left; in capitals (``US``, ``IT``) they are
    names and stay. Blank text and punctuation give ``[]``.

    >>> query_terms("Why does Hono avoid runtime dependencies?")
    ['hono', 'avoid', 'runtim', 'depend']
    >>> query_terms("to be")
    ['to', 'be']
    """
    content: dict[str, None] = {}
    stops: dict[str, None] = {}
    chunks = text.split()
    is_prose = len(chunks) > _SHORT_QUERY
    is_shouted = text.isupper()
    for chunk in chunks:
        cleaned = clean(chunk)
        for token in tokens(cleaned, query=True):
            if token.is_hyphenated and is_prose:
                # Its rarity would outweigh all the other words of a question.
                continue
            is_stop = token.is_stop
            if is_stop and not is_shouted:
                is_stop = not _is_acronym(cleaned[token.start : token.end])
            (stops if is_stop else content)[token.term] = None
    return list(content or stops)


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word not in {"AND", "OR", "NOT"}


_cache: dict[str, tuple[tuple[str, ...], int]] = {}


def chunk_terms(chunk: str) -> tuple[tuple[str, ...], int]:
    """Return the index terms of one chunk and what it adds to the document length.

    The chunk must not contain white space. Wholes of identifiers, exact forms of accented
    words and pairs of characters repeat what their parts say and are not counted, so that
    a text is not taken for a long one because of how its words are written.
    """
    entry = _cache.get(chunk)
    if entry is None:
        found = tokens(clean(chunk))
        terms = tuple(token.term for token in found)
        entry = terms, sum(not token.is_overlap for token in found)
        if len(chunk) <= _CACHE_CHUNK:
            if len(_cache) >= _CACHE_SIZE:
                _cache.clear()
            _cache[chunk] = entry
    return entry


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
    """Add an identifier: the whole, the identifiers inside it, and its words."""
    parts = list(_PART.finditer(text))
    end = start + len(text)
    if len(parts) == 1 and len(parts[0][0]) == len(text):
        _add_word(found, start, end, text, query)
        return
    whole = text.casefold()
    if len(parts) == 2 and (contraction := _CONTRACTION.fullmatch(text)):
        _add_word(found, start, end, contraction[1], query)
        return
    if len(parts) == 2 and whole.endswith("n't"):
        _add_forms(found, start, end, whole)
        return
    is_stop = whole in STOP_WORDS
    if not _HAS_UNSPACED.search(text):
        is_hyphenated = _HYPHENATED.fullmatch(text) is not None
        found.append(Token(start, end, whole[:MAX_WORD], is_stop, True, is_hyphenated))
        joined = text.replace("-", "").replace("_", "")
        if len(parts) <= 4 and len(joined) <= 32 and joined.isalpha():
            # "plug-in" is "plugin", "fetch_url" is "fetchUrl".
            _add_forms(found, start, end, joined.casefold(), is_overlap=True)
            found[-1] = found[-1]._replace(is_hyphenated=is_hyphenated)
        _add_segments(found, start, text)
    inner: list[Token] = []
    for part in parts[:MAX_PARTS]:
        at = start + part.start()
        _add_word(inner, at, at + len(part[0]), part[0], query)
    # Single letters say little beside the whole ("A-Company", "C++").
    marked = [
        token._replace(is_stop=token.is_stop or (len(token.term) == 1 and token.term.isascii() and token.term.isalpha()))
        for token in inner
    ]
    if is_stop:
        marked = [token._replace(is_stop=True) for token in inner]
    elif all(token.is_stop for token in inner):
        # "to-do": every part is a stop word, so none of them may go.
        marked = [token._replace(is_stop=False) for token in inner]
    found.extend(marked)


def _add_segments(found: list[Token], start: int, text: str) -> None:
    """Add ``store.ts`` for ``src/store.ts``: the identifiers inside a path or an address."""
    segments = list(_SEGMENT.finditer(text))
    if len(segments) < 2:
        return
    for segment in segments[:MAX_PARTS]:
        word = segment[0].strip("-.")
        if word and not _PART.fullmatch(word):
            at = start + segment.start()
            found.append(
                Token(at, at + len(segment[0]), word.casefold()[:MAX_WORD], is_overlap=True)
            )


def _add_word(found: list[Token], start: int, end: int, word: str, query: bool) -> None:
    """Add one run of letters and digits, which may mix scripts."""
    if word.isascii() or not _HAS_UNSPACED.search(word):
        _add_spaced(found, start, end, word)
        return
    for run in _RUNS.finditer(word):
        at, text = start + run.start(), run[0].casefold()
        if not _HAS_UNSPACED.match(text):
            _add_spaced(found, at, at + len(run[0]), run[0])
            continue
        if len(text) == 1 or not query:
            found.extend(Token(at + i, at + i + 1, char) for i, char in enumerate(text))
        found.extend(
            Token(at + i, at + i + 2, text[i : i + 2], is_overlap=True)
            for i in range(len(text) - 1)
        )


def _add_spaced(found: list[Token], start: int, end: int, word: str) -> None:
    """Add a word of a script with spaces, and the words inside ``fetchUrl``."""
    if len(word) > MAX_WORD:
        found.append(Token(start, end, word[:MAX_WORD].casefold()))
        return
    pieces: list[Token] = []
    if word.isascii() and len(word) <= _MAX_CAMEL and _MIXED_CASE.search(word):
        for piece in _CAMEL.finditer(word):
            if 1 < len(piece[0]) < len(word):
                at = start + piece.start()
                _add_forms(pieces, at, at + len(piece[0]), piece[0].casefold())
    _add_forms(found, start, end, word.casefold(), is_overlap=bool(pieces))
    found.extend(pieces)


def _add_forms(
    found: list[Token], start: int, end: int, word: str, *, is_overlap: bool = False
) -> None:
    """Add the stem of a case-folded word; with accents also the stem of its exact form."""
    plain = fold(word)
    is_stop = plain in STOP_WORDS
    stem = _stem(plain)
    if plain != word:
        exact = _stem(word)
        if exact != stem:
            found.append(Token(start, end, exact, is_stop, True))
    found.append(Token(start, end, stem, is_stop, is_overlap))


def _add_symbol(found: list[Token], start: int, symbol: str) -> None:
    # Longer runs of one symbol are rules and underlines.
    is_rule = len(symbol) > 2 and len(set(symbol)) == 1
    if 0 < len(symbol) <= _MAX_SYMBOL and symbol.isprintable() and not is_rule:
        found.append(Token(start, start + len(symbol), symbol, symbol in STOP_WORDS))


_local = threading.local()


def _stem(word: str) -> str:
    """Return the English Snowball stem; words with digits and of other scripts stay as they are."""
    if not word.isalpha():
        return word
    try:
        stem: Callable[[str], str] = _local.stem
    except AttributeError:
        import Stemmer

        # One per thread: a stemmer is not re-entrant. The chunk cache replaces its own.
        _local.stem = stem = Stemmer.Stemmer("english", 0).stemWord
    return stem(word)
