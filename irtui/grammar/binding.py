"""From the words of a line to what a command takes: a query, or plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from irtui.grammar.printing import print_word
from irtui.grammar.syntax import Quoted, Ref, Word

__all__ = ["plain_words", "query_text"]


def query_text(words: Iterable[Word], value_of: Callable[[Ref], Any]) -> str:
    """Return the words of a line as one query.

    A word in single quotes is its content, whatever that says in the query language; a word in
    double quotes stays a phrase; everything else is as it was written.
    """
    return " ".join(_query_word(word, value_of) for word in words)


def _query_word(word: Word, value_of: Callable[[Ref], Any]) -> str:
    only = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(only, Ref):
        return " ".join(_values(value_of(only)))
    if isinstance(only, Quoted) and not only.double:
        return only.text
    return word.raw or print_word(word)


def plain_words(words: Iterable[Word], value_of: Callable[[Ref], Any]) -> list[str]:
    """Return the words of a line as a system's shell would pass them on.

    Quotes and escapes are gone and references have their values: several (``$1-3``) are several
    words where the reference stands alone, and joined by commas inside a word.
    """
    plain: list[str] = []
    for word in words:
        if word.ref is not None:
            plain += _values(value_of(word.ref))
            continue
        plain.append(
            "".join(
                ",".join(_values(value_of(part))) if isinstance(part, Ref) else Word((part,)).text
                for part in word.parts
            )
        )
    return plain


def _values(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else [str(value)]
