"""What stands between the pipes of a line: rows chosen, sorted, cut, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from irengine.errors import nearest
from irtui.commands.listing import sort_key
from irtui.commands.output import Output
from irtui.grammar.conditions import holds
from irtui.grammar.problems import GrammarError
from irtui.grammar.syntax import (
    All,
    AnyOf,
    Condition,
    Fields,
    Not,
    Operand,
    Ref,
    Shell,
    Sort,
    Stage,
    Take,
    Where,
)
from irtui.render.shapes import FORMATS, known_fields, row_of, unknown_fields, with_rows
from irtui.shell.names import value_of
from irtui.shell.session import Held, Session

__all__ = ["Shown", "apply_stages", "operands"]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """How a result is wanted after the stages.

    Attributes:
        output: format and fields.
        special: ``ids``, ``count``, ``table``, or ``""``.
        shell: a command of the system's shell that gets the text.
        picked: how many rows ``select`` added, ``None`` when it was not asked for.
    """

    output: Output
    special: str = ""
    shell: str = ""
    picked: int | None = None


def apply_stages(
    session: Session, held: Held, stages: Sequence[Stage], output: Output
) -> tuple[Held, Shown]:
    """Return the result after the stages, and how it is to be shown.

    Raises:
        GrammarError: for a field no row has, or a reference that stands for nothing; it tells
            which stage is meant.
    """
    shown = Shown(output)
    for stage in stages:
        try:
            held, shown = _applied(session, held, stage, shown)
        except GrammarError as error:
            error.within = stage.span
            raise
    return held, shown


def _applied(session: Session, held: Held, stage: Stage, shown: Shown) -> tuple[Held, Shown]:
    if shown.shell:
        raise GrammarError("nothing can follow a ! command in a line")
    if isinstance(stage, Take):
        rows = held.rows
        left = max(0, len(rows) - stage.count)
        return _with(held, rows[: stage.count] if stage.end == "head" else rows[left:]), shown
    if isinstance(stage, Where):
        return _with(held, _where(session, held, stage.condition)), shown
    if isinstance(stage, Sort):
        return _with(held, _sorted(held, stage)), shown
    if isinstance(stage, Fields):
        _check_names(held, stage.names)
        return held, replace(shown, output=replace(shown.output, fields=stage.names))
    if isinstance(stage, Shell):
        return held, replace(shown, shell=stage.command)
    return held, _render(session, held, stage.name, shown)


def _render(session: Session, held: Held, name: str, shown: Shown) -> Shown:
    if name == "select":
        return replace(shown, picked=session.select(held.rows))
    if name in FORMATS:
        if name == "files" and not held.shape.file:
            raise GrammarError(f"what {held.command} shows has no files")
        return replace(shown, output=replace(shown.output, form=name), special="")
    return replace(shown, output=replace(shown.output, form=""), special=name)


def _with(held: Held, rows: Sequence[Row]) -> Held:
    """Return ``held`` with other rows; the same when nothing was taken or moved."""
    if list(rows) == held.rows:
        return held
    plain = [dict(row) for row in rows]
    data = with_rows(held.data, held.shape, plain) if held.is_listing else plain
    return replace(held, data=data, narrowed=True)


def _where(session: Session, held: Held, condition: Condition) -> list[Row]:
    rows = held.rows
    _check_names(held, [name for name in operands(condition) if isinstance(name, str)])
    values = {
        operand: value_of(session, operand)
        for operand in operands(condition)
        if isinstance(operand, Ref)
    }

    def passes(row: Row) -> bool:
        def look_up(operand: Operand) -> Any:
            if isinstance(operand, Ref):
                return values[operand]
            value = row_of(row, [operand], held.shape)[operand]
            if value is None:
                raise KeyError(operand)
            return value

        return holds(condition, look_up, value_of=lambda ref: value_of(session, ref))

    return [row for row in rows if passes(row)]


def _sorted(held: Held, stage: Sort) -> list[Row]:
    """Return the rows by a field; those without it last, equal ones in their order."""
    _check_names(held, [stage.key])
    keyed = [(sort_key(row_of(row, [stage.key], held.shape)[stage.key]), row) for row in held.rows]
    known = [pair for pair in keyed if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=stage.descending)
    return [row for _, row in known] + [row for key, row in keyed if key is None]


def _check_names(held: Held, names: Sequence[str]) -> None:
    rows = held.rows
    if not rows:
        return
    for name in unknown_fields(names, rows, held.shape):
        known = known_fields(rows, held.shape)
        hint = nearest(name, known) or f"fields: {', '.join(known)}"
        raise GrammarError(f"what {held.command} found has no field {name!r}", hint=hint)


def operands(condition: Condition) -> list[Operand]:
    """Return the left sides of every comparison in ``condition``, in order."""
    if isinstance(condition, Not):
        return operands(condition.condition)
    if isinstance(condition, (All, AnyOf)):
        return [name for part in condition.conditions for name in operands(part)]
    return [condition.left]
