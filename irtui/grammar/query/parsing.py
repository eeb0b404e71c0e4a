"""Queries, read leniently: whatever is typed is a query.

::

    query  = { [ "+" | "-" ] ( phrase | field | word ) }
    phrase = '"' text '"' [ "*" ]
    field  = name ":" ( value | value "*" | "(" value { "|" value } ")" | [low] ".." [high]
                      | ( ">" | ">=" | "<" | "<=" | "=" | "~" ) value )
    word   = characters without blanks [ "*" ]

All of it counts only where a word begins; ``a:b`` inside a word, ``x::y``, ``http://``,
``C:\\dir``, ``10:30``, ``C++``, ``- `` and ``->`` are text, as are *and*, *or* and *not*. A backslash takes the special
meaning off a punctuation mark or a blank after it.
"""  # noqa: E501

from __future__ import annotations

import re

from irtui.grammar.problems import Problem, Span
from irtui.grammar.query.syntax import (
    Between,
    Clause,
    Compare,
    Empty,
    Field,
    Match,
    OneOf,
    Phrase,
    Query,
    Sign,
    StartsWith,
    Term,
    Text,
)
from irtui.grammar.quoting import escapable, quoted_text
from irtui.grammar.scanning import Token, TokenKind
from irtui.grammar.values import Value, range_of

__all__ = ["FIELD_NAME", "VALUE_OPERATORS", "parse_query", "signs"]

FIELD_NAME = re.compile(r"([^\W\d][\w.-]*):(?!:|//|\\(?:\w|\Z))")
"""The beginning of a field clause."""

VALUE_OPERATORS = (">=", "<=", ">", "<", "=", "~")

_BARE = re.compile(r"(?:\\\S|\\[^\S\n]|\S)+")
_IN_LIST = re.compile(r"(?:\\.|[^|)\\]|\\$)+", re.DOTALL)
_OPERATOR = re.compile("|".join(VALUE_OPERATORS))
_AFTER_SIGN = frozenset('"_.#@/$')


def parse_query(text: str) -> Query:
    """Return what ``text`` says; half-typed clauses count as if they were finished."""
    return _Reader(text).query()


def signs(source: str, at: int) -> bool:
    """Return whether the plus or minus at ``at`` says something about the word after it."""
    after = source[at + 1 : at + 2]
    if after == "\\":
        following = source[at + 2 : at + 3]
        return bool(following) and escapable(following)
    if not after or after.isspace():
        return False
    return after in _AFTER_SIGN or not escapable(after)


class _Reader:
    """Reads one query from left to right; every step moves on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.clauses: list[Clause] = []
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.words: list[str] = []  # of the free text being read, with the blanks between
        self.words_start = 0
        self.words_end = 0

    def query(self) -> Query:
        source = self.source
        while self.at < len(source):
            if source[self.at].isspace():
                self.at += 1
                continue
            self._token()
        self._end_text()
        return Query(tuple(self.clauses), source, tuple(self.tokens), tuple(self.problems))

    def _token(self) -> None:
        source, start = self.source, self.at
        sign: Sign = ""
        if source[start] in "+-" and signs(source, start):
            sign = "+" if source[start] == "+" else "-"
            self.at += 1
        if self.source[self.at] == '"':
            self._phrase(sign, start)
        elif match := FIELD_NAME.match(source, self.at):
            self._field(match, sign, start)
        else:
            self._word(sign, start)

    def _mark(self, kind: TokenKind, start: int) -> None:
        self.tokens.append(Token(kind, Span(start, self.at)))

    def _unfinished(self, message: str, start: int, end: int) -> None:
        self.problems.append(Problem(message, Span(start, end), incomplete=True))

    def _add(self, clause: Clause) -> None:
        self._end_text()
        self.clauses.append(clause)

    def _end_text(self) -> None:
        text = "".join(self.words).strip()
        if text:
            self.clauses.append(Text(text, Span(self.words_start, self.words_end)))
        self.words = []

    def _quoted(self) -> str:
        start = self.at
        text, self.at, closed = quoted_text(self.source, start)
        self._mark("quoted", start)
        if not closed:
            self._unfinished("this quote is not closed", start, start + 1)
        return text

    def _starred(self) -> bool:
        """Read a star that ends a word."""
        after = self.source[self.at + 1 : self.at + 2]
        if self.source[self.at : self.at + 1] != "*" or not (not after or after.isspace()):
            return False
        self.at += 1
        return True

    def _phrase(self, sign: Sign, start: int) -> None:
        text = self._quoted()
        prefix = self._starred()
        if text.strip():
            self._add(Phrase(text, sign, prefix, Span(start, self.at)))

    def _word(self, sign: Sign, start: int) -> None:
        raw = self._bare()
        prefix = _ends_in_star(raw)
        text = unescaped(raw[:-1] if prefix else raw)
        if prefix and not any(char.isalnum() for char in text):
            prefix, text = False, unescaped(raw)
        if sign or prefix:
            self._mark("operator" if sign else "word", start)
            self._add(Term(text, sign, prefix, Span(start, self.at)))
            return
        self._mark("word", start)
        if self.words:
            self.words.append(self.source[self.words_end : start])
        else:
            self.words_start = start
        self.words.append(text)
        self.words_end = self.at

    def _bare(self) -> str:
        match = _BARE.match(self.source, self.at)
        raw = match[0] if match else self.source[self.at]
        self.at += len(raw)
        return raw

    # --- fields ---------------------------------------------------------------------------

    def _field(self, name: re.Match[str], sign: Sign, start: int) -> None:
        self.at = name.end()
        self._mark("name", start)
        match = self._match(name.end())
        self._add(Field(name[1], match, sign == "-", Span(start, self.at)))

    def _match(self, start: int) -> Match:
        source = self.source
        char = source[start : start + 1]
        if not char or char.isspace():
            return Empty()
        if char == "(":
            return self._list(start)
        if operator := _OPERATOR.match(source, start):
            self.at = operator.end()
            self._mark("operator", start)
            value = self._value()
            if value is None:
                self._unfinished("a value is missing here", start, self.at)
                return Empty()
            return Compare(operator[0], value)
        if char == '"':
            text = self._quoted()
            if text and self._starred():
                return StartsWith(text)
            return OneOf((Value(text, quoted=True),))
        raw = self._bare()
        self._mark("value", start)
        if _ends_in_star(raw) and len(raw) > 1:
            return StartsWith(unescaped(raw[:-1]))
        ends = None if "\\" in raw else range_of(Value(raw))
        return OneOf((Value(unescaped(raw)),)) if ends is None else Between(*ends)

    def _value(self) -> Value | None:
        char = self.source[self.at : self.at + 1]
        if not char or char.isspace():
            return None
        if char == '"':
            return Value(self._quoted(), quoted=True)
        start = self.at
        value = Value(unescaped(self._bare()))
        self._mark("value", start)
        return value

    def _list(self, start: int) -> Match:
        self.at = start + 1
        values: list[Value] = []
        while True:
            self._blank()
            char = self.source[self.at : self.at + 1]
            if not char:
                self._unfinished("this parenthesis is not closed", start, start + 1)
                break
            if char in "|)":
                self.at += 1
                if char == ")":
                    break
                continue
            if char == '"':
                values.append(Value(self._quoted(), quoted=True))
                continue
            at = self.at
            match = _IN_LIST.match(self.source, at)
            raw = match[0] if match else char
            self.at += len(raw)
            self._mark("value", at)
            if text := unescaped(_stripped(raw)):
                values.append(Value(text))
        return OneOf(tuple(values)) if values else Empty()

    def _blank(self) -> None:
        while self.source[self.at : self.at + 1].isspace():
            self.at += 1


def _ends_in_star(raw: str) -> bool:
    """Return whether a star ends ``raw`` that no backslash belongs to."""
    if len(raw) < 2 or raw[-1] != "*":
        return False
    backslashes = len(raw) - 1 - len(raw[:-1].rstrip("\\"))
    return backslashes % 2 == 0


def _stripped(raw: str) -> str:
    """Return ``raw`` without the blanks around it, except an escaped one."""
    end = raw.rstrip()
    backslashes = len(end) - len(end.rstrip("\\"))
    if len(end) < len(raw) and backslashes % 2:
        end = raw[: len(end) + 1]
    return end.lstrip()


def unescaped(raw: str) -> str:
    """Return ``raw`` with the backslashes gone that take a meaning away."""
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda match: match[1] if escapable(match[1]) else match[0], raw)


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
