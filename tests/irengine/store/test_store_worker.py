"""Chroma lives in a process of its own: its crashes, its imports and its memory stay there."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from irengine.errors import StoreError
from irengine.store import CorpusStore, mirror, worker
from irengine.store.memory_limit import MemoryLimit
from irengine.store.worker import HereWorker, ProcessWorker

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is not told here"
)


@pytest.fixture(autouse=True)
def no_idle_process():
    worker.stop_idle()
    yield
    worker.stop_idle()


def test_the_writer_does_not_import_chromadb(local, run_script):
    process = run_script("chroma_elsewhere", "notes")
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output.splitlines() == [
        "idle processes after no change: 0",
        "idle processes after a change: 1",
        "chromadb imported: False",
    ]
    assert local.verify().ok


def test_an_idle_process_is_used_again_and_can_be_stopped(local, helpers):
    pids = set()
    for number in range(3):
        with local.writing("test") as batch:
            helpers.put(batch, f"a{number}", "text")
        (idle,) = worker._parked
        pids.add(idle._process.pid)
    assert len(pids) == 1
    worker.stop_idle()
    assert not idle.alive
    with local.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert local.verify().ok


def test_an_idle_process_that_died_is_replaced(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (idle,) = worker._parked
    idle._process.kill()
    idle._process.wait()
    with local.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert local.verify().ok


def test_a_process_whose_answer_was_not_awaited_is_not_used_again(monkeypatch):
    first = worker.take()

    def interrupted(_pipe):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(worker, "receive", interrupted)
        first.call("close")
    worker.give_back(first)
    assert worker._parked == []


def test_an_idle_process_is_not_lent_to_another_corpus(local, helpers):
    """What it remembers of one must not end up in the files of another."""
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (first,) = worker._parked
    with CorpusStore.local("other").writing("test") as batch:
        helpers.put(batch, "a", "text")
    (second,) = worker._parked
    assert second is not first
    assert not first.alive and second.alive


def test_forgetting_uses_a_process_that_never_saw_what_is_forgotten(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
        helpers.put(batch, "b", "text")
    (first,) = worker._parked
    local.forget(["a"])
    (second,) = worker._parked
    assert second is not first and not first.alive
    assert local.verify().ok


def test_its_freed_memory_is_overwritten_unless_the_environment_says_otherwise(
    monkeypatch,
):
    started = []

    def refuse(*_args, env, **_options):
        started.append(env["MALLOC_PERTURB_"])
        raise OSError("no processes today")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    worker.take()
    monkeypatch.setenv("MALLOC_PERTURB_", "7")
    worker.take()
    assert started == ["165", "7"]


@pytest.mark.parametrize("after", ["open", "count", "delete", "add", "close", "differences"])
def test_a_crash_of_chroma_costs_the_copy_only(local, helpers, monkeypatch, after):
    with local.writing("test") as batch:
        for number in range(120):
            helpers.put(batch, f"a{number}", "text")
    worker.stop_idle()
    crashed = []
    call = ProcessWorker.call

    def crash_once(self, method, *arguments):
        if method == after and not crashed:
            crashed.append(method)
            os.kill(self._process.pid, signal.SIGSEGV)
        return call(self, method, *arguments)

    monkeypatch.setattr(ProcessWorker, "call", crash_once)
    with local.writing("test") as batch:
        for number in range(120):
            helpers.put(batch, f"a{number}", "changed")
    assert crashed == [after]
    assert set(map(tuple, helpers.texts(local).values())) == {("changed",)}
    report = local.verify()
    assert report.ok and report.chroma_checked, report
    assert len(list(local.path.glob("chroma-*"))) == 1
    assert not (local.path / "intent.json").exists()


def test_a_chroma_that_keeps_crashing_is_an_error_and_the_rows_are_published(
    local, helpers, monkeypatch
):
    call = ProcessWorker.call

    def crash(self, method, *arguments):
        if method == "add":
            os.kill(self._process.pid, signal.SIGSEGV)
        return call(self, method, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(ProcessWorker, "call", crash)
        with pytest.raises(StoreError, match="signal 11") as caught, local.writing("test") as batch:
            helpers.put(batch, "a", "text")
    assert caught.value.code == "chroma"
    assert helpers.texts(CorpusStore.local("notes")) == {"a": ["text"]}
    with local.writing("recover"):
        pass
    assert local.verify().ok


def test_where_no_process_can_be_started_chroma_runs_here(local, helpers, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise OSError("no processes today")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert isinstance(worker.take(), HereWorker)
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    assert local.verify().ok


def test_the_folder_we_are_in_cannot_disturb_it(local, helpers, monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("ANONYMIZED_TELEMETRY=maybe\n")
    (tmp_path / "chromadb.py").write_text("raise SystemExit('imported from the wrong place')\n")
    monkeypatch.chdir(tmp_path)
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    assert local.verify().ok


def test_a_relative_data_folder_means_the_same_to_both(helpers, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IR_DATA_DIR", "data")
    store = CorpusStore.local("notes")
    with store.writing("test") as batch:
        helpers.put(batch, "a", "text")
    assert store.path.is_absolute() and (tmp_path / "data" / "corpora" / "notes").is_dir()
    assert store.verify().ok


def test_a_long_addition_leaves_other_threads_alone(helpers):
    """In this process it would stop every thread for as long as it takes."""
    turns = 0
    finished = threading.Event()

    def spin() -> None:
        nonlocal turns
        while not finished.wait(0.002):
            turns += 1

    store = CorpusStore.local("long")
    with store.writing("test") as batch:
        for number in range(3000):
            helpers.put(batch, f"a{number}", "text")
        batch.commit()
        thread = threading.Thread(target=spin)
        thread.start()
    finished.set()
    thread.join()
    assert turns > 10
    assert mirror.take is worker.take


@needs_proc
def test_a_scribbled_graph_does_not_make_it_take_all_memory(local, helpers):
    with local.writing("test") as batch:
        for number in range(300):
            helpers.put(batch, f"a{number}", f"text {number}")
    worker.stop_idle()
    (graph,) = local.path.glob("chroma-*/*/link_lists.bin")
    graph.write_bytes(bytes(range(251)) * (1 + graph.stat().st_size // 251))
    reader = worker.take(local.path)
    try:
        reader.call("open", {"backend": "local"}, str(local.path), graph.parts[-3], False)
        with pytest.raises(StoreError, match="damaged") as caught:
            reader.call("compare", str(local.path))
        assert "irtui verify NAME --repair" in caught.value.hint
        # The limit is 1 GiB beside what the process uses itself; Chroma asks for 24.
        assert peak_of(reader._process.pid) < 2.0
    finally:
        worker.give_back(reader)
    assert not local.verify().ok
    assert local.repair().ok


def peak_of(pid: int) -> float:
    """Return the most memory a process had, in GiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / (1 << 20)


@needs_proc
def test_what_is_added_raises_the_limit_and_closing_lifts_it(tmp_path):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MemoryLimit()
    try:
        limit.set_for(tmp_path)
        first, _ = resource.getrlimit(resource.RLIMIT_DATA)
        limit.extend(1000)
        second, _ = resource.getrlimit(resource.RLIMIT_DATA)
        limit.lift()
        assert second - first == 16_000
        assert resource.getrlimit(resource.RLIMIT_DATA) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
