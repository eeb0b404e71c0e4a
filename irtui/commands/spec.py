"""What a command is: frozen data from which parsing, help and every front end are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from irtui.render.shapes import Shape

__all__ = ["Command", "Effect", "Param", "ParamType", "Result", "UsageError"]

Effect: TypeAlias = Literal["read", "write", "destroy"]
"""What running a command does to the user's data."""

ParamType: TypeAlias = Literal[
    "text", "int", "number", "json", "flag", "path", "corpus", "choice", "filter"
]
"""How a value is read, and what completes it. A ``filter`` is a clause or JSON, as text."""


class UsageError(Exception):
    """The arguments of a command line make no sense.

    Carries the same three fields as :class:`irengine.errors.IrError`, without needing the engine
    to be imported.
    """

    code = "usage"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a command.

    Without ``flags`` it is positional. ``many`` collects values: a repeated option, or every
    remaining positional. A ``flag`` takes no value and is ``False`` unless given. ``raw`` keeps a
    word as the system decoded it, as for a ``path``: it may hold the name of a file. ``stdin``
    lets ``-`` stand for the lines of standard input.
    """

    name: str
    help: str
    type: ParamType = "text"
    flags: tuple[str, ...] = ()
    required: bool = False
    many: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    least: int | None = None
    raw: bool = False
    stdin: bool = False

    @property
    def positional(self) -> bool:
        """Whether it is given by position."""
        return not self.flags

    @property
    def label(self) -> str:
        """How help and error messages call it: its long flag, or its name in capitals."""
        return self.flags[-1] if self.flags else self.value_name

    @property
    def value_name(self) -> str:
        """The placeholder of its value."""
        if self.metavar:
            return self.metavar
        return self.name.upper().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Result:
    """What a command hands back: plain JSON data, and how a person would like to see it.

    ``view`` names the renderer for people. ``status`` is the exit status of a command that ran to
    its end, yet found something wrong. ``notes`` are remarks for people only. ``missing`` are the
    errors of what was asked for and is not there, as the data holds them: beside rows alone they
    are said as errors.
    """

    data: Any
    view: str
    status: int = 0
    notes: tuple[str, ...] = ()
    missing: tuple[Mapping[str, Any], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, parameters, effect, help, and the function that runs it.

    ``params`` are what the handler takes; ``output`` is the shape of its data, and
    ``output_params`` the options by which a front end shows it (see :mod:`.output`).
    """

    name: str
    summary: str
    handler: Callable[..., Result]
    params: tuple[Param, ...] = ()
    effect: Effect = "read"
    details: str = ""
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    cancellable: bool = False
    output: Shape = field(default_factory=Shape)
    output_params: tuple[Param, ...] = ()

    @property
    def every_param(self) -> tuple[Param, ...]:
        """All parameters of its command line."""
        return (*self.params, *self.output_params)

    def to_dict(self) -> dict[str, Any]:
        """Return the machine-readable specification."""
        return {
            "name": self.name,
            "aliases": list(self.aliases),
            "summary": self.summary,
            "details": self.details,
            "effect": self.effect,
            "examples": list(self.examples),
            "cancellable": self.cancellable,
            "output": self.output.to_dict(),
            "params": [
                *(_param_dict(param, "") for param in self.params),
                *(_param_dict(param, "output") for param in self.output_params),
            ],
        }


def _param_dict(param: Param, group: str) -> dict[str, Any]:
    return {
        "name": param.name,
        "group": group,
        "metavar": param.value_name,
        "type": param.type,
        "flags": list(param.flags),
        "required": param.required,
        "many": param.many,
        "default": param.default,
        "choices": list(param.choices),
        "help": param.help,
    }
