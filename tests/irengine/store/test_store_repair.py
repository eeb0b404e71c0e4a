"""Damage is found, mended from the side that is whole, and forgotten text is gone for good."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from irengine.base import ledger_key
from irengine.embed import EmbeddingCache, text_hash
from irengine.errors import CorpusDamaged
from irengine.store import CorpusStore
from irengine.store import local as backend


@pytest.fixture
def notes(local, helpers):
    with local.writing("test") as batch:
        batch.set_config({"name": "notes", "embedder_id": "x"})
        for number in range(130):
            helpers.put(batch, f"a{number}", f"text {number}", n=number)
        batch.commit()
        helpers.put(batch, "a3", "changed", version="2")
        batch.set_links("a3", {"next": ["a4"]})
    return local


def the(store, pattern: str) -> Path:
    return sorted(store.path.glob(pattern))[0]


def places(report) -> set[str]:
    return {problem.where for problem in report.problems}


def assert_whole(store, helpers, texts) -> None:
    report = store.verify()
    assert report.ok and report.chroma_checked, report
    fresh = CorpusStore.local("notes")
    assert helpers.texts(fresh) == texts
    helpers.check(fresh)


def test_a_list_of_dead_rows_that_names_others_is_not_believed(local, helpers):
    with local.writing("test") as batch:
        for number in range(20):
            helpers.put(batch, f"a{number}", "text")
    with local.writing("test") as batch:
        batch.remove("a3")
    texts = helpers.texts(local)
    np.save(the(local, "gen-*/dead.npy"), np.array([5], dtype=np.int32))
    assert CorpusStore.local("notes").repair().ok
    assert_whole(local, helpers, texts)


def test_a_healthy_corpus_has_no_problems_and_repair_does_nothing(notes):
    before = notes.snapshot().generation
    report = notes.verify()
    assert report.to_dict() == {
        "ok": True,
        "generation": before,
        "count": 130,
        "chroma_checked": True,
        "problems": [],
        "repaired": [],
    }
    assert notes.repair().repaired == []
    assert notes.snapshot().generation == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("vectors.npy", "flipped"),
        ("rows.jsonl", "truncated"),
        ("rows.jsonl", "flipped"),
        ("columns.bin", "missing"),
        ("segment.json", "flipped"),
        ("segment.json", "missing"),
        ("lex-docs.npy", "flipped"),
    ],
)
def test_damaged_rows_come_back_from_the_chroma_copy(notes, helpers, name, damage):
    texts = helpers.texts(notes)
    path = the(notes, "seg-000001*") / name
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle] ^= 0xFF
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(content if damage == "flipped" else content[:middle])
    report = CorpusStore.local("notes").verify()
    assert places(report) == {"generation"}
    report = CorpusStore.local("notes").repair()
    assert report.ok and "from the Chroma copy" in report.repaired[0]
    assert_whole(notes, helpers, texts)
    assert notes.get_links("a3") == {"next": ["a4"]}
    assert notes.get_config()["embedder_id"] == "x"


@pytest.mark.parametrize("damage", ["missing", "emptied", "other"])
def test_a_damaged_copy_is_made_anew_from_the_rows(notes, helpers, damage):
    texts = helpers.texts(notes)
    copy = the(notes, "chroma-*")
    if damage == "other":
        other = CorpusStore.local("other")
        with other.writing("test") as batch:
            helpers.put(batch, "a0", "another text")
        shutil.rmtree(copy)
        shutil.copytree(the(other, "chroma-*"), copy)
    elif damage == "emptied":
        for path in copy.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.write_bytes(b"")
    else:
        shutil.rmtree(copy)
    assert places(notes.verify()) == {"chroma"}
    report = notes.repair()
    assert report.ok and len(report.repaired) == 1
    assert_whole(notes, helpers, texts)
    assert the(notes, "chroma-*").name != copy.name


def test_the_next_build_notices_a_lost_copy_by_itself(notes, helpers):
    shutil.rmtree(the(notes, "chroma-*"))
    with CorpusStore.local("notes").writing("test") as batch:
        helpers.put(batch, "new", "text")
    assert_whole(notes, helpers, {**helpers.texts(notes), "new": ["text"]})


@pytest.mark.parametrize("content", [None, "", "{}"])
def test_a_lost_pointer_is_restored_from_the_newest_generation(notes, helpers, content):
    texts = helpers.texts(notes)
    pointer = notes.path / "CURRENT.json"
    pointer.unlink() if content is None else pointer.write_text(content)
    store = CorpusStore.local("notes")
    assert places(store.verify()) == {"pointer"}
    assert store.repair().ok
    assert_whole(store, helpers, texts)


def test_a_lost_manifest_is_written_anew(notes, helpers):
    texts = helpers.texts(notes)
    (the(notes, "gen-000002") / "manifest.json").unlink()
    assert places(notes.verify()) == {"generation"}
    assert notes.repair().repaired[0] == "wrote the manifest anew"
    assert_whole(notes, helpers, texts)


def test_a_damaged_ledger_is_dropped_and_the_rows_stay(notes, helpers):
    texts = helpers.texts(notes)
    the(notes, "tables/ledger-*").write_text("not JSON at all")
    assert places(CorpusStore.local("notes").verify()) == {"ledger"}
    store = CorpusStore.local("notes")
    assert store.repair().ok
    assert helpers.texts(store) == texts
    assert list(store.ledger_items()) == []
    assert store.get_links("a3") == {"next": ["a4"]}


def test_a_ledger_that_names_missing_records_is_reported(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
        batch.set_entry("a", {"artifact_id": "a", "record_ids": ["gone"]})
    assert places(local.verify()) == {"ledger"}


def test_with_both_sides_damaged_the_previous_generation_serves(notes, helpers):
    (newest,) = [s for s in notes.snapshot().segments if s.n == 1]
    (notes.path / newest.name / "vectors.npy").unlink()
    shutil.rmtree(the(notes, "chroma-*"))
    store = CorpusStore.local("notes")
    report = store.repair()
    assert report.repaired[0] == "went back to generation 1"
    assert helpers.texts(store)["a3"] == ["text 3"]
    assert store.get_ledger_entry(ledger_key("a3"))["version"] == "1"
    assert report.ok


def test_with_nothing_whole_left_it_says_so(notes):
    for segment in notes.path.glob("seg-*"):
        shutil.rmtree(segment)
    shutil.rmtree(the(notes, "chroma-*"))
    with pytest.raises(CorpusDamaged) as caught:
        CorpusStore.local("notes").repair()
    assert "from its source" in caught.value.hint


def test_a_copy_torn_by_a_kill_would_crash_us_and_is_never_opened_again(notes, helpers):
    """Zeroed index files crash whoever opens them; the warning sign keeps us away."""
    texts = helpers.texts(notes)
    copy = the(notes, "chroma-*")
    for path in copy.rglob("*.bin"):
        path.write_bytes(bytes(path.stat().st_size))
    (notes.path / "intent.json").write_text(json.dumps({"chroma": [copy.name], "pid": 1}))
    with notes.writing("test") as batch:
        helpers.put(batch, "new", "text")
    assert not copy.exists()
    assert_whole(notes, helpers, {**texts, "new": ["text"]})


def test_verify_survives_a_copy_that_crashes_its_reader(notes, helpers):
    texts = helpers.texts(notes)
    for path in the(notes, "chroma-*").rglob("*.bin"):
        path.write_bytes(bytes(path.stat().st_size))
    report = notes.verify()
    assert places(report) == {"chroma"}
    assert notes.repair().ok
    assert_whole(notes, helpers, texts)


# -- forgetting ---------------------------------------------------------------------------------


def holders(folder: Path, word: bytes) -> list[str]:
    """Return the files below ``folder`` in which ``word`` occurs."""
    found = []
    for root, _, files in os.walk(folder):
        for name in files:
            path = Path(root) / name
            if word in path.read_bytes():
                found.append(str(path.relative_to(folder)))
    return found


def test_forgotten_text_is_in_no_file_any_more(local, helpers):
    with local.writing("test") as batch:
        for number in range(20):
            helpers.put(batch, f"note{number}", f"harmless {number}", tag="plain")
        helpers.put(batch, "diary/zanzibar", "the word xylophonist is secret", tag="quetzal")
        batch.set_links("note1", {"next": ["diary/zanzibar", "note2"]})
        batch.set_links("note2", {"next": ["diary/zanzibar"]})
        batch.set_links("diary/zanzibar", {"next": ["note3"]})
        batch.commit()
        helpers.put(batch, "diary/zanzibar", "a later xylophonist", "and a second part")
    local.append_build({"added": 21, "errors": ["ok", {"id": "diary/zanzibar"}], "x": ["note1"]})
    words = [b"xylophonist", b"quetzal", b"zanzibar", b"secret"]
    assert all(holders(local.path, word) for word in words)
    vector = helpers.vector("diary/zanzibar", 0, "a later xylophonist").astype("<f4").tobytes()
    assert holders(local.path, vector)
    assert local.forget(["diary/zanzibar", "never there"]) == 1
    for word in [*words, vector]:
        assert holders(local.path, word) == []
    assert len(local) == 20
    assert local.get_ledger_entry(ledger_key("diary/zanzibar")) is None
    assert local.get_links("note1") == {"next": ["note2"]}
    assert local.get_links("note2") == {}
    assert local.builds() == [{"added": 21, "errors": ["ok"], "x": ["note1"]}]
    helpers.check(local)
    assert local.verify().ok


def test_forgetting_leaves_what_only_has_the_letters_of_an_id(local, helpers):
    with local.writing("test") as batch:
        helpers.put(batch, "a", "text")
    local.append_build({"outcome": "cancelled", "errors": ["'a': gone", "at /x/a", "all well"]})
    local.forget(["a"])
    assert local.builds() == [{"outcome": "cancelled", "errors": ["all well"]}]


def test_forgetting_keeps_what_was_written_while_it_waited_for_the_lock(
    local, helpers, monkeypatch
):
    with local.writing("test") as batch:
        for artifact in ("a", "b", "c"):
            helpers.put(batch, artifact, "text")
        batch.set_links("a", {"next": ["c"]})
    locked = backend.writer_lock

    @contextlib.contextmanager
    def after_another_writer(*arguments, **options):
        patch.setattr(backend, "writer_lock", locked)
        CorpusStore.local("notes").set_links("a", {"next": ["b", "c"]})
        with locked(*arguments, **options) as is_held:
            yield is_held

    with monkeypatch.context() as patch:
        patch.setattr(backend, "writer_lock", after_another_writer)
        local.forget(["c"])
    assert local.get_links("a") == {"next": ["b"]}


def test_forgetting_also_erases_versions_that_were_replaced_before(local, helpers):
    with local.writing("test") as batch:
        for number in range(20):
            helpers.put(batch, f"note{number}", "harmless")
        helpers.put(batch, "note3", "xylophonist")
        batch.commit()
        helpers.put(batch, "note3", "harmless again")
    assert holders(local.path, b"xylophonist")
    local.forget(["note5"])
    assert holders(local.path, b"xylophonist") == []
    helpers.check(local)


def test_forgetting_takes_the_texts_out_of_the_cache_of_embeddings(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "note", "harmless")
        helpers.put(batch, "diary", "secret", "second part")
        batch.commit()
        helpers.put(batch, "diary", "secret", "a later part")
    texts = ["harmless", "secret", "a later part"]
    cache = EmbeddingCache("some-model")
    cache.put({text_hash(text): helpers.vector(text) for text in texts})
    store.forget(["diary"])
    assert list(cache.get([text_hash(text) for text in texts])) == [text_hash("harmless")]


def test_forgetting_works_in_memory_too(helpers):
    store = CorpusStore.memory()
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one")
        helpers.put(batch, "b", "two")
    assert store.forget(["a"]) == 1
    assert helpers.texts(store) == {"b": ["two"]}
    assert store.verify().ok and store.repair().ok
    store.delete()
    assert len(store) == 0 and list(store.ledger_items()) == []


def test_the_copy_starts_afresh_when_much_was_deleted_from_it(local, helpers):
    with local.writing("test") as batch:
        for number in range(900):
            helpers.put(batch, f"a{number}", "text")
        batch.commit()
        (first,) = json.loads((local.path / "intent.json").read_text())["chroma"]
        for number in range(900):
            helpers.put(batch, f"a{number}", "new")
        batch.commit()
        for number in range(200):
            helpers.put(batch, f"a{number}", "newer")
    (last,) = [path.name for path in local.path.glob("chroma-*")]
    assert last != first
    assert local.verify().ok
    assert np.all(local.matrix()[1].sum(axis=1) != 0)
