"""One maintainer a corpus: a lock the system releases at death, and who holds it."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from irengine.config import cache_dir, data_dir, safe_name
from irengine.errors import CorpusBusy
from irengine.maintenance.identity import is_running, process_mark
from irengine.store.files import write_json
from irengine.store.lock import lock_owner, writer_lock

__all__ = ["LockHolder", "corpus_lock", "lock_holder", "lock_path", "maintenance_dir"]

_SLICE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that is looking after a corpus: ``started`` is when it took the lock."""

    pid: int
    host: str
    started: str
    purpose: str


def maintenance_dir() -> Path:
    """Return the folder of locks and of the log of runs."""
    return data_dir() / "maintenance"


def lock_path(name: str | None = None) -> Path:
    """Return the lock file of the corpus ``name``; who holds it is written beside it.

    Without a name it is that of a whole run (:func:`irengine.maintenance.single_run`).
    """
    if name is None:
        return cache_dir() / "maintain.lock"
    return maintenance_dir() / f"{safe_name(name)}.lock"


@contextlib.contextmanager
def corpus_lock(
    name: str, *, timeout: float = 0.0, stop: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold the maintenance lock of a corpus; the system releases it when the process dies.

    Building, which is done within, takes the writer's lock of the corpus besides. ``stop`` is
    called while waiting and may raise.

    Raises:
        CorpusBusy: another process or thread still holds it after ``timeout`` seconds.
        StoreError: the folder cannot be written, or its file system has no locks.
    """
    path = lock_path(name)
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as held:
        while True:
            remaining = max(0.0, deadline - time.monotonic())
            try:
                wait = min(_SLICE_SECONDS, remaining)
                held.enter_context(writer_lock(path, f"maintain {name}", timeout=wait))
                break
            except CorpusBusy as busy:
                if stop is not None:
                    stop()
                if remaining <= 0:
                    raise _busy(name, timeout) from busy
        owner = path.with_suffix(".json")
        record = lock_owner(owner) or {}
        write_json(owner, {**record, "mark": process_mark(os.getpid())})
        yield


def lock_holder(name: str) -> LockHolder | None:
    """Return who is looking after the corpus ``name`` now; ``None`` when nobody is.

    What a process that was killed left behind is nobody, also when its number is in use again. A
    process on another machine counts: whether it lives cannot be told from here.
    """
    record = lock_owner(lock_path(name).with_suffix(".json"))
    if record is None or type(record.get("pid")) is not int:  # True is no number
        return None
    mark, this_host = record.get("mark"), socket.gethostname()
    here = record.get("host", this_host) == this_host
    if here and not is_running(record["pid"], mark if isinstance(mark, str) else None):
        return None
    return LockHolder(
        record["pid"],
        str(record.get("host", "")),
        str(record.get("started", "")),
        str(record.get("purpose", "")),
    )


def _busy(name: str, timeout: float) -> CorpusBusy:
    holder = lock_holder(name)
    who = "another process"
    if holder is not None:
        who = f"process {holder.pid} on {holder.host} since {holder.started}"
    waited = f"; waited {timeout:g} s" if timeout else ""
    return CorpusBusy(
        f"the corpus {name!r} is being maintained by {who}{waited}",
        hint="it does the same work; try again when it has finished",
    )
