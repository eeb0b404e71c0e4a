"""Registered corpora follow their files while a watcher runs."""

import os
import threading
import time

import pytest

import irengine as ir
from irengine.errors import CorpusNotFound, ParameterError
from irengine.watch import Watcher

pytest.importorskip("watchfiles")
pytestmark = pytest.mark.slow

SECONDS = 30


def until(condition):
    """Wait for ``condition``."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < SECONDS
        time.sleep(0.01)


def found(word, name="notes"):
    return {hit.artifact_id for hit in ir.search(name, word, mode="lexical", k=20)}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nalpha\n")
    (folder / "sub" / "b.md").write_text("# B\n\nbeta\n")
    ir.register("notes", "files", root=str(folder), embedder="light")
    return folder


@pytest.fixture
def events():
    return []


@pytest.fixture
def watcher(root, events):
    with Watcher(on_event=events.append) as running:
        assert running.ready.wait(SECONDS)
        yield running


class TestAWatcher:
    def test_first_brings_the_corpus_up_to_date(self, watcher, events):
        assert found("alpha beta") == {"a.md", "sub/b.md"}
        assert [(event.name, event.changes, event.report.added) for event in events] == [
            ("notes", 0, 2)
        ]

    def test_says_once_what_it_watches(self, root):
        told = []
        with Watcher(on_watch=told.append) as running:
            assert running.ready.wait(SECONDS)
        assert told == ["notes"]

    def test_follows_edits_new_files_renames_and_deletions(self, watcher, root):
        (root / "a.md").write_text("# A\n\ngamma\n")
        until(lambda: found("gamma") == {"a.md"})
        (root / "new.md").write_text("delta\n")
        until(lambda: found("delta") == {"new.md"})
        (root / "new.md").rename(root / "sub" / "moved.md")
        until(lambda: found("delta") == {"sub/moved.md"})
        (root / "sub" / "moved.md").unlink()
        until(lambda: not found("delta"))

    def test_follows_whole_folders_and_ignore_files(self, watcher, root):
        (root / "sub").rename(root / "renamed")
        until(lambda: found("beta") == {"renamed/b.md"})
        (root / ".gitignore").write_text("renamed/\n")
        until(lambda: not found("beta"))
        (root / ".gitignore").unlink()
        until(lambda: found("beta") == {"renamed/b.md"})

    def test_takes_no_notice_of_what_is_left_out(self, watcher, root, events):
        (root / ".git").mkdir()
        (root / ".git" / "x.md").write_text("secret\n")
        (root / "data.csv").write_text("secret\n")
        (root / "last.md").write_text("omega\n")
        until(lambda: found("omega"))
        assert not found("secret")
        assert events[-1].report.unchanged == 0  # the others were not even looked at

    def test_waits_for_another_writer(self, watcher, root):
        store = ir.open_corpus("notes").store
        with store.writing("elsewhere"):
            (root / "a.md").write_text("# A\n\ngamma\n")
            assert not threading.Event().wait(1.5)
            assert not found("gamma")
        until(lambda: found("gamma"))

    def test_goes_on_when_the_root_was_away(self, watcher, root, events):
        away = root.with_name("away")
        root.rename(away)
        until(lambda: any(event.error is not None for event in events))
        assert found("alpha") == {"a.md"}
        (away / "c.md").write_text("gamma\n")
        away.rename(root)
        until(lambda: found("gamma"))

    def test_takes_in_what_is_registered_later(self, watcher, tmp_path):
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "x.md").write_text("epsilon\n")
        ir.register("more", "files", root=str(tmp_path / "more"), embedder="light")
        until(lambda: "more" in ir.corpora() and _is_built("more") and found("epsilon", "more"))


def _is_built(name):
    return ir.CorpusStore.local(name).exists


def test_what_is_not_indexed_on_change_is_not_watched(root, events):
    ir.register(
        "notes",
        "files",
        root=str(root),
        embedder="light",
        maintenance={"reindex": {"on": "manual"}},
    )
    with Watcher(on_event=events.append) as running:
        assert running.ready.wait(SECONDS)
    assert events == []
    with Watcher(["notes"], on_event=events.append) as running:
        assert running.ready.wait(SECONDS)
    assert len(events) == 1


def test_unknown_names_and_odd_numbers_are_refused(root):
    with pytest.raises(CorpusNotFound):
        Watcher(["nothing"])
    with pytest.raises(ParameterError):
        Watcher(rescan_seconds=0)


def test_changes_come_first_and_whole_passes_one_a_round(root, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    ir.register("other", "files", root=str(tmp_path / "other"), embedder="light")
    done = []

    def bring_up(self, one):
        done.append((one.name, "whole" if one.everything else "changes"))
        one.everything = False
        one.waiting.clear()

    def changes(self, roots):
        yield []
        yield []
        yield [(False, False, str(root)), (True, False, str(tmp_path / "other" / "new.md"))]
        self.stop()
        yield []

    monkeypatch.setattr(Watcher, "_bring_up", bring_up)
    monkeypatch.setattr(Watcher, "_changes", changes)
    watcher = Watcher()
    watcher.ready.set()
    watcher.run()
    first = [("notes", "whole"), ("other", "whole")]
    assert done == [*first, ("other", "changes"), ("notes", "whole")]


def test_a_big_tree_is_followed_without_walking_it(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    for folder in range(20):
        (root / f"d{folder}").mkdir(parents=True)
        for number in range(20):
            (root / f"d{folder}" / f"n{number}.md").write_text(f"note {folder} {number}\n")
    ir.register("notes", "files", root=str(root), embedder="light")
    ir.build_corpus("notes")
    reader = ir.open_corpus("notes")

    def hits(word):
        return {hit.artifact_id for hit in ir.search(reader, word, mode="lexical", k=5)}

    with Watcher() as running:
        assert running.ready.wait(SECONDS)
        listed = []
        scandir = os.scandir
        monkeypatch.setattr(os, "scandir", lambda path: listed.append(str(path)) or scandir(path))
        for step in range(3):
            file = root / f"d{step}" / "n0.md"
            file.write_text(f"unique{step}\n")
            until(lambda: hits(f"unique{step}"))  # noqa: B023 - called at once
            file.rename(root / f"d{step}" / "moved.md")
            until(lambda: hits(f"unique{step}") == {f"d{step}/moved.md"})  # noqa: B023
            (root / f"d{step}" / "moved.md").unlink()
            until(lambda: not hits(f"unique{step}"))  # noqa: B023
    assert {path for path in listed if path.startswith(str(root))} <= {
        str(root),
        *(str(root / f"d{step}") for step in range(3)),
    }
