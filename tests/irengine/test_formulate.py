"""Formulators: a query in other words, never worse than the query itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

import irengine as ir
from irengine.embed import make_embedder
from irengine.errors import ParameterError
from irengine.formulate import identity_formulator, make_llm_formulator


def test_the_default_changes_nothing():
    assert identity_formulator("bees") == "bees"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("hive", ["hive"]),
        (["hive", " ", "honey", None], ["hive", "honey"]),
        ([], "bees"),
        ("  ", "bees"),
    ],
)
def test_blank_answers_are_dropped_and_none_at_all_leaves_the_query(answer, expected):
    assert make_llm_formulator(rewriter=lambda query: answer)("bees") == expected


def test_a_rewriter_that_fails_leaves_the_query_and_a_warning():
    def fails(query: str) -> str:
        raise RuntimeError("no tokens left")

    with pytest.warns(UserWarning, match="no tokens left"):
        assert make_llm_formulator(rewriter=fails)("bees") == "bees"
    with pytest.warns(UserWarning, match="not reformulated"):
        assert make_llm_formulator(fallback=lambda query: [query, "hive"])("bees") == [
            "bees",
            "hive",
        ]


@pytest.mark.parametrize("bad", [{"n": 0}, {"prompt": "rewrite it"}])
def test_arguments_that_mean_nothing_are_refused(bad):
    with pytest.raises(ParameterError):
        make_llm_formulator(**bad)


def test_several_queries_are_embedded_in_one_call():
    asked: list[list[str]] = []
    light, _ = make_embedder("light")

    def counting(texts: Sequence[str], *, input_type: str = "document") -> object:
        if input_type == "query":
            asked.append(list(texts))
        return light(texts, input_type=input_type)

    source = ir.CorpusSource.from_mapping({"a": "bees in a hive", "b": "moss"}, name="n")
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder=counting)
    for _ in range(2):
        ir.search(corpus, "bees", mode="hybrid", formulate=lambda query: ["bees", "hive", "bees"])
    assert asked == [["bees", "hive"]]
    ir.search(corpus, "bees", mode="hybrid", formulate=lambda query: ["hive", "honey"])
    assert asked == [["bees", "hive"], ["honey"]]


def test_no_formulation_counts_for_more_than_another():
    items = {"a": "bees in a hive", "b": "moss on a wall", "c": "a night train", "d": "bread"}
    source = ir.CorpusSource.from_mapping(items, name="n")
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    queries = ["bees", "moss", "night train"]
    ranked = [
        [
            (hit.artifact_id, hit.score)
            for hit in ir.search(corpus, "x", mode="lexical", formulate=lambda query, o=order: o)
        ]
        for order in itertools.permutations(queries)
    ]
    assert {score for _, score in ranked[0]} == {ranked[0][0][1]}
    assert all(sorted(each) == sorted(ranked[0]) for each in ranked)
