"""``search``: rankings, scales, depth, and what a hit carries."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irengine
from irengine.base import best_per_artifact
from irengine.errors import CorpusNotFound, EmbedderMismatch, ParameterError
from irengine.retrieve import as_retriever, facets, search

FRUIT = {
    "a": "alpha apple avocado almond",
    "b": "beta banana blueberry blackberry alpha",
    "c": "gamma grape guava greengage",
    "d": "delta date alpha alpha",
}


def ranking(hits) -> dict[str, float]:
    """Return artifact → score in ranked order."""
    return {hit.artifact_id: hit.score for hit in hits}


@pytest.fixture
def fruit(corpus_of):
    return corpus_of(FRUIT)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"mode": "dense"}, {"d": 0.603667, "a": 0.377964, "b": 0.333333, "c": 0.0}),
        ({"mode": "lexical"}, {"d": 0.519355, "a": 0.366373, "b": 0.330435}),
        ({"mode": "hybrid"}, {"d": 0.032787, "a": 0.032258, "b": 0.031746, "c": 0.015625}),
        (
            {"mode": "hybrid", "fusion": "blend"},
            {"d": 0.332314, "a": 0.210878, "b": 0.186500, "c": 0.0},
        ),
    ],
)
def test_the_four_ways_of_ranking(fruit, options, expected):
    found = ranking(search(fruit, "alpha", **options))
    assert list(found) == list(expected)
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_package_level_search_and_the_method_of_the_corpus_say_the_same(fruit):
    assert irengine.search(fruit, "alpha") == fruit.search("alpha") == search(fruit, "alpha")


# --- scales -------------------------------------------------------------------------------


@pytest.fixture
def apart(corpus_of_records):
    """A corpus whose dense neighbour of ``zebra`` shares no term with it (synthetic vectors)."""
    return corpus_of_records(
        [("x", "text", "apple pear", {}), ("y", "text", "pear plum", {}), ("z", "text", "!!", {})]
    )


def test_an_empty_lexical_channel_keeps_the_scale_of_rank_fusion(apart):
    found = list(ranking(search(apart, "zebra", mode="hybrid")).values())
    assert found == pytest.approx([1 / 61, 1 / 62, 1 / 63])


def test_an_empty_lexical_channel_keeps_the_scale_of_a_blend(apart):
    dense = ranking(search(apart, "zebra"))
    blended = ranking(search(apart, "zebra", mode="hybrid", fusion="blend", alpha=0.25))
    assert blended == pytest.approx({artifact: 0.25 * s for artifact, s in dense.items()})


def test_an_empty_dense_channel_keeps_the_scale_too(fruit):
    fruit.embed_query = lambda text: np.zeros(512, dtype=np.float32)
    assert search(fruit, "alpha", mode="dense") == []
    fused = ranking(search(fruit, "alpha", mode="hybrid"))
    assert fused == pytest.approx({"d": 1 / 61, "a": 1 / 62, "b": 1 / 63})
    lexical = ranking(search(fruit, "alpha", mode="lexical"))
    blended = ranking(search(fruit, "alpha", mode="hybrid", fusion="blend", alpha=0.25))
    assert blended == pytest.approx({a: 0.75 * s / (s + 8.0) for a, s in lexical.items()})


def test_dense_keeps_cosines_of_zero_and_below(fruit):
    fruit.embed_query = lambda text: -fruit.embedder(["alpha"])[0]
    found = ranking(search(fruit, "alpha"))
    assert list(found) == ["c", "b", "a", "d"]
    assert found["d"] == pytest.approx(-0.603667, abs=1e-6)


def test_a_strong_match_and_a_weak_one_are_strictly_ordered(corpus_of):
    corpus = corpus_of({"weak": "bees are mentioned once in a text on gardens", "strong": "bees"})
    for options in ({"mode": "dense"}, {"mode": "lexical"}, {"mode": "hybrid", "fusion": "blend"}):
        found = ranking(search(corpus, "bees", **options))
        assert 0 < found["weak"] < found["strong"] <= 1, options


# --- queries that say little ------------------------------------------------------------


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
@pytest.mark.parametrize("query", ["", "   ", "\n\t", "?!", "..."])
def test_a_query_without_words_finds_nothing(fruit, mode, query):
    assert search(fruit, query, mode=mode) == []


def test_an_empty_corpus_has_no_hits_and_loads_no_model(corpus_of):
    corpus = corpus_of({})
    corpus.embed_query = None
    for mode in ("dense", "lexical", "hybrid"):
        assert search(corpus, "alpha", mode=mode) == []


def test_a_lexical_search_never_embeds(fruit):
    fruit.embed_query = None
    assert list(ranking(search(fruit, "alpha", mode="lexical"))) == ["d", "a", "b"]


def test_a_query_of_another_width_is_refused(fruit):
    fruit.embed_query = lambda text: np.ones(3, dtype=np.float32)
    with pytest.raises(EmbedderMismatch, match="3 dimensions.*512"):
        search(fruit, "alpha")


def test_a_name_nothing_is_built_under_is_an_error():
    with pytest.raises(CorpusNotFound):
        search("nothing-here", "alpha")


# --- k and depth ------------------------------------------------------------------------


def test_k_limits_and_zero_is_nothing(fruit):
    assert list(ranking(search(fruit, "alpha", k=2))) == ["d", "a"]
    assert search(fruit, "alpha", k=0) == []
    for k in (99, 10**30):
        assert len(search(fruit, "alpha", k=k, mode="hybrid")) == 4


@pytest.fixture
def crowded(corpus_of_records):
    """One artifact of 80 matching chunks, and 20 small ones that match less well."""
    rows = [("book", "chunk", "bees bees bees", {"n": i}) for i in range(80)]
    rows += [(f"note{i:02}", "chunk", f"bees and number{i} flowers", {}) for i in range(20)]
    return corpus_of_records(rows)


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
@pytest.mark.parametrize("fusion", ["rrf", "blend"])
def test_a_long_artifact_does_not_starve_the_others(crowded, mode, fusion):
    hits = search(crowded, "bees", k=10, mode=mode, fusion=fusion)
    assert len(hits) == len({hit.artifact_id for hit in hits}) == 10
    assert hits[0].artifact_id == "book"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(search(crowded, "bees", k=50, mode=mode, fusion=fusion)) == 21


def test_a_growing_depth_leaves_a_ranking_that_was_deep_enough_alone(crowded):
    # 60 records in, the first artifact is all there is, and one is all that is asked for.
    first = search(crowded, "bees", k=1, mode="hybrid")
    assert first == search(crowded, "bees", k=1, mode="hybrid", fetch_k=50)


def test_an_explicit_depth_is_exact(crowded):
    assert [hit.artifact_id for hit in search(crowded, "bees", k=10, fetch_k=50)] == ["book"]
    assert len(search(crowded, "bees", k=10, fetch_k=85)) == 6


def test_growth_stops_where_fewer_artifacts_exist(crowded):
    assert len(search(crowded, "flowers", k=50, mode="lexical")) == 20
    assert len(search(crowded, "bees", k=30, filter={"n": {"$exists": True}})) == 1


def test_without_the_collapse_every_surface_is_a_hit(crowded):
    hits = search(crowded, "bees", k=30, per_artifact=False)
    assert len(hits) == 30
    assert {hit.artifact_id for hit in hits} == {"book"}


def test_a_search_that_reorders_fetches_more_than_k_even_without_the_collapse(corpus_of_records):
    rows = [(f"a{i}", "chunk", "bees " * (9 - i), {"i": i}) for i in range(8)]
    rows.append(("s", "synopsis", "bees and a long text on other things entirely", {}))
    corpus = corpus_of_records(rows)

    def first(**options):
        hits = search(corpus, "bees", k=1, per_artifact=False, mode="lexical", **options)
        return hits[0].artifact_id

    assert first() != "s"
    assert first(surface_weights={"synopsis": 9.0}) == "s"
    assert first(dep_boost=lambda hit: float(hit.artifact_id == "s") * 9) == "s"
    assert first(rerank=lambda q, passages: [float("other" in p["text"]) for p in passages]) == "s"


WORDS = ["bee", "wasp", "ant", "moth", "fly", "beetle"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
records = st.lists(st.tuples(st.sampled_from("pqrst"), texts), min_size=1, max_size=30)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(records, st.integers(1, 6), st.sampled_from(["dense", "lexical"]))
def test_the_k_best_artifacts_are_the_k_best_of_the_whole_ranking(corpus_of_records, rows, k, mode):
    corpus = corpus_of_records([(artifact, "text", text, {}) for artifact, text in rows])
    everything = search(corpus, "bee ant", k=99, mode=mode, per_artifact=False)
    expected = best_per_artifact(everything)[:k]
    assert search(corpus, "bee ant", k=k, mode=mode) == expected
    if mode == "dense":
        query, vectors = corpus.embed_query("bee ant"), corpus.embedder([t for _, t in rows])
        exact = sorted((float(v @ query) for v in vectors), reverse=True)
        assert [hit.score for hit in everything] == pytest.approx(exact, abs=1e-6)


# --- filters, surfaces, weights ---------------------------------------------------------


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


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
def test_a_filter_on_frontmatter_keeps_what_matches(library, mode):
    def found(**filter):
        return set(ranking(search(library, "language", mode=mode, filter=filter)))

    assert found(tags="rust") == {"rust"}
    assert found(tags={"$ne": "rust"}) == {"go", "ml"}
    assert found(year={"$gte": 2009}) == {"rust", "go"}
    assert found(**{"meta.by": "Milner"}) == {"ml"}
    assert found(year=1) == set()
    assert found() == {"rust", "go", "ml"}


def test_surfaces_restrict_the_kinds(library):
    hits = search(library, "language", surfaces=["chunk"])
    assert [(hit.artifact_id, hit.surface_kind) for hit in hits] == [("rust", "chunk")]
    assert search(library, "language", surfaces=[]) == []
    assert search(library, "language", surfaces=["nope"]) == []
    assert len(search(library, "language", surfaces=iter(["chunk", "description"]))) == 3


def test_the_statistics_are_those_of_the_candidates(library, corpus_of_records):
    alone = corpus_of_records([("go", "description", "simple language", {"tags": ["go"]})])
    filtered = search(library, "simple language", mode="lexical", filter={"tags": "go"})
    assert ranking(filtered) == ranking(search(alone, "simple language", mode="lexical"))


def test_a_filtered_cosine_is_the_cosine(library):
    everything = ranking(search(library, "memory language"))
    for filter in ({"tags": "rust"}, {"year": {"$gt": 1}}, {"tags": {"$exists": False}}):
        for artifact, score in ranking(search(library, "memory language", filter=filter)).items():
            assert score == everything[artifact]


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
@pytest.mark.parametrize("per_artifact", [True, False])
def test_weights_that_weigh_nothing_change_nothing(library, mode, per_artifact):
    options = {"mode": mode, "per_artifact": per_artifact, "k": 2}
    plain = search(library, "language", **options)
    for weights in (None, {}, {"unknown": 5.0}, {"chunk": 1.0}):
        assert search(library, "language", surface_weights=weights, **options) == plain


def test_a_weight_multiplies_the_scores_of_its_kind(library):
    plain = {h.surface_kind: h for h in search(library, "memory", per_artifact=False, mode="dense")}
    weighted = search(library, "memory", mode="dense", surface_weights={"chunk": 0.25})
    assert weighted[0].score == pytest.approx(plain["chunk"].score * 0.25)


def test_a_weighted_surface_just_under_the_cut_still_wins(corpus_of_records):
    rows = [(f"a{i}", "chunk", "bees " * (9 - i), {}) for i in range(8)]
    rows.append(("s", "synopsis", "bees and a long text on other things entirely", {}))
    corpus = corpus_of_records(rows)
    for fusion in ("rrf", "blend"):
        hits = search(
            corpus, "bees", k=1, mode="hybrid", fusion=fusion, surface_weights={"chunk": 0.0}
        )
        assert hits[0].artifact_id == "s"


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


@pytest.mark.parametrize("scores", [[1.0], [float("nan")] * 4, ["x"] * 4])
def test_a_reranker_must_return_one_finite_number_a_passage(library, scores):
    with pytest.raises(ParameterError, match="the reranker returned"):
        search(library, "language", rerank=lambda q, p: scores)


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
    hits = search(fruit, "alpha date", mode="hybrid", surface_weights={"document": 2.0})
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
