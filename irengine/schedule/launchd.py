"""The job as a launch agent of macOS."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
from pathlib import Path
from typing import Any

from irengine.errors import ScheduleError
from irengine.schedule.calling import call
from irengine.schedule.files import replaced
from irengine.schedule.joblog import read_tail
from irengine.schedule.spec import LOG_VARIABLE, ScheduleSpec, ScheduleStatus

__all__ = ["Launchd", "plist_bytes", "plist_dict"]

_LAST_EXIT = re.compile(r'"LastExitStatus"\s*=\s*(-?\d+)')


def plist_dict(spec: ScheduleSpec) -> dict[str, Any]:
    """Return the property list of a job."""
    return {
        "Label": spec.label,
        "ProgramArguments": list(spec.command),
        "StartInterval": spec.every_minutes * 60,
        "RunAtLoad": False,
        "EnvironmentVariables": spec.job_env,
        "StandardOutPath": spec.log_path,
        "StandardErrorPath": spec.log_path,
        "ProcessType": "Standard",  # a background process would be throttled
        "WorkingDirectory": spec.env_dict.get("HOME", "/"),
    }


def plist_bytes(spec: ScheduleSpec) -> bytes:
    """Return the property list of a job as XML."""
    return plistlib.dumps(plist_dict(spec), sort_keys=True)


class Launchd:
    """Launch agents as a place for the job."""

    name = "launchd"
    reports_loaded = True

    @staticmethod
    def available() -> bool:
        """Whether there is a ``launchctl``, and users have numbers."""
        return shutil.which("launchctl") is not None and hasattr(os, "getuid")

    def preview(self, spec: ScheduleSpec) -> str:
        """Return the file that would be installed."""
        return plist_bytes(spec).decode()

    def status(self, label: str) -> ScheduleStatus:
        """Return what is in the agent's file, and whether launchd has it."""
        path = _path(label)
        if not path.is_file():
            return ScheduleStatus(False, self.name, label)
        listed = call("launchctl", "list", label)
        try:
            data = plistlib.loads(path.read_bytes())
            if not isinstance(data, dict):
                raise ValueError("it is no dictionary")
        except Exception as error:  # noqa: BLE001 - the parsers of plistlib raise many kinds
            told = f"{path} cannot be read: {error}"
            return ScheduleStatus(
                True, self.name, label, definition=str(path), loaded=listed.ok, problems=(told,)
            )
        return self._read_back(label, path, data, listed.ok, listed.out)

    def _read_back(
        self, label: str, path: Path, data: dict[str, Any], loaded: bool, listed: str
    ) -> ScheduleStatus:
        words = data.get("ProgramArguments")
        command = tuple(map(str, words)) if isinstance(words, list) else ()
        seconds = data.get("StartInterval")
        env = data.get("EnvironmentVariables")
        log = data.get("StandardOutPath")
        match = _LAST_EXIT.search(listed)
        tail = read_tail(log if isinstance(log, str) else None)
        return ScheduleStatus(
            True,
            self.name,
            label,
            every_minutes=seconds // 60 if isinstance(seconds, int) else None,
            definition=str(path),
            command=command or None,
            python=command[0] if command else None,
            env={str(k): str(v) for k, v in env.items() if k != LOG_VARIABLE}
            if isinstance(env, dict)
            else None,
            log_path=log if isinstance(log, str) else None,
            loaded=loaded,
            last_run=tail.written,
            last_exit=_exit_of(int(match[1])) if match else None,
            last_log_line=tail.last_line,
        )

    def install(self, spec: ScheduleSpec) -> str:
        """Write the file and have launchd take it in; a failure puts the old job back.

        Raises:
            ScheduleError: when launchd does not take it.
        """
        path = _path(spec.label)
        had = path.is_file() and call("launchctl", "list", spec.label).ok
        try:
            with replaced({path: plist_bytes(spec)}):
                self._out(spec.label)
                self._in(path, spec.label)
        except ScheduleError as error:
            if had:
                self._in(path, spec.label)
                raise ScheduleError(
                    f"the job was not changed: {error.message}", hint="the one before is back"
                ) from error
            raise
        return str(path)

    def remove(self, label: str) -> bool:
        """Take the job out of launchd and delete its file; ``False`` when there was none.

        Raises:
            ScheduleError: when launchd keeps it.
        """
        path = _path(label)
        loaded = call("launchctl", "list", label).ok
        if not path.is_file() and not loaded:
            return False
        if loaded:
            self._out(label)
            if call("launchctl", "list", label).ok:
                raise ScheduleError(f"launchd keeps the job {label}", hint="log out and in again")
        path.unlink(missing_ok=True)
        return True

    def _out(self, label: str) -> None:
        call("launchctl", "bootout", f"{_domain()}/{label}")

    def _in(self, path: Path, label: str) -> None:
        taken = call("launchctl", "bootstrap", _domain(), str(path))
        if not taken.ok:
            older = call("launchctl", "load", "-w", str(path))  # before macOS 10.11
            if not older.ok:
                raise ScheduleError(f"launchd refused the job: {taken.said}")
        if not call("launchctl", "list", label).ok:
            raise ScheduleError("launchd took the job but does not list it")


def _path(label: str) -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{label}.plist"


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _exit_of(wait_status: int) -> int:
    """Return the exit status in what ``wait`` gave, negative for a signal.

    >>> _exit_of(256), _exit_of(9), _exit_of(0)
    (1, -9, 0)
    """
    signal = wait_status & 0x7F
    return -signal if signal else (wait_status >> 8) & 0xFF
