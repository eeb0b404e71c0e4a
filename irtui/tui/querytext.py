"""The text of a query is the single truth: its clauses shown as chips, and edits of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from irtui.grammar import parse_query, print_query
from irtui.grammar.query.syntax import Field, OneOf, Phrase, Term
from irtui.grammar.query.syntax import Query as Parsed
from irtui.grammar.values import Value

__all__ = [
    "Chip",
    "chips",
    "cycled_mode",
    "toggled",
    "with_field",
    "without",
    "without_filters",
    "without_last",
]


@dataclass(frozen=True, slots=True)
class Chip:
    """A clause of a query that is no free word.

    Attributes:
        label: what it is called on the screen.
        start, end: where it stands in the text.
        steers: whether it says how to search instead of what must hold.
    """

    label: str
    start: int
    end: int
    steers: bool


_STEER = ("in", "limit", "mode", "sort", "near")


def chips(text: str) -> list[Chip]:
    """Return the clauses of ``text`` that narrow or steer, in order."""
    found = []
    for clause in parse_query(text).clauses:
        if isinstance(clause, (Field, Phrase, Term)):
            label = text[clause.span.start : clause.span.end]
            negated = label.startswith("-") and len(label) > 1
            steers = isinstance(clause, Field) and clause.name in _STEER
            shown = f"not {label[1:]}" if negated else label
            found.append(Chip(shown, clause.span.start, clause.span.end, steers))
    return found


def without(text: str, chip: Chip) -> str:
    """Return ``text`` without a clause, and without the gap it leaves."""
    before, after = text[: chip.start].rstrip(), text[chip.end :].lstrip()
    return f"{before} {after}".strip() if before and after else before + after


def without_last(text: str) -> str:
    """Return ``text`` without its last clause that narrows."""
    narrowing = [chip for chip in chips(text) if not chip.steers]
    return without(text, narrowing[-1]) if narrowing else text


def without_filters(text: str) -> str:
    """Return ``text`` with its free words and nothing else."""
    for chip in reversed(chips(text)):
        text = without(text, chip)
    return text


def with_field(text: str, name: str, value: str) -> str:
    """Return ``text`` with the clause ``name:value`` in the place of others of that name.

    An empty value only takes the others away. ``value`` is in the query language.
    """
    for clause in reversed(parse_query(text).clauses):
        if isinstance(clause, Field) and clause.name == name and not clause.negated:
            text = without(text, Chip("", clause.span.start, clause.span.end, False))
    return f"{text.rstrip()} {name}:{value}".strip() if value else text


def toggled(text: str, name: str, value: Any) -> str:
    """Return ``text`` that also takes ``value`` of a field, or does not any more.

    The values of a field are alternatives: ``tags:(a|b)``. A range or a beginning gives way.
    """
    values: list[Value] = []
    for clause in parse_query(text).clauses:
        if isinstance(clause, Field) and clause.name == name and not clause.negated:
            values += clause.match.values if isinstance(clause.match, OneOf) else ()
    kept = [each for each in values if each.text.casefold() != str(value).casefold()]
    if len(kept) == len(values):
        kept.append(_value(value))
    if not kept:
        return with_field(text, name, "")
    written = print_query(Parsed((Field(name, OneOf(tuple(kept))),)))
    return with_field(text, name, written.partition(":")[2])


def _value(value: Any) -> Value:
    """Return a value that is read back as it is; what is no text must not be quoted."""
    text = str(value)
    quoted = isinstance(value, str) and (not text or re.search(r'[\s|()"]', text) is not None)
    return Value(text, quoted=quoted)


def cycled_mode(text: str, mode: str) -> str:
    """Return ``text`` that asks for ``mode``; the default is not written out."""
    return with_field(text, "mode", "" if mode == "hybrid" else mode)


def normal(query: Parsed) -> str:
    """Return a query as the printer writes it."""
    return print_query(query)
