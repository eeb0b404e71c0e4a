"""Print what ``discover`` commits to: precision, recall and F1 of the selection, recall@10.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_selection.py [--sets cacm,medline]

``rrf`` is rank fusion with the conservative rule on its scores, ``blend`` the default. Means over
the queries; ``n`` is how many results are committed to, of at most three.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from bench_bm25_sets import read_collection
from bench_quality import LONG

import irengine as ir

SETS = ("skills-kdense-need", "livemcpbench", "restbench-tmdb", "cacm", "cranfield", "medline")
CONFIGURATIONS = {"rrf": {"fusion": "rrf"}, "blend": {}}
COLUMNS = ("F1", "precision", "recall", "n", "recall@10")


def measured(selected: list[str], candidates: list[str], relevant: set[str]) -> tuple[float, ...]:
    """Return F1, precision, recall and size of a selection, and recall of its candidates."""
    right = len(relevant.intersection(selected))
    precision = right / len(selected) if selected else 0.0
    recall = right / len(relevant)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    found = len(relevant.intersection(candidates)) / len(relevant)
    return f1, precision, recall, float(len(selected)), found


def evaluate(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Return the means of :func:`measured`, shape (5,), by configuration."""
    collection = read_collection(folder)
    documents = dict(zip(collection.ids, collection.texts, strict=True))
    strategy = ir.Chunked(max_tokens=250) if name in LONG else ir.WholeText()
    source = ir.CorpusSource.from_mapping(documents, name=name, strategy=strategy)
    corpus = ir.build(source, store=ir.CorpusStore.memory())
    figures = {}
    for label, options in CONFIGURATIONS.items():
        rows = []
        for query_id, judged in collection.judgements.items():
            query = collection.queries[query_id]
            relevant = {document for document, grade in judged.items() if grade > 0}
            if not relevant:
                continue
            found = ir.discover(corpus, query, **options)
            fusion = options.get("fusion", "blend")
            hits = ir.search(corpus, query, k=10, mode="hybrid", fusion=fusion)
            rows.append(measured(found.ids, [hit.artifact_id for hit in hits], relevant))
        figures[label] = np.mean(rows, axis=0)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    print(f"{'set':22}{'fusion':>7}" + "".join(f"{name:>11}" for name in COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            with tarfile.open(Path(data) / f"{name}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
            for label, figures in evaluate(Path(folder) / name, name).items():
                print(
                    f"{name:22}{label:>7}" + "".join(f"{figure:11.3f}" for figure in figures),
                    flush=True,
                )


if __name__ == "__main__":
    main()
