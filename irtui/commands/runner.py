"""Running a command in this process: what every front end and every test goes through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.arguments import check_value, default_of
from irtui.commands.context import Context
from irtui.commands.registry import lookup
from irtui.commands.spec import Command, Result, UsageError

__all__ = ["run", "run_command"]


def run(command: str, /, context: Context | None = None, **params: Any) -> Result:
    """Run the command of that name or alias with typed values and return its result.

    Args:
        command: what it is called.
        context: what is lent to it; by default nobody follows, cancels or answers.
        params: its parameters by name; those left out have their defaults.

    Raises:
        UsageError: for a command, parameter or value there is not.
        IrError: what the engine raises.
    """
    return run_command(lookup(command), params, context)


def run_command(
    command: Command, params: Mapping[str, Any], context: Context | None = None
) -> Result:
    """Check ``params``, fill in defaults, and run the handler of ``command``.

    Raises:
        UsageError: for a parameter or value there is not.
        IrError: what the engine raises.
    """
    known = {param.name: param for param in command.params}
    for name in params:
        if name not in known:
            from irengine.errors import nearest

            hint = nearest(name, known) or f"parameters: {', '.join(known)}"
            raise UsageError(f"{command.name} has no parameter {name!r}", hint=hint)
    values = {}
    for name, param in known.items():
        if name in params:
            values[name] = check_value(param, params[name])
        elif param.required:
            raise UsageError(f"{param.label} is missing", hint=f"see irtui {command.name} --help")
        else:
            values[name] = default_of(param)
    return command.handler(context or Context(), **values)
