"""``select``: which hits are committed to, why, and with which numbers."""

from __future__ import annotations

import pytest

import irengine as ir
from irengine.base import SearchHit
from irengine.errors import ParameterError
from irengine.select import abs_threshold, rel_threshold, score_gap, select, top_k


def hits(*scores: float) -> list[SearchHit]:
    return [SearchHit(f"a{i}", "document", score, f"text {i}") for i, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "options", "n", "reason", "min_ratio"),
    [
        ((1.0, 0.9, 0.5, 0.4), {}, 2, "rel_threshold", 0.9),
        ((0.9,) * 8, {}, 3, "max_k", 1.0),
        ((1.0, 0.95, 0.9), {}, 3, "exhausted", 0.9),
        ((-0.1, -0.2), {}, 1, "nonpositive_top", 1.0),
        ((0.0, 0.0), {}, 1, "nonpositive_top", 1.0),
        ((0.7,), {}, 1, "single", 1.0),
        ((0.5, 0.4), {"min_score": 0.5}, 1, "rel_threshold", 1.0),
        ((1.0, 0.5), {"rel": 0.5}, 2, "exhausted", 0.5),
        ((1.0, 0.99), {"max_k": 1}, 1, "max_k", 1.0),
    ],
)
def test_conservative_keeps_the_best_and_what_is_near_it(scores, options, n, reason, min_ratio):
    ranking = hits(*scores)
    selection = select(ranking, **options)
    assert selection.selected == ranking[:n]
    assert (selection.reason, selection.abstained, selection.sufficient) == (reason, False, True)
    assert selection.signals["min_ratio"] == pytest.approx(min_ratio)
    assert selection.signals["n_candidates"] == len(scores)
    assert selection.signals["n_selected"] == n
    assert selection.signals["top_score"] == scores[0]


def test_nothing_to_choose_from_is_an_abstention():
    selection = select([])
    assert selection.to_dict() == {
        "selected": [],
        "selected_ids": [],
        "abstained": True,
        "sufficient": False,
        "reason": "abstain:no_candidates",
        "signals": {"n_candidates": 0, "n_selected": 0, "top_score": None, "min_ratio": None},
        "n_candidates": 0,
    }


@pytest.mark.parametrize(
    "strategy", ["conservative", "top_k", "abs_threshold", "rel_threshold", "score_gap", list]
)
def test_a_floor_above_the_best_score_abstains_whatever_the_strategy(strategy):
    selection = select(hits(0.2, 0.1), strategy=strategy, min_score=0.5)
    assert selection.abstained
    assert selection.reason == "abstain:below_floor"
    assert selection.signals["min_score"] == 0.5
    assert [hit.artifact_id for hit in selection.candidates] == ["a0", "a1"]


@pytest.mark.parametrize(
    ("strategy", "options", "expected"),
    [
        ("top_k", {}, ["a0", "a1", "a2"]),
        ("top_k", {"max_k": 1}, ["a0"]),
        ("abs_threshold", {"min_score": 0.6}, ["a0", "a1"]),
        ("rel_threshold", {"rel": 0.7}, ["a0", "a1"]),
        ("score_gap", {"gap_ratio": 0.5}, ["a0", "a1"]),
        (lambda found: found[1:2], {}, ["a1"]),
        (lambda found: [], {}, []),
    ],
)
def test_the_other_strategies_choose_by_their_own_rule(strategy, options, expected):
    selection = select(hits(1.0, 0.7, 0.3, 0.2), strategy=strategy, **options)
    assert selection.selected_ids == expected
    name = "custom" if callable(strategy) else strategy
    assert selection.reason == (name if expected else f"abstain:{name}")
    assert set(selection.signals) == {"n_candidates", "n_selected", "top_score"}


def test_the_bare_selectors_have_no_cap():
    ranking = hits(1.0, 0.95, 0.9, 0.4, 0.0, -1.0)
    assert len(top_k(2)(ranking)) == 2
    assert len(abs_threshold(0.4)(ranking)) == 4
    assert len(rel_threshold()(ranking)) == 3
    assert len(rel_threshold()(hits(-1.0, -1.0))) == 1
    assert len(score_gap(0.4)(ranking)) == 4
    assert len(score_gap()(hits(0.0, 0.0))) == 1
    assert [choose([]) for choose in (top_k(), abs_threshold(0), rel_threshold(), score_gap())] == [
        [],
        [],
        [],
        [],
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"strategy": "conservativ"},
        {"strategy": "abs_threshold"},
        {"max_k": 0},
        {"max_k": -1},
        {"max_k": True},
        {"rel": float("nan")},
        {"gap_ratio": "half"},
        {"min_score": "0.5"},
        {"strategy": lambda found: ["a0"]},
    ],
)
def test_arguments_that_mean_nothing_are_refused(bad):
    with pytest.raises(ParameterError):
        select(hits(1.0), **bad)


def test_a_misspelt_strategy_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean conservative"):
        select(hits(1.0), strategy="conservativ")


def test_a_model_chooses_by_id_and_in_its_own_order():
    asked = {}

    def chooser(*, query, candidates):
        asked.update(query=query, candidates=candidates)
        return ["a2", "unknown", "a0", "a2"]

    choose = ir.make_llm_selector("why?", chooser=chooser, max_candidates=3)
    assert [hit.artifact_id for hit in choose(hits(4, 3, 2, 1))] == ["a2", "a0"]
    assert asked == {"query": "why?", "candidates": "- a0: text 0\n- a1: text 1\n- a2: text 2"}


def test_a_model_that_chooses_nothing_abstains():
    choose = ir.make_llm_selector("why?", chooser=lambda **_: [])
    selection = select(hits(1.0, 0.9), strategy=choose)
    assert (selection.abstained, selection.reason) == (True, "abstain:custom")


def test_nobody_is_asked_about_no_candidates():
    def chooser(**_):
        raise AssertionError("asked about nothing")

    assert ir.make_llm_selector("why?", chooser=chooser)([]) == []


def test_equal_ids_of_several_sources_are_told_apart():
    one = SearchHit("a", "document", 1.0, "first", source="x")
    two = SearchHit("a", "document", 0.9, "second", source="y")
    choose = ir.make_llm_selector("why?", chooser=lambda **_: "y/a")
    assert choose([one, two]) == [two]


def test_when_the_model_fails_the_scores_decide_and_a_warning_says_so():
    with pytest.warns(UserWarning, match="did not choose"):
        assert len(ir.make_llm_selector("why?")(hits(1.0, 0.95, 0.1))) == 2
    with pytest.warns(UserWarning, match="did not choose"):
        choose = ir.make_llm_selector("why?", fallback=lambda found: list(found[-1:]))
        assert [hit.artifact_id for hit in choose(hits(1.0, 0.5))] == ["a1"]
