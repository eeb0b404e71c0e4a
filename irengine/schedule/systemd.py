"""The job as a timer of the user's systemd."""

from __future__ import annotations

import os
import re
import shutil
from datetime import datetime, timezone
from pathlib import Path

from irengine.errors import ScheduleError
from irengine.schedule.calling import Called, call
from irengine.schedule.files import replaced
from irengine.schedule.intervals import calendar_expression, format_every
from irengine.schedule.joblog import iso, read_tail
from irengine.schedule.spec import LOG_VARIABLE, ScheduleSpec, ScheduleStatus

__all__ = ["Systemd", "service_text", "timer_text"]

_WORD = re.compile(r'"((?:\\.|[^"\\])*)"|(\S+)')
_ENV = "/usr/bin/env"
_REFUSED = re.compile(r"[\"'\\]")
_EVERY = "EveryMinutes"
_SHOWN = "ActiveState,ExecMainStatus,ExecMainCode,ExecMainExitTimestamp,Result"


def service_text(spec: ScheduleSpec) -> str:
    """Return the service unit of a job; words quoted, ``%`` and ``$`` escaped."""
    variables = [
        "Environment=" + _quoted(f"{name}={value}") for name, value in spec.job_env.items()
    ]
    log = spec.log_path.replace("%", "%%")
    lines = [
        "[Unit]",
        "Description=Keep irengine corpora up to date",
        "",
        "[Service]",
        "Type=oneshot",
        *variables,
        "ExecStart=" + " ".join(_words_of(spec.command)),
        f"StandardOutput=append:{log}",
        f"StandardError=append:{log}",
        "Nice=10",
    ]
    return "\n".join(lines) + "\n"


def timer_text(spec: ScheduleSpec) -> str:
    """Return the timer unit of a job: times of the day where the interval divides one, caught up
    after a pause; else the time since the last run.
    """
    calendar = calendar_expression(spec.every_minutes)
    if calendar is not None:
        when = [f"OnCalendar={calendar}", "Persistent=true"]
    else:
        when = [f"OnActiveSec={spec.every_minutes}min", f"OnUnitActiveSec={spec.every_minutes}min"]
    lines = [
        "[Unit]",
        f"Description=Every {format_every(spec.every_minutes)}: keep irengine corpora up to date",
        "",
        "[Timer]",
        *when,
        "",
        "[Install]",
        "WantedBy=timers.target",
        "",
        "[X-Irengine]",
        f"{_EVERY}={spec.every_minutes}",
    ]
    return "\n".join(lines) + "\n"


class Systemd:
    """User timers as a place for the job."""

    name = "systemd"
    reports_loaded = True

    @staticmethod
    def available() -> bool:
        """Whether there is a systemd that runs for this user."""
        return shutil.which("systemctl") is not None and _user("show", "--property=Version").ok

    def preview(self, spec: ScheduleSpec) -> str:
        """Return the two units that would be installed."""
        return f"{service_text(spec)}\n{timer_text(spec)}"

    def status(self, label: str) -> ScheduleStatus:
        """Return what is in the units, and how systemd says the last run went."""
        service, timer = _paths(label)
        if not timer.is_file():
            return ScheduleStatus(False, self.name, label)
        settings = _settings(_text(service)) | _settings(_text(timer))
        env = dict(_pair(_unquoted(word)) for word in settings.get("Environment", []))
        env.pop(LOG_VARIABLE, None)
        program, *rest = _words(settings, "ExecStart") or [""]
        rest = [word.replace("$$", "$") for word in rest]
        command = tuple(rest if program == _ENV else [program, *rest] if program else ())
        log = next(iter(settings.get("StandardOutput", [])), "").removeprefix("append:")
        every = next(iter(settings.get(_EVERY, [])), "")
        shown = _shown(f"{label}.service", _SHOWN)
        due = _shown(f"{label}.timer", "NextElapseUSecRealtime").get("NextElapseUSecRealtime")
        ended = _time(shown.get("ExecMainExitTimestamp"))
        broken = () if command else (f"{service} is missing or does not say what to run",)
        return ScheduleStatus(
            True,
            self.name,
            label,
            every_minutes=int(every) if every.isdigit() else None,
            definition=str(timer),
            command=command or None,
            python=command[0] if command else None,
            env=env,
            log_path=log.replace("%%", "%") or None,
            loaded=_user("is-active", f"{label}.timer").ok,
            last_run=ended,
            last_exit=_exit_of(shown) if ended else None,
            last_log_line=read_tail(log.replace("%%", "%")).last_line,
            next_run=_time(due),
            problems=broken + _lingering(),
        )

    def install(self, spec: ScheduleSpec) -> str:
        """Write the units and start the timer; a failure puts the old ones back.

        Raises:
            ScheduleError: when systemd does not take them.
        """
        service, timer = _paths(spec.label)
        had = timer.is_file() and _user("is-active", timer.name).ok
        units = {service: service_text(spec).encode(), timer: timer_text(spec).encode()}
        try:
            with replaced(units):
                self._start(timer.name)
        except ScheduleError as error:
            _user("daemon-reload")
            if had:
                self._start(timer.name)
                raise ScheduleError(
                    f"the job was not changed: {error.message}", hint="the one before is back"
                ) from error
            _user("disable", "--now", timer.name)
            raise
        return str(timer)

    def remove(self, label: str) -> bool:
        """Stop the timer and delete the units; ``False`` when there were none.

        Raises:
            ScheduleError: when systemd keeps the timer.
        """
        service, timer = _paths(label)
        if not timer.is_file() and not service.is_file():
            return False
        stopped = _user("disable", "--now", timer.name)
        if not stopped.ok and _user("is-active", timer.name).ok:
            raise ScheduleError(f"systemd keeps the timer: {stopped.said}")
        timer.unlink(missing_ok=True)
        service.unlink(missing_ok=True)
        _user("daemon-reload")
        return True

    def _start(self, timer: str) -> None:
        for words in (("daemon-reload",), ("enable", timer), ("restart", timer)):
            done = _user(*words)
            if not done.ok:
                raise ScheduleError(f"systemd refused the timer: {done.said}")
        if not _user("is-active", timer).ok:
            raise ScheduleError("systemd took the timer but does not run it")


def _user(*words: str) -> Called:
    return call("systemctl", "--user", *words)


def _paths(label: str) -> tuple[Path, Path]:
    configured = os.environ.get("XDG_CONFIG_HOME")
    base = Path(configured) if configured else Path.home() / ".config"
    folder = base / "systemd" / "user"
    return folder / f"{label}.service", folder / f"{label}.timer"


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _words_of(command: tuple[str, ...]) -> list[str]:
    """Return the words of a command; a program whose name systemd would refuse is an argument."""
    program, *rest = command
    if _REFUSED.search(program):
        program, rest = _ENV, list(command)
    return [_quoted(program), *map(_argument, rest)]


def _argument(word: str) -> str:
    return _quoted(word).replace("$", "$$")  # variables are expanded, but not in the program's name


def _unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word).replace("%%", "%")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _settings(text: str) -> dict[str, list[str]]:
    """Return every setting with its values; words that are quoted become values of their own."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if not equals or name.startswith(("#", ";", "[")):
            continue
        words = [quoted or plain for quoted, plain in _WORD.findall(value)]
        quotes = name in ("Environment", "ExecStart")
        found.setdefault(name, []).extend(words if quotes else [value])
    return found


def _words(settings: dict[str, list[str]], name: str) -> list[str]:
    return [_unquoted(word) for word in settings.get(name, [])]


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def _shown(unit: str, properties: str) -> dict[str, str]:
    out = _user("show", unit, f"--property={properties}", "--timestamp=unix").out
    return dict(_pair(line) for line in out.splitlines() if "=" in line)


def _time(said: str | None) -> str | None:
    """Return a time systemd shows, ``@seconds`` or microseconds, as ISO text."""
    digits = (said or "").removeprefix("@")
    if not digits.isdigit() or int(digits) == 0:
        return _dated(said)
    seconds = int(digits)
    return iso(seconds / 1e6 if seconds > 10**12 else seconds)


def _dated(said: str | None) -> str | None:
    match = re.search(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC", said or "")
    if match is None:
        return None
    moment = datetime.strptime(match[1], "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc)
    return moment.isoformat(timespec="seconds")


def _exit_of(shown: dict[str, str]) -> int | None:
    status = shown.get("ExecMainStatus", "")
    if not status.isdigit():
        return None
    killed = shown.get("ExecMainCode") in ("2", "3", "killed", "dumped")
    return -int(status) if killed else int(status)


def _lingering() -> tuple[str, ...]:
    told = call("loginctl", "show-user", str(os.getuid()), "--property=Linger", "--value")
    if told.ok and told.out.strip() == "no":
        return ("it runs only while you are logged in; loginctl enable-linger changes that",)
    return ()
