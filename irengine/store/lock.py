"""One writer a corpus, over processes and threads; who holds the lock can be read by anyone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from irengine.checks import real_number
from irengine.errors import CorpusBusy
from irengine.store.files import dump_json, storage_errors

__all__ = ["lock_owner", "writer_lock"]

_POLL_SECONDS = 0.05


@contextlib.contextmanager
def writer_lock(lock: Path, purpose: str, *, timeout: float) -> Iterator[Callable[[], bool]]:
    """Hold the lock file ``lock``, creating its folder; release it at the end or at death.

    Yields what tells whether the file is still there: whoever deletes the folder asks no lock.

    Raises:
        CorpusBusy: after ``timeout`` seconds; the message says who holds it, since when and why.
        StoreError: the folder cannot be written, or the file system has no locks.
    """
    import filelock

    folder = lock.parent
    owner = lock.with_suffix(".json")
    deadline = time.monotonic() + real_number("timeout", timeout)
    while True:
        held = filelock.FileLock(str(lock), thread_local=False)
        remaining = max(0.0, deadline - time.monotonic())
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                held.acquire(timeout=remaining, poll_interval=_POLL_SECONDS)
            except filelock.Timeout:
                raise _busy(owner, timeout) from None
            except FileNotFoundError:
                continue  # the folder was deleted between the two steps: make it again
        if _is_current(held, lock):
            break
        held.release()
    try:
        with storage_errors(folder):
            owner.write_bytes(dump_json(_owner_record(purpose)))
        yield lambda: _is_current(held, lock)
    finally:
        if _is_current(held, lock):
            with contextlib.suppress(OSError):
                owner.unlink()
        held.release()


def lock_owner(owner: Path) -> dict[str, Any] | None:
    """Return what the holder wrote about itself: pid, host, started, purpose."""
    try:
        record = json.loads(owner.read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _is_current(held: Any, lock: Path) -> bool:
    """Whether the locked file is still the one at the path (the corpus may have been deleted)."""
    descriptor = getattr(getattr(held, "_context", None), "lock_file_fd", None)
    try:
        there = lock.stat()
        return descriptor is None or os.path.samestat(os.fstat(descriptor), there)
    except FileNotFoundError:
        return False


def _owner_record(purpose: str) -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "purpose": purpose,
    }


def _busy(owner: Path, timeout: float) -> CorpusBusy:
    record = lock_owner(owner)
    who = "another process"
    if record is not None:
        who = f"process {record.get('pid')} on {record.get('host')}"
        who += f" ({record.get('purpose')}, since {record.get('started')})"
    waited = f"; waited {timeout:g} s" if timeout else ""
    return CorpusBusy(
        f"the corpus is being written by {who}{waited}",
        hint="try again when it has finished; searching needs no waiting",
    )
