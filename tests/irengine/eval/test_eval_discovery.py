"""How well a corpus is found, and what became of each case."""

from __future__ import annotations

import itertools
import json

import pytest

import irengine as ir
from irengine.errors import CorpusNotFound, ParameterError
from irengine.eval import (
    DiscoveryCase,
    as_doc_retriever,
    compare_reports,
    equivalent_artifacts,
    evaluate_discovery,
    evaluate_retrieval,
    retrieval_report,
    to_qrels,
)
from irengine.eval.running import Latency


def test_the_three_ways_to_measure_agree(pets, cases):
    queries, qrels = to_qrels(cases)
    direct = evaluate_retrieval(as_doc_retriever(pets), qrels, queries, k_values=(1, 5, 10))
    report = evaluate_discovery(pets, cases)
    assert report.retrieval.metrics == retrieval_report(pets, cases).metrics == direct.metrics
    assert report.retrieval.per_query == direct.per_query
    assert report.primary == direct.metrics["ndcg@10"] > 0.9


def test_each_case_has_an_outcome():
    corpus = ir.build(
        ir.CorpusSource.from_mapping(
            {f"d{i}": "word " * (i + 1) + "other " * (5 - i) for i in range(5)}, name="t"
        ),
        store=ir.CorpusStore.memory(),
        embedder="light",
    )
    cases = [
        DiscoveryCase("word", ("d4",)),
        DiscoveryCase("word", ("d3",)),
        DiscoveryCase("word", ("d0",)),
        DiscoveryCase("word", ("gone",)),
        DiscoveryCase("word"),
        DiscoveryCase("unheard"),
    ]
    report = evaluate_discovery(
        corpus, cases, mode="lexical", primary_k=2, k_values=(5,), abstain_threshold=0.01
    )
    assert [outcome.outcome for outcome in report.outcomes] == [
        "hit_rank_1",
        "surfaced_low_rank",
        "retrieval_miss",
        "retrieval_miss",
        "false_action",
        "abstention_ok",
    ]
    assert [outcome.rank for outcome in report.outcomes] == [1, 2, 5, 0, 0, 0]
    assert report.failure_classes == {
        "hit_rank_1": 1,
        "surfaced_low_rank": 1,
        "retrieval_miss": 2,
        "abstention_ok": 1,
        "false_action": 1,
    }
    assert report.abstention_accuracy == 0.5
    assert (report.n_cases, report.n_gold, report.n_abstention) == (6, 4, 2)
    assert report.retrieval.k_values == (2, 5), "the depth of the headline is among them"
    assert [outcome.query_id for outcome in report.failures()] == ["q00002", "q00003", "q00004"]
    assert [o.query_id for o in report.failures("abstention_ok")] == ["q00005"]


def test_without_a_threshold_abstention_is_not_scored(pets, cases):
    report = evaluate_discovery(pets, cases)
    assert report.failure_classes["abstention_unscored"] == 4
    assert report.abstention_accuracy is None
    scored = evaluate_discovery(pets, cases[:6], abstain_threshold=0.1)
    assert scored.abstention_accuracy is None, "there is no case to be right about"


def test_only_cases_without_gold_leave_nothing_to_measure(pets, cases):
    report = evaluate_discovery(pets, cases[6:])
    assert (report.primary, report.retrieval.metrics, report.intervals) == (None, {}, {})
    assert "primary NDCG@10: n/a" in str(report)
    with pytest.raises(ParameterError, match="no query has both"):
        retrieval_report(pets, cases[6:])
    empty = evaluate_discovery(pets, [])
    assert (empty.n_cases, empty.latency, empty.failure_classes) == (0, None, {})


def test_a_one_shot_iterable_of_cases_is_fine(pets, cases):
    assert evaluate_discovery(pets, iter(cases)).n_cases == len(cases)


def test_intervals_hold_their_means_and_repeat(pets, cases):
    report = evaluate_discovery(pets, [*cases, DiscoveryCase("honey", ("pigs",))], seed=5)
    low, high = report.intervals["ndcg@10"]
    assert 0 < low < report.primary < high <= 1
    again = evaluate_discovery(pets, [*cases, DiscoveryCase("honey", ("pigs",))], seed=5)
    assert again.intervals == report.intervals


def test_latency_is_what_the_clock_says(pets, cases):
    ticks = itertools.count()
    report = evaluate_discovery(pets, cases, clock=lambda: next(ticks) / 512)
    each = 1000 / 512
    assert report.latency == Latency(each, each, each, each, 10)
    assert [outcome.milliseconds for outcome in report.outcomes] == [each] * 10


def test_percentiles_are_values_that_occurred():
    found = Latency.of([n / 1000 for n in range(1, 101)])
    assert (found.p50, found.p95, found.longest, found.n) == pytest.approx((50, 95, 100, 100))
    assert Latency.of([]) is None


def test_every_case_can_be_written_down(pets, cases, tmp_path):
    path = tmp_path / "out" / "cases.jsonl"
    report = evaluate_discovery(pets, cases, k_values=(1, 3), primary_k=3)
    report.save_outcomes(path)
    meta, first, *others = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert meta["__meta__"] == {"mode": "hybrid", "primary_k": 3, "n_cases": 10}
    assert (first["query"], first["outcome"], first["rank"]) == (
        "honey from a hive",
        "hit_rank_1",
        1,
    )
    assert first["ranking"][0][0] == "bees"
    assert first["metrics"]["ndcg@3"] == 1.0
    assert len(others) == 9
    assert json.loads(json.dumps(report.to_dict()))["metrics"]["mrr@1"] == 1.0


def test_a_report_reads_as_text(pets, cases):
    text = str(evaluate_discovery(pets, cases, abstain_threshold=0.2))
    assert text.splitlines()[0] == "DiscoveryReport — 10 cases (6 gold, 4 abstention)"
    assert "  mode: hybrid" in text
    assert "  primary NDCG@10: 1.0000" in text
    assert "    hit_rank_1: 6" in text


def test_a_hybrid_search_is_fused_as_discover_does_it(pets, cases):
    plain, convex, rrf = (
        evaluate_discovery(pets, cases, **options)
        for options in ({}, {"fusion": "convex"}, {"fusion": "rrf"})
    )
    assert plain.outcomes == convex.outcomes
    assert plain.outcomes[0].scores[0] != rrf.outcomes[0].scores[0]
    found = ir.discover(pets, cases[0].query)
    assert found.results[0].score == plain.outcomes[0].scores[0]


def test_two_reports_are_compared_query_by_query(pets, cases):
    asked = [*cases[:6], DiscoveryCase("honey from a hive", ("pigs",))]
    before = evaluate_discovery(pets, asked)
    after = evaluate_discovery(pets, asked, equivalents=[["bees", "pigs"]])
    rank = before.outcomes[6].rank
    assert rank > 1
    found = compare_reports(before, after.retrieval, "mrr@10", seed=3)
    assert found.mean_difference == pytest.approx((1 - 1 / rank) / 7)
    assert (found.wins, found.ties, found.losses) == (1, 6, 0)
    assert found.p_value == 1.0, "one query of seven proves nothing"
    assert compare_reports(before, before).mean_difference == 0
    with pytest.raises(ParameterError, match="same queries"):
        compare_reports(before, evaluate_discovery(pets, asked[1:]))
    with pytest.raises(ParameterError, match="did you mean ndcg@1"):
        compare_reports(before, after, "ndcg@11")


def test_finding_an_equivalent_is_finding_it(corpus_of):
    corpus = corpus_of(
        {
            "hive": "bees make honey in a hive",
            "hive-copy": "bees make honey in a hive",
            "tank": "fish swim in a tank",
        }
    )
    groups = equivalent_artifacts(corpus)
    assert groups == [["hive", "hive-copy"]]
    second = ir.search(corpus, "honey in a hive")[1].artifact_id
    cases = [DiscoveryCase("honey in a hive", (second,)), DiscoveryCase("tank", ("tank",))]
    strict, fair = (
        evaluate_discovery(corpus, cases, mode="dense", equivalents=e) for e in (None, groups)
    )
    assert strict.outcomes[0].rank == 2
    assert fair.outcomes[0].rank == 1
    assert (strict.primary, fair.primary) == (pytest.approx((0.6309 + 1) / 2, abs=1e-4), 1.0)
    assert fair.retrieval.metrics["recall@1"] == 1.0


def test_a_gold_class_found_twice_counts_once(corpus_of):
    corpus = corpus_of({"a": "honey", "b": "honey", "c": "wax", "d": "honey wax"})
    case = DiscoveryCase("honey", ("a", "b", "c"))
    report = evaluate_discovery(
        corpus, [case], mode="lexical", k_values=(1,), primary_k=5, equivalents=[["b", "a"]]
    )
    assert report.retrieval.metrics["recall@1"] == 1 / 2, "one of two classes"
    assert report.retrieval.metrics["map@5"] <= 1.0


def test_equivalents_by_a_field(corpus_of):
    items = {f"v{i}": {"text": f"text {i}", "name": "a" if i < 2 else f"n{i}"} for i in range(4)}
    corpus = corpus_of(items, metadata_of=lambda _, raw: {"name": raw["name"]})
    assert equivalent_artifacts(corpus, by="name") == [["v0", "v1"]]
    assert equivalent_artifacts(corpus, by="nothing") == []


def test_groups_that_share_a_member_are_one(pets):
    cases = [DiscoveryCase("honey from a hive", ("pigs",))]
    report = evaluate_discovery(pets, cases, equivalents=[["pigs", "hens"], ["hens", "bees"]])
    assert report.outcomes[0].rank == 1
    with pytest.raises(ParameterError, match="group"):
        evaluate_discovery(pets, cases, equivalents=["pigs"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["f1"]}, "Unknown metric"),
        ({"primary_k": 0}, "primary_k"),
        ({"mode": "dens"}, "mode"),
        ({"k": 5}, "k cannot be given"),
        ({"per_artifact": False}, "per_artifact"),
        ({"fusions": "rrf"}, "fusions"),
        ({"abstain_threshold": float("nan")}, "abstain_threshold"),
        ({"confidence": 2}, "confidence"),
    ],
)
def test_arguments_are_checked(pets, cases, options, message):
    with pytest.raises(ParameterError, match=message):
        evaluate_discovery(pets, cases, **options)


def test_what_is_no_case_and_what_is_no_corpus(pets):
    with pytest.raises(ParameterError, match="takes a list of cases"):
        evaluate_discovery(pets, ["honey"])
    with pytest.raises(CorpusNotFound):
        evaluate_discovery("nowhere", [])
