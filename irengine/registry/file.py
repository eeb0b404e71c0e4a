"""The registry's file: locked writes, atomic replacement, and the last good copy."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from irengine.config import registry_path
from irengine.errors import RegistryError

__all__ = ["read_entries", "update_entries"]

_LOCK_SECONDS = 30.0


class _Malformed(ValueError):
    """The text of a registry file is not an object of objects."""


def read_entries() -> dict[str, dict[str, Any]]:
    """Return the entries; ``{}`` without a file, the last good copy for a malformed one.

    Raises:
        RegistryError: when the file cannot be read, or is malformed with no good copy.
    """
    entries, problem = _read()
    if problem:
        warnings.warn(problem, UserWarning, stacklevel=4)
    return entries


def update_entries(change: Callable[[dict[str, Any]], object]) -> None:
    """Apply ``change`` to the entries and publish the result as one atomic step.

    Writers of all processes take turns. A malformed file is kept as ``corpora.json.malformed``
    before it is replaced.

    Raises:
        RegistryError: when the file cannot be read, locked or written.
    """
    from filelock import FileLock, Timeout

    # Through a symlink (a dotfile manager's) to the file itself: replacing must not cut the link.
    path = Path(os.path.realpath(registry_path()))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
            entries, problem = _read()
            if problem:
                warnings.warn(problem, UserWarning, stacklevel=4)
                os.replace(path, f"{path}.malformed")  # noqa: PTH105
            change(entries)
            text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
            _replace(path, text)
            _replace(_copy_of(path), text)
    except Timeout as error:
        raise RegistryError(
            f"the registry {path} has been locked by another process for {_LOCK_SECONDS:.0f} s",
            hint="try again when it has finished",
        ) from error
    except OSError as error:
        raise RegistryError(
            f"the registry {path} cannot be written: {error.strerror or error}",
            hint="check the folder's permissions, or point IR_CONFIG_DIR elsewhere",
        ) from error


def _read() -> tuple[dict[str, dict[str, Any]], str]:
    """Return the entries and, when they come from the copy, why."""
    path = Path(os.path.realpath(registry_path()))
    try:
        return _parse(path), ""
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        raise RegistryError(
            f"the registry {path} cannot be read: {error.strerror or error}",
            hint="check its permissions, or point IR_CONFIG_DIR elsewhere",
        ) from error
    except _Malformed as error:
        problem = error
    try:
        entries = _parse(_copy_of(path))
    except (OSError, _Malformed):
        raise RegistryError(
            f"the registry {path} is malformed ({problem}) and there is no good copy of it",
            hint="repair the file by hand, or move it away and register the corpora again",
        ) from problem
    return entries, f"the registry {path} is malformed ({problem}); its last good copy is used"


def _parse(path: Path) -> dict[str, dict[str, Any]]:
    raw = path.read_bytes()
    try:
        entries = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _Malformed(str(error)) from error
    if not isinstance(entries, dict):
        raise _Malformed("it is not a JSON object")
    for name, entry in entries.items():
        if not isinstance(entry, dict):
            raise _Malformed(f"the entry of {name!r} is not a JSON object")
    return entries


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _copy_of(path: Path) -> Path:
    return path.with_name(path.name + ".bak")


def _replace(path: Path, text: str) -> None:
    """Write ``text`` beside ``path``, flush it to disk, and move it into place."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
