"""The file a job's output goes to: how the last run ended, and rotation."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from irengine.schedule.spec import LOG_VARIABLE

__all__ = ["LogTail", "iso", "read_tail", "rotate", "rotate_own"]

_TAIL_BYTES = 8192
_LINE_CHARACTERS = 200
_ROTATE_BYTES = 1_000_000
_KEPT = 3
_ENDED = re.compile(r"exit (\d+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")


@dataclass(frozen=True, slots=True)
class LogTail:
    """The end of a log: its last line, when it was written, and the last exit noted in it."""

    last_line: str | None = None
    written: str | None = None
    last_exit: int | None = None
    ended: str | None = None


def read_tail(path: str | None) -> LogTail:
    """Return the end of the log at ``path``; an empty one when there is none."""
    if not path:
        return LogTail()
    try:
        with Path(path).open("rb") as file:
            info = os.fstat(file.fileno())
            file.seek(max(0, info.st_size - _TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return LogTail()
    last_line = last_exit = ended = None
    for line in reversed(lines):
        match = _ENDED.fullmatch(line.strip())
        if match is not None and ended is None and last_line is None:
            last_exit, ended = int(match[1]), match[2].replace("Z", "+00:00")
        elif match is None and line.strip():
            last_line = line.strip()[:_LINE_CHARACTERS]
            break
    if ended is None:  # a run is going on: what ended last is further up
        matches = [match for line in lines if (match := _ENDED.fullmatch(line.strip()))]
        if matches:
            last_exit, ended = int(matches[-1][1]), matches[-1][2].replace("Z", "+00:00")
    return LogTail(last_line, iso(info.st_mtime), last_exit, ended)


def iso(seconds: float) -> str:
    """Return seconds since the epoch as ISO text in UTC, to the second."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def rotate(path: str | os.PathLike[str], *, most: int = _ROTATE_BYTES, kept: int = _KEPT) -> bool:
    """Move what is in a log to ``<name>.1`` when it is longer than ``most`` bytes.

    The file itself stays and is emptied: whoever appends to it goes on doing so. Older ones move
    up to ``.2`` and so on, ``kept`` of them. Returns whether anything was moved. A log that cannot
    be rotated is left as it is.
    """
    log = Path(path)
    try:
        if not log.is_file() or log.stat().st_size <= most:
            return False
        for number in range(kept, 1, -1):
            with contextlib.suppress(FileNotFoundError):
                _older(log, number - 1).replace(_older(log, number))
        shutil.copyfile(log, _older(log, 1))
        os.truncate(log, 0)
    except OSError:
        return False
    return True


def rotate_own(environment: Mapping[str, str] | None = None) -> bool:
    """Rotate the log this process was scheduled to write to, if it was scheduled."""
    path = (os.environ if environment is None else environment).get(LOG_VARIABLE)
    return bool(path) and rotate(str(path))


def _older(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
