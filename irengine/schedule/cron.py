"""The job as one line of the user's crontab; no other line is ever touched."""

from __future__ import annotations

import re
import shlex
import shutil
from datetime import datetime, timezone
from pathlib import Path

from irengine.errors import ParameterError, ScheduleError
from irengine.policy import Cron as CronTimes
from irengine.schedule.calling import call
from irengine.schedule.intervals import cron_expression
from irengine.schedule.joblog import read_tail
from irengine.schedule.spec import DFLT_LABEL, LOG_VARIABLE, ScheduleSpec, ScheduleStatus

__all__ = ["Cron", "cron_line", "cron_marker", "crontab_with_line", "crontab_without_line"]

_FIELDS = 5
_MOST = 998
"""Characters of a command beyond which crons refuse or cut it."""

_NOTE_EXIT = 'echo "exit $? $(date -u +%FT%TZ)"'
_AMBIGUOUS = re.compile(r"\\[\\%]|\\$")


def cron_marker(label: str) -> str:
    """Return the comment that the line of ``label`` ends with, up to its interval."""
    return f"# {label} every="


def cron_line(spec: ScheduleSpec) -> str:
    """Return the one line of a job; every word quoted, every ``%`` escaped.

    The shell notes how the command ended, so that a failure shows, also when the interpreter
    cannot be started.

    Raises:
        ScheduleError: for an interval cron cannot keep, and for what no line can hold.
    """
    expression = cron_expression(spec.every_minutes)
    words = ["/usr/bin/env", *(f"{name}={value}" for name, value in spec.job_env.items())]
    words += spec.command
    for word in (*words, spec.log_path):
        if _AMBIGUOUS.search(word):
            raise ScheduleError(
                f"cron cannot carry {word!r}: programs differ in what a backslash there means"
            )
    log = shlex.quote(spec.log_path)
    quoted = " ".join(map(shlex.quote, words))
    command = f"{quoted} >> {log} 2>&1; {_NOTE_EXIT} >> {log}".replace("%", "\\%")
    line = f"{command} {cron_marker(spec.label)}{spec.every_minutes}"
    if len(line.encode("utf-8", "surrogateescape")) > _MOST:
        raise ScheduleError(
            f"the line would have {len(line)} characters, more than cron takes",
            hint="another backend has no such limit; or shorten the variables it carries",
        )
    return f"{expression} {line}"


def crontab_without_line(text: str, label: str = DFLT_LABEL) -> str:
    """Return a crontab without the lines of ``label``; everything else as it was, byte by byte.

    A line is ours when it is no comment and ends with the marker and a number. One that merely
    mentions the label is somebody else's.
    """
    return "".join(line for line in _lines(text) if not _is_ours(line, label))


def crontab_with_line(text: str, spec: ScheduleSpec) -> str:
    """Return a crontab in which the job has its one line, at the end; the others as they were."""
    kept = crontab_without_line(text, spec.label)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    return f"{kept}{cron_line(spec)}\n"


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _is_ours(line: str, label: str) -> bool:
    if line.lstrip().startswith("#"):
        return False
    return re.search(rf"\s{re.escape(cron_marker(label))}\d+\s*$", line) is not None


class Cron:
    """The user's crontab as a place for the job."""

    name = "cron"
    reports_loaded = False

    @staticmethod
    def available() -> bool:
        """Whether there is a ``crontab`` on the path."""
        return shutil.which("crontab") is not None

    def preview(self, spec: ScheduleSpec) -> str:
        """Return the line that would be installed."""
        return cron_line(spec)

    def status(self, label: str) -> ScheduleStatus:
        """Return what the crontab has of ``label``."""
        text = self._read()
        ours = [line for line in _lines(text or "") if _is_ours(line, label)]
        if not ours:
            return ScheduleStatus(False, self.name, label)
        return _read_back(ours[-1].rstrip("\r\n"), label, many=len(ours) > 1)

    def install(self, spec: ScheduleSpec) -> str:
        """Put the line in place and return it; a failure leaves the crontab as it was.

        Raises:
            ScheduleError: when the crontab cannot be read or written, or is not what was written.
        """
        line = cron_line(spec)
        before = self._read()
        self._replace(before, crontab_with_line(before or "", spec))
        return line

    def remove(self, label: str) -> bool:
        """Take the line out; ``False`` when there was none.

        Raises:
            ScheduleError: as for :meth:`install`.
        """
        before = self._read()
        after = crontab_without_line(before or "", label)
        if before is None or after == before:
            return False
        self._replace(before, after)
        return True

    def _read(self) -> str | None:
        """Return the crontab; ``None`` when the user has none."""
        listed = call("crontab", "-l")
        if listed.ok:
            return listed.out
        if "no crontab" in listed.err.lower():
            return None
        raise ScheduleError(f"the crontab cannot be read: {listed.said}")

    def _replace(self, before: str | None, after: str) -> None:
        written = call("crontab", "-", text=after)
        if written.ok and _same(self._after(), after):
            return
        why = written.said if not written.ok else "it is not what was written"
        self._restore(before)
        raise ScheduleError(
            f"the crontab was not changed: {why}", hint="the crontab is as it was before"
        )

    def _after(self) -> str | None:
        try:
            return self._read()
        except ScheduleError:
            return None

    def _restore(self, before: str | None) -> None:
        now = self._after()
        if _same(now, before):
            return
        again = call("crontab", "-r") if before is None else call("crontab", "-", text=before)
        if not _same(self._after(), before):
            raise ScheduleError(
                f"the crontab could not be written ({again.said}) and may be damaged; "
                f"it was:\n{before or ''}"
            )


def _same(one: str | None, other: str | None) -> bool:
    """Whether two crontabs are the same but for a line end that ``crontab -l`` adds."""
    return (one or "").rstrip("\n") == (other or "").rstrip("\n")


def _read_back(line: str, label: str, *, many: bool) -> ScheduleStatus:
    """Return what a line says; details that cannot be read are unknown, never an error."""
    marker = line.rindex(cron_marker(label))
    every = int(line[marker + len(cron_marker(label)) :].strip())
    command = _command_of(line[:marker])
    python, env, log = _parts(command)
    tail = read_tail(log)
    problems = ("the crontab has several lines of this job; installing it again leaves one",)
    return ScheduleStatus(
        True,
        Cron.name,
        label,
        every_minutes=every,
        definition=line,
        command=_run(command),
        python=python,
        env=env,
        log_path=log,
        last_run=tail.ended,
        last_exit=tail.last_exit,
        last_log_line=tail.last_line,
        next_run=_next(line),
        problems=problems if many else (),
    )


def _command_of(line: str) -> tuple[str, ...] | None:
    fields = line.split(None, 1 if line.lstrip().startswith("@") else _FIELDS)
    text = fields[-1].replace("\\%", "%")
    try:
        words = shlex.split(text, posix=True)
    except ValueError:
        return None
    return tuple(words)


def _run(words: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the words of a command up to where the shell takes its output."""
    if words is None or ">>" not in words:
        return words
    return words[: words.index(">>")]


def _parts(
    command: tuple[str, ...] | None,
) -> tuple[str | None, dict[str, str] | None, str | None]:
    """Return interpreter, variables and log of a command line."""
    if command is None:
        return None, None, None
    words = list(command)
    log = words[words.index(">>") + 1] if ">>" in words[:-1] else None
    env: dict[str, str] = {}
    if words and Path(words[0]).name == "env":
        words.pop(0)
        while words and "=" in words[0] and not words[0].startswith("/"):
            name, _, value = words.pop(0).partition("=")
            env[name] = value
    env.pop(LOG_VARIABLE, None)
    return (words[0] if words else None), env, log


def _next(line: str) -> str | None:
    expression = " ".join(line.split(None, _FIELDS)[:_FIELDS])
    try:
        moment = CronTimes(expression).next(datetime.now(timezone.utc))
    except ParameterError:
        return None
    return moment.isoformat(timespec="seconds")
