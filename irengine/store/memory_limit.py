"""Bound the memory of a process that reads what may be damaged."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["MemoryLimit"]

_FLOOR = 1 << 30
_FOLDER_FACTOR = 4
_ADDED_FACTOR = 16


class MemoryLimit:
    """The soft limit of the data of this process (``RLIMIT_DATA``).

    Chroma believes the lengths it reads from its graph: a few wrong bytes made it ask for 24 GB. A
    healthy copy takes about three times its size on the disk. Nothing happens where the system
    does not tell how much memory is in use (``/proc/self/statm``, Linux), or has no such limit.
    """

    def __init__(self) -> None:
        self._limit: int | None = None

    def set_for(self, folder: Path) -> None:
        """Allow 1 GiB and four times the size of ``folder`` more than what is in use now."""
        used = _data_in_use()
        if used is not None:
            self._set(used + _FLOOR + _FOLDER_FACTOR * _size_of(folder))

    def extend(self, size: int) -> None:
        """Allow 16 times ``size`` bytes more, which are about to be added."""
        if self._limit is not None:
            self._set(self._limit + _ADDED_FACTOR * size)

    def lift(self) -> None:
        """Allow everything again."""
        if self._limit is not None:
            self._set(None)

    def _set(self, limit: int | None) -> None:
        import resource  # not on Windows, where nothing is known to be in use

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if limit is None or (hard != resource.RLIM_INFINITY and limit > hard):
            resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
        self._limit = limit


def _data_in_use() -> int | None:
    """Return the bytes of data and stack of this process, if the system tells."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[5])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
