"""The lock of a corpus: one holder, released at death, and never held by a recycled number."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from irengine.errors import BuildCancelled, CorpusBusy
from irengine.maintenance import corpus_lock, lock_holder, lock_path
from irengine.maintenance.identity import is_running, process_mark

HOLD = """
import sys
from irengine.maintenance import corpus_lock
with corpus_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder():
    """Return a function that starts a process holding a lock; it ends with the test."""
    started = []

    def hold(name):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        started.append(process)
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


class TestIdentity:
    def test_a_process_keeps_its_mark(self):
        mark = process_mark(os.getpid())
        assert mark and mark == process_mark(os.getpid())
        assert is_running(os.getpid(), mark)

    def test_the_same_number_started_at_another_time_is_another_process(self):
        mark = process_mark(os.getpid())
        assert not is_running(os.getpid(), mark + "0")

    def test_without_a_mark_the_number_decides(self):
        assert is_running(os.getpid(), None)

    def test_a_process_that_ended_is_not_running(self):
        process = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        )
        mark = process_mark(process.pid)
        assert is_running(process.pid, mark)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, not yet collected
        assert not is_running(process.pid, mark)
        assert not is_running(process.pid, None)
        process.communicate()
        assert not is_running(process.pid, mark)

    @pytest.mark.parametrize("pid", [0, -1, 2**30])
    def test_numbers_no_process_has(self, pid):
        assert process_mark(pid) is None
        assert not is_running(pid, None)

    def test_a_name_full_of_brackets_is_read_right(self, tmp_path):
        odd = tmp_path / "a) S 1 (b"
        odd.symlink_to("/bin/sleep")
        process = subprocess.Popen([str(odd), "30"])
        try:
            mark = process_mark(process.pid)
            assert mark is not None and mark.rpartition(":")[2].isdigit()
            assert is_running(process.pid, mark)
        finally:
            process.kill()
            process.wait()


class TestHolding:
    def test_the_holder_is_known_while_it_holds(self, holder):
        assert lock_holder("notes") is None
        process = holder("notes")
        found = lock_holder("notes")
        assert found is not None and found.pid == process.pid
        assert found.purpose == "maintain notes"
        assert lock_holder("other") is None
        process.communicate("done\n")
        assert lock_holder("notes") is None

    def test_others_are_told_who_it_is(self, holder):
        process = holder("notes")
        with pytest.raises(CorpusBusy, match=f"process {process.pid} on "), corpus_lock("notes"):
            raise AssertionError("the lock was given twice")
        with corpus_lock("other"):
            assert lock_holder("other").pid == os.getpid()

    def test_a_killed_holder_holds_nothing(self, holder):
        process = holder("notes")
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = lock_path("notes").with_suffix(".json")
        assert json.loads(left.read_bytes())["pid"] == process.pid
        assert lock_holder("notes") is None
        with corpus_lock("notes"):
            assert lock_holder("notes").pid == os.getpid()

    def test_a_recycled_number_does_not_look_alive(self, holder):
        """What a killed process left names a number that another process has by now."""
        process = holder("notes")
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = lock_path("notes").with_suffix(".json")
        record = json.loads(left.read_bytes())
        left.write_text(json.dumps({**record, "pid": os.getpid()}))
        assert lock_holder("notes") is None
        with corpus_lock("notes"):
            assert lock_holder("notes").pid == os.getpid()

    def test_the_age_of_a_lock_plays_no_part(self, holder):
        process = holder("notes")
        long_ago = time.time() - 30 * 24 * 3600
        for path in (lock_path("notes"), lock_path("notes").with_suffix(".json")):
            os.utime(path, (long_ago, long_ago))
        assert lock_holder("notes").pid == process.pid
        with pytest.raises(CorpusBusy), corpus_lock("notes"):
            raise AssertionError("the lock was given twice")

    def test_it_is_released_after_an_error(self):
        with pytest.raises(ZeroDivisionError), corpus_lock("notes"):
            raise ZeroDivisionError
        with corpus_lock("notes"):
            assert lock_holder("notes") is not None
        assert lock_holder("notes") is None

    def test_waiting_can_be_stopped(self, holder):
        holder("notes")

        def stop():
            raise BuildCancelled("enough")

        with pytest.raises(BuildCancelled), corpus_lock("notes", timeout=60, stop=stop):
            raise AssertionError("the lock was given twice")

    def test_names_never_share_a_lock(self):
        assert len({lock_path(name) for name in ("a/b", "a_b", "A_B", "a.b")}) == 4

    @pytest.mark.parametrize("left", [b"", b"{", b"[]", b'{"pid": "1"}', b'{"pid": true}'])
    def test_a_malformed_note_is_nobody(self, left):
        path = lock_path("notes").with_suffix(".json")
        path.parent.mkdir(parents=True)
        path.write_bytes(left)
        assert lock_holder("notes") is None
        with corpus_lock("notes"):
            assert lock_holder("notes").pid == os.getpid()
