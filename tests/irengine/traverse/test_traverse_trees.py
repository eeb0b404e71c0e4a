"""From summaries to the texts below them."""

from __future__ import annotations

import pytest

from irengine import (
    Chunked,
    CorpusSource,
    CorpusStore,
    FilterError,
    IndexPlan,
    Surface,
    build,
    collapsed_tree_policy,
    search,
    traverse,
)
from irengine.embed import make_embedder


class Planned:
    """A strategy whose raw items are lists of ``(kind, text)``."""

    def decompose(self, artifact_id, raw, metadata=None):
        surfaces = [Surface(artifact_id, kind, text) for kind, text in raw]
        return IndexPlan(dict(metadata or {}), surfaces)


DOCS = {
    "bees": [
        ("description", "about insects"),
        ("synopsis", "honey bees and their hive"),
        ("chunk", "the hive is full of honey"),
        ("chunk", "a queen lays eggs"),
    ],
    "rust": [
        ("description", "rust the language"),
        ("chunk", "borrow checker"),
        ("chunk", "crates"),
    ],
    "alone": [("document", "honey without any chunk")],
}


def built(docs=DOCS, **options):
    source = CorpusSource.from_mapping(docs, name="tree", strategy=Planned(), **options)
    return build(source, store=CorpusStore.memory(), embedder="light")


def walk(corpus, query="honey bees hive", k=10, node_budget=64, max_depth=2, **options):
    policy = collapsed_tree_policy(**options)
    return traverse(query, corpus, policy=policy, k=k, node_budget=node_budget, max_depth=max_depth)


def shown(hits):
    return [(hit.artifact_id, hit.surface_kind, hit.surface_index) for hit in hits]


def test_summaries_lead_to_chunks_and_those_without_any_are_hits():
    hits = walk(built())
    assert sorted(shown(hits)) == [
        ("alone", "document", 0),
        ("bees", "chunk", 2),
        ("bees", "chunk", 3),
        ("rust", "chunk", 1),
        ("rust", "chunk", 2),
    ]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    best = hits[0]
    assert (best.source, best.text) == ("tree", "the hive is full of honey")
    assert best.metadata == {"walk_depth": 1, "seed": "bees"}
    alone = next(hit for hit in hits if hit.artifact_id == "alone")
    assert alone.metadata == {"walk_depth": 0}


def test_scores_are_cosines_of_the_texts_themselves():
    corpus = built()
    for hit in walk(corpus):
        rows = search(
            corpus, "honey bees hive", per_artifact=False, surfaces=[hit.surface_kind], k=20
        )
        same = [row for row in rows if row.text == hit.text and row.artifact_id == hit.artifact_id]
        assert hit.score == pytest.approx(same[0].score, abs=1e-6)


def test_the_summary_that_matched_is_the_one_that_counts():
    docs = {"a": [("description", "nothing of the kind"), ("synopsis", "honey bees hive")]}
    (hit,) = walk(built(docs))
    assert (hit.surface_kind, hit.surface_index) == ("synopsis", 1)
    assert hit.score == pytest.approx(1.0, abs=1e-5)


def test_summaries_that_only_lead_on_leave_the_budget_to_the_chunks():
    docs = {
        f"d{i}": [("description", f"honey {i}"), *(("chunk", f"honey {i} {j}") for j in range(20))]
        for i in range(10)
    }
    assert len(walk(built(docs), "honey", k=1000, node_budget=64)) == 64
    assert len(walk(built(docs), "honey", k=1000, node_budget=1000)) == 200


def test_depth_zero_gives_summaries_without_chunks_only():
    assert shown(walk(built(), max_depth=0)) == [("alone", "document", 0)]


def test_a_corpus_of_chunks_only_has_no_way_in():
    source = CorpusSource.from_mapping({"a": "honey"}, name="c", strategy=Chunked())
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    assert walk(corpus) == []
    assert walk(corpus, "   ") == []


def test_seeds_are_searched_in_any_mode():
    docs = {
        "words": [("description", "zyzzyva"), ("chunk", "the word itself")],
        "other": [("description", "something else"), ("chunk", "more")],
    }
    corpus = built(docs)
    assert shown(walk(corpus, "zyzzyva", seed_k=1, mode="lexical")) == [("words", "chunk", 1)]
    assert shown(walk(corpus, "absent", mode="lexical")) == []
    assert {hit.artifact_id for hit in walk(corpus, "zyzzyva", mode="hybrid")} == {"words", "other"}


def test_seeds_take_any_option_of_a_search():
    def favour_rust(query, documents):
        return [1.0 if "rust" in document["text"] else 0.0 for document in documents]

    assert {hit.artifact_id for hit in walk(built(), seed_k=1, rerank=favour_rust)} == {"rust"}


def test_no_hit_fails_the_filter():
    corpus = built(metadata_of=lambda item, raw: {"topic": item})
    assert {hit.artifact_id for hit in walk(corpus, filter={"topic": "rust"})} == {"rust"}
    with pytest.raises(FilterError):
        walk(corpus, filter={"topic": {"$nope": 1}})


def test_kinds_are_a_choice():
    corpus = built()
    hits = walk(corpus, summary_kinds=["description"], leaf_kinds=["synopsis"])
    assert ("bees", "synopsis", 1) in shown(hits)
    assert {kind for _, kind, _ in shown(hits)} == {"synopsis", "description"}
    with pytest.raises(TypeError, match="summary_kinds"):
        collapsed_tree_policy(summary_kinds="description")


def test_a_hit_has_a_metadata_of_its_own():
    corpus = built(metadata_of=lambda item, raw: {"tags": ["x"]})
    walk(corpus)[0].metadata["tags"].append("y")
    assert all(hit.metadata["tags"] == ["x"] for hit in walk(corpus))


@pytest.mark.parametrize("store", [CorpusStore.memory(), "tree"])
def test_a_tree_is_walked_on_an_open_corpus_only(store):
    with pytest.raises(TypeError, match="open Corpus"):
        walk(store)


def test_a_query_without_direction_scores_nothing():
    embed, _ = make_embedder("light")
    assert not embed(["!!!"]).any()
    assert walk(built(), "!!!") == []
