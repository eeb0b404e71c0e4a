"""Values people write, and what comparing a metadata field with one means to the engine.

A bare value is typed: ``2020`` is a number, a year of dates and a text; ``2024-05`` a month and a
text; ``true`` a truth value and a text. A quoted one is a text and nothing else. A comparison is
true of a field when it is true of its value or, in a list, of one element; a field that is missing
makes every comparison false, ``!=`` and ``!~`` included.

Numbers compare with numbers, dates with dates (a day, month or year as a whole: ``<= 2024-05``
keeps all of May), texts with texts; a number is never compared letter by letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from irtui.grammar.problems import GrammarError

__all__ = [
    "DATE_FORMS",
    "NAME",
    "OPERATORS",
    "Condition",
    "Value",
    "any_of",
    "between",
    "compared",
    "date_problem",
    "equal_to",
    "known_name",
    "on_field",
    "range_of",
    "range_problem",
    "starting_with",
    "value_problem",
]

NAME = re.compile(r"[^\W\d][\w.-]*")
"""A field name that needs no quotes."""

OPERATORS = (">=", "<=", "!=", "!~", "==", ">", "<", "=", "~")
"""Comparison operators, longer ones first; ``==`` is ``=``."""

Condition: TypeAlias = dict[str, Any]
"""Operators of the engine's filter language that one element of a field has to pass."""

DATE_FORMS = "dates are written 2024, 2024-05 or 2024-05-31"
"""What to say to somebody who wrote another one."""

_NUMBER = re.compile(r"[+-]?(\d+)(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_DATED = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[Tt ]\d\d:\d\d.*)?)?", re.ASCII | re.DOTALL)
_STORED_DATE = r"^\d{4}-\d\d"
_STORED_YEAR = r"^\d{4}\Z"
_NO_DATE = r"^(?!\d{4}-\d\d)"
_ANY_NUMBER = {"$gte": -1.7e308}
_LONGEST_NUMBER = 40
_DAY = len("2024-05-31")
_LONGEST_PATTERN = 250  # the engine takes patterns of up to 256 characters


@dataclass(frozen=True, slots=True)
class Value:
    """A value as written, without its quotes."""

    text: str
    quoted: bool = False

    @property
    def number(self) -> int | float | None:
        """The number it stands for, if it does."""
        if self.quoted or len(self.text) > _LONGEST_NUMBER:
            return None
        match = _NUMBER.fullmatch(self.text)
        if match is None:
            return None
        if match[2] is None and match[3] is None:
            return int(self.text)
        number = float(self.text)
        return number if math.isfinite(number) else None

    @property
    def is_year(self) -> bool:
        """Whether it may be a year: four digits."""
        return not self.quoted and _YEAR.fullmatch(self.text) is not None

    @property
    def is_dated(self) -> bool:
        """Whether it is written like a month, a day or an instant."""
        return not self.quoted and _DATED.fullmatch(self.text) is not None

    @property
    def typed(self) -> list[Any]:
        """What a stored value may be equal to."""
        values: list[Any] = [self.text]
        if self.number is not None:
            values.append(self.number)
        if not self.quoted and self.text.lower() in ("true", "false"):
            values.append(self.text.lower() == "true")
        return values


def date_problem(value: Value) -> str:
    """Return what is wrong with a value written like a date, or ``""``."""
    from irengine.retrieve.dates import parse_moment

    if not value.is_dated or parse_moment(value.text) is not None:
        return ""
    return f"there is no date {value.text}"


def value_problem(operator: str, value: Value, kind: str) -> str:
    """Return why ``operator value`` holds of nothing in a field of ``dates`` or ``numbers``.

    ``""`` where it may hold of something. A date compares with dates and a number with numbers;
    any other text would silently match nothing. What is in quotes is equal to texts on purpose.
    """
    from irengine.retrieve.dates import parse_moment

    equal = operator in ("=", "==")
    if operator not in (">", ">=", "<", "<=") and not (equal and not value.quoted):
        return ""
    if kind == "dates" and not value.is_year and parse_moment(value.text) is None:
        return f"{value.text!r:.60} is no date"
    if kind == "numbers" and value.number is None:
        return f"{value.text!r:.60} is no number"
    return ""


def range_problem(low: Value | None, high: Value | None) -> str:
    """Return that a range ends before it begins, or ``""``; parts of a date are compared."""
    if low is None or high is None:
        return ""
    if low.number is not None and high.number is not None:
        empty = low.number > high.number
    else:
        empty = low.text[: len(high.text)][:_DAY] > high.text[:_DAY]
    return f"{low.text}..{high.text} ends before it begins" if empty else ""


def compared(operator: str, value: Value) -> list[Condition]:
    """Return the conditions of which one element has to pass one, for ``operator value``.

    Raises:
        GrammarError: for a ``!~`` with a text that is too long to be looked for.
    """
    if operator in ("=", "=="):
        return equal_to(value)
    if operator == "!=":
        return _unequal_to(value)
    if operator == "~":
        return [_containing(value.text)]
    if operator == "!~":
        return _not_containing(value.text)
    if operator in (">", ">="):
        return between(value, None, without_low=operator == ">")
    return between(None, value, without_high=operator == "<")


def equal_to(value: Value, *, any_case: bool = False) -> list[Condition]:
    """Return the conditions for being equal; a year or month is equal to every date in it."""
    conditions: list[Condition] = [{"$in": value.typed}]
    if any_case and value.text.lower() != value.text.upper():
        pattern = rf"(?i)^{re.escape(value.text)}\Z"
        if len(pattern) <= _LONGEST_PATTERN:
            conditions.append({"$regex": pattern})
    return conditions + _in_period(value, value)


def between(
    low: Value | None,
    high: Value | None,
    *,
    without_low: bool = False,
    without_high: bool = False,
) -> list[Condition]:
    """Return the conditions for lying between two values, ends included unless said otherwise.

    ``None`` is an open end.
    """
    above, below = "$gt" if without_low else "$gte", "$lt" if without_high else "$lte"
    ends = [(above, low)] if low is not None else []
    ends += [(below, high)] if high is not None else []
    conditions: list[Condition] = []
    if all(value.number is not None for _, value in ends):
        conditions.append({operator: value.number for operator, value in ends})
    conditions += _in_period(low, high, above=above, below=below)
    if all(value.is_year for _, value in ends):
        years = {operator: value.text for operator, value in ends}
        conditions.append({**years, "$regex": _STORED_YEAR})
    return conditions or [{operator: value.text for operator, value in ends}]


def _in_period(
    low: Value | None, high: Value | None, *, above: str = "$gte", below: str = "$lte"
) -> list[Condition]:
    """Return the condition for a stored date, when both ends are dates or years."""
    condition: Condition = {}
    for operator, value in ((above, low), (below, high)):
        if value is None:
            continue
        if value.is_year:
            # The month of the year that makes all of it, or none of it, pass.
            month = "01" if operator in ("$gte", "$lt") else "12"
            condition[operator] = f"{value.text}-{month}"
        elif value.is_dated:
            condition[operator] = value.text
        else:
            return []
    if any(text.startswith("0000") for text in condition.values()):
        return []
    return [{**condition, "$regex": _STORED_DATE}]


def _unequal_to(value: Value) -> list[Condition]:
    other: Condition = {"$nin": value.typed}
    period = _in_period(value, value)
    if not period:
        return [other]
    low, high = period[0]["$gte"], period[0]["$lte"]
    return [
        {**other, "$regex": _NO_DATE},
        {"$lt": low, "$regex": _STORED_DATE},
        {"$gt": high, "$regex": _STORED_DATE},
        {**other, **_ANY_NUMBER},
    ]


def _containing(text: str) -> Condition:
    pattern = f"(?i){re.escape(text)}"
    return {"$regex": pattern} if len(pattern) <= _LONGEST_PATTERN else {"$contains": text}


def _not_containing(text: str) -> list[Condition]:
    pattern = rf"(?is)^(?!.*{re.escape(text)})"
    if len(pattern) > _LONGEST_PATTERN:
        raise GrammarError(f"!~ takes a text of up to about 100 characters, not {len(text)}")
    # A number holds no text, so that it does not hold this one either.
    return [{"$regex": pattern}, dict(_ANY_NUMBER)]


def starting_with(text: str) -> list[Condition]:
    """Return the conditions for beginning with ``text``, letter case aside unless it is long."""
    pattern = f"(?i)^{re.escape(text)}"
    if len(pattern) <= _LONGEST_PATTERN:
        return [{"$regex": pattern}]
    return [{"$gte": text, "$lt": text + "\U0010ffff"}]


def any_of(alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the filter that passes where one of ``alternatives`` does."""
    return alternatives[0] if len(alternatives) == 1 else {"$or": alternatives}


def on_field(name: str, conditions: list[Condition]) -> dict[str, Any]:
    """Return the filter for a field, one element of which has to pass one of ``conditions``."""
    return any_of(
        [
            {name: condition if condition.keys() <= {"$in"} else {"$any": condition}}
            for condition in conditions
        ]
    )


def range_of(value: Value) -> tuple[Value | None, Value | None] | None:
    """Return the ends of ``2019..2023``, ``2019..`` or ``..2023``, ``None`` where it is no range.

    The ends are numbers or dates: ``../notes`` and ``a..b`` are texts.
    """
    if value.quoted or ".." not in value.text:
        return None
    low, _, high = value.text.partition("..")
    ends = [Value(end) if end else None for end in (low, high)]
    given = [end for end in ends if end is not None]
    if not given or not all(end.number is not None or end.is_dated for end in given):
        return None
    return ends[0], ends[1]


def known_name(name: str, fields: Collection[str]) -> str | None:
    """Return the field ``name`` stands for, letter case aside, or ``None``.

    A dotted name reaches into a field: ``author.name`` is known where ``author`` is.
    """
    for wanted, same in ((name, str), (name.casefold(), str.casefold)):
        known = {same(field): field for field in sorted(fields, reverse=True)}
        end = len(wanted)
        while end > 0:
            if wanted[:end] in known:
                return known[wanted[:end]] + name[end:]
            end = wanted.rfind(".", 0, end)
    return None
