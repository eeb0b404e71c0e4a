"""A local corpus on disk: generations, segments, readers, garbage."""

from __future__ import annotations

import errno
import json
import os
import stat

import numpy as np
import pytest

from irengine import config
from irengine.base import ledger_key
from irengine.errors import CorpusDamaged, InvalidName, ParameterError, StoreError
from irengine.store import CorpusStore, built_names, publishing
from irengine.store.changes import MAX_SEGMENTS


def current(store) -> dict:
    return json.loads((store.path / "CURRENT.json").read_text())


def names(store, prefix: str) -> set[str]:
    return {path.name for path in store.path.iterdir() if path.name.startswith(prefix)}


def test_looking_creates_nothing(private_folders):
    store = CorpusStore.local("never built")
    assert not store.exists
    assert (len(store), store.get_config(), store.builds()) == (0, {}, [])
    assert (store.get_calibration("dense"), store.get_maintenance_state()) == (None, {})
    assert (list(store.ledger_items()), store.storage) == ([], {"backend": "local"})
    assert store.verify().ok and store.repair().ok
    store.delete()
    assert built_names() == []
    assert list(private_folders.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "\n"])
def test_an_impossible_name_is_refused(name):
    with pytest.raises(InvalidName):
        CorpusStore.local(name)


def test_names_that_look_alike_never_share_a_folder(helpers):
    for number, name in enumerate(["a/b", "a_b", "A_B", "ノート", "日記"]):
        store = CorpusStore.local(name)
        with store.writing("test") as batch:
            helpers.put(batch, f"artifact{number}", "text")
    assert built_names() == sorted(["a/b", "a_b", "A_B", "ノート", "日記"])
    for number, name in enumerate(["a/b", "a_b", "A_B", "ノート", "日記"]):
        assert CorpusStore.local(name).snapshot().artifact_ids() == [f"artifact{number}"]


def test_another_process_object_sees_each_commit_at_once(local, helpers):
    reader = CorpusStore.local("notes")
    assert len(reader) == 0
    with local.writing("test") as batch:
        for number in range(1, 4):
            helpers.put(batch, f"a{number}", "text")
            batch.commit()
            assert len(reader) == number
            assert reader.get_ledger_entry(ledger_key(f"a{number}")) is not None
    assert reader.snapshot() is reader.snapshot()


def test_a_commit_writes_a_segment_for_what_is_new_only(local, helpers):
    with local.writing("test") as batch:
        for number in range(30):
            helpers.put(batch, f"a{number}", "one", "two")
        batch.commit()
        first = names(local, "seg-")
        helpers.put(batch, "a3", "new")
        batch.commit()
    assert first < names(local, "seg-")
    assert [segment["n"] for segment in current(local)["segments"]] == [60, 1]
    assert [segment["dead"] for segment in current(local)["segments"]] == [2, 0]
    assert local.snapshot().alive.sum() == 59
    helpers.check(local)


def test_segments_are_merged_before_there_are_too_many(local, helpers):
    with local.writing("test") as batch:
        for number in range(40):
            helpers.put(batch, f"a{number}", f"text {number}", n=number)
            batch.commit()
            assert len(local.snapshot().segments) <= MAX_SEGMENTS
    assert len(names(local, "seg-")) <= 2 * MAX_SEGMENTS
    assert len(local.snapshot()) == 40
    helpers.check(local)


def test_the_steps_of_a_build_end_as_one_segment(local, helpers):
    with local.writing("test") as batch:
        for step in range(3):
            for number in range(10):
                helpers.put(batch, f"a{step}{number}", f"text {number}")
            batch.commit(compact=step == 2)
    assert [segment.n for segment in local.snapshot().segments] == [30]
    helpers.check(local)
    before = local.snapshot()
    with local.writing("test") as batch:
        assert batch.commit(compact=True) is before


def test_a_small_change_is_not_made_one_with_a_large_rest(local, helpers):
    with local.writing("test") as batch:
        for number in range(30):
            helpers.put(batch, f"a{number}", "text")
    with local.writing("test") as batch:
        helpers.put(batch, "new", "text")
        batch.commit(compact=True)
    assert [segment.n for segment in local.snapshot().segments] == [30, 1]


def test_a_large_segment_is_left_alone_by_small_merges(local, helpers):
    with local.writing("test") as batch:
        for number in range(200):
            helpers.put(batch, f"big{number}", "text")
        batch.commit()
        (large,) = names(local, "seg-")
        for number in range(30):
            helpers.put(batch, f"small{number}", "text")
            batch.commit()
    assert large in {segment.name for segment in local.snapshot().segments}


def test_a_segment_with_many_dead_rows_is_rewritten(local, helpers):
    with local.writing("test") as batch:
        for number in range(10):
            helpers.put(batch, f"a{number}", "text")
        batch.commit()
        batch.remove("a0")
        batch.remove("a1")
        assert batch.commit().alive is not None
        batch.remove("a2")
        assert batch.commit().alive is None
    assert local.snapshot().n == 7
    helpers.check(local)


def test_a_segment_without_live_rows_is_dropped(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "one")
        batch.commit()
        helpers.put(batch, "b", "two")
        batch.commit()
        helpers.put(batch, "a", "new")
        batch.commit()
    assert [segment.n for segment in local.snapshot().segments] == [1, 1]
    with local.writing("test") as batch:
        batch.remove("a")
        batch.remove("b")
    assert local.snapshot().segments == ()
    assert local.matrix()[1].shape == (0, 0)
    assert (local.snapshot().dim, local.snapshot().count, len(local)) == (0, 0, 0)


def test_only_this_generation_and_the_previous_one_are_kept(local, helpers):
    with local.writing("test") as batch:
        for number in range(6):
            helpers.put(batch, "a", f"text {number}", version=str(number))
            batch.commit()
    assert names(local, "gen-") == {"gen-000005", "gen-000006"}
    assert len(names(local, "seg-")) == 2
    assert names(local, "chroma-") == {current(local)["chroma"]}
    assert names(local, "intent") == set()


def test_a_query_keeps_its_generation_when_the_files_are_gone(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "the first text", colour="red")
        batch.commit()
    reader = CorpusStore.local("notes")
    held = reader.snapshot()
    with local.writing("test") as batch:
        for number in range(3):
            helpers.put(batch, "a", f"text {number}")
            batch.commit()
    assert f"gen-{held.generation:06d}" not in names(local, "gen-")
    assert held.rows([0])[0].text == "the first text"
    assert held.segments[0].postings.lookup("first") is not None
    assert held.segments[0].columns.values("colour") == ["red"]
    assert reader.snapshot().rows([0])[0].text == "text 2"


def test_segments_that_stay_are_not_opened_again(local, helpers):
    with local.writing("test") as batch:
        for number in range(10):
            helpers.put(batch, f"a{number}", "text")
    reader = CorpusStore.local("notes")
    before = reader.snapshot().segments[0]
    with local.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert reader.snapshot().segments[0] is before


def test_settings_are_published_with_the_rows(local, helpers):
    with local.writing("test") as batch:
        batch.set_config({"name": "notes", "embedder_id": "one"})
        helpers.put(batch, "a", "text")
        assert batch.commit().embedder_id == "one"
        batch.set_config({"name": "notes", "embedder_id": "two"})
        assert local.get_config()["embedder_id"] == "one"
    assert local.snapshot().embedder_id == "two"
    about = json.loads((local.path / "corpus.json").read_text())
    assert (about["name"], about["config"]["embedder_id"]) == ("notes", "two")


def test_the_pointer_says_what_is_published(local, helpers):
    with local.writing("test") as batch:
        batch.set_config({"embedder_id": "x"})
        helpers.put(batch, "a", "one", "two")
    content = current(local)
    assert (content["format"], content["gen"], content["count"]) == (1, 1, 2)
    assert (content["dim"], content["embedder_id"], content["chroma"]) == (8, "x", "chroma-000001")
    assert content["chroma_version"] and content["analyzer_id"] and content["content_id"]


def test_rows_added_by_later_processes_are_numbered_consistently(local, helpers):
    with local.writing("test") as batch:
        for name in "abc":
            helpers.put(batch, name, "one", "two")
        batch.commit()
        helpers.put(batch, "b", "new")
        helpers.put(batch, "d", "four")
        batch.commit()
    snapshot = CorpusStore.local("notes").snapshot()
    codes = snapshot.artifact_codes
    assert codes.dtype == np.int64 and codes.shape == (snapshot.n,)
    positions = range(snapshot.n)
    owners = [row.artifact_id for row in snapshot.rows(positions)]
    assert len(set(zip(owners, codes.tolist(), strict=True))) == len(set(owners)) == 4
    with pytest.raises(IndexError):
        snapshot.rows([snapshot.n])


# -- what is broken is said ---------------------------------------------------------------------


def test_a_truncated_file_is_reported_when_the_corpus_is_opened(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (segment,) = names(local, "seg-")
    os.truncate(local.path / segment / "vectors.npy", 100)
    with pytest.raises(CorpusDamaged, match="vectors.npy"):
        CorpusStore.local("notes").snapshot()


def test_a_missing_file_is_reported(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (segment,) = names(local, "seg-")
    (local.path / segment / "rows.jsonl").unlink()
    with pytest.raises(CorpusDamaged, match="rows.jsonl"):
        CorpusStore.local("notes").snapshot()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": 1}'])
def test_a_garbled_pointer_is_reported(local, helpers, content):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (local.path / "CURRENT.json").write_text(content)
    with pytest.raises(CorpusDamaged, match=r"CURRENT\.json"):
        CorpusStore.local("notes").snapshot()


def test_a_newer_format_is_refused(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    (local.path / "CURRENT.json").write_text(json.dumps({**current(local), "format": 2}))
    with pytest.raises(StoreError) as caught:
        CorpusStore.local("notes").snapshot()
    assert caught.value.code == "newer-format"


def test_a_copy_written_by_a_newer_chromadb_is_refused_by_writers_only(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    changed = {**current(local), "chroma_version": "99.0.0"}
    (local.path / "CURRENT.json").write_text(json.dumps(changed))
    store = CorpusStore.local("notes")
    assert len(store) == 1
    with pytest.raises(StoreError) as caught, store.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert caught.value.code == "chroma-too-old"
    assert helpers.texts(CorpusStore.local("notes")) == {"a": ["text"]}


def test_postings_of_another_analyzer_are_made_anew_by_the_next_commit(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "one text")
        batch.commit()
        helpers.put(batch, "b", "two texts")
    changed = {**current(local), "analyzer_id": "old/1"}
    (local.path / "CURRENT.json").write_text(json.dumps(changed))
    store = CorpusStore.local("notes")
    assert store.snapshot().analyzer_id == "old/1"
    with store.writing("test") as batch:
        batch.commit()
    assert store.snapshot().analyzer_id != "old/1"
    assert len(store.snapshot().segments) == 1
    helpers.check(store)


def test_a_reader_of_another_analyzers_corpus_finds_todays_words_and_is_told(local, helpers):
    with local.writing("test") as batch:
        batch.set_config({"name": "notes"})
        helpers.put(batch, "a", "one text")
        batch.commit()
        helpers.put(batch, "b", "two texts")
    changed = {**current(local), "analyzer_id": "old/1"}
    (local.path / "CURRENT.json").write_text(json.dumps(changed))
    for segment in local.path.glob("seg-*"):
        for file in segment.glob("lex-*"):
            file.write_bytes(b"words nobody can read any more")
    snapshot = CorpusStore.local("notes").snapshot()
    assert [segment.n for segment in snapshot.segments] == [1, 1]
    with pytest.warns(UserWarning, match="corpus 'notes' were indexed by another version") as said:
        found = [postings.n for postings, _ in snapshot.parts]
    assert found == [1, 1] and len(said) == 1


@pytest.mark.parametrize(
    "storage", [{"backend": "sqlite"}, {"backend": "local", "host": "x"}, {"hosts": "x"}]
)
def test_a_malformed_storage_is_refused(storage):
    with pytest.raises(ParameterError):
        CorpusStore.local("notes", storage=storage)


# -- the small files ----------------------------------------------------------------------------


def test_the_history_of_builds_is_bounded_and_survives_a_torn_line(local):
    for number in range(40):
        local.append_build({"number": number, "padding": "x" * 40_000})
    builds = local.builds()
    assert builds[-1]["number"] == 39
    assert [build["number"] for build in builds] == list(range(40 - len(builds), 40))
    assert (local.path / "builds.jsonl").stat().st_size < 1_100_000
    with (local.path / "builds.jsonl").open("ab") as file:
        file.write(b'{"torn": ')
    assert CorpusStore.local("notes").builds()[-1]["number"] == 39
    local.append_build({"number": 40})
    assert [build["number"] for build in local.builds()[-2:]] == [39, 40]


def test_other_keys_of_the_policy_file_are_kept(local):
    local.set_maintenance_state({"last": 1})
    path = local.path / "policy.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "policy": {"a": 1}}))
    local.set_maintenance_state({"last": 2})
    assert json.loads(path.read_text()) == {"policy": {"a": 1}, "state": {"last": 2}}


def test_what_a_killed_writer_left_is_removed_by_the_next_of_the_same_file(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    left = {
        name: local.path / f".{name}.123-abcdef.tmp"
        for name in ("CURRENT.json", "calibration.json")
    }
    for path in left.values():
        path.write_bytes(b"{")
    with local.writing("test"):
        pass
    assert not left["CURRENT.json"].exists()
    assert left["calibration.json"].exists()  # another process may be writing it just now
    local.set_calibration("dense", {"floor": 0.1})
    assert not left["calibration.json"].exists()


def test_an_interrupt_after_the_moment_of_truth_costs_nothing(local, helpers, monkeypatch):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "one")
    write_atomic = publishing.write_atomic

    def interrupted(path, data):
        write_atomic(path, data)
        if path.name == "CURRENT.json":
            patch.undo()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_atomic", interrupted)
        with pytest.raises(KeyboardInterrupt), local.writing("test") as batch:
            helpers.put(batch, "b", "two")
    for store in (local, CorpusStore.local("notes")):
        assert helpers.texts(store) == {"a": ["one"], "b": ["two"]}
    assert local.verify().ok


def test_a_file_system_that_cannot_flush_folders_will_do(local, helpers, monkeypatch):
    fsync = os.fsync

    def files_only(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    with local.writing("test") as batch:
        helpers.put(batch, "a", "one")
    assert helpers.texts(CorpusStore.local("notes")) == {"a": ["one"]}


def test_sidecars_do_not_make_a_corpus(local):
    local.set_calibration("dense", {"min_score": 0.5})
    assert not local.exists
    assert built_names() == []
    assert CorpusStore.local("notes").get_calibration("dense") == {"min_score": 0.5}


def test_deleting_removes_the_folder_and_the_name_is_free_again(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    local.delete()
    assert not local.exists and len(local) == 0
    assert list(config.corpora_dir().iterdir()) == []
    with local.writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert helpers.texts(local) == {"b": ["text"]}
