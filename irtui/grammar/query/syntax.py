"""What a query says, as frozen data; equality leaves out where it stood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from irtui.grammar.problems import Problem, Span
from irtui.grammar.scanning import Token
from irtui.grammar.values import Value

__all__ = [
    "Between",
    "Clause",
    "Compare",
    "Empty",
    "Field",
    "Match",
    "OneOf",
    "Phrase",
    "Query",
    "Sign",
    "StartsWith",
    "Term",
    "Text",
]

_NOWHERE = Span(0, 0)

Sign: TypeAlias = Literal["", "+", "-"]
"""``+`` must be there, ``-`` must not."""


@dataclass(frozen=True, slots=True)
class Text:
    """Free words with the blanks between them, verbatim; no blanks around."""

    text: str
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Phrase:
    """``"words in this order"``; with ``prefix`` the last one is a beginning. Not empty."""

    text: str
    sign: Sign = ""
    prefix: bool = False
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Term:
    """``+word``, ``-word``, ``begin*``: a word with a sign, with a star, or with both."""

    text: str
    sign: Sign = ""
    prefix: bool = False
    span: Span = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class OneOf:
    """``value`` or ``(a|b)``: at least one value."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """``>=value``; the operators are ``> >= < <= = ~``."""

    operator: str
    value: Value


@dataclass(frozen=True, slots=True)
class Between:
    """``low..high``, ends included; at most one of them is open."""

    low: Value | None
    high: Value | None


@dataclass(frozen=True, slots=True)
class StartsWith:
    """``begin*``; not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing yet: ``field:`` alone."""


Match: TypeAlias = "OneOf | Compare | Between | StartsWith | Empty"


@dataclass(frozen=True, slots=True)
class Field:
    """``name:match``, also of the names that steer a search (``in``, ``mode``, ``limit``…)."""

    name: str
    match: Match
    negated: bool = False
    span: Span = field(default=_NOWHERE, compare=False)


Clause: TypeAlias = "Text | Phrase | Term | Field"


@dataclass(frozen=True, slots=True)
class Query:
    """Clauses in order. ``problems`` are places where the text stops too early."""

    clauses: tuple[Clause, ...] = ()
    source: str = field(default="", compare=False)
    tokens: tuple[Token, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)
