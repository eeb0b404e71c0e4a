"""The log of runs: whole lines whoever writes, rotated, readable after a crash."""

import logging
import threading

import pytest

from irengine.maintenance import log_path, maintain, runs
from irengine.maintenance.runlog import append_runs


class TestWriting:
    def test_lines_come_back_in_order(self):
        append_runs([{"event": "corpus", "n": 1}, {"event": "run", "n": 2}])
        append_runs([{"event": "run", "n": 3}])
        assert [line["n"] for line in runs()] == [1, 2, 3]
        assert [line["n"] for line in runs(2)] == [2, 3]
        assert runs(0) == []

    def test_without_a_log_there_are_none(self, private_folders):
        assert runs() == []
        assert not (private_folders / "data").exists()

    def test_many_writers_lose_nothing(self):
        def write(who):
            for number in range(20):
                append_runs([{"who": who, "n": number}])

        threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = runs()
        assert len(lines) == 80
        for who in range(4):
            assert [line["n"] for line in lines if line["who"] == who] == list(range(20))

    def test_it_is_rotated_and_the_oldest_goes(self, monkeypatch):
        monkeypatch.setattr("irengine.maintenance.runlog._ROTATE_BYTES", 300)
        for number in range(100):
            append_runs([{"n": number, "filler": "x" * 40}])
        files = sorted(path.name for path in log_path().parent.glob("*.jsonl"))
        assert files == ["runs.1.jsonl", "runs.2.jsonl", "runs.3.jsonl", "runs.jsonl"]
        assert all(path.stat().st_size <= 300 for path in log_path().parent.glob("*.jsonl"))
        kept = [line["n"] for line in runs()]
        assert kept == list(range(kept[0], 100)) and len(kept) > 10
        assert [line["n"] for line in runs(7)] == list(range(93, 100))

    def test_a_torn_line_is_left_out_and_the_next_is_whole(self):
        append_runs([{"n": 1}])
        with log_path().open("ab") as file:
            file.write(b'{"n": 2, "torn')
        append_runs([{"n": 3}])
        assert [line["n"] for line in runs()] == [1, 3]

    def test_a_log_that_cannot_be_written_stops_no_work(self, files, caplog, private_folders):
        files("notes")
        log_path().mkdir(parents=True)  # a folder where the log should be
        with caplog.at_level(logging.WARNING):
            assert maintain()[0].ran
        assert "cannot be written" in caplog.text


class TestWhatARunWrites:
    @pytest.fixture(autouse=True)
    def corpora(self, files, records, tracker):
        files("notes", 3)
        records("tickets")
        tracker.failing.append(True)

    def test_a_line_a_corpus_worked_on_and_one_at_the_end(self):
        maintain()
        notes, tickets, run = runs()
        assert {notes["run"], tickets["run"], run["run"]} == {run["run"]}
        assert (notes["event"], notes["name"], notes["outcome"]) == ("corpus", "notes", "done")
        assert notes["added"] == 3 and notes["seconds"] > 0
        assert tickets["outcome"] == "failed" and "does not answer" in tickets["error"]
        assert run["event"] == "run" and run["corpora"] == 2
        assert (run["done"], run["failed"], run["locked"], run["left"]) == (1, 1, 0, 0)

    def test_a_dry_run_writes_none(self):
        maintain(dry_run=True)
        assert runs() == []
