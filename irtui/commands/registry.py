"""The one table of commands, filled by a decorator and read by every front end."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from irtui.commands.output import output_params
from irtui.commands.spec import Command, Effect, Param, Result, UsageError
from irtui.render.shapes import Shape

__all__ = ["all_commands", "command", "command_names", "lookup", "misspelt"]

_HOMES = {
    "try_": "try",
    "search": "search s",
    "answers": "discover show expand explain",
    "disclosing": "disclose",
    "reading": "get multi-get",
    "links": "walk path similar links",
    "counting": "facets",
    "build": "build",
    "corpora": "ls list info register rm",
    "editing": "edit",
    "care": "verify forget",
    "maintain": "maintain",
    "eval": "eval",
    "schedule": "schedule",
    "coverage": "coverage",
    "watch": "watch",
    "serving": "serve-web",
    "themes": "themes theme",
    "completing": "completion",
    "meta": "commands",
}
"""The modules in the order of help, and the names and aliases of their commands: a command line
imports the module of its command and no other."""

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
_OTHER_WORDS = {
    **dict.fromkeys(("index", "update", "reindex", "refresh", "embed"), "build"),
    **dict.fromkeys(("find", "query", "grep", "vsearch"), "search"),
    **dict.fromkeys(("ask", "select"), "discover"),
    **dict.fromkeys(("cat", "read", "open"), "get"),
    **dict.fromkeys(("add", "create"), "register"),
    **dict.fromkeys(("remove", "delete", "unregister"), "rm"),
    **dict.fromkeys(("status", "describe"), "info"),
    **dict.fromkeys(("cron", "daemon"), "schedule"),
    **dict.fromkeys(("fsck",), "verify"),
}
"""What comparable programs call commands, and what those are called here."""

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
        home = handler.__module__.rpartition(".")[2]
        for key in (name, *aliases):
            if _HOME_OF.get(key) != home:
                raise ValueError(f"the table of modules does not have {key!r} in {home}")
            if key in _COMMANDS and _COMMANDS[key].handler.__module__ != handler.__module__:
                raise ValueError(f"two commands are called {key!r}")
            _COMMANDS[key] = spec
        return handler

    return add


def all_commands() -> list[Command]:
    """Return every command once, in the order in which help lists them."""
    for module in _HOMES:
        _import(module)
    return list(dict.fromkeys(_COMMANDS[name] for name in _HOME_OF))


def command_names() -> list[str]:
    """Return the name and every alias of each command."""
    all_commands()
    return list(_HOME_OF)


def lookup(name: str) -> Command:
    """Return the command of that name or alias.

    Raises:
        UsageError: when there is none; the hint names near ones.
    """
    if name in _HOME_OF:
        _import(_HOME_OF[name])
        return _COMMANDS[name]
    hint = suggest(_OTHER_WORDS.get(name, name), command_names(), all_commands())
    raise UsageError(f"there is no command {name!r}", hint=hint)


def misspelt(name: str) -> bool:
    """Whether a line of several words begins with a command that was misspelt, or called otherwise.

    Such a line may be a question as well: an ordinary word at its begin is none, ``how`` no
    ``show``.
    """
    from irengine.errors import is_slip
    from irengine.text._stopwords import STOP_WORDS

    if name.lower() in STOP_WORDS:
        return False
    return name in _OTHER_WORDS or is_slip(name, command_names())


def _import(module: str) -> None:
    importlib.import_module(f"irtui.commands.{module}")


def suggest(word: str, names: Any, commands: list[Command]) -> str:
    """Return a ``did you mean`` hint, or where to find the list of commands."""
    from irengine.errors import nearest

    return nearest(word, names) or f"commands: {', '.join(c.name for c in commands)}"
