"""Retrieval quality of the analyzer on real collections stays above frozen floors."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from irengine.text.postings import build_postings


def load_benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "bench_bm25_sets.py"
    spec = importlib.util.spec_from_file_location("bench_bm25_sets", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCHMARK = load_benchmark()


@pytest.mark.data
@pytest.mark.parametrize("name", BENCHMARK.FLOORS)
def test_bm25_stays_above_its_floor(collection, name):
    loaded = BENCHMARK.read_collection(collection(name))
    postings = build_postings(loaded.documents.values())
    for k1 in (1.5, 1.2):
        assert BENCHMARK.mean_ndcg(loaded, postings, k1=k1) >= BENCHMARK.FLOORS[name]
