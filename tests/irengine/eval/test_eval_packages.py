"""Graded relevance to themes, named sets, and indexings side by side."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from irengine.base import SearchHit
from irengine.errors import CaseError, CorpusNotFound, ParameterError
from irengine.eval import (
    NamedSets,
    PackageRelevanceCase,
    compare_indexings,
    derive_named_sets,
    evaluate_named_sets,
    fp_rate_on_distractors,
    level_histogram,
    load_package_cases,
    read_package_meta,
    recall_on_hard_positives,
    save_package_cases,
    score_ranking,
    to_graded_qrels,
)

CASES = [
    PackageRelevanceCase("bees", {"farm": "core"}, thin_description=True),
    PackageRelevanceCase("hens", {"farm": "strong"}, {"farm": "lays eggs"}),
    PackageRelevanceCase("pigs", {"farm": "uses-tools"}),
    PackageRelevanceCase("cats", {"farm": "tangential"}, observed={"farm": 0.4}),
    PackageRelevanceCase("dogs", observed={"farm": 0.1}),
    PackageRelevanceCase("fish", {"farm": "none"}, is_distractor={"farm": True}),
]


def hits(*names: str) -> list[SearchHit]:
    return [SearchHit(name, "text", 1.0 / rank, name) for rank, name in enumerate(names, 1)]


def test_levels_and_gains():
    assert [case.level("farm") for case in CASES][3:] == ["tangential", "none", "none"]
    assert [case.gain("farm") for case in CASES] == [3, 2, 1, 0, 0, 0]
    assert CASES[3].gain("farm", gains={"tangential": 0.5}) == 0.5
    assert list(level_histogram(CASES, "farm").items()) == [
        ("none", 2),
        ("tangential", 1),
        ("uses-tools", 1),
        ("strong", 1),
        ("core", 1),
    ]
    assert level_histogram([], "farm")["core"] == 0


def test_cases_come_back_as_they_were(tmp_path):
    path = tmp_path / "deep" / "packages.jsonl"
    save_package_cases(CASES, path, meta={"themes": ["farm"]})
    assert load_package_cases(path) == CASES
    assert read_package_meta(path) == {"themes": ["farm"]}
    save_package_cases(CASES, path)
    assert read_package_meta(path) == {}
    (tmp_path / "empty").write_text("\n")
    assert (load_package_cases(tmp_path / "empty"), read_package_meta(tmp_path / "empty")) == (
        [],
        {},
    )


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"labels": {}}, "artifact_id"),
        ({"artifact_id": "a", "labels": {"t": "srong"}}, "unknown relevance level.*mean strong"),
        ({"artifact_id": "a", "labels": ["t"]}, "labels must be an object"),
        ({"artifact_id": "a", "observed": {"t": "much"}}, "no number"),
    ],
)
def test_an_error_names_file_and_line(tmp_path, told, message):
    path = tmp_path / "p.jsonl"
    path.write_text('{"__meta__": {}}\n' + json.dumps(told) + "\n")
    with pytest.raises(CaseError, match=rf"p\.jsonl, line 2: .*{message}"):
        load_package_cases(path)


def test_judgements_are_the_gains_above_nothing():
    assert to_graded_qrels(CASES, "farm") == (
        {"theme:farm": "farm"},
        {"theme:farm": {"bees": 3.0, "hens": 2.0, "pigs": 1.0}},
    )
    queries, qrels = to_graded_qrels(CASES, "farm", probe="life on a farm", query_id="f")
    assert (queries, list(qrels)) == ({"f": "life on a farm"}, ["f"])


def test_named_sets_are_what_is_easy_to_get_wrong():
    assert derive_named_sets(CASES, "farm", observed_floor=0.3) == NamedSets(
        "farm", ("cats", "fish"), ("bees",)
    )
    assert derive_named_sets(CASES, "farm").distractors == ("cats", "dogs", "fish")
    kept = PackageRelevanceCase("cats", observed={"farm": 0.9}, is_distractor={"farm": False})
    assert derive_named_sets([kept], "farm").distractors == (), "what was decided wins"


def test_shares_of_named_sets():
    ranking = ["a", "a", "b", "c"]
    assert fp_rate_on_distractors(ranking, ["b", "c", "c"], k=2) == 0.5
    assert recall_on_hard_positives(ranking, ["a", "z"], k=1) == 0.5
    assert fp_rate_on_distractors(ranking, [], k=2) == 0.0
    with pytest.raises(ParameterError, match="k must"):
        fp_rate_on_distractors(ranking, ["a"], k=0)


def test_a_search_for_a_theme(pets):
    sets = NamedSets("farm", ("fish", "cats"), ("hens", "bees"))
    report = evaluate_named_sets(pets, sets, probe="eggs in a tank of water", mode="lexical", k=2)
    assert (report.theme, report.k) == ("farm", 2)
    assert (report.fp_rate, report.hard_positive_recall) == (0.5, 0.5)
    assert (report.distractors_seen, report.hard_positives_missed) == (("fish",), ("bees",))
    by_theme = evaluate_named_sets(
        pets, {"farm": sets}, "farm", probe="eggs in a tank of water", mode="lexical", k=2
    )
    assert by_theme == report
    with pytest.raises(ParameterError, match="named sets for theme 'sea'"):
        evaluate_named_sets(pets, {"farm": sets}, "sea", probe="x")


def test_one_ranking_scored():
    sets = NamedSets("farm", ("fish", "bees"), ("bees", "hens"))
    ranking = ["pigs", "bees", "pigs", "fish"]
    row, named = score_ranking(
        ranking, CASES, "farm", k=2, named_sets=sets, scores=[0.9, 0.8, 0.7, 0.6]
    )
    ideal = 3 + 2 / math.log2(3)
    assert row["ndcg"] == pytest.approx((1 + 3 / math.log2(3)) / ideal)
    assert row["fp_rate"] == 0.5, "bees are among the distractors too"
    assert row["hard_positive_recall"] == 0.5
    assert named == {
        "bees": {"role": "hard_positive", "rank": 2, "score": 0.8},
        "fish": {"role": "distractor", "rank": 3, "score": 0.6},
        "hens": {"role": "hard_positive", "rank": 0, "score": None},
    }
    assert score_ranking(ranking, CASES, "farm", k=2)[1] == {}
    with pytest.raises(ParameterError):
        score_ranking(ranking, CASES, "farm", k=0, named_sets=sets)
    with pytest.raises(ParameterError, match="scores"):
        score_ranking(ranking, CASES, "farm", k=2, scores=[1.0])


def ranker(*names: str):
    return lambda probe, *, k: hits(*names)


def test_indexings_side_by_side(pets):
    sets = derive_named_sets(CASES, "farm", observed_floor=0.3)
    report = compare_indexings(
        {"old": ranker("bees", "hens", "fish"), "new": ranker("fish", "hens"), "built": pets},
        CASES,
        themes=["farm"],
        probes={"farm": "honey and eggs"},
        k=3,
        named_sets={"farm": sets},
    )
    assert (report.labels, report.baseline, report.themes) == (
        ("old", "new", "built"),
        "old",
        ("farm",),
    )
    assert report.metrics["farm"]["new"]["ndcg"] < report.metrics["farm"]["old"]["ndcg"]
    assert report.metrics["farm"]["built"]["hard_positive_recall"] == 1.0
    rows = [row for row in report.regressions() if row["label"] == "new"]
    assert rows == [
        {
            "theme": "farm",
            "artifact_id": "bees",
            "role": "hard_positive",
            "label": "new",
            "baseline_rank": 1,
            "candidate_rank": None,
        },
        {
            "theme": "farm",
            "artifact_id": "fish",
            "role": "distractor",
            "label": "new",
            "baseline_rank": 3,
            "candidate_rank": 1,
        },
    ]
    assert [r["artifact_id"] for r in report.regressions(threshold=2) if r["label"] == "new"] == [
        "bees"
    ]
    assert not [r for r in report.regressions(baseline="new") if r["label"] == "old"]
    assert json.loads(json.dumps(report.to_dict()))["baseline"] == "old"


def test_sets_may_be_given_one_after_another():
    sets = NamedSets("farm", ("fish",))
    options = {"themes": ["farm"], "probes": {"farm": "x"}, "k": 1}
    by_theme, listed = (
        compare_indexings({"a": ranker("fish")}, CASES, named_sets=named, **options)
        for named in ({"farm": sets}, [sets])
    )
    assert by_theme == listed
    assert by_theme.metrics["farm"]["a"]["fp_rate"] == 1.0


def test_a_function_may_go_on_for_ever_and_repeat_itself():
    def endless(probe: str, *, k: int):
        for rank in itertools.count():
            yield from hits("pigs", f"d{rank}", "bees" if rank > 2 else "pigs")

    report = compare_indexings(
        {"endless": endless},
        CASES,
        themes=["farm"],
        probes={"farm": "x"},
        k=5,
        rank_depth=6,
        named_sets={"farm": NamedSets("farm", (), ("bees", "hens"))},
    )
    ranks = {n: told["endless"]["rank"] for n, told in report.deltas["farm"].items()}
    assert ranks == {"bees": 6, "hens": 0}


def test_a_corpus_may_have_arguments_of_its_own(pets):
    report = compare_indexings(
        {"words": pets, "both": pets},
        CASES,
        themes=["farm"],
        probes={"farm": "eggs"},
        search_kw_by_label={"words": {"mode": "lexical"}},
        named_sets={"farm": NamedSets("farm", ("fish",), ("hens",))},
    )
    told = report.deltas["farm"]["fish"]
    assert (told["words"]["rank"], told["both"]["rank"] > 0) == (0, True)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"corpora": {}}, "no corpora"),
        ({"k": 30, "rank_depth": 20}, "rank_depth"),
        ({"themes": ["sea"]}, "no probe for 'sea'"),
        ({"search_kw_by_label": {"old": {}}}, "unknown label 'old'.*labels are a"),
        ({"search_kw_by_label": {"a": {"k": 3}}}, "k cannot be given"),
        ({"search_kw_by_label": {"f": {"mode": "dense"}}}, "which is a function"),
        ({"mode": "x"}, "mode"),
    ],
)
def test_arguments_are_checked(pets, changed, message):
    options = {"corpora": {"a": pets, "f": ranker("a")}, "themes": ["farm"], **changed}
    with pytest.raises(ParameterError, match=message):
        compare_indexings(options.pop("corpora"), CASES, probes={"farm": "x"}, **options)


def test_an_unknown_corpus_or_baseline(pets):
    options = {"themes": ["farm"], "probes": {"farm": "x"}}
    with pytest.raises(CorpusNotFound):
        compare_indexings({"a": "nowhere"}, CASES, **options)
    with pytest.raises(ParameterError, match="unknown label"):
        compare_indexings({"a": pets}, CASES, **options).regressions(baseline="b")
