"""Print BM25 nDCG@10 of the analyzer on the BEIR-layout collections under IR_TEST_DATA.

Run with ``IR_TEST_DATA=<folder of .tar.xz> python tests/benchmarks/bench_bm25_sets.py``.
"""

from __future__ import annotations

import os
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np

from irengine.eval.collection import TestCollection, read_collection
from irengine.eval.metrics import ndcg
from irengine.text import query_terms
from irengine.text.bm25 import bm25_scores, top
from irengine.text.postings import Postings, build_postings

FLOORS = {
    "cranfield": 0.50,
    "medline": 0.67,
    "cacm": 0.46,
    "belebele-ko": 0.87,
    "xquad-zh": 0.95,
}
SETS = (*FLOORS, "livemcpbench", "restbench-tmdb", "seal-tools-in_domain", "skills-kdense-need")
DEPTH = 10


def mean_ndcg(
    collection: TestCollection, postings: Postings, *, k1: float = 1.5, b: float = 0.75
) -> float:
    """Return mean nDCG@10 over the judged queries."""
    tie = np.arange(postings.n, dtype=np.uint64)
    ids, values = list(collection.documents), []
    for query_id, judged in collection.qrels.items():
        terms = query_terms(collection.queries[query_id])
        rows, scores, _ = bm25_scores([(postings, 0)], terms, k1=k1, b=b)
        best = top(rows, scores, DEPTH, tie)
        values.append(ndcg([ids[rows[i]] for i in best], judged, DEPTH))
    return float(np.mean(values))


def main() -> None:
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    print(f"{'collection':<22}{'floor':>7}{'k1=1.5':>9}{'k1=1.2':>9}{'rows':>8}{'build s':>9}")
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            with tarfile.open(Path(data) / f"{name}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
            collection = read_collection(Path(folder) / name)
            start = time.perf_counter()
            postings = build_postings(collection.documents.values())
            seconds = time.perf_counter() - start
            figures = [mean_ndcg(collection, postings, k1=k1) for k1 in (1.5, 1.2)]
            table.append(figures)
            floor = FLOORS.get(name)
            print(
                f"{name:<22}{'' if floor is None else floor:>7}"
                f"{figures[0]:>9.4f}{figures[1]:>9.4f}{postings.n:>8}{seconds:>9.2f}"
            )
    means = np.mean(table, axis=0)
    print(f"{'mean':<29}{means[0]:>9.4f}{means[1]:>9.4f}")


if __name__ == "__main__":
    main()
