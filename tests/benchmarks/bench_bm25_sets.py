"""Print BM25 nDCG@10 of the analyzer on the BEIR-layout collections under IR_TEST_DATA.

Run with ``IR_TEST_DATA=<folder of .tar.xz> python tests/benchmarks/bench_bm25_sets.py``.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

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


class Collection(NamedTuple):
    ids: list[str]
    texts: list[str]
    queries: dict[str, str]
    judgements: dict[str, dict[str, float]]


def read_collection(folder: Path) -> Collection:
    """Read a collection in BEIR layout; a document is its title, a blank line and its text."""
    ids, texts = [], []
    for row in _json_lines(folder / "corpus.jsonl"):
        ids.append(str(row["_id"]))
        texts.append(f"{row.get('title') or ''}\n\n{row['text']}")
    queries = {str(row["_id"]): str(row["text"]) for row in _json_lines(folder / "queries.jsonl")}
    judgements: dict[str, dict[str, float]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            judged = judgements.setdefault(line["query-id"], {})
            judged[line["corpus-id"]] = float(line["score"])
    return Collection(ids, texts, queries, judgements)


def ndcg(ranking: Sequence[str], judged: dict[str, float], depth: int = DEPTH) -> float:
    """Return nDCG with linear gains; the ideal ranking is that of the judgements."""

    def gain(values: Sequence[float]) -> float:
        return sum(value / math.log2(rank + 2) for rank, value in enumerate(values[:depth]))

    ideal = gain(sorted((score for score in judged.values() if score > 0), reverse=True))
    return gain([max(judged.get(id_, 0.0), 0.0) for id_ in ranking]) / ideal if ideal else 0.0


def mean_ndcg(
    collection: Collection, postings: Postings, *, k1: float = 1.5, b: float = 0.75
) -> float:
    """Return mean nDCG@10 over the judged queries."""
    tie = np.arange(postings.n, dtype=np.uint64)
    values = []
    for query_id, judged in collection.judgements.items():
        terms = query_terms(collection.queries[query_id])
        rows, scores, _ = bm25_scores([(postings, 0)], terms, k1=k1, b=b)
        best = top(rows, scores, DEPTH, tie)
        values.append(ndcg([collection.ids[rows[i]] for i in best], judged))
    return float(np.mean(values))


def _json_lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


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
            postings = build_postings(collection.texts)
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
