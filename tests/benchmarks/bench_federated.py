"""Print what ``discover`` over three corpora of different embedders costs beside one of them.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_federated.py [--embedders A,B,C] [--queries N]

One collection is built with each embedder. Every query is asked of each corpus alone and of all
together, in turns, each time with a word more, so that no vector of it is kept; milliseconds are
medians over the queries. ``ratio`` is that of all together to the slowest alone, query by query.
``sum`` is what asking one after the other would cost. The second table has three corpora of one
embedder, which embed the query once.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import irengine as ir
from irengine.eval.collection import read_collection

COLLECTION = "restbench-tmdb"
_numbers = count()


def milliseconds(corpus: Any, query: str) -> float:
    fresh = f"{query} {next(_numbers)}"
    started = time.perf_counter()
    ir.discover(corpus, fresh)
    return (time.perf_counter() - started) * 1000


def measured(corpora: Sequence[Any], queries: Sequence[str]) -> np.ndarray:
    """Return ``(queries, corpora + 1)`` milliseconds: of each corpus alone, and of all together."""
    for corpus in (*corpora, list(corpora)):
        milliseconds(corpus, queries[0])
    return np.array(
        [[milliseconds(each, query) for each in (*corpora, list(corpora))] for query in queries]
    )


def print_table(corpora: Sequence[Any], queries: Sequence[str]) -> None:
    times = measured(corpora, queries)
    alone, together = times[:, :-1], times[:, -1]
    for corpus, column in zip(corpora, alone.T, strict=True):
        print(f"{corpus.name:24}{corpus.embedder_id[:36]:38}{np.median(column):8.2f} ms")
    print(f"{'sum':62}{np.median(alone.sum(axis=1)):8.2f} ms")
    print(f"{'all together':62}{np.median(together):8.2f} ms")
    print(f"{'ratio to the slowest alone':62}{np.median(together / alone.max(axis=1)):8.2f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedders", default="light,default,multilingual")
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(Path(data) / f"{COLLECTION}.tar.xz") as archive:
            archive.extractall(temporary, filter="data")
        collection = read_collection(Path(temporary) / COLLECTION)
    documents = collection.documents

    def built(name: str, embedder: str) -> Any:
        source = ir.CorpusSource.from_mapping(documents, name=name, strategy=ir.WholeText())
        return ir.build(source, store=ir.CorpusStore.memory(), embedder=embedder)

    queries = list(collection.queries.values())[: options.queries]
    names = options.embedders.split(",")
    print_table([built(name, name) for name in names], queries)
    print_table([built(f"default {n}", "default") for n in (1, 2, 3)], queries)


if __name__ == "__main__":
    main()
