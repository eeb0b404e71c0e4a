"""The log of runs: JSON lines, the newest last, rotated."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from irengine.errors import StoreError
from irengine.maintenance.lock import maintenance_dir
from irengine.store.files import dump_json, storage_errors

__all__ = ["append_runs", "log_path", "runs"]

_log = logging.getLogger(__name__)

_ROTATE_BYTES = 1_000_000
_KEPT = 3
_LOCK_SECONDS = 10.0


def log_path() -> Path:
    """Return the file of the newest lines; older ones are in ``runs.1.jsonl`` and so on."""
    return maintenance_dir() / "runs.jsonl"


def append_runs(lines: Iterable[Mapping[str, Any]]) -> None:
    """Add lines to the log, whole and together whoever else writes.

    A log that cannot be written stops no work: that is a warning in :mod:`logging`.
    """
    import filelock

    data = b"".join(dump_json(dict(line)) + b"\n" for line in lines)
    path = log_path()
    try:
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
                if path.exists() and path.stat().st_size + len(data) > _ROTATE_BYTES:
                    _rotate(path)
                with path.open("ab") as file:
                    if file.tell() and not _ends_whole(path):
                        data = b"\n" + data  # a crash or a full disk tore the last line
                    file.write(data)
    except (StoreError, filelock.Timeout) as error:
        _log.warning("the log of maintenance runs cannot be written: %s", error)


def runs(limit: int | None = None) -> list[dict[str, Any]]:
    """Return the lines of the log, oldest first, the newest ``limit`` of them.

    A line has an ``event``: ``corpus`` for one that was worked on (with the fields of
    :class:`~irengine.maintenance.MaintenanceResult`), ``run`` for a run as a whole, written when
    it ends. Lines of one run share its ``run`` id. Torn lines are left out.
    """
    found: list[dict[str, Any]] = []
    for path in (log_path(), *(_older(number) for number in range(1, _KEPT + 1))):
        try:
            lines = path.read_bytes().splitlines()
        except FileNotFoundError:
            continue
        block = []
        for line in lines:
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    block.append(value)
        found = block + found
        if limit is not None and len(found) >= limit:
            break
    return found if limit is None else found[max(0, len(found) - limit) :]


def _older(number: int) -> Path:
    return log_path().with_name(f"runs.{number}.jsonl")


def _rotate(path: Path) -> None:
    for number in range(_KEPT, 1, -1):
        with contextlib.suppress(FileNotFoundError):
            _older(number - 1).replace(_older(number))
    path.replace(_older(1))


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"
