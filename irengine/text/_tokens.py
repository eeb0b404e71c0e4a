"""The tokens of one white-space separated chunk: words, identifiers, unspaced runs, symbols."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import NamedTuple

from irengine.text._normalize import MARKS, fold
from irengine.text._stopwords import STOP_WORDS

__all__ = ["MAX_PARTS", "MAX_WORD", "Token", "is_unspaced", "plain_term", "tokens"]

MAX_WORD = 64
"""Code points of a word or identifier that count; the rest of a blob is not indexed."""

MAX_PARTS = 64
"""Parts of one identifier that are indexed besides the whole."""

_MAX_CAMEL = 40  # longer words of mixed case are encoded data
_MAX_SYMBOL = 8


class Token(NamedTuple):
    """A term and where it stands in its cleaned chunk (code points, end exclusive).

    Attributes:
        start: first code point.
        end: after the last code point.
        term: what is indexed.
        is_stop: a query drops it when something else is left.
        is_hyphenated: it is the whole of hyphenated plain words; a long query leaves it out.
    """

    start: int
    end: int
    term: str
    is_stop: bool = False
    is_hyphenated: bool = False


# The look-ahead keeps the two alternatives apart, so that nothing can be matched twice.
_WORD = rf"(?:[^\W_]|(?=\W)[{MARKS}])+"
_CONNECTOR = r"(?:[-./\\:'@&#]|::|:/{2,3}|_+|->|(?<=\d),(?=\d))"
_COMPOUND = re.compile(rf"{_WORD}(?:{_CONNECTOR}{_WORD})*(?:\+\+|#)?")
_PART = re.compile(_WORD)
_SEGMENT = re.compile(r"[^/\\:@#&]+")
_CONTRACTION = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)", re.IGNORECASE)
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")

# Scripts written without spaces (Thai, Lao, Myanmar, Khmer, Han, kana, bopomofo), and Hangul,
# whose words carry their particles.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1100-\u11ff"
    "\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_HAS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

_BACKTICKED = re.compile(r"`([^\w\s`]{1,8})`")
_AROUND_SYMBOLS = "`\"'“”«»,.;:?"
_AROUND_WORDS = ".,;:!?()[]{}\"'*"
# Punctuation of prose and of markup: a term only in backticks.
_PROSE = frozenset(".,;:?!'\"`´-–—…*#|>()·•‐‒―“”‘’«»„¿¡、。「」『』《》〈〉【】・")
_LONE = frozenset(["!", "((", "))"])  # of that punctuation, what is also a name of commands


def is_unspaced(char: str) -> bool:
    """Return whether ``char`` is of a script that is indexed by characters."""
    return _HAS_UNSPACED.match(char) is not None


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
        if cleaned in _LONE or not _PROSE.issuperset(symbol):
            _add_symbol(found, cleaned.find(symbol), symbol)
    return found


def plain_term(chunk: str) -> str | None:
    """Return the only term of a plain ASCII word with punctuation around it, else None.

    The shortcut of ``tokens`` for most of English prose; it gives the same term.
    """
    word = chunk.strip(_AROUND_WORDS)
    if word.isalpha() and word.isascii() and len(word) <= MAX_WORD:
        lower = word.lower()
        if word == lower or word[1:] == lower[1:] or word.isupper():
            return _stem(lower)
    return None


def _add_compound(found: list[Token], start: int, text: str, query: bool) -> None:
    """Add an identifier: the whole, the identifiers inside it, and its words."""
    end = start + len(text)
    if text.isalnum():
        _add_word(found, start, end, text, query)
        return
    parts = list(_PART.finditer(text))
    if len(parts[0][0]) == len(text):
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
        found.append(Token(start, end, whole[:MAX_WORD], is_stop, is_hyphenated))
        joined = whole.replace("-", "").replace("_", "")
        if len(parts) <= 4 and len(joined) <= 32 and joined.isalpha():
            # "plug-in" is "plugin", "fetch_url" is "fetchUrl".
            found.append(Token(start, end, _stem(fold(joined)), False, is_hyphenated))
        _add_segments(found, start, text)
    inner: list[Token] = []
    for part in parts[:MAX_PARTS]:
        at = start + part.start()
        _add_word(inner, at, at + len(part[0]), part[0], query)
    if is_stop:
        dropped = [True] * len(inner)
    else:
        dropped = [token.is_stop or _is_letter(token.term) for token in inner]
        if all(token.is_stop for token in inner):
            # "to-do": every part is a stop word, so none of them may go.
            dropped = [False] * len(inner)
    found += [token._replace(is_stop=drop) for token, drop in zip(inner, dropped, strict=True)]


def _is_letter(term: str) -> bool:
    # A single letter says little beside its whole ("A-Company", "C++").
    return len(term) == 1 and term.isascii() and term.isalpha()


def _add_segments(found: list[Token], start: int, text: str) -> None:
    """Add ``store.ts`` for ``src/store.ts``: the identifiers inside a path or an address."""
    segments = list(_SEGMENT.finditer(text))
    if len(segments) < 2:
        return
    for segment in segments[:MAX_PARTS]:
        word = segment[0].strip("-.")
        if word and not _PART.fullmatch(word):
            at = start + segment.start()
            found.append(Token(at, at + len(segment[0]), word.casefold()[:MAX_WORD]))


def _add_word(found: list[Token], start: int, end: int, word: str, query: bool) -> None:
    """Add one run of letters and digits, which may mix scripts."""
    if word.isascii() or not _HAS_UNSPACED.search(word):
        _add_spaced(found, start, end, word)
        return
    for run in _RUNS.finditer(word):
        at, text = start + run.start(), run[0]
        if not _HAS_UNSPACED.match(text):
            _add_spaced(found, at, at + len(text), text)
            continue
        if len(text) == 1 or not query:
            found += [Token(at + i, at + i + 1, char) for i, char in enumerate(text)]
        found += [Token(at + i, at + i + 2, text[i : i + 2]) for i in range(len(text) - 1)]


def _add_spaced(found: list[Token], start: int, end: int, word: str) -> None:
    """Add a word of a script with spaces, and the words inside ``fetchUrl``."""
    if len(word) > MAX_WORD:
        found.append(Token(start, end, word[:MAX_WORD].casefold()))
        return
    _add_forms(found, start, end, word.casefold())
    if word[0] == "0" and word.isdecimal() and (number := word.lstrip("0")):
        found.append(Token(start, end, number))  # people write 401 for a file called 0401
    if word.isascii() and len(word) <= _MAX_CAMEL and _MIXED_CASE.search(word):
        for piece in _CAMEL.finditer(word):
            if 1 < len(piece[0]) < len(word):
                at = start + piece.start()
                _add_forms(found, at, at + len(piece[0]), piece[0].casefold())


def _add_forms(found: list[Token], start: int, end: int, word: str) -> None:
    """Add the stem of a case-folded word, and of its exact form when it has accents."""
    plain = fold(word) or word  # a lone mark is its own word
    is_stop = plain in STOP_WORDS
    stem = _stem(plain)
    found.append(Token(start, end, stem, is_stop))
    if plain != word and (exact := _stem(word)) != stem:
        found.append(Token(start, end, exact, is_stop))


def _add_symbol(found: list[Token], start: int, symbol: str) -> None:
    # Longer runs of one symbol are rules and underlines.
    is_rule = len(symbol) > 2 and len(set(symbol)) == 1
    if 0 < len(symbol) <= _MAX_SYMBOL and symbol.isprintable() and not is_rule:
        found.append(Token(start, start + len(symbol), symbol, symbol in STOP_WORDS))


_local = threading.local()


def _stem(word: str) -> str:
    """Return the stem (Porter, 1980); short words and words with digits or marks stay."""
    if len(word) <= 2 or not word.isalpha():
        return word
    stem: Callable[[str], str] | None = getattr(_local, "stem", None)
    if stem is None:
        import Stemmer

        # One per thread: a stemmer is not re-entrant. Its own cache would only repeat ours.
        _local.stem = stem = Stemmer.Stemmer("porter", 0).stemWord
    return stem(word)
