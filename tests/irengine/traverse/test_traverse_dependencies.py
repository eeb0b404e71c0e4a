"""From libraries back to what depends on them."""

from __future__ import annotations

import random

import pytest

from irengine import (
    CorpusSource,
    CorpusStore,
    ParameterError,
    build,
    default_edge_extractor,
    reverse_dependency_policy,
    traverse,
)

DEPS = {
    "graphs": ("draw graphs and networks", ["networkx"]),
    "social": ("people and their friends", ["Graphs>=1", "NetworkX"]),
    "unseen": ("a package that never says so", ["social"]),
    "far": ("further away still", ["unseen"]),
    "other": ("something about graphs", ["requests"]),
    "Net_Tools": ("tools", ["networkx[all]"]),
}


@pytest.fixture(scope="module")
def corpus():
    source = CorpusSource.from_mapping(
        {name: text for name, (text, _) in DEPS.items()},
        name="packages",
        metadata_of=lambda item, raw: {"deps": DEPS[item][1]},
    )
    return build(
        source,
        store=CorpusStore.memory(),
        embedder="light",
        edge_extractor=default_edge_extractor,
    )


def walk(corpus, query="graphs", max_depth=2, k=10, **options):
    policy = reverse_dependency_policy(**options)
    return traverse(query, corpus, policy=policy, max_depth=max_depth, k=k)


def told(hits):
    return {h.artifact_id: {k: v for k, v in h.metadata.items() if k != "deps"} for h in hits}


def test_dependents_are_found_that_never_say_so(corpus):
    hits = walk(corpus, seeds=["networkx"])
    assert told(hits) == {
        "graphs": {"walk_depth": 1, "fan_in": 1, "seed": "networkx"},
        "social": {"walk_depth": 1, "fan_in": 1, "seed": "networkx"},
        "Net_Tools": {"walk_depth": 1, "fan_in": 0, "seed": "networkx"},
        "unseen": {"walk_depth": 2, "fan_in": 1, "seed": "networkx"},
    }
    assert hits[0].artifact_id == "graphs"
    assert all(hit.source == "packages" for hit in hits)


def test_a_seed_in_the_corpus_is_a_result_and_says_no_seed(corpus):
    hits = walk(corpus, seeds=["GRAPHS"])
    assert told(hits)["graphs"] == {"walk_depth": 0, "fan_in": 1}
    assert told(hits)["social"]["seed"] == "graphs"


def test_a_score_is_cosine_centrality_and_proximity(corpus):
    plain = {h.artifact_id: h.score for h in walk(corpus, seeds=["networkx"])}
    assert plain["unseen"] == pytest.approx(0.0, abs=1e-6)
    weighted = walk(corpus, seeds=["networkx"], fan_in_weight=0.3, proximity_weight=0.2)
    for hit in weighted:
        hops = hit.metadata["walk_depth"]
        expected = plain[hit.artifact_id] + 0.3 * hit.metadata["fan_in"] / 3 + 0.2 / (1 + hops)
        assert hit.score == pytest.approx(expected, abs=1e-6)


def test_results_depend_neither_on_order_nor_on_spelling_of_seeds(corpus):
    seeds = ["networkx", "social", ("packages", "graphs"), ("skills", "x"), "requests"]
    spelled = ["NetworkX", "SOCIAL", "Graphs", ["skills", "x"], "requests>=2"]
    expected = walk(corpus, seeds=seeds)
    rng = random.Random(5)
    for _ in range(10):
        shuffled = [rng.choice(pair) for pair in zip(seeds, spelled, strict=True)] + ["networkx"]
        rng.shuffle(shuffled)
        assert walk(corpus, seeds=shuffled) == expected


def test_what_several_seeds_lead_to_is_credited_to_the_first(corpus):
    hits = told(walk(corpus, seeds=["networkx", "graphs"], max_depth=1))
    assert hits["social"]["seed"] == "graphs"


def test_a_pair_of_another_corpus_leads_on_as_a_tuple():
    source = CorpusSource.from_mapping({"a": "x", "b": "y"}, name="p")
    corpus = build(
        source,
        store=CorpusStore.memory(),
        embedder="light",
        edge_extractor=lambda i, fields: {"a": {"USES": [["skills", "s"]]}}.get(i, {}),
    )
    (hit,) = walk(corpus, seeds=[["skills", "s"]], edge_type="USES")
    assert hit.metadata["seed"] == ("skills", "s")
    assert walk(corpus, seeds=[["skills", "s"]]) == []


def test_depth_bounds_the_walk(corpus):
    assert "far" not in told(walk(corpus, seeds=["networkx"]))
    assert "far" in told(walk(corpus, seeds=["networkx"], max_depth=3))
    assert walk(corpus, seeds=["networkx"], max_depth=0) == []
    assert walk(corpus, seeds=[]) == []


def test_bad_arguments_are_named():
    with pytest.raises(TypeError, match="not the string"):
        reverse_dependency_policy(seeds="networkx")
    with pytest.raises(ValueError, match="pair"):
        reverse_dependency_policy(seeds=[("a", "b", "c")])
    with pytest.raises(TypeError):
        reverse_dependency_policy(seeds=[3])
    for name in ("fan_in_weight", "proximity_weight"):
        for wrong in (-1, float("nan"), float("inf"), "1", True):
            with pytest.raises(ParameterError, match=name):
                reverse_dependency_policy(seeds=[], **{name: wrong})


def test_dependencies_are_walked_on_an_open_corpus_only(corpus):
    with pytest.raises(TypeError, match="open Corpus"):
        walk(corpus.store, seeds=["networkx"])
