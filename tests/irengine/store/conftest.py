"""Small corpora for the store's tests: deterministic records, and a full check of one store."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from irengine.base import Record, ledger_key
from irengine.store import CorpusStore

DIM = 8
SCRIPTS = Path(__file__).parent / "scripts"


def unit_vector(*parts: object, dim: int = DIM) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return vector / np.linalg.norm(vector)


def make_record(artifact, index=0, text=None, *, kind="chunk", dim=DIM, **metadata) -> Record:
    text = f"{artifact} part {index}" if text is None else text
    return Record(
        id=Record.make_id(artifact, kind, index),
        artifact_id=artifact,
        surface_kind=kind,
        surface_index=index,
        text=text,
        vector=unit_vector(artifact, index, text, dim=dim),
        metadata=metadata,
    )


def make_entry(artifact, records, version="1") -> dict:
    return {
        "artifact_id": artifact,
        "version": version,
        "embedder_id": "test",
        "strategy_id": "test",
        "record_ids": [record.id for record in records],
    }


def put(batch, artifact, *texts, version="1", **metadata):
    records = [make_record(artifact, i, text, **metadata) for i, text in enumerate(texts)]
    batch.replace(artifact, records, make_entry(artifact, records, version))
    return records


def texts_of(store) -> dict[str, list[str]]:
    """Return the texts of every artifact in plan order, as a reader sees them."""
    snapshot = store.snapshot()
    return {
        artifact: [row.text for row in snapshot.rows(snapshot.positions_of(artifact))]
        for artifact in snapshot.artifact_ids()
    }


def assert_consistent(store) -> None:
    """Check that rows, vectors, postings, columns and ledger tell the same story."""
    snapshot = store.snapshot()
    ids, matrix, metas = store.matrix()
    assert len(ids) == len(set(ids)) == len(matrix) == len(metas) == snapshot.count == len(store)
    assert snapshot.n_artifacts == len(snapshot.artifact_ids())
    for record_id, vector, meta in zip(ids, matrix, metas, strict=True):
        expected = unit_vector(meta["artifact_id"], meta["surface_index"], meta["text"])
        np.testing.assert_allclose(vector, expected, atol=1e-6)
        position = snapshot.find(record_id)
        assert snapshot.rows([position])[0].text == meta["text"]
    for position in snapshot.live_positions().tolist():
        segment, i = snapshot.locate(position)
        row = segment.row(i)
        assert segment.artifact_ids[segment.artifact[i]] == row.artifact_id
        assert segment.kinds[segment.kind[i]] == row.surface_kind
        assert segment.surface_index[i] == row.surface_index
        for field in snapshot.fields():
            code = segment.columns.codes(field)[i]
            assert (code >= 0) == (field in row.metadata)
            if code >= 0:
                assert segment.columns.values(field)[code] == row.metadata[field]
        assert segment.postings.n == segment.n
    claimed = {i for _, entry in store.ledger_items() for i in entry["record_ids"]}
    assert claimed == set(ids)
    for key, entry in store.ledger_items():
        assert key == ledger_key(entry["artifact_id"])
        assert store.get_ledger_entry(key) == entry


@pytest.fixture
def helpers():
    """The functions above, for test modules."""

    class Helpers:
        dim = DIM
        record = staticmethod(make_record)
        entry = staticmethod(make_entry)
        put = staticmethod(put)
        texts = staticmethod(texts_of)
        check = staticmethod(assert_consistent)
        vector = staticmethod(unit_vector)

    return Helpers


@pytest.fixture(params=["memory", "local"])
def store(request) -> CorpusStore:
    """An empty store, of either kind."""
    return CorpusStore.memory() if request.param == "memory" else CorpusStore.local("notes")


@pytest.fixture
def local() -> CorpusStore:
    """An empty store in a folder."""
    return CorpusStore.local("notes")


@pytest.fixture
def run_script() -> Callable[..., subprocess.Popen]:
    """Start ``scripts/<name>.py`` in a process of its own; it is killed at the end."""
    started = []

    def run(name: str, *arguments: object, **environment: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
