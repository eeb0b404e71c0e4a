"""Nearest neighbours of artifacts by the centroids of their vectors."""

from __future__ import annotations

import numpy as np
import pytest

from irengine import CorpusGraph, CorpusSource, CorpusStore, NoLedgerEntry, ParameterError, build
from irengine.graph import SIMILAR, similar_edges, similar_to
from irengine.graph.similar import _BLOCK, centroids

TEXTS = {
    "bees": "honey bees in the hive",
    "wasps": "wasps and bees are not the same, no honey",
    "rust": "borrow checker and lifetimes",
    "cargo": "cargo builds rust crates with the borrow checker",
    "twin": "honey bees in the hive",
}


def built(texts, store=None):
    source = CorpusSource.from_mapping(texts, name="m")
    return build(source, store=store or CorpusStore.memory(), embedder="light")


def test_an_artifact_is_like_those_with_the_nearest_vectors():
    graph = CorpusGraph(built(TEXTS))
    found = graph.similar("bees", k=2)
    assert [i for i, _ in found] == ["twin", "wasps"]
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)
    assert graph.neighbors("bees", edge_type=SIMILAR)[:2] == ["twin", "wasps"]
    assert graph.neighbors("bees") == []
    assert graph.neighbors("nobody", edge_type=SIMILAR) == []
    with pytest.raises(NoLedgerEntry):
        graph.similar("nobody")
    with pytest.raises(ParameterError):
        graph.similar("bees", k=0)


def test_a_centroid_is_the_unit_mean_of_live_vectors_over_all_segments():
    store = CorpusStore.local("m")
    built(TEXTS, store)
    built({**TEXTS, "rust": "something else entirely", "late": "a late arrival"}, store)
    snapshot = store.snapshot()
    ids, unit = centroids(snapshot)
    assert ids == sorted([*TEXTS, "late"])
    for artifact_id, row in zip(ids, unit, strict=True):
        rows = [snapshot.record(p).vector for p in snapshot.positions_of(artifact_id)]
        mean = np.mean(rows, axis=0)
        assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_all_pairs_agree_with_brute_force_and_ties_go_by_id():
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    count = _BLOCK + 40
    texts = {f"n{i:04}": " ".join(rng.choice(words, 6)) for i in range(count)}
    texts |= {f"t{i}": "the very same words" for i in range(15)}
    store = built(texts).store
    ids, unit = centroids(store.snapshot())
    cosines = np.round(unit @ unit.T, 6)
    found = similar_edges(store, k=5)
    assert list(found) == ids
    for at, artifact_id in enumerate(ids):
        row = cosines[at].astype(float)
        order = sorted((-row[i], other) for i, other in enumerate(ids) if i != at and row[i] > 0)
        assert [other for other, _ in found[artifact_id]] == [other for _, other in order[:5]]
    assert [i for i, _ in found["t9"]] == ["t0", "t1", "t10", "t11", "t12"]


def test_an_artifact_without_direction_is_like_nothing():
    store = built({"a": "bees", "b": "bees", "none": "!!!"}).store
    assert similar_edges(store, k=3)["none"] == []
    assert similar_to(store.snapshot(), "a", k=3) == [("b", pytest.approx(1.0, abs=1e-5))]
    assert similar_to(store.snapshot(), "a", k=3, min_score=1.0) == []
    assert similar_edges(CorpusStore.memory()) == {}
