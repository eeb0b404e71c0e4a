"""Notice, while a corpus is being read, that the bytes of its files are not those written.

``verify`` compares every byte with its SHA-256. A reader cannot wait for that: what it opens is
compared by CRC-32 (15 ms for the words of 50,000 records), vectors by their length (5 ms for
50,000 of 384 numbers, where their checksum takes 40), rows by their own hash when they are shown.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.errors import CorpusDamaged
from irengine.store.damage import damaged

__all__ = [
    "Checksum",
    "check_file",
    "content_problem",
    "file_record",
    "not_as_written",
    "uneven_rows",
]

_BLOCK = 1 << 20
_ROWS = 8192
_LARGEST = 128 << 20
"""A larger file is left to ``verify``: reading it whole would delay the first answer."""
_TOLERANCE = 1e-3


class Checksum:
    """What is recorded of the bytes of a file, summed up as they are written or read."""

    def __init__(self) -> None:
        self._digest, self._check, self._size = hashlib.sha256(), 0, 0

    def add(self, block: bytes) -> None:
        """Take the next bytes in."""
        self._digest.update(block)
        self._check = zlib.crc32(block, self._check)
        self._size += len(block)

    def record(self) -> dict[str, Any]:
        """Return ``{"size", "sha256", "crc32"}``."""
        return {"size": self._size, "sha256": self._digest.hexdigest(), "crc32": self._check}


def file_record(path: Path) -> dict[str, Any]:
    """Return the record of a file as it is now."""
    checksum = Checksum()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            checksum.add(block)
    return checksum.record()


def content_problem(path: Path, record: Mapping[str, Any]) -> str:
    """Return what is wrong with a file by its recorded size and SHA-256, or ``""``.

    Whoever wrote it may have recorded less of a file, or more.
    """
    try:
        found = file_record(path)
    except OSError as error:
        return str(error.strerror)
    same = all(found[key] == record.get(key) for key in ("size", "sha256"))
    return "" if same else "content does not match its checksum"


def check_file(path: Path, record: Mapping[str, Any], *, meanwhile: str = "") -> None:
    """Compare a file with the size and the CRC-32 that were recorded, as far as they were.

    Raises:
        FileNotFoundError: it is gone.
        CorpusDamaged: it is another; ``meanwhile`` tells what works nevertheless.
    """
    size = path.stat().st_size
    if size != record["size"]:
        message = f"{path} has {size} bytes instead of {record['size']}"
        raise damaged(path, message, meanwhile=meanwhile)
    expected = record.get("crc32")
    if expected is None or size > _LARGEST:
        return
    check = 0
    block = memoryview(bytearray(min(_BLOCK, size)))
    with path.open("rb", buffering=0) as file:
        while length := file.readinto(block):
            check = zlib.crc32(block[:length], check)
    if check != expected:
        raise not_as_written(path, meanwhile=meanwhile)


def not_as_written(path: Path, *, meanwhile: str = "") -> CorpusDamaged:
    """Return the error for a file whose size is right and whose content is not."""
    return damaged(path, f"the content of {path} is not what was written", meanwhile=meanwhile)


def uneven_rows(vectors: npt.NDArray[np.float32]) -> int:
    """Return how many rows are not of unit length: zero, or not what was written."""
    count = 0
    for at in range(0, len(vectors), _ROWS):
        block = vectors[at : at + _ROWS]
        squares = np.einsum("ij,ij->i", block, block)
        # Written so that it also counts what is no number.
        count += len(block) - int(np.count_nonzero(np.abs(squares - 1.0) <= _TOLERANCE))
    return count
