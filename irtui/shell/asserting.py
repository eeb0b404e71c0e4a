"""``assert``: what a script expects of the last result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irengine.errors import IrError, nearest
from irtui.grammar.conditions import holds
from irtui.grammar.printing import print_condition
from irtui.grammar.problems import GrammarError
from irtui.grammar.syntax import Condition, Operand, Ref
from irtui.shell.names import value_of
from irtui.shell.session import Session
from irtui.shell.stages import operands

__all__ = ["AssertionFailed", "check"]

_SUBJECTS = ("count", "top", "status", "selected", "seconds")


class AssertionFailed(IrError):
    """A condition of a script does not hold."""

    code = "assertion"


def check(session: Session, condition: Condition) -> None:
    """Make sure that ``condition`` holds.

    On the left stand ``count`` (rows of the last result), ``top`` (what its first row is called
    by), ``top.FIELD``, ``status`` (of the last command), ``selected`` (rows of the selection),
    ``seconds`` (what the last command took), or a reference.

    Raises:
        AssertionFailed: when it does not; the message has the values it speaks of.
        GrammarError: for a left side that is none of these.
    """
    values: dict[Operand, Any] = {}
    for operand in operands(condition):
        try:
            values[operand] = _value(session, operand)
        except _Missing:
            continue

    if holds(condition, values.__getitem__, value_of=lambda ref: value_of(session, ref)):
        return
    said = [f"{_name(operand)} is {_shown(values, operand)}" for operand in operands(condition)]
    raise AssertionFailed(
        f"assertion failed: {print_condition(condition)}", hint=", ".join(dict.fromkeys(said))
    )


class _Missing(Exception):
    """What a condition speaks of is not there; only ``has`` and ``not`` can be true of it."""


def _value(session: Session, operand: Operand) -> Any:
    if isinstance(operand, Ref):
        value = value_of(session, operand)
        if value is None:
            raise _Missing
        return value
    subject, _, rest = operand.partition(".")
    simple: dict[str, Callable[[], Any]] = {
        "status": lambda: session.status,
        "selected": lambda: len(session.selection.rows),
        "seconds": lambda: session.seconds,
    }
    if subject in simple and not rest:
        return simple[subject]()
    if subject == "count" and not rest:
        return value_of(session, Ref("_", field="count"))
    if subject == "top":
        if value_of(session, Ref("_", field="count")) == 0:
            raise _Missing
        value = value_of(session, Ref("_", field=f"top.{rest}" if rest else "top"))
        if value is None:
            raise _Missing
        return value
    hint = nearest(operand, _SUBJECTS) or f"one of {', '.join(_SUBJECTS)}, or a reference"
    raise GrammarError(f"assert knows no {operand!r}", hint=hint)


def _name(operand: Operand) -> str:
    if isinstance(operand, Ref):
        return f"${operand.name}{'.' if operand.field else ''}{operand.field}"
    return operand


def _shown(values: dict[Operand, Any], operand: Operand) -> str:
    if operand not in values:
        return "not there"
    value = values[operand]
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shown if len(shown) <= 120 else f"{shown[:119]}…"
