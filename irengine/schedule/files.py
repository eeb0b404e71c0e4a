"""Definitions that are files: written beside the old one, and put back when anything fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from irengine.errors import ScheduleError, StoreError
from irengine.store.files import storage_errors, write_atomic

__all__ = ["replaced"]


@contextlib.contextmanager
def replaced(files: Mapping[Path, bytes | None]) -> Iterator[None]:
    """Write files (``None`` removes one) for the block; when it raises, all are as before.

    Raises:
        ScheduleError: when one cannot be written.
    """
    before = {path: path.read_bytes() if path.is_file() else None for path in files}
    try:
        try:
            _write(files)
        except (StoreError, OSError) as error:
            raise ScheduleError(f"the definition of the job cannot be written: {error}") from error
        yield
    except BaseException:
        _write(before)
        raise


def _write(files: Mapping[Path, bytes | None]) -> None:
    for path, data in files.items():
        if data is None:
            path.unlink(missing_ok=True)
            continue
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
