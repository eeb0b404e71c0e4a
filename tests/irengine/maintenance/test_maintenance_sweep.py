"""Looking after many corpora: failures stay apart, locks are waited for, time is kept."""

import threading
import time
from datetime import datetime, timedelta, timezone

import pytest

from irengine.errors import CorpusBusy, CorpusNotFound, SourceError
from irengine.index import CancelToken, open_corpus
from irengine.maintenance import corpus_lock, maintain, runs
from irengine.registry import register, registered
from irengine.store import CorpusStore

NOON = datetime(2026, 6, 10, 12, 0, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
MANUAL = {"reindex": {"on": "manual"}}


def outcomes(results):
    return {result.name: result.outcome for result in results}


class TestSweeps:
    def test_nothing_registered_is_nothing_to_do(self):
        assert maintain() == maintain(all=True) == []

    def test_every_corpus_in_registry_order(self, files, records):
        files("zebra")
        records("tickets")
        files("ants")
        results = maintain(now=NOON)
        assert [result.name for result in results] == ["zebra", "tickets", "ants"]
        assert all(result.ran for result in results)
        later = maintain(all=True, now=NOON + HOUR)
        assert outcomes(later) == {"zebra": "done", "tickets": "skipped", "ants": "done"}

    def test_all_beats_a_name(self, files):
        files("one", maintenance=MANUAL)
        files("two", maintenance=MANUAL)
        assert len(maintain("one", all=True, now=NOON)) == 2
        assert [result.name for result in maintain("one", now=NOON)] == ["one"]

    def test_chosen_corpora_in_the_given_order(self, files):
        for name in ("one", "two", "three"):
            files(name, maintenance=MANUAL)
        results = maintain(corpora=["three", "one", "three"], now=NOON)
        assert [result.name for result in results] == ["three", "one"]

    def test_a_chosen_name_nobody_knows_stops_before_anything_is_done(self, files):
        files("one")
        with pytest.raises(CorpusNotFound):
            maintain(corpora=["one", "oen"], now=NOON)
        assert not CorpusStore.local("one").exists

    def test_one_failure_is_a_result_and_the_others_go_on(self, files, records, tracker):
        files("before")
        records("tickets")
        files("after")
        tracker.failing.append(True)
        results = maintain(now=NOON)
        assert outcomes(results) == {"before": "done", "tickets": "failed", "after": "done"}
        failed = results[1]
        assert not failed.ran and failed.error_code == "source-unavailable"
        assert failed.error.startswith("SourceError: ") and failed.reason.startswith("error: ")
        assert str(failed) == f"tickets: FAILED ({failed.error})"

    def test_a_fault_of_the_program_is_one_too_and_its_traceback_is_logged(
        self, files, monkeypatch
    ):
        files("one")

        def broken(*arguments, **options):
            raise RuntimeError("nobody thought of this")

        monkeypatch.setattr("irengine.maintenance.working.build", broken)
        failed = maintain(now=NOON)[0]
        assert failed.error == "RuntimeError: nobody thought of this"
        assert failed.error_code == "internal"
        assert "in broken" in runs()[0]["traceback"]

    def test_by_name_it_raises(self, records, tracker):
        records("tickets")
        tracker.failing.append(True)
        with pytest.raises(SourceError):
            maintain("tickets", now=NOON)
        assert [line["event"] for line in runs()] == ["corpus", "run"]

    def test_what_failed_just_now_waits_in_a_sweep_and_not_by_name(self, records, tracker):
        records("tickets")
        maintain(now=NOON)
        tracker.failing.append(True)
        later = NOON + 24 * HOUR
        assert outcomes(maintain(now=later)) == {"tickets": "failed"}
        assert outcomes(maintain(now=later + timedelta(minutes=4))) == {"tickets": "skipped"}
        assert len(tracker.calls) == 2
        tracker.failing.clear()
        assert maintain("tickets", now=later + timedelta(minutes=4))[0].ran

    def test_a_broken_definition_fails_alone(self, files, private_folders):
        import json

        files("one")
        files("two")
        path = private_folders / "config" / "corpora.json"
        entries = json.loads(path.read_text())
        entries["one"]["maintenance"] = {"reindex": {"on": "sometimes"}}
        path.write_text(json.dumps(entries))
        results = maintain(now=NOON)
        assert outcomes(results) == {"one": "failed", "two": "done"}
        assert "sometimes" in results[0].reason

    def test_results_are_told_as_they_come(self, files):
        files("one")
        files("two", maintenance=MANUAL)
        told = []
        results = maintain(now=NOON, on_result=told.append)
        assert told == results

    def test_a_dry_run_tells_and_does_nothing(self, files, records, tracker, private_folders):
        files("notes")
        records("tickets")
        results = maintain(dry_run=True, now=NOON)
        assert outcomes(results) == {"notes": "would-run", "tickets": "would-run"}
        assert tracker.calls == [] and not (private_folders / "data").exists()

    def test_a_dry_run_says_what_is_due_what_is_not_and_why(self, files, folder, records, tracker):
        root = files("notes", 3)
        files("same")
        files("daily", maintenance={"reindex": {"on": "interval", "every_hours": 24}})
        files("asked", maintenance=MANUAL)
        records("tickets")
        maintain(now=NOON)
        (root / "n0.md").write_text("other words")
        (root / "n1.md").unlink()
        (root / "new.md").write_text("new")
        told = {result.name: result for result in maintain(dry_run=True, now=NOON + HOUR)}
        assert {name: (result.outcome, result.reason) for name, result in told.items()} == {
            "notes": ("would-run", "dry-run: source-change; 1 new, 1 changed, 1 gone"),
            "same": (
                "skipped",
                "dry-run: nothing changed since 2026-06-10T12:00:00+00:00; "
                "looked at anew at each run",
            ),
            "daily": ("skipped", "not due (interval): every 24 h"),
            "asked": ("skipped", "not due (manual): only when asked for"),
            "tickets": ("skipped", "not due (interval): every 24 h"),
        }
        notes = told["notes"]
        assert (notes.added, notes.changed, notes.removed, notes.unchanged) == (1, 1, 1, 1)
        assert notes.reindex and not told["same"].reindex
        assert told["daily"].next == told["tickets"].next == "2026-06-11T12:00:00+00:00"
        assert tracker.calls == ["fetch"]
        done = {result.name: result for result in maintain(now=NOON + HOUR)}["notes"]
        assert (done.added, done.changed, done.removed, done.unchanged) == (1, 1, 1, 1)

    def test_a_dry_run_of_what_is_due_by_the_clock_says_so_though_nothing_changed(self, files):
        files("daily", maintenance={"reindex": {"on": "interval", "every_hours": 24}})
        maintain(now=NOON)
        [result] = maintain(dry_run=True, now=NOON + 24 * HOUR)
        assert (result.outcome, result.reason) == (
            "would-run",
            "dry-run: every 24 h; nothing changed",
        )
        [result] = maintain(dry_run=True, now=NOON + HOUR, force=True)
        assert (result.outcome, result.reason) == ("would-run", "dry-run: forced; nothing changed")

    def test_a_dry_run_foresees_another_strategy_and_what_would_fail(self, files):
        root = files("cut")
        lost = files("lost")
        files("other")
        maintain(now=NOON)
        whole = {"name": "WholeText", "params": {}}
        register("cut", "files", root=str(root), embedder="light", strategy=whole)
        register("other", "files", root=str(root), embedder="hashing__dim64")
        lost.rename(lost.with_name("away"))
        cut, lost_, other = maintain(dry_run=True, now=NOON + HOUR)
        assert (cut.outcome, cut.reason) == (
            "would-run",
            "dry-run: source-change; the strategy changed",
        )
        assert (lost_.outcome, lost_.error_code) == ("failed", "path-not-found")
        assert (other.outcome, other.error_code) == ("failed", "embedder-mismatch")
        assert "--switch-embedder" in other.hint
        assert maintain(now=NOON + HOUR)[0].changed == 2

    def test_force(self, records, tracker):
        records("tickets")
        maintain(now=NOON)
        assert outcomes(maintain(now=NOON, force=True)) == {"tickets": "done"}
        assert len(tracker.calls) == 2


class TestLocks:
    def test_a_locked_corpus_is_a_result_of_its_own(self, files):
        files("one")
        files("two")
        with corpus_lock("one"):
            results = maintain(now=NOON, lock_timeout=0.1)
            with pytest.raises(CorpusBusy, match="is being maintained by process"):
                maintain("one", now=NOON, lock_timeout=0)
        assert outcomes(results) == {"one": "locked", "two": "done"}
        assert results[0].error is None and results[0].error_code == "corpus-locked"

    def test_a_corpus_being_built_is_locked_too(self, files):
        files("one")
        maintain(now=NOON)
        with CorpusStore.local("one").writing("build one"):
            results = maintain(now=NOON, lock_timeout=0.1)
        assert outcomes(results) == {"one": "locked"}

    def test_it_comes_last_when_it_may_be_free_again(self, files):
        files("one")
        files("two")
        free, told = threading.Event(), []

        def hold():
            with corpus_lock("one"):
                held.set()
                free.wait(10)

        def tell(result):
            told.append(result.name)
            free.set()

        held = threading.Event()
        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(10)
        results = maintain(now=NOON, on_result=tell, lock_timeout=10)
        holder.join()
        assert told == ["two", "one"]
        assert outcomes(results) == {"one": "done", "two": "done"}

    def test_what_another_run_began_and_ended_meanwhile_is_not_done_again(self, files):
        files("one", 3)
        done, begun = [], threading.Event()

        def slowly(event):
            begun.set()
            time.sleep(0.05)

        first = threading.Thread(
            target=lambda: done.extend(maintain(progress=slowly, lock_timeout=10))
        )
        first.start()
        begun.wait(10)
        # The other one began first, so that this run has to look for itself.
        results = maintain(lock_timeout=10)
        first.join()
        assert done[0].added == 3
        assert results[0].unchanged == 3 or "meanwhile" in results[0].reason


class TestLimits:
    def test_no_time_at_all_leaves_what_is_due(self, files, records):
        files("one")
        files("manual", maintenance=MANUAL)
        results = maintain(now=NOON, max_seconds=0)
        assert outcomes(results) == {"one": "left", "manual": "skipped"}
        assert results[0].reason == "out of time: not begun"
        assert not CorpusStore.local("one").exists

    def test_stopping_between_batches_keeps_what_was_done(self, files):
        files("one", 3)
        files("two", 3)
        files("three", 3)
        token = CancelToken()

        def stop(event):
            if event.phase == "plan" and CorpusStore.local("one").exists:
                token.cancel()

        results = maintain(now=NOON, cancel=token, progress=stop)
        assert outcomes(results) == {"one": "done", "two": "left", "three": "left"}
        assert [result.reason.split(":")[0] for result in results[1:]] == ["stopped", "stopped"]
        assert runs()[-1]["stopped"] is True and runs()[-1]["left"] == 2
        assert outcomes(maintain(now=NOON)) == dict.fromkeys(registered(), "done")
        assert len(open_corpus("two")) == 3

    def test_time_that_runs_out_within_a_build(self, files):
        files("one", 3)
        files("two", 3)

        def linger(event):
            if event.phase == "plan":
                time.sleep(0.6)

        results = maintain(now=NOON, max_seconds=0.5, progress=linger)
        assert outcomes(results) == {"one": "left", "two": "left"}
        assert results[0].error_code == "budget"
        assert runs()[-1]["stopped"] is False

    def test_a_big_corpus_in_front_cannot_keep_the_others_from_their_turn(self, files):
        for name in ("big", "old", "new"):
            files(name, 3)
        maintain(corpora=["old"], now=NOON)

        def linger(event):
            if event.phase == "plan":
                time.sleep(0.15)

        told = []

        def sweep(hour, **limits):
            told.clear()
            results = maintain(now=NOON + hour * HOUR, on_result=told.append, **limits)
            assert [result.name for result in results] == ["big", "old", "new"]
            return [result.name for result in told]

        short = {"max_seconds": 0.1, "progress": linger}
        assert sweep(1, **short) == ["big", "new", "old"]
        assert sweep(2, **short) == ["new", "old", "big"]
        assert sweep(3, **short) == ["old", "big", "new"]
        assert sweep(4) == ["big", "old", "new"]

    def test_hardly_any_time_still_brings_each_run_further(self, files):
        root = files("one", 150)
        (root / "0.md").write_text(
            "".join(f"# Part {n}\n\nwords of part {n}\n\n" for n in range(90))
        )

        def linger(event):
            if (event.phase, event.done) == ("plan", 1):
                time.sleep(0.4)

        seen = []
        for _ in range(9):
            result = maintain(now=NOON, max_seconds=0.3, progress=linger)[0]
            seen.append(result)
            if result.outcome == "done":
                break
        assert [result.outcome for result in seen][-2:] == ["left", "done"]
        assert sum(result.added for result in seen) == 151
        assert all(result.added and result.error_code == "budget" for result in seen[:-1])
        assert [r.remaining + r.added + r.unchanged for r in seen] == [151] * len(seen)
        assert 0 < seen[0].records < seen[-1].records


class TestAnUnchangedSweep:
    def test_reads_no_file_and_loads_no_model(self, files, monkeypatch):
        root = files("notes", 20)
        time.sleep(0.05)  # a file listed in the tick in which it was written is read again
        maintain(now=NOON)
        generation = CorpusStore.local("notes").snapshot().generation

        def refuse(*arguments, **options):
            raise AssertionError("nothing changed")

        monkeypatch.setattr("irengine.sources.files.FileScope.__getitem__", refuse)
        monkeypatch.setattr("irengine.index.corpus.LazyEmbedder.resolve", refuse)
        results = maintain(now=NOON + HOUR)
        assert results[0].unchanged == 20 and results[0].ran
        assert CorpusStore.local("notes").snapshot().generation == generation
        (root / "n0.md").write_text("# Changed\n\nsomething else\n")
        assert maintain(now=NOON + HOUR)[0].item_errors == 1  # the refusal works
