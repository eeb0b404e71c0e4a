"""Curves over smaller corpora: slices give what building them would give."""

from __future__ import annotations

import math
import random

import pytest

import irengine as ir
from irengine.errors import ParameterError
from irengine.eval import (
    DiscoveryCase,
    corpus_slice,
    distractor_curve_from_cases,
    distractor_robustness_curve,
    robustness_curve,
)
from irengine.sources import CorpusSource

ANIMALS = "ant bee cat dog eel fox gnu hen ibis jay koi lark mole newt owl pig rat seal"
WORDS = ANIMALS.split()


def texts(n: int, seed: int = 1) -> dict[str, str]:
    rng = random.Random(seed)
    return {f"d{i:02}": " ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for i in range(n)}


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "dense"},
        {"mode": "lexical"},
        {"mode": "hybrid", "fusion": "rrf"},
        {"mode": "hybrid", "fusion": "blend"},
    ],
)
def test_a_slice_is_searched_like_a_corpus_built_of_its_artifacts(corpus_of, options):
    items = texts(30)
    whole = corpus_of(items)
    rng = random.Random(7)
    for _ in range(10):
        chosen = rng.sample(sorted(items), rng.randint(1, 20))
        query = " ".join(rng.choices(WORDS, k=3))
        built = corpus_of({name: items[name] for name in chosen})
        part = corpus_slice(whole, chosen)
        assert len(part) == len(built) == len(chosen)
        wanted, found = (ir.search(c, query, k=30, **options) for c in (built, part))
        assert [(h.artifact_id, h.score) for h in found] == [
            (h.artifact_id, h.score) for h in wanted
        ]


def test_the_curve_is_that_of_corpora_built_for_each_draw(corpus_of):
    items = texts(20)
    probes = [(" ".join(text.split()[:2]), name) for name, text in items.items()]
    curve = distractor_robustness_curve(items, probes, sizes=(2, 6, 20), trials=3, seed=9)
    expected = {}
    for size in (2, 6, 20):
        rng, found = random.Random(9 + size), []
        for query, gold in probes:
            others = [name for name in items if name != gold]
            for _ in range(1 if size == 20 else 3):
                drawn = rng.sample(others, size - 1)
                corpus = corpus_of({name: items[name] for name in (gold, *drawn)})
                found.append(ir.search(corpus, query, k=1)[0].artifact_id == gold)
        expected[size] = sum(found) / len(found)
    assert curve == expected
    assert curve[2] > curve[20], "among more it is harder"


def test_sizes_are_real_and_each_once():
    items = texts(10)
    probes = [(items["d03"], "d03")]
    assert list(distractor_robustness_curve(items, probes, sizes=(0, 16, 4, 4, 128, 10, -3))) == [
        4,
        10,
    ]


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
def test_among_no_more_than_k_there_is_nothing_to_get_wrong(mode):
    items = texts(8)
    curve = distractor_robustness_curve(items, [("unheard", "d01")], mode=mode, sizes=(1, 3), k=3)
    assert curve == {1: 1.0, 3: 1.0}


def test_the_curve_repeats_and_follows_its_seed():
    items = texts(30)
    probes = [(text.split()[0], name) for name, text in items.items()]
    curves = [
        distractor_robustness_curve(items, probes, sizes=(4,), trials=2, seed=seed)
        for seed in (1, 1, 2)
    ]
    assert curves[0] == curves[1] != curves[2]


def test_only_cases_of_one_gold_id_that_is_there_count(corpus_of):
    items = texts(12)
    cases = [
        DiscoveryCase(items["d00"], ("d00",)),
        DiscoveryCase("x", ("gone",)),
        DiscoveryCase("x", ("d01", "d02")),
        DiscoveryCase("x"),
    ]
    source = CorpusSource.from_mapping(items, name="t")
    curve = distractor_curve_from_cases(source, cases, sizes=(1, 12))
    assert curve == {1: 1.0, 12: 1.0} == robustness_curve(corpus_of(items), cases, sizes=(1, 12))
    nothing = distractor_curve_from_cases(source, cases[1:], sizes=(1, 12))
    assert list(nothing) == [1, 12]
    assert all(map(math.isnan, nothing.values()))


def test_a_built_corpus_is_neither_built_again_nor_changed(corpus_of):
    items = texts(15)
    corpus = corpus_of(items)
    calls = []
    embed = corpus.embedder

    def watched(batch, *, input_type="document"):
        calls.append(input_type)
        return embed(batch, input_type=input_type)

    corpus.embedder = watched
    before = corpus.store.snapshot()
    robustness_curve(corpus, [DiscoveryCase(items["d00"], ("d00",))], sizes=(2, 8), trials=4)
    assert set(calls) == {"query"}
    assert corpus.store.snapshot() is before


def test_a_slice_is_for_searching_only(pets):
    part = corpus_slice(pets, ["bees", "cats"])
    assert {hit.artifact_id for hit in part.search("honey")} == {"bees", "cats"}
    with pytest.raises(AttributeError, match="for searching"):
        part.store.put_record(None)


def test_what_cannot_be_read_is_left_out_of_the_curve(tmp_path):
    for name, text in texts(6).items():
        (tmp_path / f"{name}.md").write_text(text)
    (tmp_path / "d03.md").write_bytes(b"\0\1\2")
    source = CorpusSource.from_files(tmp_path, name="t")
    cases = [DiscoveryCase(texts(6)["d01"], ("d01.md",)), DiscoveryCase("x", ("d03.md",))]
    with pytest.warns(UserWarning, match=r"left out 1 item: 'd03\.md'"):
        assert distractor_curve_from_cases(source, cases, sizes=(1, 99)) == {1: 1.0, 5: 1.0}


class Failing(dict):
    def __getitem__(self, key):
        if key == "d03":
            raise OSError("the disk is gone")
        return super().__getitem__(key)


def test_a_scope_whose_items_fail_is_measured_without_them():
    scope = Failing(texts(6))
    with pytest.warns(UserWarning, match="left out 1 item: 'd03' cannot be read: OSError"):
        curve = distractor_robustness_curve(scope, [(scope["d01"], "d01")], sizes=(99,))
    assert curve == {5: 1.0}


@pytest.mark.parametrize(
    "options",
    [
        {"trials": 0},
        {"k": 0},
        {"mode": "x"},
        {"fusion": "x"},
        {"sizes": (2.5,)},
        {"sizes": ("4",)},
        {"sizes": (True,)},
        {"sizes": 4},
        {"sizes": "48"},
        {"seed": -1},
        {"seed": "x"},
    ],
)
def test_arguments_are_checked(pets, options):
    with pytest.raises(ParameterError):
        robustness_curve(pets, [], **options)
    with pytest.raises(ParameterError):
        distractor_robustness_curve({"a": "x"}, [], **options)
