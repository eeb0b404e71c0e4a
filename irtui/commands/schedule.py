"""``schedule``: the operating system's job that runs ``irtui --maintain``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irtui.commands.context import Context
from irtui.commands.registry import command
from irtui.commands.shapes import SCHEDULE
from irtui.commands.spec import Param, Result, UsageError

if TYPE_CHECKING:
    from irengine.schedule import ScheduleStatus

__all__ = ["schedule"]

_VERBS = ("install", "status", "restart", "remove")


@command(
    "schedule",
    "let the operating system keep the corpora up to date",
    Param("install", "set it up, or change it", "flag", ("--install",)),
    Param("status", "show how it is (this is the default)", "flag", ("--status",)),
    Param("restart", "install it anew, with the present interpreter", "flag", ("--restart",)),
    Param("remove", "take it away", "flag", ("--remove",)),
    Param("every", "how often: 15m, 6h, 1d (default: 1h)", flags=("--every",), metavar="INTERVAL"),
    Param(
        "backend",
        "which scheduler (default: the one that has the job, else the first there is)",
        "choice",
        ("--backend",),
        choices=("launchd", "cron", "systemd"),
    ),
    Param("python", "the interpreter that runs it", "path", ("--python",)),
    Param("fresh", "take the variables of this shell, not those it has", "flag", ("--fresh",)),
    Param("dry_run", "show what would be installed", "flag", ("--dry-run",)),
    effect="write",
    details=(
        "It runs irtui --maintain --due, which does what each corpus' policy says is due. "
        "--every alone changes the interval and keeps everything else, the environment above "
        "all; keys and passwords are never written into it. Exit status 1 means that there is "
        "something wrong with it."
    ),
    output=SCHEDULE,
    examples=(
        "irtui schedule --install --every 30m",
        "irtui schedule --status --json",
        "irtui schedule --every 6h",
        "irtui schedule --remove",
    ),
)
def schedule(
    context: Context,
    *,
    install: bool,
    status: bool,
    restart: bool,
    remove: bool,
    every: str | None,
    backend: str | None,
    python: str | None,
    fresh: bool,
    dry_run: bool,
) -> Result:
    """Install, change, restart or remove the job, or report on it."""
    del context
    from irengine.schedule import operations

    given = (install, status, restart, remove)
    verbs = [f"--{verb}" for verb, wanted in zip(_VERBS, given, strict=True) if wanted]
    if len(verbs) > 1:
        raise UsageError(f"{' and '.join(verbs)} cannot be combined")
    changes = bool(every is not None or python is not None or fresh or dry_run)
    if changes and verbs not in ([], ["--install"]):
        raise UsageError(
            f"{verbs[0]} cannot be combined with --every, --python, --fresh or --dry-run",
            hint="they go with --install",
        )
    if install or changes:
        return _shown(
            operations.install(
                every,
                backend,
                python=_absolute(python),
                inherit=not fresh,
                dry_run=dry_run,
            )
        )
    if restart:
        return _shown(operations.restart(backend))
    if remove:
        return _shown(operations.remove(backend))
    return _shown(operations.status(backend))


def _absolute(python: str | None) -> str | None:
    """Return the path of an interpreter, links not resolved: that would leave its environment."""
    import os
    import shutil

    if python is None:
        return None
    found = shutil.which(python)
    return os.path.abspath(os.path.expanduser(found or python))  # noqa: PTH100, PTH111


def _shown(told: ScheduleStatus) -> Result:
    from irengine.schedule.rendering import headline, menu, rows

    options = {"headline": headline(told), "rows": rows(told), "menu": menu(told)}
    status = 1 if told.problems else 0
    return Result(told.to_dict(), view="schedule", status=status, options=options)
