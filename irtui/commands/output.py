"""How the result of any command is asked for: formats, fields, quiet, and how errors are told.

Every command has these options; no handler sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irtui.commands.spec import Param, UsageError
from irtui.render.shapes import FORMATS, Shape, known_fields, rows_of, unknown_fields

if TYPE_CHECKING:
    from irtui.commands.spec import Command

__all__ = [
    "NOTED",
    "Output",
    "check_shown_fields",
    "is_for_programs",
    "output_params",
    "split_output",
]

_JSON = Param("json", "write JSON to standard output", "flag", ("--json",))
_ENVELOPE = Param(
    "envelope",
    "write JSON as {schema, command, status, notes, data}",
    "flag",
    ("--envelope",),
)
_JSONL = Param("jsonl", "write one JSON object a line", "flag", ("--jsonl",))
_CSV = Param("csv", "write comma-separated values with a header", "flag", ("--csv",))
_TSV = Param("tsv", "the same with tabs; those in values become \\t", "flag", ("--tsv",))
_MD = Param("md", "write Markdown", "flag", ("--md",))
_FILES = Param("files", "write only the paths of files, one a line", "flag", ("--files",))
_NULL = Param(
    "null",
    "the same with a NUL after each path, for xargs -0: a name may hold a line end",
    "flag",
    ("-0", "--null"),
)
_FIELDS = Param(
    "fields",
    "only these fields of each row, comma-separated; a.b reaches into a",
    flags=("--fields",),
    metavar="A,B",
)
_QUIET = Param("quiet", "say nothing but errors on standard error", "flag", ("-q", "--quiet"))
_FAIL_EMPTY = Param("fail_empty", "exit with 1 when there are no rows", "flag", ("--fail-empty",))
_JSON_ERRORS = Param(
    "json_errors", "write errors as JSON (implied by the JSON formats)", "flag", ("--json-errors",)
)
_PROGRESS = Param(
    "progress",
    "how progress is told on standard error; auto draws bars on a terminal",
    "choice",
    ("--progress",),
    default="auto",
    choices=("auto", "jsonl", "none"),
)


NOTED = ("", "csv", "tsv", "md", "files")
"""The formats beside which remarks are said; the JSON formats carry them in their envelope."""


@dataclass(frozen=True, slots=True)
class Output:
    """How one result was asked for. ``form`` is a name of a format, ``""`` for people.

    With ``null`` a NUL follows each name of a file, not a line end.
    """

    form: str = ""
    fields: tuple[str, ...] = ()
    envelope: bool = False
    quiet: bool = False
    fail_empty: bool = False
    json_errors: bool = False
    progress: str = "auto"
    null: bool = False


def output_params(shape: Shape, *, reads: bool, cancellable: bool) -> tuple[Param, ...]:
    """Return the options a command of that shape has beside its own."""
    params = [_JSON, _JSONL, _CSV, _TSV, _MD]
    if shape.file:
        params += [_FILES, _NULL]
    params += [_FIELDS, _ENVELOPE]
    if reads:
        params.append(_FAIL_EMPTY)
    if cancellable:
        params.append(_PROGRESS)
    return (*params, _QUIET, _JSON_ERRORS)


def is_for_programs(words: Iterable[str]) -> bool:
    """Return whether errors are wanted as JSON, before the words are understood."""
    return bool({"--json", "--jsonl", "--envelope", "--json-errors"} & set(words))


def split_output(command: Command, values: Mapping[str, Any]) -> tuple[dict[str, Any], Output]:
    """Divide parsed values into the arguments of the handler and how the result is wanted.

    Raises:
        UsageError: for two formats, or a field the command's rows never have.
    """
    common = {param.name for param in command.output_params}
    arguments = {name: value for name, value in values.items() if name not in common}
    asked = {name: value for name, value in values.items() if name in common}
    null = bool(asked.get("null"))
    forms = [form for form in FORMATS if asked.get(form) or (null and form == "files")]
    envelope = bool(asked.get("envelope"))
    if len(forms) > 1 or (envelope and forms not in ([], ["json"])):
        named = [f"--{form}" for form in [*forms, *["envelope"] * envelope]]
        raise UsageError(f"{' and '.join(named)} exclude each other")
    form = "json" if envelope else (forms or [""])[0]
    fields = _names(asked.get("fields"))
    if fields and form == "files":
        raise UsageError("--files writes paths and nothing else; leave out --fields")
    if fields and command.output.fields and not command.output.open:
        _refuse(
            [name for name in fields if name.partition(".")[0] not in command.output.fields],
            command.output.fields,
            command.name,
        )
    return arguments, Output(
        form,
        fields,
        envelope,
        bool(asked.get("quiet")),
        bool(asked.get("fail_empty")),
        bool(asked.get("json_errors")) or form in ("json", "jsonl"),
        asked.get("progress") or "auto",
        null,
    )


def check_shown_fields(command: str, data: Any, fields: tuple[str, ...], shape: Shape) -> None:
    """Make sure that each of ``fields`` is one that some row of ``data`` has.

    Raises:
        UsageError: naming near ones.
    """
    rows = rows_of(data, shape)
    if rows:
        _refuse(unknown_fields(fields, rows, shape), known_fields(rows, shape), command)


def _names(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UsageError("--fields needs names of fields, comma-separated")
    return names


def _refuse(unknown: Iterable[str], known: Iterable[str], command: str) -> None:
    from irengine.errors import nearest

    for name in unknown:
        hint = nearest(name, known) or f"fields: {', '.join(known)}"
        raise UsageError(f"what {command} shows has no field {name!r}", hint=hint)
