"""Text to terms: one analyzer for indexing and for querying.

A text is cut at white space, and each chunk is analysed on its own, so that the terms of a
chunk can be cached.
"""

from __future__ import annotations

from irengine.text._normalize import clean
from irengine.text._tokens import plain_term, tokens

__all__ = ["ANALYZER_ID", "analyze", "chunk_terms", "query_terms"]

ANALYZER_ID = "words-stem-bigrams/2"
"""Stored with every index; changes whenever the terms of any text would."""

_CACHE_SIZE = 1 << 16
_CACHE_CHUNK = 48  # longer chunks are mostly prose without spaces, and never come again
_SHORT_QUERY = 3  # chunks; longer queries are prose, where a hyphen only joins words

_cache: dict[str, tuple[str, ...]] = {}


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


def chunk_terms(chunk: str) -> tuple[str, ...]:
    """Return the index terms of one chunk, which must not contain white space."""
    terms = _cache.get(chunk)
    if terms is None:
        term = plain_term(chunk)
        terms = (term,) if term else tuple(token.term for token in tokens(clean(chunk)))
        if len(chunk) <= _CACHE_CHUNK:
            if len(_cache) >= _CACHE_SIZE:
                _cache.clear()
            _cache[chunk] = terms
    return terms


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word not in {"AND", "OR", "NOT"}
