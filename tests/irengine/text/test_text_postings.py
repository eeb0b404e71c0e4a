"""The inverted index equals counting by hand, in memory, merged and mapped."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.text import analyze, postings
from irengine.text.postings import (
    Postings,
    build_postings,
    load_postings,
    merge_postings,
    save_postings,
)

WORDS = "alpha alphabet my_tool Châtelier 東京都 the $ \x00z longprefix longprefix1 longprefix2"
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS.split(" ")), max_size=8).map(" ".join),
    max_size=8,
)


def contents(index: Postings) -> dict[str, list[tuple[int, int]]]:
    found = {}
    for word in index.words():
        term = word.decode()
        entry = index.lookup(term)
        assert entry is not None
        docs, tfs = entry
        assert docs.dtype == tfs.dtype == np.int32
        found[term] = list(zip(docs.tolist(), tfs.tolist(), strict=True))
    return found


def by_hand(texts: list[str]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for row, text in enumerate(texts):
        for term, tf in Counter(analyze(text)).items():
            found.setdefault(term, []).append((row, tf))
    return found


@given(TEXTS)
def test_postings_equal_counting_by_hand(texts):
    index = build_postings(texts)
    assert index.n == len(texts)
    assert index.lengths.dtype == np.int32
    assert index.lengths.tolist() == [len(analyze(text)) for text in texts]
    assert contents(index) == by_hand(texts)
    assert len(index) == len(by_hand(texts))


@given(TEXTS)
def test_postings_do_not_depend_on_block_and_piece_sizes(texts):
    whole = build_postings(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_BLOCK", 3)
        patch.setattr(postings, "_PIECE", 5)
        small = build_postings(texts)
    assert_equal(small, whole)


def test_a_generator_is_read_once():
    assert build_postings(text for text in ["a b", "b"]).n == 2


def test_unknown_terms_are_not_found():
    index = build_postings(["banana"])
    for term in ["", "banan", "bananaz", "a", "z", "\ud800", "中"]:
        assert (index.lookup(term) is not None) == (term in analyze("banana")), term


@given(st.lists(st.tuples(TEXTS, st.randoms(use_true_random=False)), max_size=4))
def test_merging_equals_building_from_the_live_texts(groups):
    parts, live = [], []
    for texts, random in groups:
        keep = np.array([random.random() < 0.6 for _ in texts], dtype=np.bool_)
        parts.append((build_postings(texts), keep))
        live += [text for text, kept in zip(texts, keep, strict=True) if kept]
    assert_equal(merge_postings(parts), build_postings(live))


@given(TEXTS)
def test_saved_postings_load_as_they_were(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("index")
    index = build_postings(texts)
    save_postings(index, folder)
    assert all(path.name.startswith("lex-") for path in folder.iterdir())
    loaded = load_postings(folder)
    assert_equal(loaded, index)
    assert_equal(merge_postings([(loaded, np.ones(index.n, np.bool_))]), index)


def test_saving_is_deterministic(tmp_path):
    texts = ["alpha beta beta", "", "gamma alpha fetchUrl 東京都"]
    contents_of = []
    for name in "ab":
        (tmp_path / name).mkdir()
        save_postings(build_postings(texts), tmp_path / name)
        contents_of.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert contents_of[0] == contents_of[1]


def test_postings_cannot_be_changed():
    index = build_postings(["alpha"])
    entry = index.lookup("alpha")
    assert entry is not None
    with pytest.raises(ValueError, match="read-only"):
        entry[1][0] = 5


def assert_equal(left: Postings, right: Postings) -> None:
    for name, values in left.arrays().items():
        other = right.arrays()[name]
        assert values.dtype == other.dtype, name
        assert values.tolist() == other.tolist(), name
