"""A result as text: in a format for programs, or for people and the stream they look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from irtui.commands.output import Output
from irtui.commands.spec import Command, Result
from irtui.render.look import Look
from irtui.render.shapes import Shape
from irtui.styles import styled_look

__all__ = ["Sink", "data_text", "envelope_of", "sink_of"]


@dataclass(frozen=True, slots=True)
class Sink:
    """What text is made for.

    Attributes:
        look: what a person sees there.
        ascii_only: whether nothing else can be written to it.
        terminal: whether a terminal would obey escape sequences in it.
    """

    look: Look
    ascii_only: bool = False
    terminal: bool = False


def sink_of(stream: TextIO, theme: str = "") -> Sink:
    """Return what ``stream`` takes, in the colours of ``theme`` or else of the chosen one."""
    encoding = (stream.encoding or "").lower().replace("-", "")
    return Sink(styled_look(stream, theme), encoding != "utf8", stream.isatty())


def data_text(
    data: Any,
    shape: Shape,
    output: Output,
    sink: Sink,
    *,
    view: str,
    options: Mapping[str, Any],
    envelope: Mapping[str, Any] | None = None,
    fields: Sequence[str] = (),
) -> str:
    """Return ``data`` as ``output`` asks for it.

    Args:
        data, shape: what to show and what it looks like.
        output: the format; ``fields`` of it are used unless others are given.
        sink: what the text is for.
        view, options: how a person would like to see it.
        envelope: what goes around JSON when an envelope is asked for.
        fields: columns instead of those of ``output``.
    """
    names = tuple(fields) or output.fields
    if output.form:
        from irtui.render.formats import formatted

        return formatted(
            data,
            shape,
            output.form,
            fields=names,
            ascii_only=sink.ascii_only,
            terminal=sink.terminal,
            envelope=envelope if output.envelope else None,
            null=output.null,
        )
    from irtui.render.views import show, show_fields

    if names:
        return show_fields(data, shape, names, sink.look)
    return show(view, data, options, sink.look)


def envelope_of(command: Command, result: Result) -> dict[str, Any]:
    """Return the fields an envelope has beside the data."""
    return {
        "schema": command.output.schema,
        "command": command.name,
        "status": result.status,
        "notes": list(result.notes),
    }
