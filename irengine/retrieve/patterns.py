"""Regular expressions that people and agents type: compiled only when their cost is bounded.

Python's engine backtracks and cannot be interrupted, so a pattern is judged before it runs: every
place where the engine may choose (a repetition, an alternative, where to start) multiplies the
number of ways it may have to try. Choices inside a repetition (``(a+)+``, ``(a|ab)*``) multiply
without bound and are refused; the others are added up, in bits, against a budget. Only the first
:data:`MAX_TEXT` characters of a value are looked at.
"""

from __future__ import annotations

import importlib
import math
import re
import sys
from typing import Any

from irengine.errors import FilterError

__all__ = ["MAX_PATTERN", "MAX_TEXT", "compile_pattern"]

MAX_PATTERN = 256
"""Longest accepted pattern, in characters."""

MAX_TEXT = 1000
"""How much of a value a pattern sees, in characters."""

_LENGTH_BITS = math.log2(MAX_TEXT)
_BUDGET_BITS = 3 * _LENGTH_BITS + 2  # three free choices over the text, and a few options
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_GROUPS = ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT")


def compile_pattern(pattern: str, where: str) -> re.Pattern[str]:
    """Compile ``pattern`` (Python syntax; ``(?i)`` ignores case).

    Raises:
        FilterError: for a pattern that is too long, invalid, or too costly in the worst case.
    """
    if len(pattern) > MAX_PATTERN:
        raise FilterError(f"{where} takes a pattern of up to {MAX_PATTERN} characters")
    try:
        compiled = re.compile(pattern)
        # The parser moved in 3.11; its old name warns there.
        parser: Any = importlib.import_module(
            "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
        )
        nodes = list(parser.parse(pattern))
    except (re.error, RecursionError, OverflowError) as error:
        raise FilterError(
            f"{where}: {pattern!r} is not a valid pattern: {error}",
            hint="use $contains for a literal text",
        ) from error
    anchored = bool(nodes) and str(nodes[0]) in ("(AT, AT_BEGINNING)", "(AT, AT_BEGINNING_STRING)")
    bits = _choice_bits(nodes, repeated=False, tail=True)
    if bits + (0.0 if anchored else _LENGTH_BITS) > _BUDGET_BITS:
        raise FilterError(
            f"{where}: the pattern {pattern!r} could take exponential time",
            hint="anchor it with ^; avoid choices inside a repetition, and back-references",
        )
    return compiled


def _choice_bits(nodes: list[Any], *, repeated: bool, tail: bool) -> float:
    """Return log2 of the ways ``nodes`` can match; infinite for choices inside a repetition.

    ``tail`` says that nothing follows: a trailing ``.*`` never has to give anything back.
    """
    bits = 0.0
    for position, (opcode, argument) in enumerate(nodes):
        name = str(opcode)
        last = tail and position == len(nodes) - 1
        if name in _REPEATS:
            low, high, body = int(argument[0]), min(int(argument[1]), MAX_TEXT), argument[2]
            if repeated and low != high:
                return math.inf
            bits += _choice_bits(list(body), repeated=repeated or high > 1, tail=last)
            bits += 0.0 if last else math.log2(max(high - low, 0) + 1)
        elif name == "BRANCH":
            branches = argument[1]
            if repeated:
                return math.inf
            bits += math.log2(len(branches)) + max(
                _choice_bits(list(branch), repeated=repeated, tail=last) for branch in branches
            )
        elif name in _GROUPS:
            body = argument[-1] if isinstance(argument, tuple) else argument
            bits += _choice_bits(list(body), repeated=repeated, tail=last)
        elif name.startswith("GROUPREF"):
            # Back-references make matching as hard as it gets; metadata never needs them.
            return math.inf
    return bits
