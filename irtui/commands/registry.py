"""The one table of commands, filled by a decorator and read by every front end."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from irtui.commands.output import output_params
from irtui.commands.spec import Command, Effect, Param, Result, UsageError
from irtui.render.shapes import Shape

__all__ = ["all_commands", "command", "command_names", "lookup"]

_MODULES = (
    "try_",
    "search",
    "answers",
    "disclosing",
    "reading",
    "links",
    "counting",
    "build",
    "corpora",
    "care",
    "maintain",
    "eval",
    "schedule",
    "coverage",
    "watch",
    "serving",
    "themes",
    "completing",
    "meta",
)
_COMMANDS: dict[str, Command] = {}

_Handler = TypeVar("_Handler", bound=Callable[..., Result])


def command(
    name: str,
    summary: str,
    *params: Param,
    effect: Effect = "read",
    details: str = "",
    examples: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    cancellable: bool = False,
    output: Shape | None = None,
) -> Callable[[_Handler], _Handler]:
    """Register the decorated function ``handler(context, **parameters)`` as a command.

    The options of output (``--json``, ``--fields``…) are added here and never reach the handler;
    ``output`` says what its data looks like.
    """
    shape = output or Shape()

    def add(handler: _Handler) -> _Handler:
        spec = Command(
            name,
            summary,
            handler,
            params,
            effect,
            details,
            examples,
            aliases,
            cancellable,
            shape,
            output_params(shape, reads=effect == "read", cancellable=cancellable),
        )
        for key in (name, *aliases):
            if key in _COMMANDS and _COMMANDS[key].handler.__module__ != handler.__module__:
                raise ValueError(f"two commands are called {key!r}")
            _COMMANDS[key] = spec
        return handler

    return add


def all_commands() -> list[Command]:
    """Return every command once, in the order in which help lists them."""
    for module in _MODULES:
        importlib.import_module(f"irtui.commands.{module}")
    return list(dict.fromkeys(_COMMANDS.values()))


def command_names() -> list[str]:
    """Return the name and every alias of each command."""
    all_commands()
    return list(_COMMANDS)


def lookup(name: str) -> Command:
    """Return the command of that name or alias.

    Raises:
        UsageError: when there is none; the hint names near ones.
    """
    commands = all_commands()
    if name in _COMMANDS:
        return _COMMANDS[name]
    raise UsageError(f"there is no command {name!r}", hint=suggest(name, _COMMANDS, commands))


def suggest(word: str, names: Any, commands: list[Command]) -> str:
    """Return a ``did you mean`` hint, or where to find the list of commands."""
    from irengine.errors import nearest

    return nearest(word, names) or f"commands: {', '.join(c.name for c in commands)}"
