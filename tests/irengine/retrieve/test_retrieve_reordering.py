"""``search``: boosts, rerankers and rewritten queries."""

from __future__ import annotations

import pytest

from irengine.errors import ParameterError
from irengine.retrieve import search


def ranking(hits) -> dict[str, float]:
    """Return artifact → score in ranked order."""
    return {hit.artifact_id: hit.score for hit in hits}


# --- boosts, reranking, rewriting -------------------------------------------------------


def test_a_boost_is_added_once_before_the_collapse(library):
    seen = []

    def boost(hit):
        seen.append((hit.artifact_id, hit.surface_kind))
        return 1.0 if hit.surface_kind == "description" and hit.artifact_id == "rust" else 0.0

    plain = {h.surface_kind: h for h in search(library, "memory", per_artifact=False)[:1]}
    hits = search(library, "memory", dep_boost=boost)
    assert plain.keys() == {"chunk"}
    assert (hits[0].artifact_id, hits[0].surface_kind) == ("rust", "description")
    assert len(seen) == len(set(seen)) == 4


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1", None])
def test_a_boost_must_be_a_finite_number(library, value):
    with pytest.raises(ParameterError, match="dep_boost.*'rust'"):
        search(library, "memory", dep_boost=lambda hit: value)


def test_a_reranker_judges_distinct_passages_against_the_query_as_given(crowded):
    calls = []

    def rerank(query, passages):
        calls.append((query, [passage["text"] for passage in passages]))
        return [float(len(passage["text"])) for passage in passages]

    hits = search(crowded, "bees", k=10, rerank=rerank, formulate=lambda q: "flowers bees")
    assert len(calls) == 1
    query, passages = calls[0]
    assert query == "bees"
    assert len(passages) == len(set(passages))
    assert hits[0].score == max(len(p) for p in passages)
    assert hits[0].explanation["rerank"] == hits[0].score


def test_equal_passages_share_a_score_and_keep_their_order(crowded):
    first = search(crowded, "bees", k=5, per_artifact=False)
    again = search(crowded, "bees", k=5, per_artifact=False, rerank=lambda q, p: [1.0] * len(p))
    assert [h.surface_index for h in again] == [h.surface_index for h in first]
    assert {h.score for h in again} == {1.0}


def test_a_reranker_is_not_asked_about_nothing(library):
    def never(query, passages):
        raise AssertionError("asked")

    assert search(library, "language", filter={"year": 1}, rerank=never) == []
    assert search(library, "zebra", mode="lexical", rerank=never) == []


@pytest.mark.parametrize("scores", [[1.0], [1.0] * 5, ["x"] * 4, [True] * 4, [None] * 4])
def test_a_reranker_must_return_one_number_a_passage(library, scores):
    with pytest.raises(ParameterError, match="the reranker returned"):
        search(library, "language", rerank=lambda q, p: scores)


@pytest.mark.parametrize("nothing", [float("nan"), float("inf"), float("-inf")])
def test_a_passage_without_a_finite_score_comes_last(library, nothing):
    def rerank(query, passages):
        return [nothing, *range(len(passages) - 1)]

    options = {"per_artifact": False, "k": 4}
    first = search(library, "language", **options)
    with pytest.warns(UserWarning, match="1 of 4 passages no finite score: they come last"):
        again = search(library, "language", rerank=rerank, **options)
    assert again[-1].text == first[0].text
    assert [hit.score for hit in again] == [2.0, 1.0, 0.0, 0.0]


def test_a_reranker_without_any_score_leaves_the_first_stage(library):
    with pytest.warns(UserWarning, match="the first stage decides"):
        again = search(library, "language", rerank=lambda q, p: [float("nan")] * len(p))
    assert ranking(again) == ranking(search(library, "language"))


def test_a_reranker_is_told_the_score_of_the_first_stage(library):
    first = search(library, "language", per_artifact=False, k=4)
    told = []

    def rerank(query, passages):
        told.extend((passage["text"], passage["score"]) for passage in passages)
        return [0.0] * len(passages)

    search(library, "language", per_artifact=False, k=4, rerank=rerank)
    assert told[:4] == [(hit.text, hit.score) for hit in first]


def test_whole_artifacts_are_judged_once_each(crowded):
    passages_of = []

    def rerank(query, passages):
        passages_of.append([passage["text"] for passage in passages])
        return [float(len(passage["text"])) for passage in passages]

    hits = search(crowded, "bees", k=50, per_artifact=False, rerank=rerank, rerank_text="artifact")
    artifacts = {hit.artifact_id for hit in hits}
    assert len(passages_of[0]) == len(artifacts) < len(hits)
    assert all(len(text) <= 2000 for text in passages_of[0])


def test_a_function_may_say_what_is_judged(library):
    read = []

    def rerank(query, passages):
        read.extend(passage["text"] for passage in passages)
        return [0.0] * len(passages)

    search(library, "language", rerank=rerank, rerank_text=lambda corpus, meta: corpus.name)
    assert read == [library.name]


def test_a_rewritten_query_is_searched_instead(fruit):
    assert search(fruit, "x", formulate=lambda q: "gamma")[0].artifact_id == "c"
    assert search(fruit, "x", formulate=lambda q: ["gamma"])[0].artifact_id == "c"
    assert search(fruit, "alpha", formulate=lambda q: ["", "  "]) == search(fruit, "alpha")
    assert search(fruit, "alpha", formulate=lambda q: "") == []
    with pytest.raises(ParameterError, match="formulate"):
        search(fruit, "alpha", formulate=lambda q: None)


def test_several_queries_are_fused_by_rank_and_agreement_counts(fruit):
    found = search(fruit, "x", mode="lexical", formulate=lambda q: ["gamma", "alpha", "delta"])
    scores = ranking(found)
    assert scores["d"] == pytest.approx(2 / 61)
    assert scores["c"] == pytest.approx(1 / 61)
    assert list(scores)[0] == "d"
    assert [entry["rank"] for entry in found[0].explanation["queries"]] == [None, 1, 1]


def test_several_queries_find_as_many_artifacts_as_one(crowded):
    plain = search(crowded, "bees", k=10)
    several = search(crowded, "bees", k=10, formulate=lambda q: [q, "bees flowers"])
    assert len(several) == len(plain) == 10
    lexical = search(
        crowded, "x", k=50, mode="lexical", formulate=lambda q: ["bees", "flowers", "number3"]
    )
    assert len(lexical) == 21
    surfaces = search(crowded, "b", k=40, per_artifact=False, formulate=lambda q: ["bees", "bee"])
    assert len({(h.artifact_id, h.surface_index) for h in surfaces}) == len(surfaces)
