"""``search``: what a hit carries, and which generation it comes from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from irengine.retrieve import as_retriever, facets, search

WORDS = ["bee", "wasp", "ant", "moth", "fly", "beetle"]


def ranking(hits) -> dict[str, float]:
    """Return artifact → score in ranked order."""
    return {hit.artifact_id: hit.score for hit in hits}


# --- what a hit carries -----------------------------------------------------------------


def test_a_hit_carries_its_own_text_source_and_position(library):
    hit = search(library, "memory safety")[0]
    assert (hit.artifact_id, hit.surface_kind, hit.surface_index) == ("rust", "chunk", 1)
    assert hit.text == "memory safety language"
    assert hit.source == library.name == "t"
    assert type(hit.score) is float


def test_the_metadata_of_a_hit_is_its_own(library):
    first = search(library, "memory safety")[0]
    first.metadata["tags"].append("changed")
    first.metadata["year"] = 0
    assert search(library, "memory safety")[0].metadata == {"tags": ["rust", "db"], "year": 2015}


def test_a_hit_explains_its_score(fruit):
    weights = {"document": 2.0}
    hits = search(fruit, "alpha date", mode="hybrid", fusion="rrf", surface_weights=weights)
    for hit in hits:
        why = hit.explanation
        assert why["mode"] == "hybrid"
        assert why["fusion"] == "rrf"
        fused = sum(1 / (60 + part["rank"]) for part in (why["dense"], why["lexical"]) if part)
        assert why["first_stage"] == pytest.approx(fused)
        assert why["final"] == hit.score == pytest.approx(fused * why["surface_weight"])
        assert why["boost"] == 0.0
    top = hits[0].explanation["lexical"]
    assert set(top["terms"]) == {"alpha", "date"}
    assert sum(top["terms"].values()) == pytest.approx(top["score"])
    assert hits[-1].explanation["lexical"] is None  # c shares no word with the query


def test_an_explanation_names_only_the_channels_that_ran(fruit):
    dense = search(fruit, "alpha")[0].explanation
    assert dense["lexical"] is None
    assert dense["fusion"] is None
    assert dense["dense"] == {"score": dense["final"], "rank": 1}
    lexical = search(fruit, "alpha", mode="lexical")[0].explanation
    assert lexical["dense"] is None
    assert lexical["lexical"]["score"] == lexical["final"]


def test_equal_scores_have_one_order_whatever_the_order_of_writing(corpus_of_records):
    rows = [(f"a{i}", "text", "same words", {}) for i in range(40)]
    orders = set()
    for shuffled in (rows, rows[::-1], rows[20:] + rows[:20]):
        corpus = corpus_of_records(shuffled)
        for mode in ("dense", "lexical", "hybrid"):
            orders.add(tuple(ranking(search(corpus, "same", k=15, mode=mode))))
    assert len(orders) == 1


# --- generations ------------------------------------------------------------------------


def test_a_search_after_a_change_sees_it_in_every_channel(corpus_of_records):
    corpus = corpus_of_records([("old", "text", "apple", {}), ("kept", "text", "apple pie", {})])
    assert set(ranking(search(corpus, "apple", mode="hybrid"))) == {"old", "kept"}
    with corpus.store.writing("test") as batch:
        batch.remove("old")
        batch.commit()
    for mode in ("dense", "lexical", "hybrid"):
        assert set(ranking(search(corpus, "apple", mode=mode))) == {"kept"}
        assert set(ranking(search(corpus, "apple", mode=mode, filter={}))) == {"kept"}


def test_a_search_reads_one_generation_to_its_end(corpus_of_records):
    corpus = corpus_of_records([("a", "text", "apple", {}), ("b", "text", "apple pie", {})])

    def rerank(query, passages):
        with corpus.store.writing("test") as batch:
            batch.remove("b")
            batch.commit()
        return [float("pie" in passage["text"]) for passage in passages]

    hits = search(corpus, "apple", mode="hybrid", rerank=rerank)
    assert [(hit.artifact_id, hit.text) for hit in hits] == [("b", "apple pie"), ("a", "apple")]
    assert set(ranking(search(corpus, "apple"))) == {"a"}


def test_the_history_of_a_corpus_does_not_show_in_its_results(corpus_of_records):
    rows = [
        (f"a{i:02}", kind, f"{WORDS[i % 6]} and {WORDS[(i * 5) % 4]} {'bee ' * (i % 3)}", {"i": i})
        for i in range(7)
        for kind in ("title", "chunk")
    ]
    once, grown = corpus_of_records(rows), corpus_of_records(rows, steps=True)
    assert len(grown.store.snapshot().segments) > len(once.store.snapshot().segments)
    for mode in ("dense", "lexical", "hybrid"):
        for filter in (None, {"i": {"$gt": 4}}, {"i": {"$ne": 3}}, {"i": {"$exists": False}}):
            options = {"mode": mode, "filter": filter, "surface_weights": {"title": 2.0}}
            found = search(grown, "bee ant", **options)
            assert ranking(found) == pytest.approx(ranking(search(once, "bee ant", **options)))
            assert [h.explanation["lexical"] for h in found] == [
                h.explanation["lexical"] for h in search(once, "bee ant", **options)
            ]
    assert facets(grown, "bee", ["i"]) == facets(once, "bee", ["i"])


def test_many_threads_may_search_one_corpus(crowded):
    def work(at):
        filter = {"n": {"$lt": 10 + at % 3}}
        return search(crowded, "bees", mode="hybrid", per_artifact=False, k=20, filter=filter)

    alone = [work(at) for at in range(12)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(12))) == alone


# --- retrievers -------------------------------------------------------------------------


def test_a_retriever_binds_defaults_and_a_call_overrides_them(fruit):
    retrieve = as_retriever(fruit, mode="lexical", k=1, surfaces=iter(["document"]))
    assert retrieve.corpus is fruit
    assert list(ranking(retrieve("alpha"))) == ["d"]
    assert list(ranking(retrieve("alpha"))) == ["d"]
    assert len(retrieve("alpha", k=3)) == 3
    assert len(retrieve("alpha", k=9, mode="dense")) == 4
