"""Checks of numbers that people pass in."""

from __future__ import annotations

import math
import numbers

from irengine.errors import ParameterError

__all__ = ["finite", "real_number", "whole_number"]


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
