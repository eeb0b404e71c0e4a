"""A damaged file is an error that names the corpus and the command that mends it."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shutil

import numpy as np
import pytest

from irengine.errors import CorpusDamaged
from irengine.store import CorpusStore, built_names

NAME = "My notes/2024"
GARBAGE = [b"", b"\xff\x00 not JSON", b"[]", b'{"format": 1, "name": 5}']


@pytest.fixture
def notes(helpers) -> CorpusStore:
    store = CorpusStore.local(NAME)
    with store.writing("test") as batch:
        batch.set_config({"name": NAME, "embedder_id": "x"})
        for number in range(5):
            helpers.put(batch, f"a{number}", f"text {number}", n=number)
        batch.commit()
        helpers.put(batch, "a3", "changed", version="2")
    return store


def reopened() -> CorpusStore:
    return CorpusStore.local(NAME)


def places(report) -> set[str]:
    return {problem.where for problem in report.problems}


def assert_says_how_to_repair(caught) -> None:
    assert f"irtui verify '{NAME}' --repair" in caught.value.hint


# -- corpus.json --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, *GARBAGE])
def test_corpus_json_does_not_matter_and_repair_writes_it_anew(notes, helpers, content):
    path = notes.path / "corpus.json"
    before, texts = path.read_bytes(), helpers.texts(notes)
    path.unlink() if content is None else path.write_bytes(content)
    store = reopened()
    assert helpers.texts(store) == texts
    assert store.storage == {"backend": "local"}
    assert built_names() == [NAME]
    assert places(store.verify()) == {"about"}
    report = store.repair()
    assert report.ok and report.repaired == ["wrote corpus.json anew"]
    without_uid = [line for line in path.read_text().splitlines() if '"uid"' not in line]
    assert without_uid == [s for s in before.decode().splitlines() if '"uid"' not in s]


def test_a_build_writes_corpus_json_anew_too(notes, helpers):
    (notes.path / "corpus.json").write_bytes(b"")
    with reopened().writing("test") as batch:
        helpers.put(batch, "new", "text")
    assert reopened().verify().ok


def test_a_server_is_found_without_corpus_json(notes):
    """CURRENT.json says where the copy is, but for secrets."""
    current = notes.path / "CURRENT.json"
    place = r'"{\"backend\": \"chroma\", \"host\": \"h\", \"port\": 1}"'
    current.write_text(current.read_text().replace('"local"', place))
    (notes.path / "corpus.json").write_bytes(b"")
    assert reopened().storage == {"backend": "chroma", "host": "h", "port": 1}


def test_one_damaged_corpus_does_not_hide_the_others(notes, helpers):
    with CorpusStore.local("other").writing("test") as batch:
        helpers.put(batch, "a", "text")
    for name in ("corpus.json", "CURRENT.json"):
        (notes.path / name).write_bytes(b"")
    assert built_names() == sorted([NAME, "other"])


@pytest.mark.parametrize("content", [None, *GARBAGE])
@pytest.mark.parametrize("names", [["corpus.json"], ["CURRENT.json"], ["CURRENT.json", "segments"]])
def test_deleting_always_works(notes, names, content):
    for name in names:
        path = notes.path / name
        if name == "segments":
            for folder in notes.path.glob("seg-*"):
                shutil.rmtree(folder)
        elif content is None:
            path.unlink()
        else:
            path.write_bytes(content)
    reopened().delete()
    assert not notes.path.exists()
    assert not reopened().exists


# -- CURRENT.json -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, *GARBAGE])
def test_a_damaged_pointer_is_an_error_reported_and_mended(notes, helpers, content):
    texts = helpers.texts(notes)
    path = notes.path / "CURRENT.json"
    path.unlink() if content is None else path.write_bytes(content)
    store = reopened()
    assert store.exists and built_names() == [NAME]
    for use in (store.snapshot, store.get_config, lambda: store.put_record(helpers.record("b"))):
        with pytest.raises(CorpusDamaged) as caught:
            use()
        assert_says_how_to_repair(caught)
    assert places(store.verify()) == {"pointer"}
    assert store.repair().ok
    assert helpers.texts(reopened()) == texts
    assert reopened().get_config() == {"name": NAME, "embedder_id": "x"}
    helpers.check(reopened())


def test_a_damaged_pointer_and_damaged_rows_are_mended_together(notes, helpers):
    texts = helpers.texts(notes)
    (notes.path / "CURRENT.json").write_bytes(b"")
    for path in notes.path.glob("seg-*/rows.jsonl"):
        path.write_bytes(b"")
    assert reopened().repair().ok
    assert helpers.texts(reopened()) == texts


def test_without_any_manifest_the_chroma_copy_brings_rows_and_settings_back(notes, helpers):
    texts = helpers.texts(notes)
    (notes.path / "CURRENT.json").unlink()
    for path in notes.path.glob("gen-*/manifest.json"):
        path.write_bytes(b"")
    report = reopened().repair()
    assert report.ok and "from the Chroma copy" in report.repaired[0]
    assert helpers.texts(reopened()) == texts
    assert reopened().get_config() == {"name": NAME, "embedder_id": "x"}
    assert list(reopened().ledger_items()) == []


def test_with_nothing_left_the_hint_says_how_to_start_again(notes):
    (notes.path / "CURRENT.json").write_bytes(b"")
    for pattern in ("gen-*", "chroma-*"):
        for path in notes.path.glob(pattern):
            shutil.rmtree(path)
    with pytest.raises(CorpusDamaged) as caught:
        reopened().repair()
    assert f"irtui rm '{NAME}' --purge" in caught.value.hint
    assert f"irtui build '{NAME}'" in caught.value.hint
    reopened().delete()
    assert built_names() == []


# -- files that are read when a query needs them ------------------------------------------------


def read_everything(store: CorpusStore) -> None:
    snapshot = store.snapshot()
    for segment in snapshot.segments:
        segment.postings.lookup("text")
    snapshot.rows(snapshot.live_positions().tolist())
    for field in snapshot.fields():
        for segment in snapshot.segments:
            segment.columns.values(field)
    list(store.ledger_items())
    store.get_ledger_entry("a0")


@pytest.mark.parametrize("damage", ["emptied", "halved"])
@pytest.mark.parametrize(
    "pattern",
    [
        "seg-*/lex-docs.npy",
        "seg-*/lex-lengths.npy",
        "seg-*/lex-vocab.npy",
        "seg-*/vectors.npy",
        "seg-*/rows.jsonl",
        "seg-*/columns.bin",
        "seg-*/segment.json",
        "gen-*/dead.npy",
        "tables/ledger-*",
    ],
)
def test_a_truncated_file_is_damage_with_the_command_that_mends_it(notes, pattern, damage):
    read_everything(reopened())
    paths = list(notes.path.glob(pattern))
    assert paths
    for path in paths:
        os.truncate(path, path.stat().st_size // 2 if damage == "halved" else 0)
    with pytest.raises(CorpusDamaged) as caught:
        read_everything(reopened())
    assert_says_how_to_repair(caught)
    assert reopened().repair().ok
    read_everything(reopened())


def test_a_garbled_row_is_damage(notes):
    for path in notes.path.glob("seg-*/rows.jsonl"):
        path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(CorpusDamaged) as caught:
        read_everything(reopened())
    assert_says_how_to_repair(caught)


# -- vectors of another width -------------------------------------------------------------------


def test_vectors_of_another_width_start_a_new_copy_without_a_warning(notes, helpers, caplog):
    copies = set(notes.path.glob("chroma-*"))
    with caplog.at_level(logging.WARNING, "irengine"), notes.writing("test") as batch:
        for number in range(5):
            artifact = f"a{number}"
            records = [helpers.record(artifact, text="wide", dim=helpers.dim * 2)]
            batch.replace(artifact, records, helpers.entry(artifact, records))
    assert caplog.messages == []
    assert copies.isdisjoint(notes.path.glob("chroma-*"))
    assert notes.snapshot().dim == helpers.dim * 2
    assert notes.verify().ok


# -- bytes that are not those written -----------------------------------------------------------


def scribble(notes, pattern: str) -> None:
    """Change one byte in the middle of the newest file, as a failing disk would."""
    path = sorted(notes.path.glob(pattern))[-1]
    content = bytearray(path.read_bytes())
    content[-len(content) // 4] ^= 0x55
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["tfs", "pointers", "vocab"])
def test_scribbled_words_are_noticed_by_the_first_search_for_words(notes, name):
    scribble(notes, f"seg-*/lex-{name}.npy")
    snapshot = reopened().snapshot()
    for segment in snapshot.segments:
        segment.check_vectors()
    with pytest.raises(CorpusDamaged, match=f"lex-{name}") as caught:
        [segment.postings for segment in snapshot.segments]
    assert_says_how_to_repair(caught)
    assert "--mode dense" in caught.value.hint
    assert reopened().repair().ok
    read_everything(reopened())


@pytest.mark.parametrize("content", [b"\x00", b"\xff"])
def test_scribbled_vectors_are_noticed_by_the_first_search_by_meaning(notes, helpers, content):
    path = sorted(notes.path.glob("seg-*/vectors.npy"))[-1]
    kept = path.read_bytes()
    path.write_bytes(kept[:-16] + content * 16)
    snapshot = reopened().snapshot()
    assert [segment.postings.n for segment in snapshot.segments]
    for positions in (None, np.array([snapshot.segments[-1].n - 1])):
        with pytest.raises(CorpusDamaged, match=r"vectors\.npy") as caught:
            snapshot.segments[-1].check_vectors(positions)
        assert_says_how_to_repair(caught)
        assert "--mode lexical" in caught.value.hint
    with pytest.raises(CorpusDamaged), reopened().writing("test") as batch:
        helpers.put(batch, "b", "text")
    assert reopened().repair().ok
    read_everything(reopened())


def test_a_vector_of_zeros_is_no_damage(local, helpers):
    with local.writing("test") as batch:
        record = helpers.record("a")
        record = dataclasses.replace(record, vector=np.zeros(helpers.dim, dtype=np.float32))
        batch.replace("a", [record], helpers.entry("a", [record]))
    (segment,) = CorpusStore.local("notes").snapshot().segments
    segment.check_vectors()
    segment.check_vectors(np.array([0]))


def test_scribbled_columns_dead_rows_and_texts_are_noticed(notes, helpers):
    scribble(notes, "seg-*/rows.jsonl")
    with pytest.raises(CorpusDamaged, match="row"):
        read_everything(reopened())
    assert reopened().repair().ok
    with reopened().writing("test") as batch:
        for number in range(20):
            helpers.put(batch, f"b{number}", "text")
        batch.commit()
        batch.remove("b3")
    np.save(sorted(notes.path.glob("gen-*/dead.npy"))[-1], np.array([2], dtype=np.int32))
    with pytest.raises(CorpusDamaged, match=r"dead\.npy"):
        reopened().snapshot()
    assert reopened().repair().ok
    scribble(notes, "seg-*/columns.bin")
    with pytest.raises(CorpusDamaged, match=r"columns\.bin"):
        reopened().snapshot()
    assert reopened().repair().ok
    read_everything(reopened())


def test_what_was_written_without_these_checksums_is_read_as_before(notes):
    for path in notes.path.glob("seg-*/segment.json"):
        about = json.loads(path.read_bytes())
        for record in about["files"].values():
            record.pop("crc32")
            record.pop("uneven", None)
        path.write_text(json.dumps(about))
    read_everything(reopened())
    for segment in reopened().snapshot().segments:
        segment.check_vectors()


@pytest.mark.parametrize("kind", ["ledger", "links"])
def test_a_lost_table_is_damage_for_readers_and_writers(notes, helpers, kind):
    notes.set_links("a1", {"next": ["a2"]})
    next(iter(notes.path.glob(f"tables/{kind}-*"))).unlink()
    with pytest.raises(CorpusDamaged, match="missing") as caught:
        list(reopened().ledger_items())
        reopened().get_links("a1")
    assert_says_how_to_repair(caught)
    with pytest.raises(CorpusDamaged, match="missing"), reopened().writing("test") as batch:
        helpers.put(batch, "a4", "changed", version="3")
    assert reopened().repair().ok
    read_everything(reopened())


@pytest.mark.parametrize("content", [b"7\n[]\n", b'{"at": 1}\nnull\n\xff\n'])
def test_garbled_small_files_are_as_if_they_were_not_there(notes, content):
    (notes.path / "builds.jsonl").write_bytes(content)
    assert all(isinstance(report, dict) for report in reopened().builds())
    (notes.path / "policy.json").write_text('{"state": 7}')
    (notes.path / "calibration.json").write_text('{"dense": [1]}')
    assert reopened().get_maintenance_state() == {}
    assert reopened().get_calibration("dense") is None
