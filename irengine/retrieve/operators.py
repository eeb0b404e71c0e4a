"""The field operators of the filter language: what each says about one stored value.

An operator is compiled once per filter into a :class:`Test`: a verdict on a present value, and
a constant verdict for a field that is missing. A value that is present but ``None`` counts as
present. The table, for operand ``v``:

==============  ==========================================  =================================
operator        scalar (or mapping) field                   list field
==============  ==========================================  =================================
``$eq`` (bare)  Python ``==`` (2024 == 2024.0, True == 1,   the whole list equals ``v``, or one
                nothing is coerced from text)               of its elements does
``$ne``         not ``$eq``; a missing field matches        not ``$eq``
``$is``         ``==``                                      the whole list equals ``v``; no
                                                            element is looked at
``$in [..]``    ``$eq`` any of them                         ``$eq`` any of them (overlap)
``$nin [..]``   not ``$in``; a missing field matches        not ``$in`` (no overlap)
``$all [..]``   ``$eq`` each of them                        ``$eq`` each of them
``$gt $gte      number with number, text with text, ISO     list with list, lexicographically;
$lt $lte``      date with ISO date; anything else is False  list with scalar is False
``$contains``   the text ``v`` is a part of the text        an element equals the text ``v``
``$regex``      the pattern is found in the text            it is found in a text element
``$any {…}``    passes every operator in the mapping        one of its elements does
``$exists b``   present == ``b``                            present == ``b``
==============  ==========================================  =================================

A missing field fails every operator but ``$ne``, ``$nin`` and ``$exists: false``.

ISO dates compare as instants when both sides have a time of day, else as calendar days (or months)
as written, so ``$lte: "2026-01-05"`` keeps all of that day; ``$eq`` compares the text. A pattern is
Python's, is refused when its worst case is exponential, and sees the first 1,000 characters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from irengine.errors import FilterError
from irengine.retrieve.dates import compare_moments, parse_moment
from irengine.retrieve.patterns import MAX_TEXT, compile_pattern

__all__ = ["FIELD_OPERATORS", "Test", "field_test"]

_REGEX_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Test:
    """One operator with its operand: ``present(value)``, or ``missing`` without a value."""

    present: Callable[[Any], bool]
    missing: bool = False


def _equals(operand: Any) -> Callable[[Any], bool]:
    def test(value: Any) -> bool:
        return bool(value == operand) or (isinstance(value, list) and operand in value)

    return test


def _eq(operand: Any, where: str) -> Test:
    return Test(_equals(operand))


def _ne(operand: Any, where: str) -> Test:
    equals = _equals(operand)
    return Test(lambda value: not equals(value), missing=True)


def _is(operand: Any, where: str) -> Test:
    return Test(lambda value: bool(value == operand))


def _any_of(operand: Any, where: str) -> Callable[[Any], bool]:
    choices = _list_operand(operand, where)
    if all(isinstance(choice, str) for choice in choices):
        words = frozenset(choices)

        def among(value: Any) -> bool:
            if isinstance(value, list):
                return any(isinstance(item, str) and item in words for item in value)
            return isinstance(value, str) and value in words

        return among
    tests = [_equals(choice) for choice in choices]
    return lambda value: any(test(value) for test in tests)


def _in(operand: Any, where: str) -> Test:
    return Test(_any_of(operand, where))


def _nin(operand: Any, where: str) -> Test:
    among = _any_of(operand, where)
    return Test(lambda value: not among(value), missing=True)


def _all(operand: Any, where: str) -> Test:
    tests = [_equals(choice) for choice in _list_operand(operand, where)]
    return Test(lambda value: all(test(value) for test in tests))


def _list_operand(operand: Any, where: str) -> list[Any]:
    if not isinstance(operand, list):
        raise FilterError(
            f"{where} takes a list of values, not {_kind(operand)}",
            hint=f"write [{operand!r}] for a single value",
        )
    return operand


def _ordering(accept: Callable[[int], bool]) -> Callable[[Any, str], Test]:
    def build(operand: Any, where: str) -> Test:
        if operand is None or isinstance(operand, dict):
            raise FilterError(
                f"{where} compares with a number, a text, a date or a list, not {_kind(operand)}"
            )
        if isinstance(operand, list) and any(
            item is None or isinstance(item, dict) for item in operand
        ):
            raise FilterError(
                f"{where}: a list with {_kind(None)} or {_kind({})} in it has no order",
                hint="order lists of numbers or of texts, or compare with a single value",
            )
        compare = _comparison(operand)

        def test(value: Any) -> bool:
            sign = compare(value)
            return sign is not None and accept(sign)

        return Test(test)

    return build


def _comparison(operand: Any) -> Callable[[Any], int | None]:
    """Return ``value -> -1 | 0 | 1``, or ``None`` where value and operand have no order."""
    if isinstance(operand, (int, float)):
        return lambda value: _sign(value, operand) if isinstance(value, (int, float)) else None
    if isinstance(operand, list):
        return lambda value: _sign(value, operand) if isinstance(value, list) else None
    moment = parse_moment(operand)

    def compare_text(value: Any) -> int | None:
        if not isinstance(value, str):
            return None
        if moment is not None and (other := parse_moment(value)) is not None:
            return compare_moments(other, moment)
        return _sign(value, operand)

    return compare_text


def _sign(value: Any, operand: Any) -> int | None:
    try:
        return int(value > operand) - int(value < operand)
    except TypeError:  # lists whose elements have no common order
        return None


def _contains(operand: Any, where: str) -> Test:
    if not isinstance(operand, str):
        hint = "a bare value, as in {'field': 5}, finds it in a list too"
        if isinstance(operand, (dict, list)):
            hint = "for several elements of a list use $all (each of them) or $in (any of them)"
        raise FilterError(
            f"{where} takes a part of a text or a text in a list, not {_kind(operand)}", hint=hint
        )

    def test(value: Any) -> bool:
        return isinstance(value, (list, str)) and operand in value

    return Test(test)


def _regex(operand: Any, where: str) -> Test:
    if not isinstance(operand, str):
        raise FilterError(f"{where} takes a pattern as text, not {_kind(operand)}")
    pattern = compile_pattern(operand, where)
    spent = 0.0

    def found(text: Any) -> bool:
        nonlocal spent
        if not isinstance(text, str):
            return False
        started = time.perf_counter()
        verdict = pattern.search(text[:MAX_TEXT]) is not None
        spent += time.perf_counter() - started
        if spent > _REGEX_SECONDS:
            raise FilterError(
                f"{where}: the pattern {operand!r} is too slow for this corpus",
                hint="anchor it with ^, or use fewer repetitions",
            )
        return verdict

    return Test(lambda value: any(map(found, value)) if isinstance(value, list) else found(value))


def _exists(operand: Any, where: str) -> Test:
    if not isinstance(operand, bool) and operand not in (0, 1):
        raise FilterError(f"{where} takes true or false, not {_kind(operand)}")
    return Test(lambda _: bool(operand), missing=not operand)


def _any_element(operand: Any, where: str) -> Test:
    if not isinstance(operand, dict) or not operand:
        raise FilterError(
            f"{where} takes operators for one element, not {_kind(operand)}",
            hint='for example {"scores": {"$any": {"$gt": 3}}}',
        )
    for operator in operand:
        if operator not in _BUILDERS:
            raise FilterError(
                f"{where}: there is no operator {operator!r}",
                hint=f"the operators are {', '.join(_BUILDERS)}",
            )
    tests = [field_test(name, value, f"{where} {name}") for name, value in operand.items()]

    def test(value: Any) -> bool:
        elements = value if isinstance(value, list) else [value]
        return any(all(each.present(element) for each in tests) for element in elements)

    return Test(test)


def _kind(value: Any) -> str:
    """Return a short description of an operand for messages."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a mapping"
    return f"the {type(value).__name__} {value!r}"


_BUILDERS: dict[str, Callable[[Any, str], Test]] = {
    "$eq": _eq,
    "$ne": _ne,
    "$is": _is,
    "$in": _in,
    "$nin": _nin,
    "$all": _all,
    "$gt": _ordering(lambda sign: sign > 0),
    "$gte": _ordering(lambda sign: sign >= 0),
    "$lt": _ordering(lambda sign: sign < 0),
    "$lte": _ordering(lambda sign: sign <= 0),
    "$contains": _contains,
    "$regex": _regex,
    "$any": _any_element,
    "$exists": _exists,
}

FIELD_OPERATORS = tuple(_BUILDERS)
"""Every operator that may stand in a field condition."""


def field_test(operator: str, operand: Any, where: str) -> Test:
    """Compile one operator of :data:`FIELD_OPERATORS`; ``operand`` is plain JSON.

    Raises:
        FilterError: for an operand of the wrong type; the message starts with ``where``.
    """
    return _BUILDERS[operator](operand, where)
