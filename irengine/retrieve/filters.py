"""The metadata filter: one small language, validated up front and compiled to row masks.

A filter is a mapping whose entries must all hold. A key is a field name (dots reach into nested
mappings) or one of ``$and``, ``$or`` (lists of filters), ``$not`` (one filter). A condition is a
value, which means ``$eq``, or a mapping of operators that must all hold; see
:mod:`irengine.retrieve.operators` for what each operator says. ``{}`` matches everything,
``{"$or": []}`` nothing, ``{"field": {}}`` everything, even rows without the field.

Nothing is evaluated before the whole filter is valid: an unknown operator or a wrong operand is a
:class:`~irengine.errors.FilterError` wherever it stands and whatever the corpus holds.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from irengine.checks import mapping
from irengine.errors import FilterError, nearest
from irengine.retrieve.columns import MISSING, column, lookup
from irengine.retrieve.operators import FIELD_OPERATORS, Test, field_test

if TYPE_CHECKING:
    from irengine.store import Segment

__all__ = [
    "LOGICAL_OPERATORS",
    "Filter",
    "Predicate",
    "compile_filter",
    "matches_filter",
    "validate_filter",
]

LOGICAL_OPERATORS = ("$and", "$or", "$not")
"""Operators that combine whole filters."""

_MAX_DEPTH = 32


class Predicate(Protocol):
    """A compiled condition: true or false of one metadata mapping, or of every row of a segment."""

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Return the verdict on one mapping."""

    def mask(self, segment: Segment) -> np.ndarray:
        """Return the verdicts on the rows of ``segment``: bool ``(n,)``, dead rows included."""


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[Predicate, ...]

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        return all(part.matches(metadata) for part in self.parts)

    def mask(self, segment: Segment) -> np.ndarray:
        verdict = np.ones(segment.n, dtype=bool)
        for part in self.parts:
            verdict &= part.mask(segment)
        return verdict


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[Predicate, ...]

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        return any(part.matches(metadata) for part in self.parts)

    def mask(self, segment: Segment) -> np.ndarray:
        verdict = np.zeros(segment.n, dtype=bool)
        for part in self.parts:
            verdict |= part.mask(segment)
        return verdict


@dataclass(frozen=True, slots=True)
class _Not:
    part: Predicate

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        return not self.part.matches(metadata)

    def mask(self, segment: Segment) -> np.ndarray:
        verdict: np.ndarray = ~self.part.mask(segment)
        return verdict


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    tests: tuple[Test, ...]

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        value = lookup(metadata, self.name)
        if value is MISSING:
            return self._missing
        value = list(value) if isinstance(value, (tuple, set, frozenset)) else value
        return self._present(value)

    def mask(self, segment: Segment) -> np.ndarray:
        found = column(segment.columns, self.name)
        if found is None:
            return np.full(segment.n, self._missing, dtype=bool)
        codes, values = found
        # One verdict a distinct value; the last slot is what code -1 (missing) reads.
        table = np.empty(len(values) + 1, dtype=bool)
        table[:-1] = [self._present(value) for value in values]
        table[-1] = self._missing
        verdict: np.ndarray = table[codes]
        return verdict

    @property
    def _missing(self) -> bool:
        return all(test.missing for test in self.tests)

    def _present(self, value: Any) -> bool:
        return all(test.present(value) for test in self.tests)


@dataclass(frozen=True, slots=True)
class Filter:
    """A validated filter.

    ``key`` is its canonical JSON: equal filters share it. ``fields`` are those it names, in order.
    """

    predicate: Predicate
    key: str
    fields: tuple[str, ...] = ()


def compile_filter(filter: Mapping[str, Any]) -> Filter:
    """Validate ``filter`` and compile it.

    Operands may be JSON values, tuples and sets (read as lists), numpy scalars, and dates (read
    as ISO text).

    Raises:
        FilterError: for a filter that is not a mapping, an unknown operator, or an operand of
            the wrong type; the message names the operator and the field.
    """
    if not isinstance(filter, Mapping):
        raise FilterError(
            f"a filter is a mapping of field to condition, not {type(filter).__name__}",
            hint='for example {"owner": "me"} or {"year": {"$gte": 2024}}',
        )
    plain = _plain(filter, "filter", 0)
    key = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return Filter(_parse(plain, ""), key, tuple(dict.fromkeys(_fields(plain))))


def validate_filter(filter: Mapping[str, Any]) -> None:
    """Raise :class:`~irengine.errors.FilterError` unless ``filter`` can be used as one."""
    compile_filter(filter)


def matches_filter(metadata: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Return whether ``metadata`` passes ``filter`` (``None`` and ``{}`` pass everything).

    Raises:
        FilterError: as :func:`compile_filter`.
        ParameterTypeError: when ``metadata`` is no mapping.
    """
    mapping("metadata", metadata, "of field to value")
    return filter is None or compile_filter(filter).predicate.matches(metadata)


def _plain(value: Any, where: str, depth: int) -> Any:
    """Return ``value`` as plain JSON, or say what in it cannot be compared with metadata."""
    if depth > _MAX_DEPTH:
        raise FilterError(f"the filter is nested more than {_MAX_DEPTH} deep")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise FilterError(f"{where}: {value!r} compares with nothing")
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise FilterError(f"{where}: the key {key!r} is not text")
        return {key: _plain(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    if isinstance(value, (list, tuple)):
        return [_plain(item, where, depth + 1) for item in value]
    if isinstance(value, np.bool_):
        return bool(value)
    raise FilterError(f"{where}: a {type(value).__name__} compares with nothing in metadata")


def _parse(plain: Any, where: str) -> Predicate:
    parts: list[Predicate] = []
    for key, condition in plain.items():
        if key.startswith("$"):
            parts.append(_logical(key, condition, where))
        elif not key.strip():
            raise FilterError(f"{where}the name of a field is empty", hint="name a metadata field")
        else:
            parts.append(_Field(key, _tests(condition, where + repr(key))))
    return parts[0] if len(parts) == 1 else _All(tuple(parts))


def _fields(plain: Mapping[str, Any]) -> Iterator[str]:
    for key, condition in plain.items():
        if not key.startswith("$"):
            yield key
        else:
            for part in condition if isinstance(condition, list) else [condition]:
                yield from _fields(part)


def _logical(operator: str, operand: Any, where: str) -> Predicate:
    if operator in FIELD_OPERATORS:
        raise FilterError(
            f"{where}{operator} belongs inside the condition of a field",
            hint=f'write {{"field": {{"{operator}": …}}}}',
        )
    if operator not in LOGICAL_OPERATORS:
        raise FilterError(
            f"there is no operator {operator!r}", hint=_suggest(operator, LOGICAL_OPERATORS)
        )
    where = f"{where}{operator} "
    if operator == "$not":
        if not isinstance(operand, dict):
            raise FilterError(f"{where}takes one filter, not {type(operand).__name__}")
        return _Not(_parse(operand, where))
    if not isinstance(operand, list) or not all(isinstance(part, dict) for part in operand):
        raise FilterError(
            f"{where}takes a list of filters", hint=f'{{"{operator}": [{{…}}, {{…}}]}}'
        )
    parts = tuple(_parse(part, where) for part in operand)
    return _All(parts) if operator == "$and" else _Any(parts)


def _tests(condition: Any, where: str) -> tuple[Test, ...]:
    if not isinstance(condition, dict):
        return (field_test("$eq", condition, where),)
    for operator in condition:
        if operator in FIELD_OPERATORS:
            continue
        if operator in LOGICAL_OPERATORS:
            raise FilterError(
                f"{where}: {operator} combines whole filters and cannot stand inside a field",
                hint=f'write {{"{operator}": …}} around it',
            )
        hint = _suggest(operator, FIELD_OPERATORS)
        if not operator.startswith("$"):
            hint = "to compare with a mapping write {'$eq': {…}}; to reach into one, a dotted name"
        raise FilterError(f"{where}: there is no operator {operator!r}", hint=hint)
    return tuple(
        field_test(operator, operand, f"{where}: {operator}")
        for operator, operand in condition.items()
    )


def _suggest(operator: str, choices: tuple[str, ...]) -> str:
    known = f"the operators are {', '.join(choices)}"
    close = nearest(operator, choices)
    return f"{close} {known}" if close else known
