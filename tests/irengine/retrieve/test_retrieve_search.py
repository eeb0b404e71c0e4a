"""``search``: rankings, scales, depth, filters and weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irengine
from irengine.base import best_per_artifact
from irengine.errors import CorpusNotFound, EmbedderMismatch, ParameterError
from irengine.retrieve import facets, search


def ranking(hits) -> dict[str, float]:
    """Return artifact → score in ranked order."""
    return {hit.artifact_id: hit.score for hit in hits}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"mode": "dense"}, {"d": 0.603667, "a": 0.377964, "b": 0.333333, "c": 0.0}),
        ({"mode": "lexical"}, {"d": 0.519355, "a": 0.366373, "b": 0.330435}),
        (
            {"mode": "hybrid", "fusion": "rrf"},
            {"d": 0.032787, "a": 0.032258, "b": 0.031746, "c": 0.015625},
        ),
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
    found = list(ranking(search(apart, "zebra", mode="hybrid", fusion="rrf")).values())
    assert found == pytest.approx([1 / 61, 1 / 62, 1 / 63])


def test_an_empty_lexical_channel_keeps_the_scale_of_a_blend(apart):
    dense = ranking(search(apart, "zebra"))
    blended = ranking(search(apart, "zebra", mode="hybrid", fusion="blend", alpha=0.25))
    assert blended == pytest.approx({artifact: 0.25 * s for artifact, s in dense.items()})


def test_an_empty_dense_channel_keeps_the_scale_too(fruit):
    fruit.embed_query = lambda text: np.zeros(512, dtype=np.float32)
    assert search(fruit, "alpha", mode="dense") == []
    fused = ranking(search(fruit, "alpha", mode="hybrid", fusion="rrf"))
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
    assert len(search(library, "language", surfaces=iter(["chunk", "description"]))) == 3


def test_surfaces_that_no_record_has_are_refused(library, corpus_of_records):
    with pytest.raises(ParameterError, match="no surfaces of kind 'chunks'") as caught:
        search(library, "language", surfaces=["chunks"])
    assert caught.value.hint == "did you mean chunk? kinds: chunk, description"
    with pytest.raises(ParameterError, match="'nope'"):
        facets(library, "", ["year"], surfaces=["nope"])
    assert len(search(library, "language", surfaces=["nope", "description"])) == 3
    assert search(corpus_of_records([]), "language", surfaces=["nope"]) == []


@pytest.mark.parametrize("condition", [{"yaer": 2009}, {"$and": [{"yaer": {"$gt": 1}}]}])
def test_a_filter_on_a_field_nobody_has_is_told(library, condition):
    with pytest.warns(UserWarning, match=r"no record has a field 'yaer' \(did you mean year\?\)"):
        assert search(library, "language", filter=condition) == []
    with pytest.warns(UserWarning, match="yaer"):
        assert facets(library, "language", ["year"], filter=condition) == {"year": []}


def test_a_field_nobody_has_may_be_asked_for_where_something_passes(library):
    either = {"$or": [{"draft": True}, {"year": 2009}]}
    assert [hit.artifact_id for hit in search(library, "language", filter=either)] == ["go"]
    assert len(search(library, "language", filter={"draft": {"$ne": True}})) == 3
    assert search(library, "language", filter={"year": 1}) == []


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
