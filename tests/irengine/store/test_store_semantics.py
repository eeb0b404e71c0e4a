"""What a store promises, whatever it is made of: the same tests for memory and for a folder."""

from __future__ import annotations

import datetime
import enum
import math

import numpy as np
import pytest

from irengine.base import Record, ledger_key
from irengine.errors import EmbedderError, EmbedderMismatch, ItemError, ParameterError, StoreError
from irengine.store import CorpusStore


def test_an_empty_store_is_true(store):
    """``store or CorpusStore.memory()`` must keep the store it was given."""
    assert store
    assert (store or None) is store


def test_an_empty_store_is_empty(store):
    assert len(store) == 0
    assert list(store.record_ids()) == []
    assert store.get_config() == {}
    assert list(store.ledger_items()) == []
    assert store.get_ledger_entry("nothing") is None
    assert store.get_links("nothing") == {}
    ids, matrix, metas = store.matrix()
    assert (ids, matrix.shape, metas) == ([], (0, 0), [])
    assert store.snapshot().generation == 0


def test_a_record_comes_back_as_it_was_put(store, helpers):
    record = helpers.record(
        "a/b.md", 3, "Grüße, 世界 \x00 \ud800", tags=["x", None, {"y": 1.5}], n=None
    )
    store.put_record(record)
    found = store.get_record(record.id)
    np.testing.assert_array_equal(found.vector, record.vector)
    assert (found.text, found.metadata) == (record.text, dict(record.metadata))
    assert (found.artifact_id, found.surface_kind, found.surface_index) == ("a/b.md", "chunk", 3)
    with pytest.raises(KeyError):
        store.get_record("no such id")


def test_vectors_are_searched_at_unit_length_and_returned_at_their_own(store):
    vector = np.array([3.0, 4.0], dtype=np.float64)
    store.put_record(Record("r", "a", "document", 0, "text", vector))
    store.put_record(Record("z", "b", "document", 0, "text", np.zeros(2)))
    assert store.get_record("r").vector.dtype == np.float32
    np.testing.assert_allclose(store.get_record("r").vector, [3, 4], rtol=1e-6)
    ids, matrix, _ = store.matrix()
    np.testing.assert_allclose(matrix[ids.index("r")], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_array_equal(matrix[ids.index("z")], [0, 0])


def test_matrix_and_metas_agree_and_cannot_be_spoiled(store, helpers):
    with store.writing("test") as batch:
        for name in "abc":
            helpers.put(batch, name, "one", "two", tag=name)
    ids, matrix, metas = store.matrix()
    assert (ids, metas) == store.metas()
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 9
    ids.clear()
    metas.clear()
    assert len(store.matrix()[0]) == 6


def test_replacing_an_artifact_leaves_nothing_of_it(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one", "two", "three")
        helpers.put(batch, "b", "other")
        batch.commit()
        helpers.put(batch, "a", "new", version="2")
    assert helpers.texts(store) == {"a": ["new"], "b": ["other"]}
    assert store.get_ledger_entry(ledger_key("a"))["version"] == "2"
    helpers.check(store)


def test_an_artifact_without_records_is_remembered(store):
    with store.writing("test") as batch:
        batch.replace("empty", [], {"artifact_id": "empty", "record_ids": []})
    assert len(store) == 0
    assert store.get_ledger_entry(ledger_key("empty")) == {"artifact_id": "empty", "record_ids": []}


def test_removing_an_artifact_removes_records_ledger_and_links(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one")
        helpers.put(batch, "a/b", "two")
        batch.set_links("a", {"next": ["a/b"]})
    with store.writing("test") as batch:
        batch.remove("a")
        batch.remove("never there")
    assert helpers.texts(store) == {"a/b": ["two"]}
    assert store.get_ledger_entry(ledger_key("a")) is None
    assert store.get_links("a") == {}
    helpers.check(store)


def test_removal_also_takes_records_the_ledger_never_knew(store, helpers):
    store.put_record(helpers.record("orphan", 0))
    with store.writing("test") as batch:
        batch.remove("orphan")
    assert len(store) == 0


def test_the_last_word_in_a_batch_wins(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "first")
        helpers.put(batch, "a", "second")
        batch.remove("b")
        helpers.put(batch, "b", "back again")
        helpers.put(batch, "c", "gone")
        batch.remove("c")
        assert batch.pending == 2
    assert helpers.texts(store) == {"a": ["second"], "b": ["back again"]}
    helpers.check(store)


def test_nothing_is_visible_before_the_commit(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one")
        assert len(store) == 0
        snapshot = batch.commit()
        assert (len(store), batch.pending) == (1, 0)
        assert snapshot.generation == store.snapshot().generation


def test_a_failing_block_drops_what_was_not_committed(store, helpers):
    with pytest.raises(ZeroDivisionError), store.writing("test") as batch:
        helpers.put(batch, "a", "kept")
        batch.commit()
        helpers.put(batch, "b", "dropped")
        1 / 0  # noqa: B018
    assert helpers.texts(store) == {"a": ["kept"]}
    helpers.check(store)


def test_a_commit_of_nothing_publishes_nothing(store, helpers):
    with store.writing("test") as batch:
        records = helpers.put(batch, "a", "one")
        batch.set_links("a", {"next": ["b"]})
        batch.set_config({"name": "notes"})
    before = store.snapshot()
    with store.writing("test") as batch:
        assert batch.commit().generation == before.generation
        batch.set_entry("a", helpers.entry("a", records))
        batch.set_links("a", {"next": ["b"], "empty": []})
        batch.set_config({"name": "notes"})
        batch.remove("never there")
        batch.commit()
    assert store.snapshot() is before


def test_single_record_methods_queue_inside_an_open_batch(store, helpers):
    with store.writing("test") as batch:
        store.put_record(helpers.record("a", 0))
        store.set_config({"name": "notes"})
        store.set_links("a", {"next": ["b"]})
        assert (batch.pending, len(store), store.get_config()) == (1, 0, {})
        batch.commit()
        assert (len(store), store.get_config()) == (1, {"name": "notes"})
        store.delete_record(helpers.record("a", 0).id)
    assert len(store) == 0
    with store.writing("test"), pytest.raises(StoreError), store.writing("again"):
        pass


def test_deleting_a_record_tolerates_a_missing_one(store, helpers):
    record = helpers.record("a", 0)
    store.put_record(record)
    store.delete_record("missing")
    store.delete_record(record.id)
    store.delete_record(record.id)
    assert len(store) == 0


def test_putting_an_id_again_replaces_it_even_under_another_artifact(store, helpers):
    record = helpers.record("a", 0)
    store.put_record(record)
    moved = Record(record.id, "b", "chunk", 0, "moved", record.vector)
    store.put_record(moved)
    assert helpers.texts(store) == {"b": ["moved"]}


# -- what is refused, before anything is touched ------------------------------------------------


def test_an_array_may_be_used_again_once_a_record_is_queued(store):
    vector = np.array([1, 0], dtype=np.float32)
    with store.writing("test") as batch:
        for number in range(2):
            vector[:] = [1 - number, number]
            batch.put_record(Record(f"r{number}", "a", "chunk", number, "text", vector))
    assert [store.get_record(f"r{number}").vector.tolist() for number in range(2)] == [
        [1, 0],
        [0, 1],
    ]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (datetime.date(2026, 1, 1), "date"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ({"deep": [1, {"er": {1, 2}}]}, "deep[1].er"),
        ({1: "x"}, "key 1"),
        (np.float32(1), "float32"),
        (b"bytes", "bytes"),
    ],
)
def test_metadata_that_is_not_json_is_refused_by_artifact_and_key(store, helpers, value, word):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "stays")
        batch.commit()
        with pytest.raises(ItemError) as caught:
            helpers.put(batch, "a", "never", due=value)
        assert batch.pending == 0
    assert "'a'" in caught.value.message and "due" in caught.value.message
    assert word in caught.value.message
    assert helpers.texts(store) == {"a": ["stays"]}


def test_near_json_is_made_json(store, helpers):
    class Colour(str, enum.Enum):
        RED = "red"

    store.put_record(helpers.record("a", 0, t=(1, (2,)), c=Colour.RED, f=np.float64(0.5), b=True))
    found = next(iter(store.snapshot().rows([0]))).metadata
    assert found == {"t": [1, [2]], "c": "red", "f": 0.5, "b": True}
    assert type(found["c"]) is str


@pytest.mark.parametrize("vector", [[math.nan, 1], [[1, 2]], [], "text", [math.inf, 0], None])
def test_a_vector_must_be_one_finite_row(store, vector):
    with pytest.raises(EmbedderError):
        store.put_record(Record("r", "a", "document", 0, "text", vector))
    assert len(store) == 0


def test_vectors_of_two_widths_never_meet(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one")
        with pytest.raises(EmbedderMismatch):
            batch.put_record(helpers.record("b", 0, dim=4))
        batch.commit()
        batch.put_record(helpers.record("b", 0, dim=4))
        with pytest.raises(EmbedderMismatch):
            batch.commit()
        batch.remove("b")
        batch.commit()
    assert helpers.texts(store) == {"a": ["one"]}
    helpers.check(store)


def test_the_width_may_change_when_everything_is_replaced_at_once(store, helpers):
    with store.writing("test") as batch:
        for name in "abc":
            helpers.put(batch, name, "one")
        batch.commit()
        batch.remove("c")
        for name in "ab":
            record = helpers.record(name, 0, "new", dim=5)
            batch.replace(name, [record], helpers.entry(name, [record]))
        assert batch.commit().dim == 5
    assert helpers.texts(store) == {"a": ["new"], "b": ["new"]}


def test_a_batch_checks_that_records_belong_to_their_artifact(store, helpers):
    record = helpers.record("a", 0)
    with store.writing("test") as batch:
        with pytest.raises(ParameterError, match="belongs to 'a'"):
            batch.replace("b", [record], {})
        with pytest.raises(ParameterError, match="two records"):
            batch.replace("a", [record, record], {})
        with pytest.raises(ItemError):
            batch.replace("a", [record], {"version": {1}})
        assert batch.pending == 0
    assert len(store) == 0


# -- the other views ----------------------------------------------------------------------------


def test_ledger_entries_are_copies(store):
    store.set_ledger_entry("k", {"record_ids": ["a"]})
    store.get_ledger_entry("k")["record_ids"].append("b")
    next(store.ledger_items())[1]["record_ids"].append("c")
    assert store.get_ledger_entry("k") == {"record_ids": ["a"]}
    for key, _ in store.ledger_items():  # the ledger may be changed while iterating
        store.delete_ledger_entry(key)
    store.delete_ledger_entry("k")
    assert list(store.ledger_items()) == []


@pytest.mark.parametrize(
    "artifact", ["a", "a/b", "trail/", ".hidden/x", "é" * 300, 'x\ny\t"z', "\udcff"]
)
def test_links_take_any_artifact_id(store, artifact):
    edges = {"next": ["b", ["other", "c"]], "none": []}
    store.set_links(artifact, edges)
    store.set_links("a/b/c", {"next": ["x"]})
    assert store.get_links(artifact) == {"next": ["b", ["other", "c"]]}
    store.get_links(artifact)["next"].append("spoiled")
    assert dict(store.link_items())[artifact] == {"next": ["b", ["other", "c"]]}
    store.set_links(artifact, {"next": []})
    assert store.get_links(artifact) == {}
    store.delete_links("a/b/c")
    store.delete_links("a/b/c")
    assert list(store.link_items()) == []


def test_settings_and_maintenance_state_are_separate_copies(store):
    store.set_config({"embedder_id": "x", "nested": {"a": [1]}})
    store.set_maintenance_state({"last": 1})
    store.get_config()["nested"]["a"].append(2)
    store.get_maintenance_state()["last"] = 2
    assert store.get_config() == {"embedder_id": "x", "nested": {"a": [1]}}
    assert store.get_maintenance_state() == {"last": 1}
    assert store.snapshot().embedder_id == "x"


def test_calibration_is_kept_by_mode(store):
    record = {"min_score": 0.3, "grid": [[1, 2]]}
    store.set_calibration("dense", record)
    store.set_calibration("hybrid", {})
    store.get_calibration("dense")["grid"][0].append(3)
    record["grid"].clear()
    assert store.get_calibration("dense") == {"min_score": 0.3, "grid": [[1, 2]]}
    assert store.get_calibration("lexical") is None
    assert store.calibration_modes() == ["dense", "hybrid"]
    for mode in ("", "a/b", "a\\b"):
        with pytest.raises(ValueError):
            store.set_calibration(mode, {})


def test_builds_are_remembered_in_order(store):
    assert store.builds() == []
    store.append_build({"added": 1})
    store.append_build({"added": 2})
    assert store.builds() == [{"added": 1}, {"added": 2}]


# -- the snapshot -------------------------------------------------------------------------------


def test_a_snapshot_never_changes(store, helpers):
    with store.writing("test") as batch:
        helpers.put(batch, "a", "one", "two")
        old = batch.commit()
        rows = old.rows(range(old.n))
        helpers.put(batch, "a", "three")
        helpers.put(batch, "b", "four")
        batch.commit()
    assert (old.count, old.artifact_ids()) == (2, ["a"])
    assert old.rows(range(old.n)) == rows
    assert old.segments[0].postings.lookup("two") is not None
    assert store.snapshot().generation > old.generation


def test_rows_hand_out_fresh_metadata(store, helpers):
    store.put_record(helpers.record("a", 0, tags=["x"]))
    snapshot = store.snapshot()
    snapshot.rows([0])[0].metadata["tags"].append("y")
    assert snapshot.rows([0])[0].metadata == {"tags": ["x"]}


def test_ties_ascend_with_the_record_ids(store, helpers):
    with store.writing("test") as batch:
        for name in "abcdefgh":
            helpers.put(batch, name, "one", "two")
    snapshot = store.snapshot()
    by_tie = np.argsort(snapshot.tie)
    ids = [row.id for row in snapshot.rows(by_tie.tolist())]
    assert ids == sorted(ids)


def test_equal_content_has_the_equal_id_whatever_its_history(helpers):
    def build(store: CorpusStore, *steps: dict[str, str]) -> str:
        store.set_config({"embedder_id": "x"})
        for step in steps:
            with store.writing("test") as batch:
                for name, text in step.items():
                    helpers.put(batch, name, text) if text else batch.remove(name)
        return store.snapshot().content_id

    final = {"a": "one", "b": "two", "c": "three"}
    ids = {
        build(CorpusStore.memory(), final),
        build(
            CorpusStore.memory(),
            {"c": "x", "z": "y"},
            {"z": "", "b": "two"},
            {"a": "one", "c": "three"},
        ),
        build(CorpusStore.local("l"), {"b": "old"}, final),
    }
    assert len(ids) == 1
    assert build(CorpusStore.memory(), {**final, "a": "changed"}) not in ids
    assert build(CorpusStore.memory(), final, {"a": ""}) not in ids


def test_a_column_tells_missing_from_null_and_one_from_true(store, helpers):
    values = [1, True, 1.0, "1", None, [1], {"a": 1}]
    with store.writing("test") as batch:
        for i, value in enumerate(values):
            helpers.put(batch, f"v{i}", "text", x=value)
        helpers.put(batch, "none", "text")
    segment = store.snapshot().segments[0]
    codes = segment.columns.codes("x")
    assert sorted(codes.tolist()) == [-1, 0, 1, 2, 3, 4, 5, 6]
    kinds = [(type(v), v) for v in segment.columns.values("x")]
    assert kinds == [(type(v), v) for v in values]
    assert segment.columns.codes("unknown").tolist() == [-1] * 8
    assert segment.columns.values("unknown") == []
    assert store.snapshot().fields() == ["x"]


def test_the_constructor_works_over_given_mappings(helpers):
    meta, vectors, ledger, config, calibration, links = {}, {}, {}, {}, {}, {}
    store = CorpusStore(meta, vectors, ledger, config, calibration, links, packed_dir=None)
    record = helpers.record("a", 0, "bees", tag="x")
    store.put_record(record)
    store.set_config({"name": "n"})
    store.set_maintenance_state({"last": 1})
    assert meta[record.id] == {
        "artifact_id": "a",
        "surface_kind": "chunk",
        "surface_index": 0,
        "text": "bees",
        "metadata": {"tag": "x"},
    }
    assert vectors[record.id].dtype == np.float32
    assert config == {"config": {"name": "n"}, "maintenance": {"last": 1}}
    reopened = CorpusStore(meta, vectors, ledger, config)
    assert helpers.texts(reopened) == {"a": ["bees"]}
    del meta[record.id], vectors[record.id]
    assert len(reopened) == 0
