"""Corpora for the tests of search: built by the real pipeline, in memory, with light vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from irengine.base import Record
from irengine.index import Corpus

FRUIT = {
    "a": "alpha apple avocado almond",
    "b": "beta banana blueberry blackberry alpha",
    "c": "gamma grape guava greengage",
    "d": "delta date alpha alpha",
}


@pytest.fixture
def corpus_of_records(corpus_of) -> Callable[..., Corpus]:
    """Return ``make([(artifact, kind, text, metadata), …])``: surfaces as given, light vectors.

    With ``steps`` each artifact is a generation, and so a segment, of its own.
    """

    def make(
        rows: list[tuple[str, str, str, dict[str, Any]]], *, name: str = "t", steps: bool = False
    ) -> Corpus:
        corpus = corpus_of({}, name=name)
        plans: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
        for artifact, kind, text, metadata in rows:
            plans.setdefault(artifact, []).append((kind, text, metadata))
        with corpus.store.writing("test") as batch:
            for artifact, surfaces in plans.items():
                vectors = corpus.embedder([text for _, text, _ in surfaces])
                records = [
                    Record(Record.make_id(artifact, kind, i), artifact, kind, i, text, vec, meta)
                    for i, ((kind, text, meta), vec) in enumerate(
                        zip(surfaces, vectors, strict=True)
                    )
                ]
                entry = {
                    "artifact_id": artifact,
                    "version": "1",
                    "embedder_id": corpus.embedder_id,
                    "strategy_id": "test",
                    "record_ids": [record.id for record in records],
                }
                batch.replace(artifact, records, entry)
                if steps:
                    batch.commit()
            batch.commit()
        return corpus

    return make


@pytest.fixture
def fruit(corpus_of):
    return corpus_of(FRUIT)


@pytest.fixture
def crowded(corpus_of_records):
    """One artifact of 80 matching chunks, and 20 small ones that match less well."""
    rows = [("book", "chunk", "bees bees bees", {"n": i}) for i in range(80)]
    rows += [(f"note{i:02}", "chunk", f"bees and number{i} flowers", {}) for i in range(20)]
    return corpus_of_records(rows)


@pytest.fixture
def library(corpus_of_records):
    return corpus_of_records(
        [
            ("rust", "description", "systems language", {"tags": ["rust", "db"], "year": 2015}),
            ("rust", "chunk", "memory safety language", {"tags": ["rust", "db"], "year": 2015}),
            ("go", "description", "simple language", {"tags": ["go"], "year": 2009}),
            ("ml", "description", "functional language", {"year": 1973, "meta": {"by": "Milner"}}),
        ]
    )
