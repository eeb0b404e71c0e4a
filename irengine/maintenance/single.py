"""One run at a time, for whoever wants no two: a file that says which process is at it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from irengine.errors import MaintenanceBusy, ParameterError
from irengine.maintenance.identity import is_running, process_mark
from irengine.maintenance.limits import checked_seconds
from irengine.maintenance.lock import lock_path
from irengine.store.files import storage_errors

__all__ = ["DFLT_STALE_LOCK_AFTER", "single_run"]

DFLT_STALE_LOCK_AFTER = 6 * 60 * 60
"""Seconds after which a lock counts as left behind, where nothing better tells."""

_GUARD_SECONDS = 10.0


@contextlib.contextmanager
def single_run(
    *,
    path: str | os.PathLike[str] | None = None,
    stale_after: float | timedelta | None = None,
) -> Iterator[Path]:
    """Hold the lock of a whole run while the block lasts; give its path.

    The file names the process by its number and when it started, so that a number that is in use
    again is no holder, and a run that takes days keeps its lock. A lock whose process has ended
    is taken over at once. Where the file does not say when its process started, or the system
    cannot tell, the file's age decides; one from the future has none.

    Runs over the same corpora need no such lock: :func:`maintain` does each piece of work once.

    Args:
        path: the lock file, by default that of :func:`lock_path`; folders are made as needed.
        stale_after: the age, in seconds, by default :data:`DFLT_STALE_LOCK_AFTER`.

    Raises:
        MaintenanceBusy: (also a ``RuntimeError``) another run, of any process, holds it.
        ParameterError: for an age that is no number of at least 0.
        StoreError: the file cannot be written.
    """
    if isinstance(stale_after, timedelta):
        stale_after = stale_after.total_seconds()
    age = checked_seconds(
        "stale_after", DFLT_STALE_LOCK_AFTER if stale_after is None else stale_after
    )
    lock = lock_path() if path is None else Path(path)
    if lock.is_dir():
        raise ParameterError(f"the lock must be a file, and {lock} is a folder")
    mine = _taken(lock, age)
    try:
        yield lock
    finally:
        with _guard(lock):
            if _read(lock) == mine:  # never the lock of another run that took this one over
                lock.unlink(missing_ok=True)


def _taken(lock: Path, stale_after: float) -> bytes:
    """Take the lock; return what was written into it."""
    now = datetime.now(timezone.utc).isoformat()
    mine = f"{os.getpid()}\n{now}\n{process_mark(os.getpid()) or ''}\n".encode()
    with _guard(lock):
        held = _read(lock)
        if held is not None and _is_live(held, _age(lock), stale_after):
            lines = held.decode("utf-8", "replace").splitlines()
            who = f"process {lines[0]}" if lines else "another process"
            since = f" since {lines[1]}" if len(lines) > 1 else ""
            raise MaintenanceBusy(
                f"{who} is running maintenance{since}",
                hint=f"try again when it has finished; it holds {lock}",
            )
        lock.write_bytes(mine)
    return mine


@contextlib.contextmanager
def _guard(lock: Path) -> Iterator[None]:
    """Keep judging, taking and leaving the lock apart from those of other processes."""
    import filelock

    with storage_errors(lock.parent):
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(f"{lock}.guard", timeout=_GUARD_SECONDS):
                yield
        except filelock.Timeout:
            raise MaintenanceBusy(
                f"{lock} is being looked at by another process", hint="try again"
            ) from None


def _read(lock: Path) -> bytes | None:
    try:
        return lock.read_bytes()
    except FileNotFoundError:
        return None


def _age(lock: Path) -> float:
    return max(0.0, time.time() - lock.stat().st_mtime)


def _is_live(held: bytes, age: float, stale_after: float) -> bool:
    """Say whether the process that wrote ``held`` is still at it."""
    lines = held.decode("utf-8", "replace").splitlines()
    try:
        pid = int(lines[0])
    except (IndexError, ValueError):
        pid = 0
    mark = lines[2].strip() if len(lines) > 2 else ""
    if pid <= 0 or os.name != "posix":
        return age < stale_after
    if not is_running(pid, mark or None):
        return False
    known = bool(mark) and process_mark(pid) is not None
    return known or age < stale_after
