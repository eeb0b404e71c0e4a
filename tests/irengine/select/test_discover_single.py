"""``discover`` over one corpus: retrieve, commit, reveal, or say that nothing fits."""

from __future__ import annotations

import json

import pytest

import irengine as ir
from irengine.errors import CorpusNotFound, FilterError, ParameterError
from irengine.index import Corpus
from irengine.rerank import calibration_key, rerank_tag
from irengine.select import scale_of

NOTES = {
    "bees": "bees make honey in a hive; a hive has one queen",
    "wasps": "wasps build paper nests under a roof",
    "bread": "bread needs flour, water, salt and time to rise",
    "trains": "the night train to Lisbon leaves at ten",
}


@pytest.fixture(scope="module")
def notes() -> Corpus:
    source = ir.CorpusSource.from_mapping(NOTES, name="notes")
    return ir.build(source, store=ir.CorpusStore.memory(), embedder="light")


def test_it_commits_to_the_one_that_fits(notes):
    found = ir.discover(notes, "queen of a bee hive")
    assert found.ids == ["bees"]
    assert found.reason == "rel_threshold"
    assert found.n_retrieved == 4
    assert found.results[0].source == "notes"
    assert found.signals["floor"] == {"min_score": None, "status": "none"}


def test_the_answer_is_json(notes):
    told = json.loads(json.dumps(ir.discover(notes, "honey", disclose_level="body").to_dict()))
    assert told["n_selected"] == len(told["results"]) == 1
    assert told["results"][0]["artifact_id"] == "bees"
    assert (told["mode"], told["strategy"]) == ("hybrid", "conservative")


@pytest.mark.parametrize("query", ["", "  \n", "?!", "… --- …", "\u200b"])
def test_a_query_without_words_abstains(notes, query):
    found = ir.discover(notes, query)
    assert (found.ids, found.abstained, found.reason) == ([], True, "abstain:empty_query")


def test_a_filter_that_nothing_passes_abstains(notes):
    with pytest.warns(UserWarning, match="no record has a field 'lang'"):
        found = ir.discover(notes, "honey", filter={"lang": "fr"})
    assert (found.abstained, found.reason) == (True, "abstain:no_candidates")


def test_a_query_that_has_nothing_to_do_with_the_corpus_abstains(notes):
    found = ir.discover(notes, "xylophone")
    assert (found.ids, found.abstained, found.reason) == ([], True, "abstain:unrelated")
    assert found.n_retrieved == found.signals["n_candidates"] == 4
    assert found.signals["n_selected"] == 0
    assert found.signals["top_cosine"] < found.signals["min_cosine"]


@pytest.mark.parametrize(
    "options",
    [
        {"min_score": 0.0},
        {"fusion": "rrf"},
        {"mode": "dense"},
        {"rerank": lambda query, passages: [1.0 for _ in passages]},
    ],
)
def test_a_floor_rank_fusion_or_a_reranker_decides_instead(notes, options):
    assert not ir.discover(notes, "xylophone", strategy="top_k", **options).abstained


def test_nobody_is_asked_to_choose_among_what_is_unrelated(notes):
    def chooser(hits):
        raise AssertionError("asked about nothing")

    assert ir.discover(notes, "xylophone", strategy=chooser).reason == "abstain:unrelated"
    assert ir.discover(notes, "?", strategy=chooser).reason == "abstain:empty_query"


def test_other_words_for_the_same_thing_are_an_answer():
    texts = {
        "law": "Legal advice from an attorney",
        "sleep": "Nap schedules for infants",
        "parcel": "Track a shipment by its number",
    }
    source = ir.CorpusSource.from_mapping(texts, name="help")
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="default")
    assert ir.discover(corpus, "lawyer").ids[:1] == ["law"]
    assert ir.discover(corpus, "baby bedtime").ids[:1] == ["sleep"]
    for invented in ("xqzvw blorf", "qpwoeiruty", "zzgh vrrtk plmko"):
        assert ir.discover(corpus, invented).reason == "abstain:unrelated"


def test_rank_fusion_commits_by_rank_and_the_default_by_magnitude():
    texts = {
        "honey": "honey",
        "cake": "a cake of flour, butter, eggs, spices and some honey",
        "train": "the night train to Lisbon had honey for breakfast at six",
    }
    source = ir.CorpusSource.from_mapping(texts, name="words")
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    assert ir.discover(corpus, "honey").ids == ["honey"]
    by_rank = ir.discover(corpus, "honey", fusion="rrf")
    assert by_rank.results[0].score == pytest.approx(2 / 61)
    assert len(by_rank.ids) == 3, "nine tenths of a score of ranks is hardly a condition"


@pytest.mark.parametrize("strategy", ["conservative", "top_k", "rel_threshold", "score_gap"])
def test_a_floor_holds_for_every_strategy(notes, strategy):
    found = ir.discover(notes, "honey", strategy=strategy, min_score=2.0)
    assert (found.abstained, found.reason) == (True, "abstain:below_floor")
    assert found.signals["floor"] == {"min_score": 2.0, "status": "given"}


def by_length(query, passages):
    """A reranker with a name of its own."""
    return [min(1.0, len(passage["text"]) / 50) for passage in passages]


def calibrated(notes: Corpus, **record: object) -> None:
    stored = {"mode": "hybrid", "embedder_id": notes.embedder_id, "min_score": 0.9, **record}
    notes.store.set_calibration("hybrid", stored)


def test_a_calibrated_floor_is_applied_and_said_to_be(notes):
    calibrated(notes)
    found = ir.discover(notes, "honey", min_score="auto")
    assert found.reason == "abstain:below_floor"
    assert found.signals["floor"] == {"min_score": 0.9, "status": "applied"}
    calibrated(notes, min_score=None)
    assert ir.discover(notes, "honey", min_score="auto").ids == ["bees"]


@pytest.mark.parametrize("options", [{}, {"fusion": "rrf"}, {"bm25": {"b": 0.5}}, {"alpha": 0.3}])
def test_a_floor_calibrated_for_scores_of_this_scale_is_applied(notes, options):
    calibrated(notes, scale=json.loads(json.dumps(scale_of("hybrid", options))))
    found = ir.discover(notes, "honey", min_score="auto", **options)
    assert found.signals["floor"]["status"] == "applied"


@pytest.mark.parametrize(
    ("record", "options", "status"),
    [
        ({"embedder_id": "another"}, {}, "stale"),
        ({"embedder_id": None}, {}, "stale"),
        ({"rerank": "rerank-x"}, {}, "stale"),
        ({"mode": "dense"}, {}, "stale"),
        ({}, {"surface_weights": {"document": 2.0}}, "unusable"),
        ({}, {"dep_boost": lambda hit: 0.0}, "unusable"),
        ({}, {"formulate": lambda query: [query, "bees"]}, "unusable"),
        ({"scale": scale_of("hybrid", {"fusion": "rrf"})}, {}, "stale"),
        ({"scale": scale_of("hybrid", {})}, {"alpha": 0.3}, "stale"),
        ({"scale": scale_of("hybrid", {})}, {"bm25": {"k1": 2.0}}, "stale"),
        ({"scale": scale_of("hybrid", {})}, {"surfaces": ["document"]}, "stale"),
        ({}, {"mode": "lexical"}, "missing"),
        ({}, {"rerank": by_length}, "missing"),
        ({}, {"rerank": lambda query, passages: [1.0 for _ in passages]}, "unusable"),
    ],
)
def test_a_floor_that_does_not_fit_is_left_out_with_the_reason(notes, record, options, status):
    calibrated(notes, **record)
    with pytest.warns(UserWarning, match="no floor for corpus 'notes'"):
        found = ir.discover(notes, "honey", min_score="auto", **options)
    assert found.signals["floor"]["status"] == status
    assert found.signals["floor"]["min_score"] is None
    assert found.signals["floor"]["why"]
    assert found.ids[0] == "bees"


def test_a_reranked_search_has_a_floor_of_its_own(notes):
    calibrated(notes, min_score=0.99)
    tag = rerank_tag(by_length)
    record = {"mode": "hybrid", "rerank": tag, "embedder_id": notes.embedder_id, "min_score": 0.5}
    notes.store.set_calibration(calibration_key("hybrid", tag), record)
    found = ir.discover(notes, "honey", min_score="auto", rerank=by_length)
    assert found.signals["floor"] == {"min_score": 0.5, "status": "applied"}
    assert found.results


def test_repetitions_do_not_use_up_the_candidates():
    skills = {f"copy-{i}": {"text": "fold a paper crane", "name": "crane"} for i in range(30)}
    skills |= {
        f"other-{i}": {"text": f"fold paper boat {i}", "name": f"boat {i}"} for i in range(5)
    }
    source = ir.CorpusSource.from_mapping(
        skills, name="skills", metadata_of=lambda _, raw: {"name": raw["name"]}
    )
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    found = ir.discover(corpus, "fold a paper crane", k=6, strategy="top_k", max_k=6)
    assert len({result.name for result in found.results}) == 6
    assert ir.discover(corpus, "paper crane", k=6, dedup_by=None).n_retrieved == 6
    by_name = ir.discover(corpus, "fold a paper crane", k=6, dedup_by="name", rel=0.0, max_k=6)
    assert [result.name for result in by_name.results].count("crane") == 1


@pytest.mark.parametrize(
    ("bad", "error", "match"),
    [
        ({"max_k": 0}, ParameterError, "max_k"),
        ({"k": 0}, ParameterError, "k must"),
        ({"strategy": "best"}, ParameterError, "unknown strategy"),
        ({"strategy": "abs_threshold"}, ParameterError, "min_score"),
        ({"min_score": "high"}, ParameterError, "invalid min_score"),
        ({"min_score": {"notes": 1.0}}, ParameterError, "federated form"),
        ({"merge": "score"}, ParameterError, "federated form"),
        ({"merge_weights": {}}, ParameterError, "federated form"),
        ({"disclose_level": "all"}, ParameterError, "disclosure level"),
        ({"per_artifact": False}, TypeError, "per_artifact"),
        ({"filter": {"a": {"$near": 1}}}, FilterError, "near"),
        ({"query": "?", "mode": "psychic"}, ParameterError, "mode"),
        ({"query": 7}, ParameterError, "query"),
        ({"corpus": "nowhere"}, CorpusNotFound, "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_searched(notes, bad, error, match):
    arguments = {"corpus": notes, "query": "honey", **bad}
    with pytest.raises(error, match=match):
        ir.discover(arguments.pop("corpus"), arguments.pop("query"), **arguments)


def test_expansion_shows_the_text_around_the_match(notes):
    found = ir.discover(notes, "honey", expand=ir.parent_policy())
    assert found.results[0].passage == NOTES["bees"]


def test_a_model_can_choose(notes):
    choose = ir.make_llm_selector("honey", chooser=lambda **_: ["bread"])
    found = ir.discover(notes, "honey", strategy=choose)
    assert (found.ids, found.strategy, found.reason) == (["bread"], "custom", "custom")
