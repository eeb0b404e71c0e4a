"""The text of a query is the single truth: its clauses shown as chips, and edits of the text."""

from __future__ import annotations

from dataclasses import dataclass

from irtui.grammar import parse_query, print_query
from irtui.grammar.query.syntax import Field, Phrase, Term
from irtui.grammar.query.syntax import Query as Parsed

__all__ = [
    "Chip",
    "chips",
    "cycled_mode",
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


def cycled_mode(text: str, mode: str) -> str:
    """Return ``text`` that asks for ``mode``; the default is not written out."""
    return with_field(text, "mode", "" if mode == "hybrid" else mode)


def normal(query: Parsed) -> str:
    """Return a query as the printer writes it."""
    return print_query(query)
