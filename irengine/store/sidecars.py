"""The small things beside a corpus: calibration, maintenance state, history of builds."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Protocol

from irengine.errors import CorpusBusy, ParameterError
from irengine.store.files import dump_json, read_json, storage_errors, write_atomic, write_json
from irengine.store.layout import Layout
from irengine.store.rows import clean_json

__all__ = ["FileSidecars", "MemorySidecars", "Sidecars"]

_LOCK_SECONDS = 10.0
_BUILDS_BYTES = 1_000_000
_BUILDS_KEPT = 500


class Sidecars(Protocol):
    """What both backends keep beside the rows."""

    def get_calibration(self, mode: str) -> dict[str, Any] | None:
        """Return a deep copy of a mode's record."""
        ...

    def set_calibration(self, mode: str, record: Mapping[str, Any]) -> None:
        """Store a mode's record."""
        ...

    def calibration_modes(self) -> list[str]:
        """Return the modes that have a record."""
        ...

    def get_state(self) -> dict[str, Any]:
        """Return a copy of the maintenance state."""
        ...

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Store the maintenance state."""
        ...

    def append_build(self, report: Mapping[str, Any]) -> None:
        """Add a build to the history."""
        ...

    def builds(self) -> list[dict[str, Any]]:
        """Return the history, oldest first."""
        ...


class MemorySidecars:
    """Sidecars over mappings."""

    def __init__(
        self, calibration: MutableMapping[str, Any], config: MutableMapping[str, Any]
    ) -> None:
        self._calibration = calibration
        self._config = config
        self._builds: list[dict[str, Any]] = []

    def get_calibration(self, mode: str) -> dict[str, Any] | None:
        """Return a deep copy of a mode's record."""
        return copy.deepcopy(self._calibration.get(mode))

    def set_calibration(self, mode: str, record: Mapping[str, Any]) -> None:
        """Store a mode's record."""
        _check_mode(mode)
        self._calibration[mode] = clean_json(record, "calibration", mode)

    def calibration_modes(self) -> list[str]:
        """Return the modes that have a record."""
        return sorted(self._calibration)

    def get_state(self) -> dict[str, Any]:
        """Return a copy of the maintenance state."""
        return copy.deepcopy(dict(self._config.get("maintenance") or {}))

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Store the maintenance state."""
        self._config["maintenance"] = clean_json(state, "maintenance", "state")

    def append_build(self, report: Mapping[str, Any]) -> None:
        """Add a build to the history."""
        self._builds.append(clean_json(report, "build", "report"))
        del self._builds[:-_BUILDS_KEPT]

    def builds(self) -> list[dict[str, Any]]:
        """Return the history, oldest first."""
        return copy.deepcopy(self._builds)


class FileSidecars:
    """Sidecars as JSON files in the corpus' folder, each replaced atomically."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def get_calibration(self, mode: str) -> dict[str, Any] | None:
        """Return a mode's record."""
        record: dict[str, Any] | None = self._calibration().get(mode)
        return record

    def set_calibration(self, mode: str, record: Mapping[str, Any]) -> None:
        """Store a mode's record."""
        _check_mode(mode)
        cleaned = clean_json(record, "calibration", mode)
        with self._changing():
            write_json(self._layout.calibration, {**self._calibration(), mode: cleaned})

    def calibration_modes(self) -> list[str]:
        """Return the modes that have a record."""
        return sorted(self._calibration())

    def get_state(self) -> dict[str, Any]:
        """Return the maintenance state."""
        return dict(_read(self._layout.policy).get("state") or {})

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Store the maintenance state."""
        cleaned = clean_json(state, "maintenance", "state")
        with self._changing():
            policy = _read(self._layout.policy)
            write_json(self._layout.policy, {**policy, "state": cleaned})

    def append_build(self, report: Mapping[str, Any]) -> None:
        """Add a line to builds.jsonl."""
        line = dump_json(clean_json(report, "build", "report")) + b"\n"
        path = self._layout.builds
        with self._changing():
            with path.open("ab") as file:
                file.write(line)
            if path.stat().st_size > _BUILDS_BYTES:
                write_atomic(path, _newest(path.read_bytes().splitlines(keepends=True)))

    def builds(self) -> list[dict[str, Any]]:
        """Return the history, oldest first; a torn last line is left out."""
        try:
            lines = self._layout.builds.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def _calibration(self) -> dict[str, Any]:
        return _read(self._layout.calibration)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Guard read-modify-write; a long build does not hold this lock."""
        import filelock

        folder = self._layout.folder
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                with filelock.FileLock(str(folder / "SIDECARS.lock"), timeout=_LOCK_SECONDS):
                    yield
            except filelock.Timeout:
                raise CorpusBusy(f"the small files of {folder} are being written") from None


def _read(path: Any) -> dict[str, Any]:
    try:
        content = read_json(path)
    except FileNotFoundError:
        return {}
    return content if isinstance(content, dict) else {}


def _newest(lines: list[bytes]) -> bytes:
    """Keep the newest lines that fill half of what is allowed, and at least one."""
    kept: list[bytes] = []
    size = 0
    for line in reversed(lines):
        size += len(line)
        if kept and size > _BUILDS_BYTES // 2:
            break
        kept.append(line)
    return b"".join(reversed(kept))


def _check_mode(mode: str) -> None:
    if not mode or "/" in mode or "\\" in mode:
        raise ParameterError(
            f"{mode!r} cannot be a calibration mode", hint="use a name such as 'dense'"
        )
