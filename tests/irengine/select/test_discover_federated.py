"""``discover`` over several corpora at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

import irengine as ir
from irengine.embed import make_embedder
from irengine.errors import ParameterError
from irengine.index import Corpus

GARDEN = {
    "bees": "bees make honey in a hive with one queen",
    "moss": "moss grows in the shade of a wall",
}
KITCHEN = {
    "bread": "bread needs flour, water, salt and time",
    "honey": "honey bees cake: honey, butter, flour and a queen of spices in a hive of dough",
}
TRAINS = {"lisbon": "the night train leaves at ten"}


def corpus_named(name: str, texts: dict[str, str], embedder: object = "light") -> Corpus:
    source = ir.CorpusSource.from_mapping(texts, name=name)
    return ir.build(source, store=ir.CorpusStore.memory(), embedder=embedder)


@pytest.fixture
def garden() -> Corpus:
    return corpus_named("garden", GARDEN)


@pytest.fixture
def kitchen() -> Corpus:
    return corpus_named("kitchen", KITCHEN)


@pytest.fixture
def trains() -> Corpus:
    return corpus_named("trains", TRAINS)


def test_a_corpus_with_nothing_of_the_query_commits_nothing(garden, trains):
    found = ir.discover([garden, trains], "queen of the bees")
    assert found.ids == ["bees"]
    assert found.results[0].source == "garden"
    report = found.signals["per_source"]["trains"]
    assert report["abstained"]
    assert report["why"]


@pytest.mark.parametrize("options", [{}, {"fusion": "rrf"}, {"mode": "lexical"}, {"mode": "dense"}])
def test_one_corpus_in_a_list_is_answered_like_the_corpus(garden, options):
    alone = ir.discover(garden, "honey bees", **options)
    listed = ir.discover([garden], "honey bees", **options)
    assert listed.ids == alone.ids
    assert [r.score for r in listed.results] == [r.score for r in alone.results]
    assert listed.reason == alone.reason


def test_both_are_committed_to_when_both_are_near_the_best(garden, kitchen):
    found = ir.discover([garden, kitchen], "honey bees", rel=0.5)
    assert set(found.ids[:2]) == {"bees", "honey"}
    assert found.signals["merge"] == "rrf"
    assert found.signals["merge_rrf_k"] == 60
    assert found.signals["sources"] == ["garden", "kitchen"]
    assert found.n_retrieved == 4
    assert found.signals["min_ratio"] >= 0.5


def test_the_signals_say_what_each_corpus_had(garden, trains):
    floors = {"garden": None, "trains": 0.99}
    told = ir.discover([garden, trains], "honey", min_score=floors).signals["per_source"]
    assert told["garden"]["floor"] is None
    assert told["garden"]["n_retrieved"] == 2
    assert told["trains"]["floor"] == 0.99
    assert told["trains"]["floor_state"] == {"min_score": 0.99, "status": "given"}
    assert (told["garden"]["abstained"], told["trains"]["abstained"]) == (False, True)


def test_it_says_whether_every_corpus_had_a_floor(garden, trains):
    both = {"garden": 9.0, "trains": 9.0}
    found = ir.discover([garden, trains], "honey", min_score=both)
    assert found.reason == "abstain:all_sources_below_floor"
    one = {"garden": 9.0}
    found = ir.discover([garden, trains], "xylophone", mode="lexical", min_score=one)
    assert found.reason == "abstain:no_surviving_sources"


def test_a_query_without_words_abstains(garden, trains):
    assert ir.discover([garden, trains], " ?").reason == "abstain:empty_query"


def test_by_score_needs_one_embedder(garden, kitchen):
    merged = ir.discover([garden, kitchen], "honey", merge="score", strategy="top_k")
    scores = [result.score for result in merged.results]
    assert scores == sorted(scores, reverse=True)
    light, _ = make_embedder("light")

    def another(texts: Sequence[str], *, input_type: str = "document") -> object:
        return light(texts, input_type=input_type)

    other = corpus_named("other", TRAINS, another)
    with pytest.raises(ParameterError, match="shared embedder"):
        ir.discover([garden, other], "bees train", merge="score", rel=0.0)


def test_a_function_merges_as_it_likes(garden, kitchen):
    def only_kitchen(hits_by_name: dict[str, list[ir.SearchHit]]) -> list[ir.SearchHit]:
        assert list(hits_by_name) == ["garden", "kitchen"]
        return hits_by_name["kitchen"]

    found = ir.discover([garden, kitchen], "honey bees", merge=only_kitchen, rel=0.5)
    assert found.results[0].source == "kitchen"
    assert found.signals["merge"] == "custom"
    assert "merge_rrf_k" not in found.signals


@pytest.mark.parametrize("returned", [None, 1, [1], "ab"])
def test_a_function_that_returns_no_hits_is_told_so(garden, kitchen, returned):
    with pytest.raises(ParameterError, match="merge function must return hits"):
        ir.discover([garden, kitchen], "honey", merge=lambda hits: returned)
    with pytest.raises(ParameterError, match="selector must return hits"):
        ir.discover(garden, "honey", strategy=lambda hits: returned)


def test_weights_decide_between_equals(garden, kitchen):
    trusted = ir.discover(
        [garden, kitchen], "honey bees", merge_weights={"kitchen": 3.0}, rel=0.5, max_k=1
    )
    assert trusted.results[0].source == "kitchen"


def test_the_query_is_embedded_once_per_embedder():
    asked: list[Sequence[str]] = []
    light, _ = make_embedder("light")

    def counting(texts: Sequence[str], *, input_type: str = "document") -> object:
        if input_type == "query":
            asked.append(list(texts))
        return light(texts, input_type=input_type)

    counting.model_id = "counting"  # type: ignore[attr-defined]
    corpora = [corpus_named(f"c{i}", GARDEN, counting) for i in range(3)]
    ir.discover(corpora, "honey")
    assert asked == [["honey"]]


def test_embedders_without_a_name_are_not_taken_for_one():
    light, _ = make_embedder("light")
    asked: list[str] = []

    def first(texts: Sequence[str], *, input_type: str = "document") -> object:
        asked.append("first")
        return light(texts, input_type=input_type)

    def second(texts: Sequence[str], *, input_type: str = "document") -> object:
        asked.append("second")
        return light(texts, input_type=input_type)[:, ::-1]

    corpora = [corpus_named("a", GARDEN, first), corpus_named("b", KITCHEN, second)]
    asked.clear()
    ir.discover(corpora, "honey")
    assert sorted(asked) == ["first", "second"]
    with pytest.raises(ParameterError, match="shared embedder"):
        ir.discover(corpora, "honey", merge="score")


def test_scores_of_different_embedders_are_not_compared(garden):
    light, _ = make_embedder("light")

    def crowded(texts: Sequence[str], *, input_type: str = "document") -> object:
        """Cosines of 0.8 and more, whatever the texts."""
        import numpy as np

        vectors = np.asarray(light(texts, input_type=input_type)) * 0.4
        return np.hstack([vectors, np.full((len(vectors), 1), 1.0)])

    kitchen = corpus_named("kitchen", KITCHEN, crowded)
    told = ir.discover([garden, kitchen], "honey bees").signals["per_source"]
    assert told["garden"]["top_score"] < 0.9 * told["kitchen"]["top_score"]
    assert not told["garden"]["abstained"]
    assert not told["kitchen"]["abstained"]


def test_when_no_corpus_has_anything_of_the_query_nothing_is_committed_to(garden, trains):
    found = ir.discover([garden, trains], "xylophone")
    assert (found.ids, found.reason) == ([], "abstain:no_surviving_sources")
    assert all("nothing of the query" in s["why"] for s in found.signals["per_source"].values())


def test_the_corpora_are_searched_at_the_same_time(garden, kitchen):
    both = threading.Barrier(2, timeout=10)

    def waiting(hit: ir.SearchHit) -> float:
        if hit.artifact_id in ("bees", "bread"):
            both.wait()
        return 0.0

    assert ir.discover([garden, kitchen], "honey", dep_boost=waiting).ids


def test_embedders_work_at_the_same_time():
    both = threading.Barrier(2, timeout=10)

    def embedder() -> object:
        def embed(texts: Sequence[str], *, input_type: str = "document") -> list[list[float]]:
            if input_type == "query":
                both.wait()
            return [[1.0, float(len(text))] for text in texts]

        return embed

    corpora = [corpus_named("one", GARDEN, embedder()), corpus_named("two", KITCHEN, embedder())]
    assert ir.discover(corpora, "honey bees").ids


def test_each_passage_comes_from_the_corpus_of_its_hit(garden, kitchen):
    found = ir.discover([garden, kitchen], "honey bees", rel=0.3, expand=ir.parent_policy())
    passages = {result.artifact_id: result.passage for result in found.results}
    assert passages["bees"] == GARDEN["bees"]
    assert passages["honey"] == KITCHEN["honey"]


@pytest.mark.parametrize(
    ("corpora", "options", "match"),
    [
        ([], {}, "empty"),
        ([""], {}, "name"),
        (["  "], {}, "name"),
        ([object()], {}, "name"),
        (["garden", "garden"], {}, "twice"),
        (["a", "b"], {"strategy": "abs_threshold", "min_score": "auto"}, "abs_threshold"),
        (["a", "b"], {"min_score": 0.5}, r"per-\(corpus, mode, embedder\)"),
        (["a", "b"], {"min_score": True}, r"per-\(corpus, mode, embedder\)"),
        (["a", "b"], {"min_score": {"c": 0.5}}, "not in this discover call"),
        (["a", "b"], {"merge_weights": {"c": 2.0}}, "not in this discover call"),
        (["a", "b"], {"merge_weights": ["a"]}, "takes a mapping"),
        (["a", "b"], {"merge": "best"}, "unknown merge"),
        (["a", "b"], {"merge_rrf_k": 0}, "merge_rrf_k"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_opened(corpora, options, match):
    with pytest.raises(ValueError, match=match):
        ir.discover(corpora, "honey", **options)


def test_a_floor_that_is_no_number_is_refused(garden, trains):
    for wrong in (True, "0.5", float("nan")):
        with pytest.raises(ValueError, match="invalid min_score"):
            ir.discover([garden, trains], "honey", min_score={"garden": wrong})
