"""A real cron runs real lines of a real crontab, and what became of them shows."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import filelock
import pytest

import irengine as ir
from irengine import schedule
from irengine.schedule import ScheduleSpec, crontab_with_line

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("crontab") and shutil.which("cron") and os.geteuid() == 0),
        reason="needs cron, and the right to start it",
    ),
]

LABEL = "org.irengine.test"
MINUTES = 2.5


@pytest.fixture
def crontab():
    """The crontab of this user, alone among all tests, and as it was afterwards."""
    with filelock.FileLock(str(Path(tempfile.gettempdir()) / "irengine-test-crontab.lock")):
        listed = subprocess.run(["crontab", "-l"], capture_output=True, check=False)
        before = listed.stdout if listed.returncode == 0 else None
        yield
        if before is None:
            subprocess.run(["crontab", "-r"], capture_output=True, check=False)
        else:
            subprocess.run(["crontab", "-"], input=before, check=True)


@pytest.fixture
def start_cron(crontab):
    """A function that sees to it that a cron runs: this machine's, or one until the test ends.

    It is called when the lines stand, since cron compares times of change in whole seconds and
    overlooks what is written in the second of its start.
    """
    started = []
    yield lambda: started.append(
        subprocess.Popen(["cron", "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    )
    for daemon in started:  # where one was running already, this one has ended by itself
        daemon.terminate()
        daemon.wait(10)


def lines():
    return subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout.decode()


def corpus(base: Path, monkeypatch, name: str, *, whole: bool) -> None:
    """Set up folders of their own with one registered corpus."""
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"IR_{kind}_DIR", str(base / name / kind[0].lower()))
    root = base / name / "notes"
    root.mkdir(parents=True)
    (root / "a.md").write_text("# Bees\n\nThey dance.\n")
    ir.register("notes", "files", root=str(root), embedder="light")
    if not whole:
        shutil.rmtree(root)


def test_a_real_crontab_keeps_other_lines(crontab):
    others = "# mine\n\n0 5 1 1 * true # org.irengine.test\n"
    subprocess.run(["crontab", "-"], input=others.encode(), check=True)
    told = schedule.install("15m", "cron", LABEL)
    assert (told.installed, told.every_minutes) == (True, 15)
    spec = ScheduleSpec(
        every_minutes=15, label=LABEL, env=tuple(told.env.items()), log_path=told.log_path
    )
    assert lines() == crontab_with_line(others, spec)
    assert schedule.ensure("15m", "cron", LABEL).action == "unchanged"
    assert schedule.remove("cron", LABEL).action == "removed"
    assert lines() == others


def test_a_real_crontab_takes_odd_words(crontab, tmp_path):
    odd = tmp_path / "my 100% 'new' \"py\" $HOME;x"
    odd.mkdir()
    python = odd / "python"  # no link: that would be another environment, without irtui
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    told = schedule.install("15m", "cron", LABEL, str(python))
    assert told.python == str(python)


def test_cron_runs_maintenance_and_failures_show(start_cron, tmp_path, monkeypatch):
    base = Path(tempfile.mkdtemp(prefix="ir-", dir=tmp_path.parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    monkeypatch.setenv("HOME", str(base))
    python = base / "python"
    python.symlink_to(sys.executable)
    environments = {}
    for name, whole in (("good", True), ("failing", False), ("broken", True)):
        corpus(base, monkeypatch, name, whole=whole)
        environments[name] = {k: v for k, v in os.environ.items() if k.startswith("IR_")}
        interpreter = str(python) if name == "broken" else sys.executable
        schedule.install("1m", "cron", f"{LABEL}.{name}", interpreter)
    python.unlink()
    start_cron()

    def told(name):
        for variable, value in environments[name].items():
            monkeypatch.setenv(variable, value)
        return schedule.status("cron", f"{LABEL}.{name}")

    deadline = time.monotonic() + MINUTES * 60
    while any(told(name).last_run is None for name in environments):
        assert time.monotonic() < deadline, subprocess.getoutput(f"tail -n 5 {base}/*/c/*.log")
        time.sleep(0.5)

    good = told("good")
    assert (good.last_exit, good.problems) == (0, ())
    assert "notes" in good.last_log_line
    assert [hit.artifact_id for hit in ir.search("notes", "dance", mode="lexical")] == ["a.md"]
    failing = told("failing")
    assert failing.last_exit == 1
    assert any("failed (exit status 1)" in problem for problem in failing.problems)
    assert any(problem.startswith("notes: SourceMissing") for problem in failing.problems)
    broken = told("broken")
    assert broken.last_exit == 127
    assert any("could not be started" in problem for problem in broken.problems)
    assert any(f"{python} does not exist" in problem for problem in broken.problems)
    monkeypatch.setenv("PP", "/projects")
    assert any("PP is set here but missing" in problem for problem in told("good").problems)
