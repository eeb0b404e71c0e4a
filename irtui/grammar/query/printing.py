"""Queries back to text: what is printed parses to the same query."""

from __future__ import annotations

import re

from irtui.grammar.printing import quote
from irtui.grammar.query.parsing import FIELD_NAME, VALUE_OPERATORS, signs
from irtui.grammar.query.syntax import (
    Between,
    Clause,
    Compare,
    Empty,
    Field,
    Match,
    Phrase,
    Query,
    StartsWith,
    Term,
    Text,
)
from irtui.grammar.quoting import escapable
from irtui.grammar.values import Value, range_of

__all__ = ["print_clause", "print_query"]

_WORD = re.compile(r"\S+")


def print_query(query: Query) -> str:
    """Return ``query`` as text."""
    return " ".join(map(print_clause, query.clauses))


def print_clause(clause: Clause) -> str:
    """Return one clause as text."""
    if isinstance(clause, Text):
        return _WORD.sub(lambda match: _word(match[0]), clause.text)
    if isinstance(clause, Field):
        return f"{'-' if clause.negated else ''}{clause.name}:{_match(clause.match)}"
    star = "*" if clause.prefix else ""
    if isinstance(clause, Phrase):
        return f"{clause.sign}{quote(clause.text)}{star}"
    return f"{clause.sign}{_term(clause)}{star}"


def _backslashes(text: str, *, blanks: bool = False, also: str = "") -> str:
    """Escape the backslashes of ``text`` that would be read as escapes, and what else is asked."""
    written: list[str] = []
    for at, char in enumerate(text):
        after = text[at + 1 : at + 2]
        ambiguous = char == "\\" and (not after or escapable(after))
        if ambiguous or (blanks and char.isspace()) or char in also:
            written.append("\\")
        written.append(char)
    return "".join(written)


def _word(word: str) -> str:
    """Write a word of the free text so that it stays one."""
    written = _unstarred(_backslashes(word))
    if word[0] == '"' or (word[0] in "+-" and signs(written, 0)):
        return "\\" + written
    return _without_field(written)


def _without_field(written: str) -> str:
    match = FIELD_NAME.match(written)
    return written if match is None else f"{match[1]}\\:{written[match.end() :]}"


def _unstarred(written: str) -> str:
    return written[:-1] + "\\*" if written.endswith("*") else written


def _term(term: Term) -> str:
    written = _backslashes(term.text, blanks=True)
    if not term.prefix:
        written = _unstarred(written)
    if term.sign:
        if not signs(term.sign + written, 0) or written[0] == '"':
            written = "\\" + written
    elif written[0] == '"' or (written[0] in "+-" and signs(written, 0)):
        written = "\\" + written
    return _without_field(written)


def _match(match: Match) -> str:
    if isinstance(match, Empty):
        return ""
    if isinstance(match, Compare):
        return f"{match.operator}{_value(match.value, compared=True)}"
    if isinstance(match, Between):
        low, high = (end.text if end is not None else "" for end in (match.low, match.high))
        return f"{low}..{high}"
    if isinstance(match, StartsWith):
        return f"{_protected(_backslashes(match.text, blanks=True))}*"
    if len(match.values) == 1:
        return _value(match.values[0])
    return f"({'|'.join(map(_listed, match.values))})"


def _value(value: Value, *, compared: bool = False) -> str:
    if value.quoted:
        return quote(value.text)
    written = _backslashes(value.text, blanks=True)
    if compared:
        # ``>`` before ``=`` would be another operator.
        return "\\" + written if written[0] in '"=' else written
    if range_of(value) is not None:
        written = written.replace("..", "\\..", 1)
    return _protected(_unstarred(written))


def _protected(written: str) -> str:
    """Escape what would begin something else than a plain value."""
    literal = written[0] == "\\" and (written[1:2].isalnum() or written[1:2] in ("", "_"))
    if literal or written.startswith(('"', "(", ":", "//", *VALUE_OPERATORS)):
        return "\\" + written
    return written


def _listed(value: Value) -> str:
    if value.quoted:
        return quote(value.text)
    written = _backslashes(value.text, blanks=True, also="|)")
    return "\\" + written if written[0] == '"' else written
