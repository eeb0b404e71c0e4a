"""Floors that can be trusted: kept for the searches they were made for, refused when they guess."""

from __future__ import annotations

import json
import math
from datetime import datetime, timezone

import pytest

import irengine as ir
from irengine.errors import CalibrationRefused, ParameterError
from irengine.eval import (
    DiscoveryCase,
    MinScoreCalibration,
    calibrate_min_score,
    calibration_status,
    load_calibration,
)
from irengine.eval.thresholds import best_floor, candidate_floors, floor_rates, held_out_rates
from irengine.rerank import calibration_key, rerank_tag
from irengine.select import floors
from irengine.select.floors import fingerprint_of, floor_key, scale_of
from irengine.store import CorpusStore

NOON = datetime(2030, 1, 2, 12, tzinfo=timezone.utc)


def by_length(query, passages):
    """A reranker with a name of its own: passages of the query's words are long enough."""
    words = set(query.split())
    return [len(words & set(passage["text"].split())) / len(words) for passage in passages]


@pytest.mark.parametrize(
    ("scores", "floors"),
    [
        ((0.1, 0.2, 0.9, 0.95), (-0.1125, 0.15, 0.55, 0.925, 1.1625)),
        ((0.5, 0.5), (-0.75, 1.75)),
        ((), (0.0,)),
        ((-math.inf,), (0.0,)),
    ],
)
def test_floors_lie_between_scores_and_beyond_both_ends(scores, floors):
    assert candidate_floors(scores) == pytest.approx(list(floors))


def test_rates_by_hand():
    rates = floor_rates([0.5, 0.7, 0.9], [0.1, 0.5, -math.inf, 0.8], [0.5, 0.6])
    assert [(r.sensitivity, r.specificity) for r in rates] == [
        (1.0, 0.5),  # a positive at the floor is kept, a negative there is not held back
        (pytest.approx(2 / 3), 0.75),
    ]
    assert rates[1].youden_j == pytest.approx(2 / 3 + 0.75 - 1)


def test_of_equal_floors_the_higher_is_taken():
    rates = floor_rates([0.4, 0.8], [0.2, 0.6], [0.3, 0.7])
    assert best_floor(rates, 0.5).min_score == 0.7
    assert best_floor(rates, 0.9).min_score == 0.3, "finding weighs more"


def test_held_out_rates_are_no_better_than_chance_for_noise():
    high, low = [i / 7 % 1 for i in range(200)], [i / 11 % 1 for i in range(200)]
    sensitivity, specificity = held_out_rates(high, low, 0.5)
    assert abs(sensitivity + specificity - 1) < 0.2
    assert held_out_rates([1.0] * 20, [0.0] * 20, 0.5) == (1.0, 1.0)
    assert held_out_rates([1.0] * 9, [0.0] * 20, 0.5) is None


def test_a_floor_parts_what_can_be_parted(pets, cases):
    found = calibrate_min_score(pets, cases, now=lambda: NOON)
    tops = {
        c.query: h[0].score
        for c in cases
        if (h := pets.search(c.query, mode="hybrid", fusion="convex"))
    }
    highest = max(tops[c.query] for c in cases if not c.gold)
    lowest = min(tops[c.query] for c in cases if c.gold)
    assert found.min_score == pytest.approx((highest + lowest) / 2)
    assert (found.sensitivity, found.specificity, found.youden_j, found.separable) == (
        1,
        1,
        1,
        True,
    )
    assert (found.n_positive, found.n_abstention, found.n_retrieval_miss) == (6, 4, 0)
    assert (found.reason, found.balanced_accuracy, found.strategy) == (
        "calibrated",
        1,
        "conservative",
    )
    assert found.positive_scores["min"] == pytest.approx(lowest)
    assert found.abstention_scores["max"] == pytest.approx(highest)
    assert "perfectly separable" in str(found)


def test_it_says_when_and_on_what_it_was_made(pets, cases):
    found = calibrate_min_score(pets, cases, now=lambda: NOON)
    assert found.calibrated_at == "2030-01-02T12:00:00+00:00"
    assert (found.n_records, found.n_artifacts) == (6, 6)
    assert found.content_id == pets.store.snapshot().content_id
    assert found.embedder_id == pets.embedder_id
    assert found.scale == scale_of("hybrid", {"fusion": "convex"})
    assert found.fingerprint == fingerprint_of(pets, found.scale)


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
def test_a_stored_floor_is_what_discover_applies(pets, cases, mode):
    found = calibrate_min_score(pets, cases, mode=mode, persist=True)
    for case in cases:
        answer = ir.discover(pets, case.query, mode=mode, min_score="auto")
        assert answer.signals["floor"] == {"min_score": found.min_score, "status": "applied"}
        assert answer.abstained == (not case.gold), case
    assert pets.store.calibration_modes() == [mode]
    assert load_calibration(pets, mode) == found


def test_each_scale_has_a_floor_of_its_own(pets, cases):
    options = [{}, {"alpha": 0.8}, {"bm25": {"b": 0.2}}, {"surfaces": ["text", "document"]}]
    floors = [calibrate_min_score(pets, cases, persist=True, **kw).min_score for kw in options]
    assert len(pets.store.calibration_modes()) == len(options)
    for kw, floor in zip(options, floors, strict=True):
        told = ir.discover(pets, "honey", min_score="auto", **kw).signals["floor"]
        assert told == {"min_score": floor, "status": "applied"}
        assert load_calibration(pets, "hybrid", **kw).min_score == floor


def test_a_floor_of_another_scale_is_never_applied(pets, cases):
    calibrate_min_score(pets, cases, alpha=0.8, persist=True)
    with pytest.warns(UserWarning, match="no calibration is stored"):
        assert ir.discover(pets, "honey from a hive", min_score="auto").ids == ["bees"]
    calibrate_min_score(pets, cases, persist=True)
    for kw in ({"fusion": "rrf"}, {"filter": {"a": {"$exists": False}}}, {"fetch_k": 3}):
        with pytest.warns(UserWarning, match="it was calibrated for"):
            found = ir.discover(pets, "honey from a hive", min_score="auto", **kw)
        assert found.signals["floor"]["status"] == "stale"
        assert load_calibration(pets, "hybrid", **kw) is None


def test_the_usual_search_has_the_plain_key():
    usual = scale_of("hybrid", {"fusion": "convex"})
    assert floor_key(usual) == "hybrid"
    assert floor_key(usual, "rerank-x+surface") == calibration_key("hybrid", "rerank-x+surface")
    assert floor_key(scale_of("dense", {})) == "dense"
    assert floor_key(scale_of("dense", {"filter": {"a": 1}})) == "dense", "cosines do not change"
    keys = {
        floor_key(scale_of("hybrid", {"fusion": "convex", **kw}))
        for kw in (
            {},
            {"alpha": 0.4},
            {"fusion": "rrf"},
            {"filter": {"a": 1}},
            {"filter": {"a": 2}},
        )
    }
    assert len(keys) == 5


def test_a_named_reranker_has_a_floor_of_its_own(pets, cases):
    found = calibrate_min_score(pets, cases, rerank=by_length, persist=True)
    assert found.rerank == rerank_tag(by_length)
    assert pets.store.calibration_modes() == [calibration_key("hybrid", found.rerank)]
    told = ir.discover(pets, "honey", min_score="auto", rerank=by_length).signals["floor"]
    assert told == {"min_score": found.min_score, "status": "applied"}
    assert load_calibration(pets, "hybrid", rerank=by_length) == found
    assert load_calibration(pets, "hybrid") is None
    assert load_calibration(pets, "hybrid", rerank=lambda q, p: [0.0 for _ in p]) is None


def inseparable() -> list[DiscoveryCase]:
    """Questions whose answer is there, and others that look just like them."""
    return [
        *(
            DiscoveryCase(q, (g,))
            for q, g in [("honey", "bees"), ("mice", "cats"), ("eggs", "hens")]
        ),
        *(
            DiscoveryCase(q)
            for q in ["honey in a hive", "cats hunt mice", "hens lay eggs in a coop"]
        ),
    ]


@pytest.mark.parametrize("fusion", ["blend", "rrf"])
def test_what_does_not_part_is_refused(pets, fusion):
    found = calibrate_min_score(pets, inseparable(), fusion=fusion)
    assert (found.min_score, found.reason) == (None, "not_separable")
    assert found.youden_j < 0.5
    assert found.grid, "what was tried can be looked at"
    with pytest.raises(CalibrationRefused, match=r"Youden's J is .* at least 0\.50") as caught:
        calibrate_min_score(pets, inseparable(), fusion=fusion, persist=True)
    assert caught.value.code == "calibration-refused"
    assert caught.value.hint
    with pytest.raises(CalibrationRefused):
        found.save(pets)
    assert pets.store.calibration_modes() == []
    assert "NOTE: no floor" in str(found)


def test_a_refusal_leaves_the_floor_that_was_stored(pets, cases):
    stored = calibrate_min_score(pets, cases, persist=True)
    with pytest.raises(CalibrationRefused):
        calibrate_min_score(pets, inseparable(), persist=True)
    assert load_calibration(pets, "hybrid") == stored


def test_the_least_j_can_be_chosen_but_chance_is_never_enough(pets, cases):
    mixed = [*cases, DiscoveryCase("honey from a hive")]
    found = calibrate_min_score(pets, mixed)
    assert found.reason == "calibrated"
    assert 0.5 < found.youden_j < 1
    assert calibrate_min_score(pets, mixed, min_youden_j=0.95).reason == "not_separable"
    same = [DiscoveryCase("honey", ("bees",)), DiscoveryCase("honey")]
    assert calibrate_min_score(pets, same, min_youden_j=0.0).min_score is None


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        (slice(0, 0), "no_cases"),
        (slice(6, 10), "no_positive_cases"),
        (slice(0, 6), "no_abstention_cases"),
    ],
)
def test_a_kind_of_case_that_is_missing_leaves_no_floor(pets, cases, chosen, reason):
    found = calibrate_min_score(pets, cases[chosen], persist=True)
    assert (found.min_score, found.reason, found.grid) == (None, reason, ())
    assert pets.store.calibration_modes() == []


def test_an_answer_that_was_not_found_counts_on_neither_side(pets, cases):
    found = calibrate_min_score(pets, [*cases, DiscoveryCase("honey", ("gone",))])
    assert (found.n_positive, found.n_abstention, found.n_retrieval_miss) == (6, 4, 1)


def test_queries_that_find_nothing_keep_the_json_clean(pets):
    cases = [DiscoveryCase("honey", ("bees",)), DiscoveryCase("unheard"), DiscoveryCase("!!")]
    found = calibrate_min_score(pets, cases, mode="lexical")
    assert found.abstention_scores == {}
    assert found.specificity == 1.0
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert MinScoreCalibration.from_dict(json.loads(text)) == found


def test_a_record_without_its_essentials_is_refused():
    with pytest.raises(ParameterError, match="no mode"):
        MinScoreCalibration.from_dict({"corpus_name": "x", "k": 3})


def test_given_floors_are_the_only_ones_tried(pets, cases):
    found = calibrate_min_score(pets, cases, floor_grid=[0.9, 0.2, 0.2])
    assert [row["min_score"] for row in found.grid] == [0.2, 0.9]
    assert found.min_score in (0.2, None)
    for grid, message in (([], "non-empty"), ([float("inf")], "finite"), ([0.1, None], "finite")):
        with pytest.raises(ParameterError, match=message):
            calibrate_min_score(pets, cases, floor_grid=grid)


def test_each_case_is_searched_once(pets, cases):
    asked = []
    whole = pets.embed_query
    pets.embed_query = lambda query: asked.append(query) or whole(query)
    assert len(calibrate_min_score(pets, cases).grid) > len(cases) / 2
    assert asked == [case.query for case in cases]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"surface_weights": {"text": 2.0}}, "cannot persist"),
        ({"dep_boost": lambda hit: 0.1}, "cannot persist"),
        ({"formulate": lambda query: [query, "bees"]}, "cannot persist"),
        ({"rerank": lambda query, passages: [1.0 for _ in passages]}, "stable identity"),
    ],
)
def test_a_scale_without_a_name_is_not_stored(pets, cases, options, message):
    with pytest.raises(ParameterError, match=message):
        calibrate_min_score(pets, cases, persist=True, **options)
    assert calibrate_min_score(pets, cases, **options).n_positive > 0


@pytest.mark.parametrize(
    "options",
    [{"sensitivity_weight": 1.5}, {"min_youden_j": -1}, {"k": 0}, {"mode": "x"}, {"alpha": 7}],
)
def test_arguments_are_checked(pets, cases, options):
    with pytest.raises(ParameterError):
        calibrate_min_score(pets, cases, **options)


def test_a_floor_ages_with_the_content_of_its_corpus(cases):
    texts = {c.gold[0]: c.query for c in cases if c.gold}
    store = CorpusStore.memory()
    corpus = ir.build(ir.CorpusSource.from_mapping(texts, name="t"), store=store, embedder="light")
    found = calibrate_min_score(corpus, cases, persist=True)
    assert calibration_status(corpus, found).state == "current"
    texts["newts"] = "newts hide under stones"
    corpus = ir.build(ir.CorpusSource.from_mapping(texts, name="t"), store=store, embedder="light")
    status = calibration_status(corpus, found)
    assert (status.state, "6 artifacts, there are 7" in status.why) == ("aged", True)
    told = ir.discover(corpus, "honey", min_score="auto").signals["floor"]
    assert told["status"] == "applied", "one more document is no other scale"


def test_a_floor_is_stale_once_words_are_split_otherwise(pets, cases, monkeypatch):
    found = calibrate_min_score(pets, cases, persist=True)
    dense = calibrate_min_score(pets, cases, mode="dense", persist=True)
    monkeypatch.setattr(floors, "analyzer_id", lambda: "another")
    assert calibration_status(pets, found).state == "stale"
    assert calibration_status(pets, dense).state == "current", "it does not look at words"
    with pytest.warns(UserWarning, match="split otherwise"):
        ir.discover(pets, "honey", min_score="auto")
    assert (
        ir.discover(pets, "honey", mode="dense", min_score="auto").signals["floor"]["status"]
        == "applied"
    )


def test_a_floor_is_stale_with_another_embedder(pets, cases):
    found = calibrate_min_score(pets, cases, persist=True)
    for mode in pets.store.calibration_modes():
        record = pets.store.get_calibration(mode)
        pets.store.set_calibration(mode, {**record, "embedder_id": "another"})
    with pytest.warns(UserWarning, match="another embedder"):
        ir.discover(pets, "honey", min_score="auto")
    pets.embedder_id = "another"
    assert calibration_status(pets, found).state == "stale"


def test_a_floor_is_kept_with_the_corpus(cases):
    texts = {c.gold[0]: c.query for c in cases if c.gold}
    ir.build(ir.CorpusSource.from_mapping(texts, name="kept"), embedder="light")
    found = calibrate_min_score("kept", cases, persist=True)
    assert load_calibration("kept", "hybrid") == found
    assert ir.discover("kept", "mortgage rates", min_score="auto").abstained
