"""Install, change, restart and remove the job, and say how it is.

What is installed is data: its variables, its log and its interpreter are carried over, never
taken again from the shell that happens to change the interval.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from irengine.config import config_dir
from irengine.errors import ScheduleError
from irengine.schedule.backends import Backend, installed_in, resolve_backend
from irengine.schedule.health import examined, interpreter_fault
from irengine.schedule.intervals import parse_every
from irengine.schedule.joblog import rotate
from irengine.schedule.spec import (
    DFLT_EVERY_MINUTES,
    DFLT_LABEL,
    ScheduleSpec,
    ScheduleStatus,
)

__all__ = ["ensure", "install", "remove", "restart", "status"]

_LOCK_SECONDS = 30.0


def status(
    backend: str | None = None, label: str = DFLT_LABEL, *, now: datetime | None = None
) -> ScheduleStatus:
    """Return what is installed and what is wrong with it; nothing is changed.

    Without ``backend`` the scheduler that has the job is found.

    Raises:
        ScheduleError: for an unknown backend, or a scheduler that cannot be asked.
    """
    if backend is not None:
        return examined(resolve_backend(backend).status(label), now=now)
    found = installed_in(label)
    if not found:
        return resolve_backend(None, require_available=False).status(label)
    told = examined(found[0][1], now=now)
    if len(found) > 1:
        others = ", ".join(one.name for one, _ in found[1:])
        told = replace(told, problems=(*told.problems, f"{others} has the job as well"))
    return told


def install(
    every: str | int | None = None,
    backend: str | None = None,
    label: str = DFLT_LABEL,
    python: str | None = None,
    *,
    inherit: bool = True,
    dry_run: bool = False,
) -> ScheduleStatus:
    """Install the job, or change the one there is.

    What is not given is as in the job there is (with ``inherit``), else an hour, the running
    interpreter, and this process' variables. When another scheduler than ``backend`` has the job
    it is moved. The old job works until the new one does.

    Args:
        every: such as ``"15m"``; see :func:`~irengine.schedule.parse_every`.
        backend: by default the one that has the job, else the first available.
        label: what the job is called.
        python: the interpreter that runs it.
        inherit: keep what the installed job has.
        dry_run: install nothing; the definition is the ``detail`` of what is returned.

    Raises:
        ScheduleError: for an interpreter that is missing or does not find irtui, also of a dry
            run; and when the scheduler does not take the job, which is then as before.
    """
    minutes = parse_every(every)
    if dry_run and backend is not None:
        chosen = resolve_backend(backend, require_available=False)
        found = [(chosen, chosen.status(label))] if chosen.available() else []
        found = [pair for pair in found if pair[1].installed]
        spec = _spec(found[0][1] if found and inherit else None, minutes, label, python)
        return _previewed(chosen, spec)
    with _changing(dry_run):
        found = installed_in(label)
        chosen = _chosen(backend, found)
        old = _of(chosen, found) or (found[0][1] if found else None)
        spec = _spec(old if inherit else None, minutes, label, python)
        if dry_run:
            return _previewed(chosen, spec)
        _put(chosen, spec)
        moved = [one for one, _ in found if one.name != chosen.name]
        for one in moved:
            one.remove(label)
    told = examined(chosen.status(label))
    detail = f"moved from {', '.join(one.name for one in moved)}" if moved else None
    return replace(told, action="updated" if found else "installed", detail=detail)


def ensure(
    every: str | int | None = None, backend: str | None = None, label: str = DFLT_LABEL
) -> ScheduleStatus:
    """Make sure that the job is installed, every ``every`` if that is given; else leave it alone.

    Raises:
        ScheduleError: as :func:`install`.
    """
    minutes = parse_every(every)
    found = installed_in(label)
    if not found:
        return install(minutes, backend, label)
    chosen = _chosen(backend, found)
    there = _of(chosen, found)
    if there is None or (minutes is not None and minutes != there.every_minutes):
        return install(minutes, chosen.name, label)
    return replace(examined(there), action="unchanged")


def restart(backend: str | None = None, label: str = DFLT_LABEL) -> ScheduleStatus:
    """Install the job anew as it is, with the running interpreter.

    Raises:
        ScheduleError: when there is none, or the scheduler does not take it.
    """
    with _changing():
        found = installed_in(label)
        chosen = _chosen(backend, found)
        there = _of(chosen, found)
        if there is None:
            raise ScheduleError(
                "nothing is scheduled, so there is nothing to restart",
                hint="irtui schedule --install",
            )
        _put(chosen, _spec(there, None, label, sys.executable))
    return replace(examined(chosen.status(label)), action="restarted")


def remove(backend: str | None = None, label: str = DFLT_LABEL) -> ScheduleStatus:
    """Remove the job, from every scheduler that has it unless one is named.

    Raises:
        ScheduleError: when a scheduler keeps it.
    """
    with _changing():
        if backend is not None:
            chosen = resolve_backend(backend)
            action = "removed" if chosen.remove(label) else "unchanged"
            return ScheduleStatus(False, chosen.name, label, action)
        found = installed_in(label)
        for one, _ in found:
            one.remove(label)
    name = found[0][0].name if found else resolve_backend(None).name
    return ScheduleStatus(False, name, label, "removed" if found else "unchanged")


def _chosen(backend: str | None, found: list[tuple[Backend, ScheduleStatus]]) -> Backend:
    if backend is None and found:
        return found[0][0]
    return resolve_backend(backend)


def _of(chosen: Backend, found: list[tuple[Backend, ScheduleStatus]]) -> ScheduleStatus | None:
    return next((there for one, there in found if one.name == chosen.name), None)


def _spec(
    old: ScheduleStatus | None, minutes: int | None, label: str, python: str | None
) -> ScheduleSpec:
    """Return the job that is wanted: what is said, else what there is, else the defaults."""
    every = minutes or (old.every_minutes if old else None) or DFLT_EVERY_MINUTES
    spec = ScheduleSpec(every_minutes=every, label=label)
    if old is not None and old.env is not None:
        spec = replace(spec, env=tuple(sorted(old.env.items())))
    if old is not None and old.log_path is not None:
        spec = replace(spec, log_path=old.log_path)
    if old is not None and old.python is not None:
        spec = replace(spec, python=old.python)
    hint = "irtui schedule --restart pins the running one"
    if python is not None:
        spec = replace(spec, python=python)
        hint = f"without --python a new job has the running one, {sys.executable}"
    other = python is not None and python != sys.executable
    if other or not Path(spec.python).is_file():
        fault = interpreter_fault(spec.python, spec.env_dict)
        if fault is not None:
            raise ScheduleError(f"the interpreter {spec.python} {fault}", hint=hint)
    return spec


def _previewed(chosen: Backend, spec: ScheduleSpec) -> ScheduleStatus:
    return ScheduleStatus(
        False,
        chosen.name,
        spec.label,
        "would-install",
        every_minutes=spec.every_minutes,
        command=spec.command,
        python=spec.python,
        env=spec.env_dict,
        log_path=spec.log_path,
        detail=chosen.preview(spec),
    )


def _put(chosen: Backend, spec: ScheduleSpec) -> None:
    """Install, after making sure that the log can be written."""
    log = Path(spec.log_path)
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.open("ab").close()
    except OSError as error:
        raise ScheduleError(f"the log {log} cannot be written: {error.strerror}") from error
    rotate(log)
    chosen.install(spec)


@contextlib.contextmanager
def _changing(dry_run: bool = False) -> Iterator[None]:
    """Let one process at a time change what is scheduled."""
    if dry_run:
        yield
        return
    import filelock

    folder = config_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(str(folder / "schedule.lock"), timeout=_LOCK_SECONDS)
        with lock:
            yield
    except filelock.Timeout as error:
        raise ScheduleError("another process is changing the schedule") from error
    except OSError as error:
        raise ScheduleError(f"{folder} cannot be written: {error}") from error
