"""Arguments are checked before the corpus is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from irengine.errors import FilterError, ParameterError
from irengine.retrieve import MODES, as_retriever, search
from irengine.retrieve.params import search_params


class Untouchable:
    """A corpus that fails as soon as anything of it is read."""

    def __getattr__(self, name):
        raise AssertionError(f"the corpus was looked at ({name})")


BAD = [
    ({"mode": "fuzzy"}, "mode must be one of dense, lexical, hybrid, not 'fuzzy'"),
    ({"mode": "hybird"}, "did you mean hybrid"),
    ({"mode": None}, "mode must be one of"),
    ({"fusion": "sum"}, "fusion must be one of rrf, blend, convex, not 'sum'"),
    ({"k": -1}, "k must be a whole number of at least 0, not -1"),
    ({"k": 2.5}, "k must"),
    ({"k": True}, "k must"),
    ({"k": "3"}, "k must"),
    ({"fetch_k": 0}, "fetch_k must be a whole number of at least 1"),
    ({"rrf_k": 0}, "rrf_k must be a number above 0"),
    ({"rrf_k": -1}, "rrf_k must"),
    ({"rrf_k": float("nan")}, "rrf_k must"),
    ({"alpha": 1.01}, "alpha must be a number from 0 to 1"),
    ({"alpha": -0.1}, "alpha must"),
    ({"alpha": True}, "alpha must"),
    ({"alpha": 10**400}, "alpha must"),
    ({"bm25_sat_k": 0}, "bm25_sat_k must be a number above 0"),
    ({"bm25": {"k2": 1}}, "bm25 knows k1 and b, not 'k2'"),
    ({"bm25": {"b": 2}}, "bm25 b must be a number from 0 to 1"),
    ({"bm25": {"k1": -1}}, "bm25 k1 must be a number of at least 0"),
    ({"bm25": 3}, "bm25 takes a mapping"),
    ({"surfaces": "chunk"}, "surfaces takes a list .* not the text 'chunk'"),
    ({"surfaces": [1]}, "surfaces takes a list of surface kinds; int 1 is none"),
    ({"surfaces": 1}, "surfaces takes a list"),
    ({"surface_weights": {"chunk": -1}}, "surface_weights .* 'chunk' to -1"),
    ({"surface_weights": {"chunk": float("inf")}}, "surface_weights"),
    ({"surface_weights": {"chunk": True}}, "surface_weights"),
    ({"surface_weights": {"chunk": "2"}}, "surface_weights"),
    ({"surface_weights": {1: 2}}, "surface_weights"),
    ({"surface_weights": [("chunk", 1)]}, "surface_weights takes a mapping"),
    ({"dep_boost": 0.5}, "dep_boost must be a callable"),
    ({"formulate": "x"}, "formulate must be a callable"),
    ({"rerank": "crossencoder"}, "unknown rerank spec 'crossencoder'"),
    ({"rerank": "cross-encoder:"}, "unknown rerank spec 'cross-encoder:'"),
    ({"rerank": 3}, "a reranker is a callable or a name, not 3"),
    ({"rerank_text": "whole"}, "unknown rerank_text 'whole'"),
    ({"rerank_max_chars": 0}, "rerank_max_chars must"),
    ({"filter": {"a": {"$x": 1}}}, r"\$x"),
    ({"filter": "a"}, "a filter is a mapping"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_a_bad_argument_is_named_before_the_corpus_is_looked_at(arguments, message):
    with pytest.raises(ParameterError, match=message) as raised:
        search(Untouchable(), "query", **arguments)
    assert isinstance(raised.value, ValueError)
    assert raised.value.message


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_a_bad_default_is_refused_when_it_is_bound(arguments, message):
    with pytest.raises(ParameterError, match=message):
        as_retriever(Untouchable(), **arguments)


@pytest.mark.parametrize("query", [None, 3, b"bytes", ["a"]])
def test_a_query_that_is_not_text_is_refused(query):
    with pytest.raises(ParameterError, match="the query must be text"):
        search(Untouchable(), query)


def test_a_bad_filter_has_its_own_class():
    with pytest.raises(FilterError):
        search_params(filter={"$nope": 1})


def test_numpy_scalars_and_one_shot_iterables_are_fine():
    params = search_params(
        k=np.int64(3),
        alpha=np.float32(0.5),
        surfaces=iter(["a", "b", "a"]),
        surface_weights={"a": np.float64(2), "b": np.int32(1)},
    )
    assert params.k == 3
    assert params.alpha == 0.5
    assert params.surfaces == ("a", "b")
    assert params.surface_weights == {"a": 2.0, "b": 1.0}


def test_something_that_is_no_corpus_is_refused():
    with pytest.raises(ParameterError, match="expected a corpus"):
        search(object(), "query")


def test_an_unknown_argument_is_refused_when_it_is_bound():
    with pytest.raises(ParameterError, match="no argument 'mod'.*mode"):
        as_retriever(Untouchable(), mod=MODES[0])
