"""Impossible questions as the measure of finding nothing."""

from __future__ import annotations

import pytest

import irengine as ir
from irengine.retrieve import search
from irengine.retrieve.wording import Wording, Words
from irengine.select.noise import NOISE_QUERIES, noise_of

TEXTS = {
    "law": "Legal advice from an attorney about a contract",
    "sleep": "Nap schedules for infants and how long they should rest",
    "parcel": "Track a shipment by its number and see when it arrives",
    "bread": "Knead the dough, let it rise overnight and bake it in a hot oven",
    "tax": "Which expenses a freelancer may deduct from the income of a year",
}
UNRELATED = [
    "how tall is the highest building in the world",
    "who won the football match last night",
    "replace the chain of a mountain bike",
    "what is a prime number",
    "phases of the moon",
]


@pytest.fixture(scope="module")
def help_pages():
    source = ir.CorpusSource.from_mapping(TEXTS, name="help")
    return ir.build(source, store=ir.CorpusStore.memory(), embedder="default")


def test_a_question_answered_no_better_than_an_impossible_one_is_not_answered(help_pages):
    refused = [query for query in UNRELATED if ir.discover(help_pages, query).abstained]
    assert len(refused) >= 4, refused
    told = ir.discover(help_pages, refused[0])
    assert told.reason == "abstain:unrelated"
    assert told.n_retrieved == len(TEXTS), "what is nearest is still told of"


def test_impossible_questions_are_not_answered(help_pages):
    answered = [q for q in NOISE_QUERIES if not ir.discover(help_pages, q).abstained]
    assert len(answered) <= len(NOISE_QUERIES) // 10 + 4


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("lawyer", "law"),
        ("when do babies sleep", "sleep"),
        ("where is my package", "parcel"),
        ("how to make sourdough", "bread"),
        ("what can self-employed people write off", "tax"),
        ("overnight", "bread"),
    ],
)
def test_a_question_in_other_words_is_answered(help_pages, query, page):
    assert ir.discover(help_pages, query).ids[:1] == [page]


def test_the_noise_is_that_of_the_search_that_was_asked_for(help_pages):
    plain = noise_of(help_pages, {})
    assert 0 < plain.score < 0.3
    assert noise_of(help_pages, {"alpha": 1.0}).score != plain.score
    assert noise_of(help_pages, {}) is plain, "measured once"


def test_words_an_answer_must_hold_leave_the_noise_as_it_is():
    source = ir.CorpusSource.from_mapping(TEXTS, name="help")
    fresh = ir.build(source, store=ir.CorpusStore.memory(), embedder="default")
    wanted = noise_of(fresh, {"wording": Wording((Words("overnight"),))})
    fresh.store.snapshot().cache.clear()
    assert noise_of(fresh, {}) == wanted


def test_a_new_generation_is_measured_anew():
    store = ir.CorpusStore.memory()
    source = ir.CorpusSource.from_mapping({"law": TEXTS["law"]}, name="help")
    before = noise_of(ir.build(source, store=store, embedder="default"), {})
    more = ir.CorpusSource.from_mapping({**TEXTS, "sea": NOISE_QUERIES[0]}, name="help")
    after = noise_of(ir.build(more, store=store, embedder="default"), {})
    assert after.score > before.score


def test_a_floor_decides_instead(help_pages):
    for query in UNRELATED:
        top = search(help_pages, query, mode="hybrid", k=1)
        assert top
        assert not ir.discover(help_pages, query, min_score=0.0, strategy="top_k").abstained


def test_questions_in_a_script_the_model_cannot_read_are_not_compared_with_english_ones():
    texts = {"bees": "벌은 꿀을 만들고 벌집에 산다", "train": "리스본으로 가는 야간 열차"}
    corpus = ir.build(
        ir.CorpusSource.from_mapping(texts, name="ko"),
        store=ir.CorpusStore.memory(),
        embedder="default",
    )
    assert ir.discover(corpus, "꿀을 만드는 벌").ids == ["bees"]
