"""``commands``: the table of commands itself."""

from __future__ import annotations

from irtui.commands.context import Context
from irtui.commands.registry import all_commands, command
from irtui.commands.shapes import COMMANDS
from irtui.commands.spec import Result

__all__ = ["commands"]


@command(
    "commands",
    "list every command, with --json as a machine-readable specification",
    output=COMMANDS,
    examples=("irtui commands --json",),
)
def commands(context: Context) -> Result:
    """Return the specification of every command."""
    del context
    return Result([spec.to_dict() for spec in all_commands()], view="commands")
