"""Durable file operations: whole files appear at once or not at all, and errors say what to do."""

from __future__ import annotations

import contextlib
import errno
import glob
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from irengine.config import data_dir
from irengine.errors import StorageFull, StoreError
from irengine.store.damage import damaged

__all__ = [
    "dump_json",
    "fsync_dir",
    "fsync_file",
    "read_json",
    "remove_temporaries",
    "remove_tree",
    "storage_errors",
    "write_atomic",
    "write_json",
]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_FOLDERS = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


@contextlib.contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn the ``OSError`` of a write below ``folder`` into a :class:`StoreError`.

    Raises:
        StorageFull: the disk, the quota or the file-size limit is exhausted.
        StoreError: code ``read-only`` when the folder cannot be written, else ``store``.
    """
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise _translated(error, folder) from error


def _translated(error: OSError, folder: Path) -> StoreError:
    if error.errno in _FULL:
        return StorageFull(
            f"no space left to write below {folder}",
            hint="free some space and build again; what was published before still serves",
        )
    if error.errno in _READ_ONLY:
        return StoreError(
            f"{folder} cannot be written ({error.strerror})",
            hint="searching a read-only corpus works; building needs write permission",
            code="read-only",
        )
    return StoreError(
        f"cannot write below {folder}: {error.strerror or error}",
        hint="set IR_DATA_DIR to a folder that can be written" if _is_ours(folder) else "",
    )


def _is_ours(folder: Path) -> bool:
    return folder.is_relative_to(data_dir().absolute())


def dump_json(value: Any, *, indent: int | None = None) -> bytes:
    """Return ``value`` as UTF-8 JSON; lone surrogates are escaped, NaN is refused."""
    separators = None if indent else (",", ":")
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
        return text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, indent=indent, separators=separators)
        return text.encode("ascii")


def read_json(path: Path) -> Any:
    """Return the parsed content of ``path``.

    Raises:
        FileNotFoundError: there is no such file.
        CorpusDamaged: it is not JSON.
    """
    data = path.read_bytes()
    try:
        return json.loads(data)
    except ValueError as error:
        raise damaged(path, f"{path} is not valid JSON: {error}") from error


def write_json(path: Path, value: Any) -> None:
    """Replace ``path`` by ``value`` as indented JSON, atomically and durably."""
    write_atomic(path, dump_json(value, indent=1) + b"\n")


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``: a reader, or a crash, meets the old bytes or the new ones."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(3)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            # File clocks tick every few milliseconds; readers notice a change by its time.
            os.utime(temporary, ns=(time.time_ns(), time.time_ns()))
            fsync_file(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    fsync_dir(path.parent)


def remove_temporaries(path: Path) -> None:
    """Remove what writers of ``path`` that were killed left; nobody may be writing it."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        remove_tree(left)


def fsync_file(descriptor: int) -> None:
    """Flush an open file to the disk."""
    os.fsync(descriptor)


def fsync_dir(folder: Path) -> None:
    """Flush the entries of ``folder`` to the disk, where the system and the disk can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:  # network and FUSE file systems that know files only
        if error.errno not in _NO_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def remove_tree(path: Path) -> None:
    """Remove a folder or file as far as possible; what resists is left for the next sweep."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
