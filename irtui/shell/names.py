"""What ``$1``, ``$_``, ``$sel`` and ``$name`` stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irengine.errors import nearest
from irtui.grammar.problems import GrammarError
from irtui.grammar.syntax import Ref
from irtui.render.shapes import known_fields, row_of, unknown_fields
from irtui.shell.session import Held, Session, key_of

__all__ = ["held_of", "rows_meant", "value_of"]


def value_of(session: Session, ref: Ref) -> Any:
    """Return the text, number or list that ``ref`` stands for.

    A row without a field is what it is called by; ``$_``, ``$sel`` and named results are lists of
    these, ``.count`` is how many, ``.top.FIELD`` is of the first row, ``.status`` of a result is
    its exit status.

    Raises:
        GrammarError: for a number or name that stands for nothing, or a field there is not.
    """
    if ref.name == "q":
        if not session.query:
            raise GrammarError("$q is the last query, and there is none yet")
        return session.query
    held, rows = rows_meant(session, ref)
    if ref.name.isdigit():
        values = [_field(row, ref.field, held) for row in rows]
        return values[0] if ref.until is None else values
    name, _, rest = ref.field.partition(".")
    if name == "count" and not rest:
        return len(rows)
    if name == "status" and not rest:
        return held.status
    if name == "top":
        if not rows:
            raise GrammarError(f"${ref.name} has no rows, so there is no first one")
        return _field(rows[0], rest, held)
    return [_field(row, ref.field, held) for row in rows]


def rows_meant(session: Session, ref: Ref) -> tuple[Held, list[Mapping[str, Any]]]:
    """Return the rows ``ref`` is about, and the result they are of.

    Raises:
        GrammarError: when there are none of that number or name.
    """
    if not ref.name.isdigit():
        held = held_of(session, ref)
        return held, held.rows
    listing = session.listing
    if listing is None:
        raise GrammarError(
            f"${ref.name} is a row of the last listing, and nothing was listed yet",
            hint="search for something first",
        )
    first, last = int(ref.name), int(ref.name) if ref.until is None else ref.until
    if last < first:
        raise GrammarError(f"${first}-{last} goes backwards")
    rows = listing.rows
    if last > len(rows):
        there_are = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
        raise GrammarError(f"there is no ${last}: the last listing has {there_are}")
    return listing, list(rows[first - 1 : last])


def held_of(session: Session, ref: Ref) -> Held:
    """Return the result that ``$_``, ``$sel`` or ``$name`` is.

    Raises:
        GrammarError: when there is none.
    """
    if ref.name == "_":
        if session.last is None:
            raise GrammarError("$_ is the last result, and there is none yet")
        return session.last
    if ref.name == "sel":
        return session.selection
    held = session.named.get(ref.name)
    if held is None:
        hint = nearest(ref.name, [*session.named, "sel", "q"])
        raise GrammarError(
            f"there is no ${ref.name}", hint=hint or f"{ref.name} = COMMAND keeps a result"
        )
    return held


def _field(row: Mapping[str, Any], name: str, held: Held) -> Any:
    if name:
        if unknown_fields([name], [row], held.shape):
            known = known_fields([row], held.shape)
            hint = nearest(name, known) or f"fields: {', '.join(known)}"
            raise GrammarError(f"there is no field {name!r} in this row", hint=hint)
        return row_of(row, [name], held.shape)[name]
    key = key_of(row)
    if key is None:
        raise GrammarError(
            f"a row of {held.command} has no name of its own",
            hint=f"say which field: one of {', '.join(known_fields([row], held.shape))}",
        )
    return key
