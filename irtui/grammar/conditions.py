"""Conditions after ``where`` and ``assert``: read, and turned into the engine's filter language.

``year >= 2020 and (venue = sigir or venue in (ecir, "ACM TOIS")) and not has draft``. A value
without quotes is typed (see :mod:`irtui.grammar.values`); ``year = 2019..2023`` is a range. ``and``
binds more tightly than ``or``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from irtui.grammar.problems import GrammarError, Span
from irtui.grammar.scanning import Scanner
from irtui.grammar.syntax import All, AnyOf, Comparison, Condition, Has, Not, Operand, Ref
from irtui.grammar.values import (
    NAME,
    OPERATORS,
    Value,
    any_of,
    between,
    compared,
    date_problem,
    equal_to,
    on_field,
    range_of,
    range_problem,
)

__all__ = ["MAX_DEPTH", "condition_filter", "holds", "read_condition"]

MAX_DEPTH = 24
"""How deeply conditions may be nested; the engine allows a little more."""

_OPERATOR = re.compile("|".join(map(re.escape, OPERATORS)) + r"|in(?=[\s(]|\Z)", re.IGNORECASE)
_BARE = re.compile(r"[^\s|()]+")
_BARE_IN_LIST = re.compile(r"[^\s|(),]+")
_KEYWORDS = ("and", "or", "not", "has")


def read_condition(scanner: Scanner) -> Condition | None:
    """Read a condition; ``None``, with a problem noted, where none is."""
    return _Reader(scanner).either()


class _Reader:
    """Recursive descent; every step moves on or notes a problem and gives up."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.depth = 0

    def either(self) -> Condition | None:
        return self._joined("or", lambda: self._joined("and", self._one, All), AnyOf)

    def _joined(
        self,
        word: str,
        part: Callable[[], Condition | None],
        join: Callable[[tuple[Condition, ...]], Condition],
    ) -> Condition | None:
        parts: list[Condition] = []
        while True:
            found = part()
            if found is None:
                return None
            parts.append(found)
            if not self._keyword(word):
                return parts[0] if len(parts) == 1 else join(tuple(parts))

    def _skip(self) -> None:
        self.scanner.blank(lines=self.depth > 0)

    def _keyword(self, *words: str) -> str | None:
        """Read one of the keywords, unless it is the name of a compared field."""
        self._skip()
        scanner = self.scanner
        match = NAME.match(scanner.source, scanner.at)
        if match is None or match[0].lower() not in words:
            return None
        scanner.at = match.end()
        self._skip()
        if _OPERATOR.match(scanner.source, scanner.at) and match[0].lower() in ("has", "not"):
            scanner.at = match.start()
            return None
        scanner.token("keyword", match.start(), match.end())
        return match[0].lower()

    def _one(self) -> Condition | None:
        scanner = self.scanner
        self._skip()
        start = scanner.at
        if self.depth >= MAX_DEPTH:
            scanner.problem("this condition is nested too deeply", start, start + 1)
            return None
        keyword = self._keyword("not", "has")
        if keyword == "not":
            self.depth += 1
            inner = self._one()
            self.depth -= 1
            return None if inner is None else Not(inner)
        if keyword == "has":
            left = self._left("the name of a field")
            return None if left is None else Has(left, Span(start, scanner.at))
        if scanner.peek() == "(":
            return self._parenthesised()
        return self._comparison()

    def _parenthesised(self) -> Condition | None:
        scanner = self.scanner
        start = scanner.at
        scanner.at += 1
        scanner.token("operator", start)
        self.depth += 1
        inner = self.either()
        if inner is not None:
            scanner.blank(lines=True)
        self.depth -= 1
        if inner is None:
            return None
        if scanner.peek() != ")":
            at_end = not scanner.peek()
            scanner.problem("this parenthesis is not closed", start, start + 1, incomplete=at_end)
            return inner
        scanner.at += 1
        scanner.token("operator", scanner.at - 1)
        return inner

    def _left(self, wanted: str) -> Operand | None:
        scanner = self.scanner
        self._skip()
        start = scanner.at
        char = scanner.peek()
        if char and char in "\"'":
            name = scanner.quoted().text
            scanner.token("name", start)
            if name.strip():
                return name
        elif char == "$":
            ref = scanner.reference(ends="|)<>=!~")
            if ref is not None:
                scanner.token("reference", start)
                return ref
        elif match := NAME.match(scanner.source, start):
            scanner.at = match.end()
            scanner.token("name", start)
            return match[0]
        self._missing(wanted, start)
        return None

    def _missing(self, what: str, start: int) -> None:
        scanner = self.scanner
        ended = not scanner.source[start:].strip()
        scanner.problem(f"{what} is missing here", start, start + 1, incomplete=ended)

    def _comparison(self) -> Condition | None:
        scanner = self.scanner
        start = scanner.at
        left = self._left("a condition")
        if left is None:
            return None
        self._skip()
        at = scanner.at
        match = _OPERATOR.match(scanner.source, at)
        if match is None:
            ended = "in".startswith(scanner.source[at : at + 3].lower())
            scanner.problem(
                "a comparison is missing here",
                at,
                at + 1,
                hint=f"one of {', '.join((*OPERATORS, 'in'))}; or: has FIELD",
                incomplete=ended,
            )
            return None
        scanner.at = match.end()
        operator = match[0].lower()
        scanner.token("keyword" if operator == "in" else "operator", at)
        right = self._several() if operator == "in" else self._single()
        if right is None:
            return None
        return Comparison(
            left, "=" if operator == "==" else operator, right, Span(start, scanner.at)
        )

    def _single(self) -> tuple[Value | Ref, ...] | None:
        value = self._value(_BARE, "|)")
        return None if value is None else (value,)

    def _several(self) -> tuple[Value | Ref, ...] | None:
        scanner = self.scanner
        self._skip()
        start = scanner.at
        if scanner.peek() != "(":
            self._missing("a list in parentheses", start)
            return None
        scanner.at += 1
        values: list[Value | Ref] = []
        while True:
            scanner.blank(lines=True)
            if not scanner.peek():
                scanner.problem("this list is not closed", start, start + 1, incomplete=True)
                break
            if scanner.peek() in ",|":
                scanner.at += 1
                continue
            if scanner.peek() == ")":
                scanner.at += 1
                break
            value = self._value(_BARE_IN_LIST, "|),")
            if value is None:
                return None
            values.append(value)
        if not values:
            self._missing("a value", start + 1)
            return None
        return tuple(values)

    def _value(self, bare: re.Pattern[str], ends: str) -> Value | Ref | None:
        scanner = self.scanner
        scanner.blank(lines=self.depth > 0)
        start = scanner.at
        char = scanner.peek()
        if char and char in "\"'":
            text = scanner.quoted().text
            scanner.token("quoted", start)
            return Value(text, quoted=True)
        if char == "$" and (ref := scanner.reference(ends)) is not None:
            scanner.token("reference", start)
            return ref
        match = bare.match(scanner.source, start)
        if match is None:
            self._missing("a value", start)
            return None
        scanner.at = match.end()
        scanner.token("value", start)
        return Value(match[0])


# --- what a condition means ---------------------------------------------------------------


def condition_filter(
    condition: Condition,
    *,
    name_of: Callable[[Operand], str] = str,
    value_of: Callable[[Ref], Any] | None = None,
) -> dict[str, Any]:
    """Return ``condition`` in the engine's filter language.

    Args:
        condition: what to translate.
        name_of: the metadata field an operand on the left stands for.
        value_of: the value of a reference on the right.

    Raises:
        GrammarError: for a date that does not exist, a range that ends before it begins, or a
            reference where nothing gives it a value.
    """
    if isinstance(condition, Not):
        inner = condition_filter(condition.condition, name_of=name_of, value_of=value_of)
        return {"$not": inner}
    if isinstance(condition, (All, AnyOf)):
        parts = [
            condition_filter(part, name_of=name_of, value_of=value_of)
            for part in condition.conditions
        ]
        return {"$and" if isinstance(condition, All) else "$or": parts}
    name = name_of(condition.left)
    if isinstance(condition, Has):
        return {name: {"$exists": True}}
    values = [_resolved(value, value_of) for value in condition.right]
    for value in values:
        if problem := date_problem(value):
            raise GrammarError(problem)
    if condition.operator == "in":
        return any_of([on_field(name, equal_to(value)) for value in values])
    ends = range_of(values[0]) if condition.operator in ("=", "!=") else None
    if ends is None:
        return on_field(name, compared(condition.operator, values[0]))
    if problem := range_problem(*ends):
        raise GrammarError(problem)
    inside = on_field(name, between(*ends))
    if condition.operator == "=":
        return inside
    return {"$and": [{name: {"$exists": True}}, {"$not": inside}]}


def _resolved(value: Value | Ref, value_of: Callable[[Ref], Any] | None) -> Value:
    if isinstance(value, Value):
        return value
    if value_of is None:
        raise GrammarError(f"${value.name} has no value here")
    found = value_of(value)
    return Value(found, quoted=True) if isinstance(found, str) else Value(_written(found))


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def holds(
    condition: Condition,
    lookup: Callable[[Operand], Any],
    *,
    value_of: Callable[[Ref], Any] | None = None,
) -> bool:
    """Return whether ``condition`` holds where ``lookup`` gives the value of each left side.

    ``lookup`` raises :class:`KeyError` for what is not there.

    Raises:
        GrammarError: as :func:`condition_filter`.
    """
    from irengine.retrieve import matches_filter

    names: dict[Operand, str] = {}

    def name_of(operand: Operand) -> str:
        return names.setdefault(operand, f"v{len(names)}")

    compiled = condition_filter(condition, name_of=name_of, value_of=value_of)
    metadata: dict[str, Any] = {}
    for operand, name in names.items():
        try:
            metadata[name] = lookup(operand)
        except KeyError:
            continue
    plain: Mapping[str, Any] = metadata
    return matches_filter(plain, compiled)
