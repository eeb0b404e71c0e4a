"""The text of a result after the stages of its line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.output import Output
from irtui.render.look import Look
from irtui.shell.session import Held, key_of
from irtui.shell.showing import Sink, data_text
from irtui.shell.stages import Shown

__all__ = ["text_of"]

_FILE = Sink(Look(cuts=False))


def text_of(held: Held, shown: Shown, sink: Sink | None, envelope: Mapping[str, Any]) -> str:
    """Return what is written of ``held``; ``sink`` is ``None`` for a file or a program."""
    sink = sink or _FILE
    if shown.special == "count":
        return f"{len(held.rows)}\n"
    if shown.special == "ids":
        return _ids(held, sink)
    output, fields = shown.output, tuple(shown.output.fields)
    if not output.form and not fields and (shown.special == "table" or not held.view):
        fields = held.shape.columns or held.shape.fields or _columns(held)
    data, view = held.data, held.view
    if held.narrowed and not output.form and not fields:
        if not held.rows:
            return ""
        data = _numbered(held)
    if not output.form and fields and not held.rows:
        return ""
    return data_text(
        data,
        held.shape,
        output if not shown.special else Output(fields=fields),
        sink,
        view=view,
        options=held.options,
        envelope=envelope or {"command": held.command, "status": held.status, "notes": []},
        fields=fields,
    )


def _ids(held: Held, sink: Sink) -> str:
    from irtui.render.clean import clean_line

    names = [key for row in held.rows if (key := key_of(row)) is not None]
    return "".join(f"{clean_line(name) if sink.terminal else name}\n" for name in names)


def _columns(held: Held) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in held.rows for name in row))


def _numbered(held: Held) -> Any:
    """Return the data with ranks that say which ``$1``, ``$2``… a row is."""
    from irtui.render.shapes import with_rows

    if not held.is_listing:
        return dict(held.rows[0])
    rows = [
        {**row, "rank": number} if "rank" in row else dict(row)
        for number, row in enumerate(held.rows, 1)
    ]
    return with_rows(held.data, held.shape, rows)
