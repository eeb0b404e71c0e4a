"""One writer at a time, over threads and processes; readers never wait."""

from __future__ import annotations

import json
import os
import threading

import pytest

from irengine.errors import CorpusBusy
from irengine.store import CorpusStore


def test_a_second_writer_is_told_who_holds_the_lock(local, helpers, run_script):
    holder = run_script("lock_holder", "notes")
    assert holder.stdout.readline() == "locked\n"
    with pytest.raises(CorpusBusy) as caught, local.writing("mine", timeout=0.1):
        pass
    assert f"process {holder.pid} " in caught.value.message
    assert "held for a test" in caught.value.message
    assert caught.value.code == "corpus-locked"
    assert len(local) == 1  # readers do not care
    holder.communicate("\n")
    with local.writing("mine", timeout=10) as batch:
        helpers.put(batch, "b", "text")
    assert len(local) == 2


def test_a_second_writer_waits_its_turn(local, helpers, run_script):
    holder = run_script("lock_holder", "notes")
    assert holder.stdout.readline() == "locked\n"
    entered = threading.Event()

    def write() -> None:
        with CorpusStore.local("notes").writing("mine", timeout=30) as batch:
            entered.set()
            helpers.put(batch, "b", "text")

    thread = threading.Thread(target=write)
    thread.start()
    assert not entered.wait(0.2)
    holder.communicate("\n")
    thread.join(30)
    assert entered.is_set() and len(local) == 2


def test_a_killed_writer_leaves_no_lock_behind(local, run_script):
    holder = run_script("lock_holder", "notes")
    assert holder.stdout.readline() == "locked\n"
    holder.kill()
    holder.wait()
    with local.writing("mine", timeout=5):
        owner = json.loads((local.path / "LOCK.json").read_text())
        assert (owner["pid"], owner["purpose"]) == (os.getpid(), "mine")
    assert not (local.path / "LOCK.json").exists()


def test_threads_of_one_store_take_turns(store, helpers):
    def write(number: int) -> None:
        for step in range(3):
            with store.writing("test", timeout=60) as batch:
                helpers.put(batch, f"thread{number} step{step}", "text")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 9
    helpers.check(store)


def test_a_thread_is_refused_while_another_writes(store):
    with store.writing("first"):
        caught = []

        def write() -> None:
            try:
                with store.writing("second", timeout=0.05):
                    pass
            except CorpusBusy as error:
                caught.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(caught) == 1


def test_many_processes_may_start_on_a_new_corpus_together(local, run_script):
    processes = [run_script("first_writer", "notes", number) for number in range(5)]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert local.snapshot().artifact_ids() == [f"by process {n}" for n in range(5)]
    assert local.verify().ok


def test_deleting_waits_for_the_writer(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
        batch.commit()
        with pytest.raises(CorpusBusy):
            CorpusStore.local("notes").delete(timeout=0.05)
    CorpusStore.local("notes").delete()
    assert not local.exists


def test_a_writer_that_waited_for_a_deletion_starts_a_new_corpus(local, helpers, run_script):
    holder = run_script("lock_holder", "notes", "delete")
    assert holder.stdout.readline() == "locked\n"
    finished = threading.Event()

    def write() -> None:
        with CorpusStore.local("notes").writing("mine", timeout=30) as batch:
            helpers.put(batch, "b", "text")
        finished.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert not finished.wait(0.2)
    holder.communicate("\n")
    thread.join(30)
    assert finished.is_set()
    assert helpers.texts(CorpusStore.local("notes")) in ({"b": ["text"]}, {})
