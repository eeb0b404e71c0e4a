"""The shares of meaning and words in a hybrid search: what each has to say about this query."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irengine as ir
from irengine.retrieve.balance import balance_of

CHANCE = np.random.default_rng(5).normal(0.1, 0.05, 500)


def shares(cosines, bm25, *, known=1.0, trust=1.0, alpha=0.5):
    """Return the balance of two channels over the same candidates."""
    return balance_of(
        SimpleNamespace(scores=np.array(cosines, dtype=np.float32)),
        SimpleNamespace(scores=np.array(bm25, dtype=float), known_share=known),
        n=max(len(cosines), len(bm25)),
        trust=trust,
        alpha=alpha,
        bm25_sat_k=8.0,
    )


def test_the_channel_whose_best_stands_out_counts_more():
    clear_meaning = shares([*CHANCE, 0.8], [1.0, 1.1, 1.2] * 100)
    clear_words = shares(CHANCE, [30.0, 1.0, 1.2])
    assert clear_meaning.dense_share > 0.8
    assert clear_words.lexical_share > 0.8
    for balance in (clear_meaning, clear_words):
        assert balance.dense_share + balance.lexical_share == pytest.approx(1.0)


def test_an_empty_channel_has_no_share():
    assert shares(CHANCE, []).lexical_share == 0.0
    assert shares(CHANCE, []).dense_share == 1.0
    words = shares([], [3.0])
    assert (words.dense_share, words.lexical_share) == (0.0, 1.0)


def test_words_the_corpus_hardly_knows_count_little():
    bm25 = [9.0, 1.0, 1.0]
    few, enough, all_known = (shares(CHANCE, bm25, known=k) for k in (0.02, 0.25, 1.0))
    assert few.lexical_share < enough.lexical_share / 4
    assert enough.lexical_share == all_known.lexical_share
    assert enough.dense_share == all_known.dense_share
    assert few.magnitude < enough.magnitude < all_known.magnitude


def test_a_model_that_cannot_read_the_query_only_orders_what_nothing_else_does():
    cosines = [*CHANCE, 0.8]
    assert shares(cosines, [3.0, 1.0], trust=0.02).lexical_share > 0.9
    alone = shares(cosines, [], trust=0.02)
    assert alone.dense_share == 1.0
    assert alone.magnitude < 0.02


def test_alpha_favours_a_channel_beforehand():
    bm25 = [9.0, 3.0]
    assert shares(CHANCE, bm25, alpha=1.0).lexical_share == 0.0
    assert shares(CHANCE, bm25, alpha=0.0).lexical_share == 1.0
    by_alpha = [shares(CHANCE, bm25, alpha=a).lexical_share for a in (0.2, 0.5, 0.8)]
    assert by_alpha == sorted(by_alpha, reverse=True)


@settings(max_examples=200, deadline=None)
@given(
    cosines=st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=30),
    bm25=st.lists(st.floats(0.001, 50), max_size=30),
    trust=st.sampled_from([1.0, 0.1, 0.02]),
)
def test_no_score_exceeds_the_magnitude_and_none_is_below_zero(cosines, bm25, trust):
    bm25 = bm25[: len(cosines)]
    balance = shares(cosines, bm25, trust=trust)
    words = np.zeros(len(cosines))
    words[: len(bm25)] = bm25
    scores = balance.scores(np.array(cosines, dtype=np.float32), words)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert (scores <= balance.magnitude + 1e-5).all()
    assert 0.0 <= balance.magnitude <= 1.0


@pytest.fixture(scope="module")
def bees():
    notes = {
        "honey": "꿀벌은 꿀을 만들고 벌집에 산다",
        "trains": "기차는 밤에 리스본으로 떠난다",
        "bread": "빵은 밀가루와 물과 소금으로 만든다",
    }
    source = ir.CorpusSource.from_mapping(notes, name="ko")
    return ir.build(source, store=ir.CorpusStore.memory(), embedder="default")


def test_a_question_in_a_script_the_model_does_not_know_is_ranked_by_words(bees):
    hits = ir.search(bees, "꿀벌은 어디에 사는가", mode="hybrid")
    assert hits[0].artifact_id == "honey"
    assert hits[0].explanation["dense"]["readable"] is False
    assert hits[0].explanation["shares"]["lexical"] > 0.9
    assert len(hits) == 3


def test_without_its_words_such_a_question_is_answered_by_nothing(bees):
    assert ir.discover(bees, "축구 경기 결과").reason == "abstain:unrelated"


def test_shares_are_explained(bees):
    hit = ir.search(bees, "honey", mode="hybrid")[0]
    assert hit.explanation["fusion"] == "convex"
    assert sum(hit.explanation["shares"].values()) == pytest.approx(1.0)
    assert "shares" not in ir.search(bees, "honey", mode="hybrid", fusion="blend")[0].explanation
