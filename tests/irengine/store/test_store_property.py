"""Any history of changes ends in the same corpus as building the result at once."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from irengine.base import Record, ledger_key
from irengine.store import CorpusStore
from irengine.text.bm25 import bm25_scores

ARTIFACTS = st.sampled_from(["a", "b", "a/b", "c", "日記", "e"])
WORDS = st.lists(st.sampled_from(["bee", "wasp", "hive", "honey"]), max_size=3)
VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["x", ["x"]]))
METADATA = st.dictionaries(st.sampled_from(["tag", "n", "deep"]), VALUES, max_size=2)
SURFACES = st.lists(st.tuples(WORDS, METADATA), max_size=3)


def vector(text: str) -> np.ndarray:
    row = np.array([1 + text.count(w) for w in ("bee", "wasp", "hive", "honey")], np.float32)
    return row / np.linalg.norm(row)


def records(artifact: str, surfaces: list) -> list[Record]:
    found = []
    for index, (words, metadata) in enumerate(surfaces):
        text = " ".join(words)
        record_id = Record.make_id(artifact, "chunk", index)
        found.append(Record(record_id, artifact, "chunk", index, text, vector(text), metadata))
    return found


class History(RuleBasedStateMachine):
    """Queue and commit at will, in memory; the model is a plain dict."""

    def open(self) -> CorpusStore:
        return CorpusStore.memory()

    @initialize()
    def begin(self) -> None:
        self.model: dict[str, list] = {}
        self.store = self.open()
        self.old: list[tuple] = []

    @rule(changes=st.lists(st.tuples(ARTIFACTS, st.one_of(st.none(), SURFACES)), max_size=5))
    def commit(self, changes: list) -> None:
        snapshot = self.store.snapshot()
        self.old = [*self.old[-2:], (snapshot, self.rows(snapshot))]
        with self.store.writing("test") as batch:
            for artifact, surfaces in changes:
                if surfaces is None:
                    batch.remove(artifact)
                    self.model.pop(artifact, None)
                else:
                    these = records(artifact, surfaces)
                    batch.replace(artifact, these, {"record_ids": [r.id for r in these]})
                    self.model[artifact] = these

    @rule(artifact=ARTIFACTS)
    def forget(self, artifact: str) -> None:
        self.store.forget([artifact])
        self.model.pop(artifact, None)

    @rule(artifact=ARTIFACTS)
    def put_again(self, artifact: str) -> None:
        for record in self.model.get(artifact, []):
            self.store.put_record(record)

    @staticmethod
    def rows(snapshot) -> list:
        return snapshot.rows(snapshot.live_positions().tolist())

    @invariant()
    def rows_are_those_of_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        snapshot = self.store.snapshot()
        wanted = {record.id: record for found in self.model.values() for record in found}
        rows = {row.id: row for row in self.rows(snapshot)}
        assert rows.keys() == wanted.keys() == set(snapshot.record_ids())
        assert len(rows) == snapshot.count
        for record_id, row in rows.items():
            record = wanted[record_id]
            assert (row.text, row.metadata) == (record.text, dict(record.metadata))
            np.testing.assert_allclose(
                snapshot.record(snapshot.find(record_id)).vector, record.vector, atol=1e-6
            )
        keys = {ledger_key(artifact) for artifact in self.model}
        assert {key for key, _ in self.store.ledger_items()} == keys

    @invariant()
    def it_equals_a_corpus_built_at_once(self) -> None:
        if not hasattr(self, "model"):
            return
        fresh = CorpusStore.memory()
        with fresh.writing("test") as batch:
            for artifact, found in self.model.items():
                batch.replace(artifact, found, {})
        mine, other = self.store.snapshot(), fresh.snapshot()
        assert mine.count == other.count
        assert mine.n_artifacts == other.n_artifacts
        assert mine.artifact_ids() == other.artifact_ids()
        if mine.count:
            assert mine.content_id == other.content_id
            assert self.lexical(mine) == self.lexical(other)
            assert self.facets(mine) == self.facets(other)

    @staticmethod
    def lexical(snapshot) -> dict[str, float]:
        rows, scores, _ = bm25_scores(snapshot.parts, ["bee", "hive"], mask=snapshot.alive)
        ids = [row.id for row in snapshot.rows(rows.tolist())]
        return {i: round(float(score), 9) for i, score in zip(ids, scores, strict=True)}

    @staticmethod
    def facets(snapshot) -> dict:
        counts: dict = {}
        for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
            for field in segment.columns.fields:
                values = segment.columns.values(field)
                codes = segment.columns.codes(field)
                for code in codes if mask is None else codes[mask]:
                    if code >= 0:
                        key = (field, repr(values[code]))
                        counts[key] = counts.get(key, 0) + 1
        return counts

    @invariant()
    def old_snapshots_have_not_changed(self) -> None:
        for snapshot, rows in getattr(self, "old", []):
            assert self.rows(snapshot) == rows


class LocalHistory(History):
    """The same in a folder; reopened by another handle now and then."""

    def open(self) -> CorpusStore:
        self.folder = tempfile.TemporaryDirectory()
        os.environ["IR_DATA_DIR"] = self.folder.name
        return CorpusStore.local("property")

    @rule()
    def reopen(self) -> None:
        self.store = CorpusStore.local("property")

    @rule()
    def the_chroma_copy_is_exact(self) -> None:
        report = self.store.verify()
        assert report.ok, report

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            assert not list(Path(self.folder.name).rglob("intent.json"))
            self.folder.cleanup()


TestMemoryHistory = History.TestCase
TestMemoryHistory.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)


class TestLocalHistory(LocalHistory.TestCase):
    """The local machine with few steps: each commit costs real disk flushes."""

    settings = settings(
        max_examples=6,
        stateful_step_count=8,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    def setUp(self) -> None:
        self.data = os.environ["IR_DATA_DIR"]

    def tearDown(self) -> None:
        os.environ["IR_DATA_DIR"] = self.data
