"""What a scheduled job is, and what can be said of one: frozen values."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from irengine.checks import members, text
from irengine.config import cache_dir
from irengine.errors import ParameterTypeError, ScheduleError
from irengine.schedule.intervals import MOST_MINUTES

__all__ = [
    "DFLT_EVERY_MINUTES",
    "DFLT_LABEL",
    "INHERITED_ENV_VARS",
    "LOAD_BEARING_ENV_VARS",
    "LOG_VARIABLE",
    "ScheduleSpec",
    "ScheduleStatus",
    "current_env",
]

DFLT_LABEL = "org.irengine.maintain"
"""What the job is called in the scheduler."""

DFLT_EVERY_MINUTES = 60

LOAD_BEARING_ENV_VARS = ("PP", "PTH_FILEPATH", "IR_PROJECTS_ROOT")
"""Variables without which sources cannot be found."""

INHERITED_ENV_VARS = (
    "IR_CONFIG_DIR",
    "IR_DATA_DIR",
    "IR_CACHE_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    *LOAD_BEARING_ENV_VARS,
    "CLAUDE_CONFIG_DIR",
    "IR_LLM_BASE_URL",
    "IR_LLM_MODEL",
    "PYTHONPATH",
)
"""Variables a job takes along from where it is installed. Keys and passwords are not among them:
the definition of a job is readable."""

LOG_VARIABLE = "IR_SCHEDULE_LOG"
"""Tells a job which file its output goes to, so that it can rotate it."""

_ARGS = ("-u", "-m", "irtui", "--maintain", "--due")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_PATH_CHARACTERS = 400  # cron takes lines of less than a thousand


def current_env() -> dict[str, str]:
    """Return the variables a new job gets: ``HOME``, a shortened ``PATH``, and the inherited ones
    that are set and not empty, sorted.
    """
    env = {"HOME": os.path.expanduser("~"), "PATH": _path()}  # noqa: PTH111 - as text
    env |= {name: os.environ[name] for name in INHERITED_ENV_VARS if os.environ.get(name)}
    return dict(sorted(env.items()))


def _path() -> str:
    entries: dict[str, None] = {}
    length = sum(map(len, _SYSTEM_PATH))
    for entry in os.environ.get("PATH", "").split(os.pathsep):
        if entry.startswith("/") and entry not in entries and os.path.isdir(entry):  # noqa: PTH112
            length += len(entry) + 1
            if length <= _PATH_CHARACTERS:
                entries[entry] = None
    return os.pathsep.join(dict.fromkeys([*entries, *_SYSTEM_PATH]))


def _default_env() -> tuple[tuple[str, str], ...]:
    return tuple(current_env().items())


def _default_log() -> str:
    return str(cache_dir() / "maintain.log")


@dataclass(frozen=True)
class ScheduleSpec:
    """A job: what runs, how often, under which name, with which variables, and where its output
    goes.

    Raises:
        ParameterTypeError: for what is no text, or no list of words or pairs.
        ScheduleError: for less than a minute or more than a year, a label that is no name, a path
            that is not absolute, or a control character anywhere: a line break would be a second
            entry.
    """

    every_minutes: int = DFLT_EVERY_MINUTES
    python: str = sys.executable
    args: tuple[str, ...] = _ARGS
    label: str = DFLT_LABEL
    log_path: str = field(default_factory=_default_log)
    env: tuple[tuple[str, str], ...] = field(default_factory=_default_env)

    def __post_init__(self) -> None:
        minutes = self.every_minutes
        if isinstance(minutes, bool) or not isinstance(minutes, int) or minutes < 1:
            raise ScheduleError(f"every_minutes must be a whole number above 0, not {minutes!r}")
        if minutes > MOST_MINUTES:
            raise ScheduleError("every_minutes must be at most those of a year")
        args = members("args", self.args, str, "words")
        env = members("env", self.env, (tuple, list), "pairs of name and value")
        if not all(len(pair) == 2 and all(isinstance(each, str) for each in pair) for pair in env):
            raise ParameterTypeError("env takes a list of pairs of name and value, both text")
        if not _LABEL.fullmatch(text("label", self.label)):
            raise ScheduleError(
                f"{self.label!r} cannot be the label of a job",
                hint="letters, digits, dots, dashes and underscores",
            )
        for what, path in (("python", self.python), ("log_path", self.log_path)):
            if not os.path.isabs(text(what, path)):  # noqa: PTH117 - it is text
                raise ScheduleError(f"{what} must be an absolute path, not {path!r}")
        for name, _ in env:
            if not _VARIABLE.fullmatch(name):
                raise ScheduleError(f"{name!r} is no name of an environment variable")
        said = [self.python, self.log_path, *args, *(value for _, value in env)]
        for word in said:
            if any(unicodedata.category(character) == "Cc" for character in word):
                raise ScheduleError(f"{word!r} holds a control character, which no job can have")

    @property
    def command(self) -> tuple[str, ...]:
        """The words that are run."""
        return (self.python, *self.args)

    @property
    def env_dict(self) -> dict[str, str]:
        """The variables, those a person chose."""
        return dict(self.env)

    @property
    def job_env(self) -> dict[str, str]:
        """The variables as the job sees them: also where its output goes."""
        return {**self.env_dict, LOG_VARIABLE: self.log_path}


@dataclass(frozen=True)
class ScheduleStatus:
    """What there is in the scheduler, what was done to it, and what is wrong with it.

    ``definition`` is the text that is installed, or the file it is in; ``loaded`` whether the
    scheduler has taken it in, ``None`` where that is no question. ``last_run`` and ``next_run``
    are ISO times in UTC; ``last_exit`` is the exit status of the last run, negative for a signal.
    ``problems`` are sentences.
    """

    installed: bool
    backend: str
    label: str = DFLT_LABEL
    action: str = "reported"
    every_minutes: int | None = None
    definition: str | None = None
    command: tuple[str, ...] | None = None
    python: str | None = None
    env: Mapping[str, str] | None = None
    log_path: str | None = None
    loaded: bool | None = None
    last_run: str | None = None
    last_log_line: str | None = None
    problems: tuple[str, ...] = ()
    detail: str | None = None
    last_exit: int | None = None
    next_run: str | None = None

    @property
    def changed(self) -> bool:
        """Whether the scheduler is different from before."""
        return self.action in ("installed", "updated", "removed", "restarted")

    def to_dict(self) -> dict[str, Any]:
        """Return every field and ``changed``, ready for JSON."""
        data = asdict(self)
        data["command"] = None if self.command is None else list(self.command)
        data["env"] = None if self.env is None else dict(self.env)
        data["problems"] = list(self.problems)
        return {**data, "changed": self.changed}
