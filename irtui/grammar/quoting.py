"""Quotes and escapes, the same in command lines, queries and filters.

One rule for escapes: a backslash takes the special meaning off a punctuation mark or a blank after
it; before anything else it is itself, so that ``C:\\temp`` and ``\\d+`` stay what they are. Inside
quotes it does so for the quote and for the backslash only.

A quote opens where a word begins or after ``=`` and ``:`` (a double one also after ``+ - , ~``), so
that ``Mom's`` and ``5"`` are plain words.
"""

from __future__ import annotations

import re
import string

__all__ = ["escapable", "opens_quote", "quoted_text"]

_PUNCTUATION = frozenset(string.punctuation)
_QUOTE_OR_ESCAPE = {quote: re.compile(rf"[\\{quote}]") for quote in "\"'"}


def escapable(char: str) -> bool:
    """Return whether a backslash before ``char`` takes its meaning away."""
    return char in _PUNCTUATION or (char.isspace() and char != "\n")


def opens_quote(quote: str, before: str) -> bool:
    """Return whether ``quote`` opens after the character ``before`` (``""`` = a word begins)."""
    return not before or before in ("=:+-,~" if quote == '"' else "=:")


def quoted_text(source: str, start: int) -> tuple[str, int, bool]:
    """Return the text in the quotes that open at ``start``, where it ends, and if it is closed.

    A backslash before the quote or a backslash is an escape; an open quote ends with the source.
    """
    quote = source[start]
    pieces: list[str] = []
    at = low = start + 1
    while match := _QUOTE_OR_ESCAPE[quote].search(source, at):
        at = match.end()
        if match[0] == quote:
            pieces.append(source[low : match.start()])
            return "".join(pieces), at, True
        if source[at : at + 1] in (quote, "\\"):
            pieces.append(source[low : match.start()])
            low = at
            at += 1
    pieces.append(source[low:])
    return "".join(pieces), len(source), False
