"""The measures, against figures worked out by hand and against trec_eval."""

from __future__ import annotations

import math
import random

import pytest

from irengine.errors import ParameterError
from irengine.eval import RETRIEVAL_METRICS, evaluate_retrieval
from irengine.eval.metrics import (
    average_precision,
    dcg,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)


def test_gold_at_rank_two_has_the_gain_of_its_discount():
    assert ndcg(["x", "a"], {"a": 1.0}, 10) == pytest.approx(0.6309, abs=5e-5)


def test_the_gain_of_a_grade_is_the_grade():
    ranking, grades = ["a", "b", "c"], {"a": 1.0, "b": 3.0, "d": 2.0}
    assert dcg(ranking, grades, 3) == pytest.approx(1 + 3 / math.log2(3))
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert ndcg(ranking, grades, 3) == pytest.approx((1 + 3 / math.log2(3)) / ideal)


def test_every_measure_on_one_ranking():
    ranking, grades = ["x", "a", "y", "b"], {"a": 1, "b": 1, "c": 1, "z": 0}
    assert recall(ranking, grades, 4) == pytest.approx(2 / 3)
    assert precision(ranking, grades, 10) == pytest.approx(2 / 10), "always of k places"
    assert reciprocal_rank(ranking, grades, 10) == 1 / 2
    assert reciprocal_rank(ranking, grades, 1) == 0.0
    assert average_precision(ranking, grades, 4) == pytest.approx((1 / 2 + 2 / 4) / 3)


@pytest.mark.parametrize("name", RETRIEVAL_METRICS)
@pytest.mark.parametrize("grades", [{}, {"a": 0.0}, {"a": -1.0}])
def test_nothing_relevant_scores_nothing(name, grades):
    assert RETRIEVAL_METRICS[name](["a"], grades, 5) == 0.0


@pytest.mark.parametrize("name", RETRIEVAL_METRICS)
def test_no_depth_scores_nothing(name):
    assert RETRIEVAL_METRICS[name](["a", "b"], {"a": 1.0}, 0) == 0.0
    assert RETRIEVAL_METRICS[name](["a", "b"], {"a": 1.0}, -1) == 0.0


@pytest.mark.parametrize("name", RETRIEVAL_METRICS)
def test_only_the_first_place_of_an_id_counts(name):
    measure = RETRIEVAL_METRICS[name]
    grades = {"a": 1.0, "b": 2.0}
    assert measure(["x", "a", "a", "x", "b"], grades, 3) == measure(["x", "a", "b"], grades, 3)


def test_the_measures_are_those_of_trec_eval():
    trec = pytest.importorskip("pytrec_eval")
    rng = random.Random(11)
    ids = [f"d{i}" for i in range(40)]
    qrels = {
        f"q{n}": {i: rng.choice([0, 0, 1, 2, 3]) for i in rng.sample(ids, 15)} for n in range(60)
    }
    runs = {name: rng.sample(ids, rng.randint(1, 30)) for name in qrels}
    scored = {
        name: {i: 1.0 / rank for rank, i in enumerate(ranking, 1)} for name, ranking in runs.items()
    }
    wanted = {"ndcg_cut.1,5,10", "recall.1,5,10", "P.1,5,10", "map_cut.1,5,10"}
    theirs = trec.RelevanceEvaluator(qrels, wanted).evaluate(scored)
    names = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "map": "map_cut"}
    for query, grades in qrels.items():
        for k in (1, 5, 10):
            for name, theirs_name in names.items():
                ours = RETRIEVAL_METRICS[name](runs[query], grades, k)
                assert ours == pytest.approx(theirs[query][f"{theirs_name}_{k}"]), (query, name, k)
            cut = {query: dict(list(scored[query].items())[:k])}
            theirs_rank = trec.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut)
            assert reciprocal_rank(runs[query], grades, k) == pytest.approx(
                theirs_rank[query]["recip_rank"]
            )


def retriever(query: str, *, limit: int) -> list[str]:
    return ["a", "b", "c"][:limit]


def test_means_are_over_queries_with_a_text_and_something_relevant():
    qrels = {"q1": {"a": 1.0}, "q2": {"c": 1.0}, "q3": {"a": 0.0}, "q4": {"a": 1.0}}
    report = evaluate_retrieval(
        retriever, qrels, {"q1": "x", "q2": "y", "q3": "z", "q5": "w"}, k_values=(3, 1, 3)
    )
    assert (report.n_queries, report.k_values) == (2, (1, 3))
    assert report.per_query["q2"]["mrr@3"] == pytest.approx(1 / 3)
    assert report.metrics["recall@1"] == 0.5
    assert report.primary is None, "it was not measured at 10"
    assert report.primary_at(3) == report.metrics["ndcg@3"]


def test_the_retriever_is_asked_once_for_as_many_as_are_needed():
    asked = []

    def watched(query: str, *, limit: int) -> list[str]:
        asked.append((query, limit))
        return []

    evaluate_retrieval(watched, {"q": {"a": 1}}, {"q": "x"}, k_values=(1, 7))
    evaluate_retrieval(watched, {"q": {"a": 1}}, {"q": "x"}, k_values=(1, 7), limit=9)
    assert asked == [("x", 7), ("x", 9)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"metrics": ["ndgc"]}, "Unknown metric 'ndgc'.*did you mean ndcg"),
        ({"k_values": []}, "k_values"),
        ({"k_values": [0]}, "k_values"),
        ({"k_values": [True]}, "k_values"),
        ({"limit": 0}, "limit"),
        ({"qrels": {"other": {"a": 1}}}, "no query has both"),
        ({"qrels": {"q": {"a": 0}}}, "no query has both"),
    ],
)
def test_what_cannot_be_measured_is_refused(changed, message):
    arguments = {"qrels": {"q": {"a": 1}}, "queries": {"q": "x"}, **changed}
    with pytest.raises(ParameterError, match=message):
        evaluate_retrieval(retriever, **arguments)
