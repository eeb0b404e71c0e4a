"""``irtui --maintain``: for schedulers. No user-interface package is imported, nobody is asked.

Standard output has the report, one corpus a line as soon as it is done (``--json``: one array at
the end); standard error has remarks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.arguments import parse_arguments
from irtui.commands.context import Context
from irtui.commands.maintain import run_maintenance
from irtui.commands.output import split_output
from irtui.commands.registry import lookup
from irtui.commands.spec import Command
from irtui.remarks import Remarks
from irtui.signals import Interrupts

if TYPE_CHECKING:
    from irengine.maintenance import MaintenanceResult

__all__ = ["headless_command", "maintain_headless"]


def headless_command() -> Command:
    """Return the specification of what ``irtui --maintain`` takes."""
    spec = lookup("maintain")
    kept = tuple(p for p in spec.output_params if p.name in ("json", "jsonl", "quiet"))
    return replace(spec, name="--maintain", output_params=kept)


def maintain_headless(
    words: Sequence[str],
    interrupts: Interrupts,
    write: Callable[..., Any],
    remarks: Remarks,
) -> int:
    """Run the words after ``--maintain`` and return the exit status.

    ``write`` takes what belongs on standard output, ``remarks`` what belongs on standard error.

    Raises:
        UsageError: for words that make no sense.
        IrError: when the run as a whole cannot begin (an unknown corpus, a broken registry).
    """
    from irengine.schedule.joblog import rotate_own
    from irtui.logs import shown_logs

    if {"--help", "-h"} & set(words):
        from irtui.render.help import command_help

        write(command_help(headless_command().to_dict()))
        return exit_codes.OK
    command = headless_command()
    arguments, output = split_output(command, parse_arguments(command, words))
    remarks.quiet, remarks.json_errors = output.quiet, output.json_errors
    as_json, as_lines = output.form == "json", output.form == "jsonl"
    context = Context(on_cancel=interrupts.watch, note=remarks.note)
    rotate_own()

    def show(result: MaintenanceResult) -> None:
        if as_lines:
            write(_json(result.to_dict(), indent=None))
        elif not as_json:
            from irtui.render.look import paint
            from irtui.render.maintained import maintained_line
            from irtui.styles import styled_look

            write(paint([maintained_line(result.to_dict())], styled_look(sys.stdout)))

    with shown_logs(remarks.say):
        results, status = run_maintenance(context, on_result=show, **arguments)
    if as_json:
        write(_json([result.to_dict() for result in results], indent=2))
    if not results:
        remarks.note("nothing is registered, so there is nothing to maintain")
    if status == exit_codes.INTERRUPTED and interrupts.terminated:
        return exit_codes.TERMINATED
    return status


def _json(data: Any, *, indent: int | None) -> str:
    from irtui.render.jsonout import to_json

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return to_json(data, indent=indent, ascii_only=ascii_only) + "\n"
