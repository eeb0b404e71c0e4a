"""Hybrid search against a plain transcription of its definition, on random corpora."""

from __future__ import annotations

import random

import pytest

from irengine.base import best_per_artifact
from irengine.retrieve import search

WORDS = ["bee", "wasp", "ant", "moth", "fly", "beetle", "hornet"]


def random_corpus(make, seed: int):
    rng = random.Random(seed)
    return make(
        [
            (
                f"a{rng.randrange(12):02}",
                rng.choice(["chunk", "title"]),
                " ".join(rng.choices(WORDS, k=rng.randrange(1, 9))),
                {"year": rng.randrange(2000, 2010)},
            )
            for _ in range(rng.randrange(60, 120))
        ]
    )


def by_definition(corpus, query, *, k, fusion, weights, boost, **options):
    """Fuse two exhaustive channels cut at ``max(5k, 50)`` records, weigh, boost, collapse, cut."""
    depth = max(5 * k, 50)
    channels = {}
    for mode in ("dense", "lexical"):
        hits = search(corpus, query, mode=mode, k=depth, per_artifact=False, **options)
        channels[mode] = {(hit.artifact_id, hit.surface_index): hit for hit in hits}
    scores: dict = {}
    for mode, hits in channels.items():
        for rank, (key, hit) in enumerate(hits.items(), start=1):
            if fusion == "rrf":
                part = 1 / (60 + rank)
            elif mode == "dense":
                part = 0.3 * hit.score
            else:
                part = 0.7 * hit.score / (hit.score + 8.0)
            scores[key] = scores.get(key, 0.0) + part
    known = {**channels["lexical"], **channels["dense"]}
    for key in scores:
        scores[key] *= weights.get(known[key].surface_kind, 1.0)
    pool = sorted(scores, key=lambda key: -scores[key])[:depth]
    ranked = [(known[key].artifact_id, scores[key] + boost(known[key])) for key in pool]
    ranked.sort(key=lambda pair: -pair[1])
    best: dict[str, float] = {}
    for artifact, score in ranked:
        best.setdefault(artifact, score)
    return list(best.items())[:k]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("fusion", ["rrf", "blend"])
@pytest.mark.parametrize("weights", [{}, {"title": 3.0, "chunk": 0.5}])
def test_a_hybrid_search_follows_its_definition(corpus_of_records, seed, fusion, weights):
    corpus = random_corpus(corpus_of_records, seed)
    options = {"filter": {"year": {"$lt": 2008}}} if seed % 2 else {}

    def boost(hit):
        return 0.001 * (hit.metadata["year"] - 2005)

    found = search(
        corpus,
        "bee hornet ant",
        k=6,
        mode="hybrid",
        fusion=fusion,
        alpha=0.3,
        surface_weights=weights,
        dep_boost=boost,
        **options,
    )
    expected = by_definition(
        corpus, "bee hornet ant", k=6, fusion=fusion, weights=weights, boost=boost, **options
    )
    assert len(expected) == 6
    assert [(hit.artifact_id, hit.score) for hit in found] == [
        (artifact, pytest.approx(score)) for artifact, score in expected
    ]
    assert found == best_per_artifact(found)


@pytest.mark.parametrize("seed", range(6))
def test_explanations_add_up(corpus_of_records, seed):
    corpus = random_corpus(corpus_of_records, seed)
    for fusion in ("rrf", "blend"):
        for hit in search(corpus, "bee hornet", k=12, mode="hybrid", fusion=fusion, alpha=0.3):
            why = hit.explanation
            dense, lexical = why["dense"], why["lexical"]
            total = 0.0
            if dense["rank"] is not None:
                total += 1 / (60 + dense["rank"]) if fusion == "rrf" else 0.3 * dense["score"]
            if lexical is not None and lexical["rank"] is not None:
                bm25 = lexical["score"]
                assert sum(lexical["terms"].values()) == pytest.approx(bm25)
                rank_part = 1 / (60 + lexical["rank"])
                total += rank_part if fusion == "rrf" else 0.7 * bm25 / (bm25 + 8.0)
            assert hit.score == why["final"] == pytest.approx(total)
