"""Commands that change something: try, register, build, rm, forget, in real processes."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

LIGHT = ("--embedder", "light")


def corpora(irtui):
    return [row["name"] for row in irtui.json("ls")]


class TestTry:
    def test_without_a_query_it_says_what_was_indexed(self, irtui, notes):
        done = irtui("try", "notes", *LIGHT)
        assert done.returncode == 0
        assert "5 added" in done.stdout
        assert "kept as try-notes-" in done.stdout
        assert "ask it: irtui try notes QUESTION" in done.stderr

    def test_the_second_time_only_changes_are_read(self, irtui, notes):
        irtui("try", "notes", *LIGHT)
        (notes / "new.md").write_text("# New\n\nA new note about otters.\n")
        hits = irtui.json("try", str(notes), "otters", "--mode", "lexical")
        assert [hit["artifact_id"] for hit in hits] == ["new.md"]
        data = irtui.json("try", "notes")
        assert (data["report"]["added"], data["report"]["unchanged"]) == (0, 6)
        assert corpora(irtui) == [data["corpus"]]

    def test_a_query_answers_in_one_step(self, irtui, notes):
        done = irtui("try", "notes", "who", "sings", *LIGHT)
        assert done.returncode == 0
        assert "whales.md" in done.stdout
        assert "indexed: 5 added" in done.stderr

    def test_one_file(self, irtui, notes):
        hits = irtui.json("try", "notes/whales.md", "oceans", *LIGHT)
        assert [hit["artifact_id"] for hit in hits] == ["whales.md"]
        assert len(corpora(irtui)) == 1
        data = irtui.json("try", "notes/skipped.py", *LIGHT)
        assert data["report"]["added"] == 1

    def test_pattern_and_glob(self, irtui, notes):
        assert irtui.json("try", "notes", "-p", r"\.txt$", *LIGHT)["report"]["added"] == 1
        assert irtui.json("try", "notes", "--glob", "*.py", *LIGHT)["report"]["added"] == 1
        assert irtui("try", "notes", "-p", "*.md").returncode == 2
        assert irtui("try", "notes", "-p", "x", "-g", "y").returncode == 2

    def test_a_missing_path_is_named_resolved(self, irtui):
        done = irtui("try", "./nope", "x", "--json")
        assert (done.returncode, done.stdout) == (3, "")
        assert str(irtui.base / "nope") in json.loads(done.stderr)["message"]
        assert list(irtui.base.iterdir()) == []

    def test_an_empty_folder_is_ok(self, irtui):
        (irtui.base / "void").mkdir()
        assert irtui.json("try", "void", *LIGHT)["report"]["records"] == 0
        assert irtui.json("try", "void", "x", *LIGHT) == []

    def test_another_embedder_by_name_switches(self, irtui, notes):
        name = irtui.json("try", "notes/bees.md", *LIGHT)["corpus"]
        irtui.json("try", "notes/bees.md", "--embedder", "hashing__dim256")
        (row,) = irtui.json("ls")
        assert (row["name"], row["embedder_id"]) == (name, "hashing__dim256")
        irtui.json("try", "notes/bees.md")  # asking for none keeps it
        assert irtui.json("ls")[0]["embedder_id"] == "hashing__dim256"


@pytest.mark.slow
def test_the_default_model_finds_meaning(irtui, notes):
    hits = irtui.json("try", "notes", "marine mammals making music", "--mode", "dense")
    assert hits[0]["artifact_id"] == "whales.md"
    assert irtui.json("ls")[0]["embedder_id"] != "hashing__dim512"


class TestRegister:
    def test_register_build_and_ask(self, irtui, notes):
        done = irtui("register", "notes", "files", "--root", "notes", *LIGHT)
        assert done.returncode == 0
        assert "registered notes" in done.stdout
        assert "irtui build notes" in done.stderr
        (report,) = irtui.json("build")
        assert (report["added"], report["outcome"]) == (5, "done")
        assert irtui.json("search", "sing", "-c", "notes", "--mode", "lexical")

    def test_every_option_arrives(self, irtui, notes):
        entry = irtui.json(
            *("register", "n", "files", "-r", "notes", "-g", "*.md", "--strategy", "WholeText"),
            *("--param", "hidden=true", "--every-hours", "6", "--synopsis", *LIGHT),
        )
        assert entry["params"]["hidden"] is True
        assert entry["params"]["root"] == str(notes)
        assert entry["strategy"]["name"] == "WholeText"
        assert entry["maintenance"] == {
            "reindex": {"on": "interval", "every_hours": 6},
            "synopsis": {"enabled": True},
        }

    def test_records_need_only_a_fetcher(self, irtui):
        (irtui.base / "mytools.py").write_text(
            "def fetch():\n    return [{'id': 'r', 'text': 'a ticket about otters'}]\n"
        )
        path = f"{irtui.base}:{':'.join(sys.path)}"
        words = ("register", "tickets", "records", "--fetcher", "mytools:fetch", *LIGHT)
        assert irtui(*words, PYTHONPATH=path).returncode == 0
        assert irtui("build", "tickets", PYTHONPATH=path).returncode == 0
        assert irtui.json("search", "otters")[0]["artifact_id"] == "r"

    @pytest.mark.parametrize(
        ("words", "status", "message"),
        [
            (("x", "files"), 2, "needs the parameter 'root'"),
            (("x", "files", "--root", "nope"), 3, "nope does not exist"),
            (("x", "file", "--root", "notes"), 2, "KIND cannot be 'file'"),
            (("..", "files", "--root", "notes"), 2, "cannot be a corpus name"),
            (("x", "files", "--root", "notes", "--param", "depth"), 2, "KEY=VALUE"),
            (("x", "files", "--root", "notes", "--param", "depth=1"), 2, "no parameter 'depth'"),
            (("x", "files", "--root", "notes/bees.md"), 2, "is not a folder"),
            (("x", "files", "--root", "notes", "--param", "embedder=x"), 2, "cannot set embedder"),
        ],
    )
    def test_what_is_wrong_is_said_at_once(self, irtui, notes, words, status, message):
        done = irtui("register", *words)
        assert (done.returncode, done.stdout) == (status, "")
        assert message in done.stderr
        assert not (irtui.base / "config" / "corpora.json").exists()

    def test_replacing_has_to_be_said(self, irtui, notes):
        words = ("register", "notes", "files", "--root", "notes", *LIGHT)
        assert irtui(*words).returncode == 0
        assert irtui(*words).returncode == 2
        assert irtui(*words, "--replace").returncode == 0


@pytest.fixture
def registered(irtui, notes):
    assert (
        irtui("register", "notes", "files", "--root", "notes", "--glob", "*.md", *LIGHT).returncode
        == 0
    )
    assert irtui("build", "notes").returncode == 0
    return irtui


class TestBuild:
    def test_only_changes_are_done(self, registered, notes):
        (notes / "bees.md").unlink()
        (notes / "whales.md").write_text("# Whales\n\nWhales are silent today.\n")
        (report,) = registered.json("build", "notes")
        counts = [report[key] for key in ("added", "changed", "removed", "unchanged")]
        assert counts == [0, 1, 1, 2]
        assert "4 unchanged" not in registered("build").stdout

    def test_no_prune_keeps_what_left(self, registered, notes):
        (notes / "bees.md").unlink()
        assert registered.json("build", "notes", "--no-prune")[0]["removed"] == 0
        (hit,) = registered.json("search", "dance", "--mode", "lexical")
        assert hit["gone"] is True
        assert "the file is gone" in registered("search", "dance", "--mode", "lexical").stdout
        assert registered.json("build", "notes")[0]["removed"] == 1

    def test_skipped_files_are_listed_when_asked(self, registered, notes):
        (notes / "binary.md").write_bytes(b"\x00\x01\x02\xff" * 100)
        (notes / "void.md").write_text("")
        done = registered("build", "notes", "--verbose")
        assert done.returncode == 0
        assert "binary.md" in done.stdout
        assert "void.md" in done.stdout

    def test_hostile_names_reach_no_terminal(self, registered, notes):
        (notes / "a\x1b[2Jb.md").write_bytes(b"\x00\x01" * 100)
        done = registered("build", "notes", "--verbose")
        assert done.returncode == 0
        assert "␛[2J" in done.stdout
        assert "\x1b" not in done.stdout + done.stderr

    def test_switching_the_embedder_has_to_be_said(self, registered):
        done = registered("build", "notes", "--embedder", "hashing__dim256")
        assert done.returncode == 1
        assert "--switch-embedder" in done.stderr
        words = ("build", "notes", "--embedder", "hashing__dim256", "--switch-embedder")
        assert registered(*words).returncode == 0
        assert registered.json("ls")[0]["embedder_id"] == "hashing__dim256"
        assert registered("build", "notes").returncode == 0

    def test_a_missing_root_removes_nothing(self, registered, notes):
        notes.rename(notes.with_name("moved"))
        done = registered("build", "notes")
        assert done.returncode == 3
        assert str(notes) in done.stderr
        assert registered.json("ls")[0]["artifacts"] == 4

    def test_one_failure_stops_no_other(self, registered, notes):
        other = notes.with_name("other")
        shutil.copytree(notes, other)
        registered("register", "a-other", "files", "--root", "other", *LIGHT)
        notes.rename(notes.with_name("moved"))
        reports = registered.json("build", status=1)
        outcomes = {report["name"]: report["outcome"] for report in reports}
        assert outcomes == {"notes": "failed", "a-other": "done"}

    def test_a_locked_corpus_says_so(self, registered, notes):
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD_THE_LOCK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**registered.env, "PYTHONPATH": ":".join(sys.path)},
        )
        try:
            assert holder.stdout.readline() == "held\n"
            done = registered("build", "notes")
        finally:
            holder.communicate("\n")
        assert done.returncode == 5
        assert registered("build", "notes").returncode == 0

    def test_nothing_registered(self, irtui):
        assert irtui.json("build") == []


HOLD_THE_LOCK = """
from irengine.store import CorpusStore
with CorpusStore.local("notes").writing("a test"):
    print("held", flush=True)
    input()
"""


class TestRemoving:
    def test_rm_keeps_the_index_unless_purged(self, registered):
        done = registered("rm", "notes")
        assert done.returncode == 0
        assert "--purge" in done.stderr
        (row,) = registered.json("ls")
        assert (row["kind"], row["built"]) == (None, True)
        assert registered("rm", "notes").returncode == 2
        assert registered("rm", "notes", "--purge").returncode == 2
        assert registered.json("rm", "notes", "--purge", "--yes")["purged"] is True
        assert registered.json("ls") == []
        assert (registered.base / "notes" / "bees.md").exists()

    def test_forget(self, registered):
        assert registered.json("forget", "notes", "bees.md")["forgotten"] == 1
        assert registered.json("search", "dance", "--mode", "lexical") == []
        done = registered("forget", "notes", "whales.md", "bees.md")
        assert done.returncode == 3
        assert registered.json("search", "sing", "--mode", "lexical")
        (registered.base / "notes" / "whales.md").unlink()
        assert "still on disk" not in registered("forget", "notes", "whales.md").stderr
        registered("build", "notes")
        done = registered("forget", "notes", "bees.md")
        assert "bees.md is still on disk, so the next build brings it back" in done.stderr

    def test_verify_repairs(self, registered):
        assert registered.json("verify", "notes", "--repair")["ok"] is True


class TestStopping:
    @pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_a_build_stops_cleanly(self, irtui, number, status):
        folder = irtui.base / "big"
        folder.mkdir()
        for index in range(500):
            words = " ".join(f"word{index * 7 + n}" for n in range(400))
            (folder / f"{index}.md").write_text(f"# Note {index}\n\n{words}\n")
        assert irtui("register", "big", "files", "--root", "big", *LIGHT).returncode == 0
        running = irtui.start("build", "big", "--json")
        lock = irtui.base / "data" / "corpora" / "big" / "LOCK"
        deadline = time.monotonic() + 60
        while not lock.exists() and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        assert running.poll() is None, "the build was over before it could be stopped"
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
        assert running.returncode == status
        assert out == ""
        assert "Traceback" not in err
        (report,) = irtui.json("build", "big")
        assert report["added"] + report["unchanged"] == 500
