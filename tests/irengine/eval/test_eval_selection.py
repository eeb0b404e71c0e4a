"""What a selection commits to, and which settings suit best."""

from __future__ import annotations

import json

import pytest

import irengine as ir
from irengine.errors import ParameterError
from irengine.eval import (
    DFLT_SWEEP_MAX_K,
    DFLT_SWEEP_REL,
    DiscoveryCase,
    SelectionSweep,
    evaluate_selection,
    sweep_selector,
)


@pytest.fixture
def shades(corpus_of):
    """Four documents that a query ranks in a known order, at known shares of the best."""
    return corpus_of(
        {"a": "red", "b": "red blue", "c": "red blue green", "d": "red blue green grey"},
        name="shades",
    )


def test_figures_by_hand(shades):
    cases = [
        DiscoveryCase("red", ("a", "b")),  # commits to a and b of a, b, c, d
        DiscoveryCase("red", ("d",)),  # found, not committed to
        DiscoveryCase("red", ("gone",)),  # not found: does not count
        DiscoveryCase("unheard"),
    ]
    report = evaluate_selection(
        shades, cases, mode="lexical", strategy="top_k", max_k=2, min_score=0.0
    )
    assert (report.n_cases, report.n_gold, report.n_abstention) == (4, 3, 1)
    assert report.n_gold_retrieved == 2
    assert report.selection_precision == pytest.approx((1.0 + 0.0) / 2)
    assert report.selection_recall == pytest.approx((1.0 + 0.0) / 2)
    assert report.selection_f1 == pytest.approx((1.0 + 0.0) / 2)
    assert report.conditional_commit_rate == 0.5
    assert report.mean_selected_size == 2.0
    assert report.abstention_accuracy == 1.0
    assert (report.strategy, report.mode, report.k) == ("top_k", "lexical", 10)


def test_precision_is_over_cases_that_committed(shades):
    cases = [DiscoveryCase("red", ("a",))]
    report = evaluate_selection(shades, cases, mode="lexical", min_score=1e6)
    assert report.selection_precision is None
    assert (report.selection_recall, report.selection_f1) == (0.0, 0.0)
    assert (report.conditional_commit_rate, report.mean_selected_size) == (0.0, 0.0)


def test_no_cases_no_figures(shades):
    report = evaluate_selection(shades, [])
    assert {report.selection_f1, report.abstention_accuracy, report.mean_selected_size} == {None}
    assert "F1: n/a" in str(report)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mode": "dense"},
        {"fusion": "rrf"},
        {"max_k": 2, "rel": 0.3},
        {"strategy": "score_gap", "gap_ratio": 0.8},
        {"min_score": 0.3},
        {"strategy": lambda hits: [hit for hit in hits if "e" in hit.artifact_id]},
    ],
)
def test_it_measures_what_discover_does(pets, cases, options):
    report = evaluate_selection(pets, cases, **options)
    f1s, none = [], []
    for case in cases:
        chosen = set(ir.discover(pets, case.query, **options).ids)
        if case.gold:
            f1s.append(2 * len(chosen & set(case.gold)) / (len(chosen) + 1))
        else:
            none.append(not chosen)
    assert report.selection_f1 == pytest.approx(sum(f1s) / len(f1s))
    assert report.abstention_accuracy == sum(none) / len(none)


def test_what_discover_takes_for_one_thing_counts_as_one(corpus_of):
    items = {f"crane-{i}": {"text": "fold a paper crane", "name": "crane"} for i in range(5)}
    items["boat"] = {"text": "fold a boat of paper", "name": "boat"}
    corpus = corpus_of(items, name="skills", metadata_of=lambda _, raw: {"name": raw["name"]})
    for gold in ("crane-0", "crane-3"):
        cases = [DiscoveryCase("fold a paper crane", (gold,))]
        found = evaluate_selection(corpus, cases, strategy="top_k", max_k=5)
        assert (found.mean_selected_size, found.selection_recall) == (2.0, 1.0), gold
    every = evaluate_selection(corpus, cases, strategy="top_k", max_k=5, dedup_by=None)
    assert every.mean_selected_size == 5.0


def test_equivalents_are_committed_to_together(pets):
    cases = [DiscoveryCase("honey from a hive", ("hens",))]
    assert evaluate_selection(pets, cases).selection_recall == 0.0
    found = evaluate_selection(pets, cases, equivalents=[["hens", "bees"]])
    assert (found.selection_recall, found.selection_precision) == (1.0, 1.0)


def test_a_sweep_is_every_combination_measured_alone(pets, cases):
    grid = {"max_k_grid": (1, 3), "rel_grid": (0.3, 0.9), "min_score_grid": (None, 0.2)}
    sweep = sweep_selector(pets, cases, **grid)
    assert [(p.max_k, p.rel, p.min_score) for p in sweep.points] == [
        (size, rel, floor) for size in (1, 3) for rel in (0.3, 0.9) for floor in (None, 0.2)
    ]
    for point in sweep.points:
        assert point.report == evaluate_selection(pets, cases, **point.params)
    assert (sweep.n_cases, sweep.n_gold, sweep.n_abstention, sweep.n_gold_retrieved) == (
        10,
        6,
        4,
        6,
    )


def test_a_sweep_searches_each_case_once(pets, cases):
    asked = []
    whole = pets.embed_query
    pets.embed_query = lambda query: asked.append(query) or whole(query)
    sweep = sweep_selector(pets, cases)
    assert len(sweep.points) == len(DFLT_SWEEP_MAX_K) * len(DFLT_SWEEP_REL)
    assert asked == [case.query for case in cases]


def swept(*rows: tuple) -> SelectionSweep:
    """Return a sweep of ``(max_k, rel, precision, recall, f1, size)`` rows."""
    from irengine.eval import SelectionGridPoint, SelectionReport

    points = tuple(
        SelectionGridPoint(
            max_k,
            rel,
            None,
            SelectionReport(p, r, f1, 1.0, 4, None, size, 4, 4, 0, "conservative", "dense", 10),
        )
        for max_k, rel, p, r, f1, size in rows
    )
    return SelectionSweep(points, "selection_f1", "conservative", "dense", 10, 4, 4, 0, 4)


def test_ties_go_to_the_smaller_answer():
    sweep = swept(
        (5, 0.9, 0.5, 0.5, 0.5, 2.0),
        (3, 0.4, 0.5, 0.5, 0.5, 1.0),
        (2, 0.4, 0.5, 0.5, 0.5, 1.0),
        (2, 0.8, 0.5, 0.5, 0.5, 1.0),
        (1, 0.9, None, 0.1, None, 0.5),
    )
    assert (sweep.best().max_k, sweep.best().rel) == (2, 0.8)
    assert sweep.best("mean_selected_size").max_k == 1
    assert sweep.best("mean_selected_size", minimize=False).max_k == 5
    assert sweep.best("selection_precision").max_k == 2, "no figure is the worst"


def test_the_frontier_is_what_nothing_beats_in_both():
    sweep = swept(
        (1, 0.9, 0.9, 0.3, 0.4, 1.0),
        (2, 0.9, 0.7, 0.5, 0.5, 1.5),
        (3, 0.9, 0.6, 0.4, 0.5, 2.0),
        (5, 0.9, 0.4, 0.8, 0.5, 3.0),
        (8, 0.9, 0.4, 0.7, 0.5, 4.0),
        (8, 0.8, None, 0.9, 0.0, 5.0),
    )
    assert [point.max_k for point in sweep.frontier()] == [1, 2, 5]
    by_size = sweep.frontier(x="mean_selected_size", y="selection_recall")
    assert [point.max_k for point in by_size] == [1, 2, 5, 8]


def test_a_sweep_reads_as_a_table(pets, cases):
    sweep = sweep_selector(pets, cases, max_k_grid=(1, 2), rel_grid=(0.5,))
    header, *rows = sweep.table().splitlines()
    assert header.split() == [
        "max_k", "rel", "cond_commit", "precision", "recall", "F1", "sel_size",
    ]  # fmt: skip
    assert len(rows) == 2
    assert {len(line) for line in [header, *rows]} == {7 * 11 + 6 * 2}
    floors = sweep_selector(pets, cases, max_k_grid=(1,), rel_grid=(0.5,), min_score_grid=(0.1,))
    assert "min_score" in floors.table()
    assert str(sweep).startswith("SelectionSweep — 2 settings  (conservative, hybrid, k=10)")
    assert "best (selection_f1): max_k=" in str(sweep)
    assert json.loads(json.dumps(sweep.to_dict()))["best"]["max_k"] == sweep.best().max_k


@pytest.mark.parametrize(
    "options",
    [
        {"max_k_grid": ()},
        {"max_k_grid": (0,)},
        {"rel_grid": (float("nan"),)},
        {"min_score_grid": ()},
        {"objective": "f1"},
        {"strategy": "abs_threshold"},
        {"k": 0},
    ],
)
def test_a_sweep_checks_its_arguments(pets, cases, options):
    with pytest.raises(ParameterError):
        sweep_selector(pets, cases, **options)


def test_an_unknown_metric_and_an_empty_sweep_are_refused():
    with pytest.raises(ParameterError, match="did you mean selection_f1"):
        swept((1, 0.9, 1.0, 1.0, 1.0, 1.0)).best("selection_f")
    for use in (SelectionSweep.best, SelectionSweep.table, str):
        with pytest.raises(ParameterError, match="no settings"):
            use(swept())
