"""Real questions, the default model: a calibrated floor keeps its promise, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import irengine as ir
from irengine.errors import CalibrationRefused
from irengine.eval import (
    DiscoveryCase,
    calibrate_min_score,
    cases_from_qrels,
    evaluate_discovery,
    read_qrels,
    read_queries,
)

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(collection) -> Path:
    return collection("skills-kdense-need")


@pytest.fixture(scope="module")
def needs(folder) -> list[DiscoveryCase]:
    queries = read_queries(folder / "queries.jsonl")
    return cases_from_qrels(queries, read_qrels(folder / "qrels" / "test.tsv"))


@pytest.fixture(scope="module")
def skills(folder, tmp_path_factory) -> ir.Corpus:
    """The skills as skills are indexed: by name and description."""
    with pytest.MonkeyPatch.context() as patch:
        # The folders each test has of its own come after what a module shares.
        patch.setenv("IR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return built(folder)


def built(folder: Path) -> ir.Corpus:
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        items = {
            told["_id"]: {"name": told["title"], "description": told["text"].split("\n\n")[0]}
            for told in map(json.loads, lines)
        }
    source = ir.CorpusSource.from_mapping(items, name="kdense", strategy=ir.Skill())
    return ir.build(source, store=ir.CorpusStore.memory())


def abstained(corpus: ir.Corpus, cases: list[DiscoveryCase]) -> float:
    found = [ir.discover(corpus, case.query, min_score="auto").abstained for case in cases]
    return sum(found) / len(found)


def test_a_floor_turns_away_what_is_out_of_scope(skills, needs, out_of_scope):
    assert (len(needs), len(out_of_scope)) == (176, 60)
    found = calibrate_min_score(skills, [*needs, *out_of_scope], persist=True)
    assert abstained(skills, out_of_scope) >= 0.9
    assert abstained(skills, needs) <= 0.1
    assert found.held_out["sensitivity"] >= 0.9
    assert found.held_out["specificity"] >= 0.9


def test_a_floor_holds_for_questions_it_has_not_seen(skills, needs, out_of_scope):
    calibrate_min_score(skills, [*needs[::2], *out_of_scope[::2]], persist=True)
    assert abstained(skills, out_of_scope[1::2]) >= 0.9
    assert abstained(skills, needs[1::2]) <= 0.1


def test_questions_that_look_alike_leave_no_floor(skills, needs):
    """Half of the real questions, said to have no answer, look just like the other half."""
    mixed = [*needs[::2], *(DiscoveryCase(case.query) for case in needs[1::2])]
    with pytest.raises(CalibrationRefused, match="Youden"):
        calibrate_min_score(skills, mixed, persist=True)


def test_a_catalogue_is_found_well_with_an_interval_around(skills, needs):
    report = evaluate_discovery(skills, needs)
    low, high = report.intervals["ndcg@10"]
    assert 0.6 < low < report.primary < high < 0.9
    assert len(report.failures("retrieval_miss")) == report.failure_classes["retrieval_miss"]
