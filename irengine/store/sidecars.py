"""The small things beside a corpus: calibration, maintenance state, history of builds."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, BinaryIO, Protocol

from irengine.checks import text
from irengine.errors import CorpusBusy, ParameterError
from irengine.store.files import (
    dump_json,
    read_json,
    remove_temporaries,
    storage_errors,
    write_atomic,
    write_json,
)
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

    def scrub_builds(self, artifact_ids: Iterable[str]) -> None:
        """Take every mention of the artifacts out of the history of builds."""
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

    def scrub_builds(self, artifact_ids: Iterable[str]) -> None:
        """Take every mention of the artifacts out of the history."""
        self._builds = _scrubbed(self._builds, artifact_ids)


class FileSidecars:
    """Sidecars as JSON files in the corpus' folder, each replaced atomically."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def get_calibration(self, mode: str) -> dict[str, Any] | None:
        """Return a mode's record."""
        record = self._calibration().get(mode)
        return record if isinstance(record, dict) else None

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
        state = _read(self._layout.policy).get("state")
        return state if isinstance(state, dict) else {}

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
            with path.open("ab+") as file:
                if file.tell() and not _ends_a_line(file):
                    file.write(b"\n")  # a full disk tore the last line
                file.write(line)
            if path.stat().st_size > _BUILDS_BYTES:
                write_atomic(path, _newest(path.read_bytes().splitlines(keepends=True)))

    def builds(self) -> list[dict[str, Any]]:
        """Return the history, oldest first; a torn or garbled line is left out."""
        try:
            lines = self._layout.builds.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            with contextlib.suppress(ValueError):
                report = json.loads(line)
                if isinstance(report, dict):
                    found.append(report)
        return found

    def scrub_builds(self, artifact_ids: Iterable[str]) -> None:
        """Take every mention of the artifacts out of builds.jsonl."""
        with self._changing():
            if self._layout.builds.exists():
                cleaned = _scrubbed(self.builds(), artifact_ids)
                lines = [dump_json(report) + b"\n" for report in cleaned]
                write_atomic(self._layout.builds, b"".join(lines))

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
                    layout = self._layout
                    for path in (layout.calibration, layout.policy, layout.builds):
                        remove_temporaries(path)
                    yield
            except filelock.Timeout:
                raise CorpusBusy(f"the small files of {folder} are being written") from None


def _read(path: Any) -> dict[str, Any]:
    try:
        content = read_json(path)
    except FileNotFoundError:
        return {}
    return content if isinstance(content, dict) else {}


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


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


def _scrubbed(reports: Iterable[Any], artifact_ids: Iterable[str]) -> list[Any]:
    """Return reports without the texts that mention one of the artifacts, as a word or a path."""
    ids = [re.escape(artifact_id) for artifact_id in artifact_ids if artifact_id]
    mention = re.compile(rf"(?<!\w)(?:{'|'.join(ids)})(?!\w)" if ids else r"(?!)")
    return [_without(report, mention) for report in reports]


def _without(value: Any, mention: re.Pattern[str]) -> Any:
    def mentions(item: Any) -> bool:
        if isinstance(item, str):
            return mention.search(item) is not None
        if isinstance(item, dict):
            return any(map(mentions, item.values()))
        return isinstance(item, list) and any(map(mentions, item))

    if isinstance(value, dict):
        return {key: _without(part, mention) for key, part in value.items()}
    if isinstance(value, list):
        return [_without(part, mention) for part in value if not mentions(part)]
    return "" if isinstance(value, str) and mentions(value) else value


def _check_mode(mode: str) -> None:
    if not text("mode", mode) or "/" in mode or "\\" in mode:
        raise ParameterError(
            f"{mode!r} cannot be a calibration mode", hint="use a name such as 'dense'"
        )
