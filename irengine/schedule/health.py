"""What is wrong with an installed job: each reason why it does not do its work is a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from irengine.config import data_dir
from irengine.schedule.intervals import format_every
from irengine.schedule.joblog import read_tail
from irengine.schedule.spec import INHERITED_ENV_VARS, ScheduleStatus

__all__ = ["examined", "interpreter_fault"]

_HARMLESS_EXITS = (0, 4, 5)  # done; out of time; another process was at it: the next run goes on
_NOT_STARTED = (126, 127)
_COMPARED = tuple(name for name in INHERITED_ENV_VARS if name != "PYTHONPATH")
_SLACK = timedelta(minutes=5)
_FOUND = 42  # no program that is not Python ends like this by chance
_PROBE = f"import importlib.util as u, sys; sys.exit({_FOUND} * bool(u.find_spec('irtui')))"
_PROBE_SECONDS = 20
_RUNS_READ = 500


def examined(status: ScheduleStatus, *, now: datetime | None = None) -> ScheduleStatus:
    """Return the status of an installed job with everything that is wrong with it.

    Looks at the interpreter, at the variables of the job and of this process, at how the last run
    ended, and at whether it ran at all. ``now`` is an aware time, by default the clock.
    """
    if not status.installed:
        return status
    moment = now or datetime.now(timezone.utc)
    problems = [
        *status.problems,
        *_of_interpreter(status),
        *_of_variables(status.env),
        *_of_last_run(status),
        *_of_times(status, moment),
        *_of_log(status.log_path),
    ]
    if status.loaded is False:
        problems.append(f"{status.backend} has not taken the job in: --restart does that")
    return replace(
        status,
        problems=tuple(dict.fromkeys(problems)),
        next_run=status.next_run or _estimated(status, moment),
    )


def _of_interpreter(status: ScheduleStatus) -> Iterator[str]:
    python = status.python
    if python is None:
        if not status.problems:
            yield "what the job runs cannot be read from its definition"
        return
    fault = interpreter_fault(python, status.env or {})
    pins = ": --restart pins the present one" if not Path(python).is_file() else ""
    if not pins and python != sys.executable:  # not resolved: environments may share one
        yield f"the job uses the interpreter {python}, this is {sys.executable}"
    if fault is not None:
        yield f"the interpreter {python} {fault}{pins}"


def interpreter_fault(python: str, env: Mapping[str, str]) -> str | None:
    """Return why a job of these variables cannot run with an interpreter, as what it "does"."""
    if not Path(python).is_file():
        return "does not exist"
    if not os.access(python, os.X_OK):
        return "cannot be run"
    if not _has_irtui(python, env):
        return "does not find irtui with the variables of the job"
    return None


def _has_irtui(python: str, env: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(
            [python, "-c", _PROBE],
            env=dict(env),
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == _FOUND


def _of_variables(env: Mapping[str, str] | None) -> Iterator[str]:
    if env is None:
        return
    for name in _COMPARED:
        here, there = os.environ.get(name, ""), env.get(name, "")
        if here and not there:
            yield f"{name} is set here but missing in the job: remove it and install it again"
        elif there and not here and name.startswith("IR_"):
            yield f"{name} is {there} in the job and not set here"
        elif here != there and there:
            yield f"{name} is {there} in the job and {here} here"


def _of_last_run(status: ScheduleStatus) -> Iterator[str]:
    code = status.last_exit
    if code is None or code in _HARMLESS_EXITS:
        return
    said = f": {status.last_log_line}" if status.last_log_line else ""
    if code in _NOT_STARTED:
        yield f"the last run could not be started (exit status {code}){said}"
    elif code < 0:
        yield f"the last run was ended by signal {-code}{said}"
    else:
        yield f"the last run failed (exit status {code}){said}"
        yield from _failed_corpora(status.env or {})


def _failed_corpora(env: Mapping[str, str]) -> Iterator[str]:
    """Yield what the log of runs says, when the job works on the data of this process."""
    if env.get("IR_DATA_DIR", "") != os.environ.get("IR_DATA_DIR", "") or not data_dir().is_dir():
        return
    from irengine.maintenance import runs

    lines = runs(_RUNS_READ)
    last = next((line for line in reversed(lines) if line.get("event") == "run"), None)
    if last is None:
        return
    for line in lines:
        of_it = line.get("event") == "corpus" and line.get("run") == last.get("run")
        if of_it and line.get("outcome") == "failed":
            yield f"{line.get('name')}: {line.get('error')}"


def _of_times(status: ScheduleStatus, now: datetime) -> Iterator[str]:
    if not status.every_minutes:
        return
    patience = 2 * timedelta(minutes=status.every_minutes) + _SLACK
    every = format_every(status.every_minutes)
    if status.last_run is not None:
        if now - datetime.fromisoformat(status.last_run) > patience:
            yield f"it has not run since {status.last_run}, although it is due every {every}"
        return
    written = read_tail(status.log_path).written
    if written is not None and now - datetime.fromisoformat(written) > patience:
        yield f"it has never run, although it is due every {every} since {written}"


def _of_log(path: str | None) -> Iterator[str]:
    if path is None:
        return
    folder = Path(path).parent
    if not folder.is_dir():
        yield f"the folder of its log {path} does not exist"
    elif not os.access(path if Path(path).exists() else folder, os.W_OK):
        yield f"its log {path} cannot be written"


def _estimated(status: ScheduleStatus, now: datetime) -> str | None:
    """Return when the job runs next where its scheduler does not say: an interval later."""
    if not status.every_minutes or status.last_run is None:
        return None
    moment = datetime.fromisoformat(status.last_run) + timedelta(minutes=status.every_minutes)
    return max(moment, now).astimezone(timezone.utc).isoformat(timespec="seconds")
