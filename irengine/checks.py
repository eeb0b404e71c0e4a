"""Checks of what people pass in: numbers, texts, lists, mappings, objects of some kind."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from irengine.errors import ParameterError, ParameterTypeError

__all__ = [
    "finite",
    "flag",
    "function",
    "having",
    "location",
    "mapping",
    "members",
    "real_number",
    "shown",
    "text",
    "whole_number",
]

T = TypeVar("T")


def whole_number(name: str, value: object, *, least: int) -> int:
    """Return ``value`` as an int of at least ``least`` (numpy integers pass, ``True`` does not).

    Raises:
        ParameterError: naming the argument.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def finite(value: object) -> float | None:
    """Return ``value`` as a float when it is a finite real number and no bool, else ``None``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond every float
        return None
    return number if math.isfinite(number) else None


def real_number(
    name: str,
    value: object,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
) -> float:
    """Return ``value`` as a finite float between ``least`` and ``most``, and above ``above``.

    Raises:
        ParameterError: naming the argument and the range.
    """
    number = finite(value)
    if number is not None and least <= number <= most and number > above:
        return number
    if above > -math.inf:
        wanted = f"a number above {above:g}"
    elif most < math.inf:
        wanted = f"a number from {least:g} to {most:g}"
    elif least > -math.inf:
        wanted = f"a number of at least {least:g}"
    else:
        wanted = "a finite number"
    raise ParameterError(f"{name} must be {wanted}, not {value!r}")


def shown(value: object) -> str:
    """Return what ``value`` is, in a few words: its type, and its beginning.

    >>> shown(None), shown(1)
    ('None', 'int 1')
    """
    return "None" if value is None else f"{type(value).__name__} {value!r:.60}"


def text(name: str, value: object) -> str:
    """Return ``value`` when it is text.

    Raises:
        ParameterTypeError: naming the argument (also a ``TypeError``).
    """
    if not isinstance(value, str):
        raise ParameterTypeError(f"{name} must be text, not {shown(value)}")
    return value


def flag(name: str, value: object) -> bool:
    """Return ``value`` when it is true or false.

    Raises:
        ParameterTypeError: naming the argument (also a ``TypeError``).
    """
    if not isinstance(value, bool):
        raise ParameterTypeError(f"{name} must be true or false, not {shown(value)}")
    return value


def members(name: str, value: object, kind: type[T] | tuple[type[T], ...], what: str) -> list[T]:
    """Return the members of ``value``, in order; each must be a ``kind``, which is called ``what``.

    Raises:
        ParameterTypeError: for text (which is iterated over by letters), for what cannot be
            iterated over, and for another member (also a ``TypeError``).
    """
    if isinstance(value, (str, bytes)):
        written = "text" if isinstance(value, str) else "bytes"
        raise ParameterTypeError(
            f"{name} takes a list of {what}, not the {written} {value!r:.60}",
            hint=f"write [{value!r:.60}]" if kind is str and written == "text" else "",
        )
    if not isinstance(value, Iterable):
        raise ParameterTypeError(f"{name} takes a list of {what}, not {shown(value)}")
    found = list(value)
    for member in found:
        if not isinstance(member, kind):
            raise ParameterTypeError(f"{name} takes a list of {what}; {shown(member)} is none")
    return found


def mapping(name: str, value: object, what: str) -> Mapping[Any, Any]:
    """Return ``value`` when it is a mapping; ``what`` says from what to what.

    Raises:
        ParameterTypeError: naming the argument (also a ``TypeError``).
    """
    if not isinstance(value, Mapping):
        raise ParameterTypeError(f"{name} must be a mapping {what}, not {shown(value)}")
    return value


def having(name: str, value: T, attribute: str, what: str) -> T:
    """Return ``value`` when it has ``attribute``, as every ``what`` has.

    Raises:
        ParameterTypeError: naming the argument (also a ``TypeError``).
    """
    if not hasattr(value, attribute):
        raise ParameterTypeError(f"{name} must be {what}, not {shown(value)}")
    return value


def function(name: str, value: T) -> T:
    """Return ``value`` when it can be called, or is ``None``.

    Raises:
        ParameterTypeError: naming the argument (also a ``TypeError``).
    """
    if value is not None and not callable(value):
        raise ParameterTypeError(f"{name} must be a function or None, not {shown(value)}")
    return value


def location(name: str, value: object) -> str:
    """Return ``value`` as the text of a path.

    Raises:
        ParameterTypeError: when it is none (also a ``TypeError``).
    """
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise ParameterTypeError(f"{name} must be a path, not {shown(value)}")
    return os.fsdecode(value)
