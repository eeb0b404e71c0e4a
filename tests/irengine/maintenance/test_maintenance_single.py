"""The lock of a whole run: held by a process, not by a number, and never taken from a live one."""

import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from irengine.config import cache_dir
from irengine.errors import CorpusBusy, ParameterError
from irengine.maintenance import DFLT_STALE_LOCK_AFTER, MaintenanceBusy, lock_path, single_run
from irengine.maintenance.identity import process_mark

DAY = 86_400
RACE = """
import sys
from irengine.maintenance import MaintenanceBusy, single_run
print("ready", flush=True)
sys.stdin.readline()
try:
    with single_run():
        print("held", flush=True)
        sys.stdin.readline()
except MaintenanceBusy:
    print("busy", flush=True)
"""


@pytest.fixture
def lock():
    cache_dir().mkdir(parents=True)
    return lock_path()


@pytest.fixture
def ended():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def old(path, seconds):
    os.utime(path, (time.time() - seconds,) * 2)


def test_it_lies_in_the_cache_folder_which_is_made():
    assert lock_path() == cache_dir() / "maintain.lock"
    with single_run() as held:
        assert held == lock_path()
        number, when, mark = held.read_text().splitlines()
        assert (int(number), mark) == (os.getpid(), process_mark(os.getpid()))
        assert when.endswith("+00:00")
    assert not lock_path().exists()


def test_a_second_run_is_refused_and_says_who_is_at_it():
    who = f"process {os.getpid()} .* since 2"
    with single_run():
        with pytest.raises(MaintenanceBusy, match=who) as raised, single_run():
            pytest.fail("two runs at once")
        assert isinstance(raised.value, RuntimeError) and isinstance(raised.value, CorpusBusy)
        assert lock_path().exists()
    with single_run():
        pass


def test_it_is_released_after_an_error():
    with pytest.raises(OSError, match="broken"), single_run():
        raise OSError("broken")
    assert not lock_path().exists()


def test_another_path_is_another_lock(tmp_path):
    with single_run(), single_run(path=tmp_path / "new" / "a.lock") as other:
        assert other.exists()
    with pytest.raises(ParameterError, match="folder"), single_run(path=tmp_path):
        pytest.fail("a folder is no lock")


def test_a_lock_whose_process_ended_is_taken_over_however_fresh(lock, ended):
    lock.write_text(f"{ended}\n2026-01-01T00:00:00\n")
    with single_run():
        assert lock.read_text().startswith(f"{os.getpid()}\n")


def test_a_number_that_is_in_use_again_holds_nothing(lock):
    lock.write_text(f"{os.getpid()}\n2026-01-01T00:00:00+00:00\nboot:12345\n")
    with single_run():
        pass


def test_a_run_that_takes_days_keeps_its_lock(lock):
    lock.write_text(f"{os.getpid()}\n2026-01-01T00:00:00+00:00\n{process_mark(os.getpid())}\n")
    old(lock, 30 * DAY)
    with pytest.raises(MaintenanceBusy), single_run():
        pytest.fail("two runs at once")


@pytest.mark.parametrize("text", ["{pid}\n2026-01-01T00:00:00\n", "", "garbage\n", "-1\n", "0\n\n"])
def test_where_nothing_else_tells_the_age_decides(lock, text):
    lock.write_text(text.format(pid=os.getpid()))
    old(lock, DFLT_STALE_LOCK_AFTER - 60)
    with pytest.raises(MaintenanceBusy), single_run():
        pytest.fail("two runs at once")
    with pytest.raises(MaintenanceBusy), single_run(stale_after=timedelta(days=1)):
        pytest.fail("two runs at once")
    with single_run(stale_after=60):
        pass
    lock.write_text(text.format(pid=os.getpid()))
    old(lock, DFLT_STALE_LOCK_AFTER + 60)
    with single_run():
        pass


def test_a_lock_from_the_future_has_no_age(lock):
    lock.write_text("")
    old(lock, -DAY)
    with pytest.raises(MaintenanceBusy), single_run(stale_after=1):
        pytest.fail("two runs at once")
    with single_run(stale_after=0):
        pass


def test_the_lock_of_whoever_took_over_is_left_to_them(lock):
    with single_run():
        lock.write_text("another run\n")
    assert lock.read_text() == "another run\n"


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "6h", True])
def test_an_age_that_is_no_number(bad):
    with pytest.raises(ParameterError, match="stale_after"), single_run(stale_after=bad):
        pytest.fail("no such age")


@pytest.mark.slow
def test_of_many_processes_that_find_a_dead_lock_one_takes_it(lock, ended):
    lock.write_text(f"{ended}\n2026-01-01T00:00:00\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=env,
        )
        for _ in range(3)
    ]
    assert [racer.stdout.readline() for racer in racers] == ["ready\n"] * 3
    for racer in racers:
        racer.stdin.write("go\n")
    said = [racer.stdout.readline() for racer in racers]
    for racer in racers:
        racer.communicate("done\n")
    assert sorted(said) == ["busy\n"] * 2 + ["held\n"]
    assert not lock.exists()
