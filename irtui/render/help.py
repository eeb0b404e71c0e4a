"""Help texts, made from the command table as plain data.

Takes the machine-readable specification rather than the command objects, so that this layer
depends on none above it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["command_help", "command_table", "overview", "shell_help"]

_WIDTH = 92
_COLUMN = 28


def overview(commands: Sequence[Mapping[str, Any]]) -> str:
    """Return what ``irtui --help`` shows."""
    lines = [
        "usage: irtui COMMAND [ARGUMENTS]",
        "",
        "Local search for notes, docs, skills, packages and tools.",
        "",
        "commands:",
        *_listing([(spec["name"], spec["summary"]) for spec in commands]),
        "",
        "irtui COMMAND --help explains one command. Start with: irtui try FOLDER QUESTION",
        "",
        "several at once:",
        *_listing(
            [
                ("irtui", "the full-screen app (also: irtui tui)"),
                ("irtui shell", "a prompt, with names, pipes and completion (also: irsh)"),
                ("irtui -c LINE", "run lines as a script; may be repeated"),
                ("irtui -f FILE", "run a script; - or a pipe is standard input"),
                ("  --keep-going, --echo", "do not stop at an error; say each line"),
                ("irtui --maintain", "maintain what is due, for schedulers"),
            ]
        ),
        "",
        "exit status: 0 ok, 1 failed, 2 usage, 3 not found, 4 budget, 5 locked, 70 internal,",
        "130 interrupted, 143 terminated. Finding nothing is ok.",
    ]
    return "\n".join(lines) + "\n"


def shell_help(verbs: Sequence[tuple[str, str]], session: Sequence[tuple[str, str]]) -> str:
    """Return what ``:help`` shows in a session."""
    lines = [
        "A line is a command, or a question in your own words (at the prompt, not in scripts).",
        'In a query "several words" have to stand together; + and - demand and exclude.',
        "",
        "commands:",
        *_listing(verbs),
        "",
        "after a |:",
        *_listing(
            [
                ("where CONDITION", "rows that meet it: where year >= 2024 and tags = garden"),
                ("sort FIELD [desc]", "rows in that order"),
                ("head N, tail N", "the first rows, the last rows"),
                ("fields A B", "only these columns"),
                ("json jsonl csv tsv md", "a format for programs; also files, table, ids, count"),
                ("select", "keep the rows aside as $sel"),
                ("! COMMAND", "what is shown, to a command of the system"),
            ]
        ),
        "",
        "and also:",
        *_listing(
            [
                ("> FILE, >> FILE", "write to a file, or at its end"),
                ("name = COMMAND", "keep the result as $name"),
                ("$1, $2-4, $1.title", "rows of the last listing, and their fields"),
                ("$_, $sel, $q", "the last result, the selection, the last query"),
                ("assert CONDITION", "fail unless it holds: assert count = 3 and top.title ~ bees"),
                ("# TEXT", "a comment"),
            ]
        ),
        "",
        "about the session:",
        *_listing(session),
    ]
    return "\n".join(lines) + "\n"


def command_table(specs: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table of what each command takes and does."""
    lines = ["| command | what it does |", "|---|---|"]
    for spec in specs:
        positional = [_usage(param) for param in spec["params"] if not param["flags"]]
        lines.append(f"| `{' '.join(['irtui', spec['name'], *positional])}` | {spec['summary']} |")
    return "\n".join(lines) + "\n"


def command_help(spec: Mapping[str, Any], program: str = "irtui ") -> str:
    """Return what ``irtui COMMAND --help`` shows; in a session ``program`` is empty."""
    positional = [param for param in spec["params"] if not param["flags"]]
    options = [param for param in spec["params"] if param["flags"] and not param["group"]]
    output = [param for param in spec["params"] if param["group"] == "output"]
    usage = " ".join([f"usage: {program}{spec['name']}", *map(_usage, positional), "[OPTIONS]"])
    lines = [usage, "", _sentence(spec["summary"])]
    if spec["details"]:
        lines += textwrap.wrap(spec["details"], _WIDTH)
    if positional:
        lines += ["", "arguments:", *_listing([(_value(p), _about(p)) for p in positional])]
    help_row = ("-h, --help", "show this help")
    rows = [(_flags(param), _about(param)) for param in options]
    lines += ["", "options:", *_listing([*rows, help_row])]
    if output:
        lines += ["", "output:", *_listing([(_flags(param), _about(param)) for param in output])]
    if spec["aliases"]:
        lines += ["", f"also called: {', '.join(spec['aliases'])}"]
    if spec["examples"]:
        examples = [example.replace("irtui ", program, 1) for example in spec["examples"]]
        lines += ["", "examples:", *(f"  {example}" for example in examples)]
    return "\n".join(lines) + "\n"


def _listing(rows: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for left, right in rows:
        texts = textwrap.wrap(right, _WIDTH - _COLUMN) or [""]
        head = f"  {left}"
        if len(head) > _COLUMN - 2:
            lines.append(head)
            head = ""
        lines.append(f"{head:<{_COLUMN}}{texts[0]}".rstrip())
        lines += [" " * _COLUMN + text for text in texts[1:]]
    return lines


def _usage(param: Mapping[str, Any]) -> str:
    name = _value(param) + ("…" if param["many"] else "")
    return name if param["required"] else f"[{name}]"


def _value(param: Mapping[str, Any]) -> str:
    return str(param["metavar"])


def _flags(param: Mapping[str, Any]) -> str:
    value = "" if param["type"] == "flag" else f" {_value(param)}"
    return ", ".join(param["flags"]) + value


def _about(param: Mapping[str, Any]) -> str:
    about = str(param["help"])
    if param["choices"]:
        about += f": {', '.join(param['choices'])}"
    if param["default"] is not None and param["type"] != "flag":
        about += f" (default: {param['default']})"
    return about


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."
