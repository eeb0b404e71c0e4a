"""Which schedulers there are, and which one is used."""

from __future__ import annotations

import sys
from typing import Protocol

from irengine.errors import ScheduleError, nearest
from irengine.schedule.cron import Cron
from irengine.schedule.launchd import Launchd
from irengine.schedule.spec import ScheduleSpec, ScheduleStatus
from irengine.schedule.systemd import Systemd

__all__ = ["BACKENDS", "Backend", "Unsupported", "installed_in", "resolve_backend"]


class Backend(Protocol):
    """A scheduler of the operating system.

    ``reports_loaded`` says whether it tells a job that is defined from one it has taken in.
    """

    name: str
    reports_loaded: bool

    @staticmethod
    def available() -> bool:
        """Whether this machine has it, and it works for this user."""
        ...

    def preview(self, spec: ScheduleSpec) -> str:
        """Return the definition that would be installed."""
        ...

    def status(self, label: str) -> ScheduleStatus:
        """Return what it has of a job; nothing is changed."""
        ...

    def install(self, spec: ScheduleSpec) -> str:
        """Put a job in place of the one of its label; when it raises, that one still works."""
        ...

    def remove(self, label: str) -> bool:
        """Take a job away; ``False`` when there was none."""
        ...


BACKENDS: dict[str, type[Backend]] = {"launchd": Launchd, "cron": Cron, "systemd": Systemd}
"""The schedulers by name, the preferred ones first. cron comes before systemd, whose user timers
stop when their user logs out."""


class Unsupported:
    """What stands for a scheduler where there is none: reports nothing, installs nothing."""

    name = "unsupported"
    reports_loaded = False

    @staticmethod
    def available() -> bool:
        """Return ``True``: doing nothing is always possible."""
        return True

    def preview(self, spec: ScheduleSpec) -> str:
        """Refuse."""
        raise _none()

    def status(self, label: str) -> ScheduleStatus:
        """Return that nothing is installed, and what to use instead."""
        return ScheduleStatus(False, self.name, label, detail=str(_none()))

    def install(self, spec: ScheduleSpec) -> str:
        """Refuse."""
        raise _none()

    def remove(self, label: str) -> bool:
        """Refuse."""
        raise _none()


def resolve_backend(backend: str | None = None, *, require_available: bool = True) -> Backend:
    """Return a scheduler by name, by default the first this machine has.

    Raises:
        ScheduleError: for an unknown name, for one this machine lacks, and when it has none;
            without ``require_available`` for an unknown name only.
    """
    if backend is None:
        for kind in BACKENDS.values():
            if kind.available():
                return kind()
        if require_available:
            raise _none()
        return Unsupported()
    if backend not in BACKENDS:
        raise ScheduleError(
            f"there is no scheduler {backend!r}; there are {', '.join(BACKENDS)}",
            hint=nearest(backend, BACKENDS),
        )
    chosen = BACKENDS[backend]()
    if require_available and not chosen.available():
        raise ScheduleError(f"{backend} is not available here")
    return chosen


def installed_in(label: str) -> list[tuple[Backend, ScheduleStatus]]:
    """Return every available scheduler that has a job ``label``, with what it says of it."""
    found = []
    for kind in BACKENDS.values():
        if kind.available():
            backend = kind()
            status = backend.status(label)
            if status.installed:
                found.append((backend, status))
    return found


def _none() -> ScheduleError:
    if sys.platform == "win32":
        hint = "create a task in the Task Scheduler that runs: irtui --maintain --due"
    else:
        hint = "let whatever runs jobs here run: irtui --maintain --due"
    return ScheduleError(f"this machine has none of {', '.join(BACKENDS)}", hint=hint)
