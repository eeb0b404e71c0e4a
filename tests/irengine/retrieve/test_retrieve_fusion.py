"""The fusion formulas as units."""

from __future__ import annotations

import pytest

from irengine.retrieve.fusion import blend, by_score, reciprocal_ranks, saturate


def test_blend_weighs_the_cosine_against_the_saturated_bm25():
    scores = blend({"a": 0.8, "b": 0.2}, {"a": 0.0, "b": 8.0}, alpha=0.5, bm25_sat_k=8.0)
    assert scores == pytest.approx({"a": 0.40, "b": 0.35})


def test_a_score_missing_on_one_side_counts_as_zero():
    scores = blend({"a": 1.0}, {"b": 8.0}, alpha=0.25, bm25_sat_k=8.0)
    assert scores == pytest.approx({"a": 0.25, "b": 0.375})


def test_an_empty_side_keeps_the_scale_of_a_blend():
    assert blend({"a": 0.8}, {}, alpha=0.5, bm25_sat_k=8.0) == pytest.approx({"a": 0.4})
    assert blend({}, {"a": 8.0}, alpha=0.5, bm25_sat_k=8.0) == pytest.approx({"a": 0.25})


def test_saturation_is_one_half_at_its_constant_and_never_negative():
    assert saturate(8.0, bm25_sat_k=8.0) == 0.5
    assert saturate(0.0, bm25_sat_k=8.0) == saturate(-1.0, bm25_sat_k=8.0) == 0.0


def test_reciprocal_ranks_add_up_over_the_lists():
    scores = reciprocal_ranks([["a", "b"], ["b", "c"]], rrf_k=60)
    assert scores == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})
    assert [item for item, _ in by_score(scores)] == ["b", "a", "c"]


def test_one_list_alone_scores_by_its_ranks():
    assert reciprocal_ranks([["a", "b"], []], rrf_k=60) == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def test_every_list_weighs_the_same():
    # No list is favoured by its place: swapping them changes no score.
    one, other = ["a", "b", "c"], ["c", "d"]
    assert reciprocal_ranks([one, other], rrf_k=60) == reciprocal_ranks([other, one], rrf_k=60)


def test_equal_scores_keep_the_order_of_first_appearance():
    scores = reciprocal_ranks([["dense"], ["lexical"]], rrf_k=60)
    assert [item for item, _ in by_score(scores)] == ["dense", "lexical"]
