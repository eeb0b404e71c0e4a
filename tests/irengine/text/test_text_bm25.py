"""BM25 against vectors, two other implementations and a reference in plain Python."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.errors import ParameterError
from irengine.text import analyze, query_terms
from irengine.text.bm25 import Matches, bm25_scores, idf, top
from irengine.text.postings import build_postings

WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=12)


def scores_of(texts, query, **options) -> dict[int, float]:
    rows, scores, _ = bm25_scores([(build_postings(texts), 0)], query_terms(query), **options)
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


def reference(texts, terms, *, k1=1.5, b=0.75, mask=None) -> dict[int, float]:
    documents = {
        row: analyze(text)
        for row, text in enumerate(texts)
        if analyze(text) and (mask is None or mask[row])
    }
    n = len(documents)
    average = sum(map(len, documents.values())) / n if n else 0
    found: dict[int, float] = {}
    for term in dict.fromkeys(terms):
        holders = [row for row, document in documents.items() if term in document]
        weight = math.log(1 + (n - len(holders) + 0.5) / (len(holders) + 0.5))
        for row in holders:
            tf = documents[row].count(term)
            norm = 1 - b + b * len(documents[row]) / average
            found[row] = found.get(row, 0.0) + weight * tf * (k1 + 1) / (tf + k1 * norm)
    return found


def test_vector_a():
    texts = [
        "alpha apple avocado almond",
        "beta banana blueberry blackberry alpha",
        "gamma grape guava greengage",
        "delta date alpha alpha",
    ]
    expected = {0: 0.366373, 1: 0.330435, 3: 0.519355}
    assert scores_of(texts, "alpha") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("query", ["a", "a a"])
def test_vector_d(query):
    found = scores_of(["a a b", "", "a"], query)
    assert found == pytest.approx({0: 0.224396, 2: 0.235254}, abs=1e-6)


@pytest.mark.parametrize("options", [{"k1": 0.0}, {"b": 0.0}])
def test_vector_d_without_saturation_or_length(options):
    found = scores_of(["a a b", "", "a"], "b", **options)
    assert found == pytest.approx({0: 0.693147}, abs=1e-6)


@given(TEXTS, st.lists(st.sampled_from([*WORDS, "absent"]), max_size=4), st.randoms())
def test_scores_equal_the_formula_for_any_split_into_segments_and_any_mask(texts, terms, random):
    mask = np.array([random.random() < 0.7 for _ in texts], dtype=np.bool_)
    cut = random.randint(0, len(texts))
    parts = [(build_postings(texts[:cut]), 0), (build_postings(texts[cut:]), cut)]
    for chosen in (None, mask):
        rows, scores, matched = bm25_scores(parts, terms, mask=chosen)
        expected = reference(texts, terms, mask=chosen)
        assert rows.dtype == np.int64
        assert rows.tolist() == sorted(expected)
        assert dict(zip(rows.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)
        assert all(scores > 0)
        for term, df in matched.items():
            live = [t for i, t in enumerate(texts) if chosen is None or chosen[i]]
            assert df == sum(term in analyze(text) for text in live)


@given(TEXTS, st.lists(st.sampled_from(WORDS), max_size=4))
def test_the_explanation_adds_up_to_the_score(texts, terms):
    parts = [(build_postings(texts), 0)]
    rows, scores, matched = bm25_scores(parts, terms)
    explained = Matches(parts, terms).explain(rows.tolist())
    for row, score, terms_of in zip(rows.tolist(), scores.tolist(), explained, strict=True):
        assert sum(part.score for part in terms_of) == pytest.approx(score)
        for part in terms_of:
            assert part.tf == analyze(texts[row]).count(part.term)
            assert part.length == len(analyze(texts[row]))
            assert part.df == matched[part.term]
            assert part.idf == pytest.approx(idf(sum(map(bool, texts)), part.df))


def test_the_explanation_of_a_row_without_the_terms_is_empty():
    parts = [(build_postings(["alpha", "beta"]), 0)]
    assert Matches(parts, ["beta"]).explain([0, 1, 0])[0] == []
    assert Matches(parts, ["beta"], mask=np.array([True, False])).explain([1]) == [[]]


def test_the_order_of_the_matched_terms_is_that_of_the_query():
    parts = [(build_postings(["alpha beta gamma"]), 0)]
    assert list(bm25_scores(parts, ["gamma", "absent", "alpha"])[2]) == ["gamma", "alpha"]


def test_nothing_to_search_gives_nothing():
    empty = build_postings([])
    for parts in ([], [(empty, 0)], [(build_postings(["", ""]), 0)]):
        rows, scores, matched = bm25_scores(parts, ["alpha"])
        assert (len(rows), len(scores), matched) == (0, 0, {})
    assert len(bm25_scores([(build_postings(["alpha"]), 0)], [])[0]) == 0


def test_few_postings_in_a_large_index_are_summed_alike():
    texts = ["filler"] * 500
    texts[7], texts[300] = "alpha beta", "beta"
    assert scores_of(texts, "alpha beta") == pytest.approx(reference(texts, ["alpha", "beta"]))


@pytest.mark.parametrize("bad", [{"k1": -1}, {"k1": math.nan}, {"b": 1.5}, {"b": math.nan}])
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ParameterError):
        bm25_scores([(build_postings(["alpha"]), 0)], ["alpha"], **bad)


def random_texts() -> list[str]:
    random = np.random.default_rng(7)
    return [" ".join(random.choice(WORDS, size=random.integers(1, 12))) for _ in range(60)]


def test_scores_agree_with_rank_bm25():
    from rank_bm25 import BM25Okapi

    texts = random_texts()
    oracle = BM25Okapi([analyze(text) for text in texts], k1=1.2, b=0.6)
    terms = query_terms("alpha gamma omega")
    # Its own idf goes below zero for common words; the rest of the formula is the same.
    oracle.idf = {
        term: idf(len(texts), sum(term in analyze(text) for text in texts)) for term in terms
    }
    expected = {row: s for row, s in enumerate(oracle.get_scores(terms).tolist()) if s}
    assert scores_of(texts, "alpha gamma omega", k1=1.2, b=0.6) == pytest.approx(expected)


def test_scores_agree_with_bm25s():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import bm25s

        texts = random_texts()
        oracle = bm25s.BM25(k1=1.5, b=0.75, method="lucene", dtype="float64")
        oracle.index([analyze(text) for text in texts], show_progress=False)
        values = oracle.get_scores(query_terms("alpha gamma omega"))
    # Its Lucene variant leaves out the constant factor k1 + 1.
    expected = {row: s * 2.5 for row, s in enumerate(values.tolist()) if s}
    assert scores_of(texts, "alpha gamma omega") == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0]), st.integers(0, 5)), max_size=20),
    st.integers(-1, 25),
)
def test_the_top_is_sorted_by_score_then_tie_then_row(pairs, k):
    rows = np.arange(len(pairs), dtype=np.int64) * 2
    scores = np.array([score for score, _ in pairs], dtype=np.float64)
    tie = np.zeros(2 * len(pairs) + 1, dtype=np.uint64)
    tie[rows] = [value for _, value in pairs]
    expected = sorted(range(len(pairs)), key=lambda i: (-scores[i], tie[rows[i]], rows[i]))
    assert top(rows, scores, k, tie).tolist() == expected[: max(k, 0)]


@pytest.mark.parametrize("k", [1, 7, 50])
@pytest.mark.parametrize("ties", [False, True])
def test_the_top_of_many_is_that_of_a_sort(k, ties):
    rng = np.random.default_rng(3)
    scores = rng.standard_normal(20_001).astype(np.float32)
    if ties:
        scores = np.round(scores, 1)
    rows = np.arange(0, 40_002, 2)
    tie = rng.permutation(40_002).astype(np.uint64)
    expected = np.lexsort((rows, tie[rows], -scores))[:k]
    assert top(rows, scores, k, tie).tolist() == expected.tolist()
