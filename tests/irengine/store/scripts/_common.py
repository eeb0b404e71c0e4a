"""What the store's test scripts share: versions of artifacts, and the check of one generation."""

from __future__ import annotations

import hashlib

import numpy as np

from irengine.base import Record, ledger_key
from irengine.store import CorpusStore

NAME = "crash"
DIM = 8


def vector_of(text: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(DIM).astype(np.float32)
    return vector / np.linalg.norm(vector)


def put(batch, artifact: str, version: int) -> None:
    """Store ``artifact`` at ``version``: one to three records that all name the version."""
    records = []
    for i in range(1 + version % 3):
        text = f"{artifact} version{version} part{i}"
        record_id = Record.make_id(artifact, "chunk", i)
        fields = {"version": version}
        records.append(Record(record_id, artifact, "chunk", i, text, vector_of(text), fields))
    entry = {
        "artifact_id": artifact,
        "version": version,
        "record_ids": [record.id for record in records],
    }
    batch.replace(artifact, records, entry)


def versions(store: CorpusStore) -> dict[str, int]:
    """Return the version of every artifact, after checking that the generation is whole."""
    generation = store._backend.reader.generation()
    snapshot = generation.snapshot
    found = {}
    rows = 0
    for key, entry in generation.table("ledger").items():
        artifact, version = entry["artifact_id"], entry["version"]
        assert key == ledger_key(artifact)
        positions = snapshot.positions_of(artifact)
        stored = snapshot.rows(positions)
        assert [row.id for row in stored] == entry["record_ids"], (artifact, stored, entry)
        for position, row in zip(positions, stored, strict=True):
            assert row.metadata["version"] == version, (row, entry)
            segment, i = snapshot.locate(position)
            assert np.allclose(segment.vectors[i], vector_of(row.text), atol=1e-6)
            docs, _ = segment.postings.lookup(f"version{version}")
            assert i in docs
        rows += len(stored)
        found[artifact] = version
    assert rows == snapshot.count, (rows, snapshot)
    return found
