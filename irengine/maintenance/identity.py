"""Which process a number means: a process is known by its number and when it started.

Numbers are used again. A number that exists says nothing about the process that wrote it down.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

__all__ = ["is_running", "process_mark"]

_PROC = Path("/proc")
_STARTED = 19  # the 22nd field of /proc/<pid>/stat, counted after the name
_BOOT = _PROC / "sys/kernel/random/boot_id"


def process_mark(pid: int) -> str | None:
    """Return a text that no other process of that number has had or will have.

    ``None`` when there is no such process (one that has ended and is not yet collected counts as
    none), and where the system does not say when processes start.
    """
    if pid <= 0:
        return None
    if _has_proc():
        return _mark_from_proc(pid)
    if os.name == "posix":
        return _mark_from_ps(pid)
    return None


def is_running(pid: int, mark: str | None) -> bool:
    """Say whether the process that had this number and mark is still running.

    Without a mark the number alone decides, which is all there is to go by.
    """
    now = process_mark(pid)
    if mark is not None and now is not None:
        return now == mark
    if now is None and _has_proc():
        return False
    return _exists(pid)


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _mark_from_proc(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = stat.rpartition(b")")[2].split()  # the name before it may hold anything
    if len(fields) <= _STARTED or fields[0] in (b"Z", b"X"):
        return None
    boot = ""
    with contextlib.suppress(OSError):
        boot = _BOOT.read_text().strip()
    return f"{boot}:{fields[_STARTED].decode()}"


def _mark_from_ps(pid: int) -> str | None:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    try:
        said = subprocess.run(  # noqa: S603 - a fixed command and a number
            command, capture_output=True, text=True, timeout=5, env={**os.environ, "LC_ALL": "C"}
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    state, _, started = said.partition(" ")
    return started.strip() if started.strip() and not state.startswith("Z") else None


def _exists(pid: int) -> bool:
    if pid <= 0 or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it belongs to someone else
    return True
