"""Measure search latency over synthetic records; the embedding of the query is not included.

Run it by hand: ``python tests/benchmarks/bench_search_latency.py [records …]``. Texts are 80 words
drawn from a Zipf distribution over 30,000; vectors are 384 random numbers; ``one_percent`` and
``half`` are metadata fields that keep that share of the records.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter

import numpy as np

from irengine.base import Record
from irengine.index import Corpus
from irengine.retrieve import facets, search
from irengine.store import CorpusStore

DIM = 384
WORDS = 80
VOCABULARY = 30_000
REPEATS = 60


def records(n: int, rng: np.random.Generator) -> Iterator[Record]:
    """Yield ``n`` records, eight an artifact."""
    drawn = np.minimum(rng.zipf(1.15, size=(n, WORDS)), VOCABULARY)
    vectors = rng.standard_normal((n, DIM), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for i in range(n):
        artifact = f"doc{i // 8:06}"
        metadata = {
            "path": f"docs/{artifact}.md",
            "chunk_index": i % 8,
            "one_percent": i % 100 == 0,
            "half": i % 2,
            "tags": [f"tag{i % 7}", f"tag{i % 11}"],
        }
        text = " ".join(f"w{word}" for word in drawn[i])
        yield Record(
            Record.make_id(artifact, "chunk", i % 8),
            artifact,
            "chunk",
            i % 8,
            text,
            vectors[i],
            metadata,
        )


class ReadyVectors:
    """An embedder that answers from a table: queries cost nothing."""

    def __init__(self, rng: np.random.Generator) -> None:
        vectors = rng.standard_normal((64, DIM), dtype=np.float32)
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> np.ndarray:
        found: np.ndarray = self.vectors[[hash(text) % len(self.vectors) for text in texts]]
        return found


def corpus_of(n: int) -> Corpus:
    """Return a corpus of ``n`` records in memory."""
    rng = np.random.default_rng(7)
    store = CorpusStore.memory()
    with store.writing("benchmark") as batch:
        for artifact_id, group in groupby(records(n, rng), key=attrgetter("artifact_id")):
            plan = list(group)
            entry = {"artifact_id": artifact_id, "record_ids": [record.id for record in plan]}
            batch.replace(artifact_id, plan, entry)
        batch.commit()
    return Corpus("bench", store, ReadyVectors(rng), "bench")


def measure(run: Callable[[str], object], queries: list[str]) -> np.ndarray:
    """Return the least, the median and the 95th percentile of one call, in milliseconds."""
    for query in queries[:5]:
        run(query)
    times = []
    for i in range(REPEATS):
        started = time.perf_counter()
        run(queries[i % len(queries)])
        times.append((time.perf_counter() - started) * 1000)
    return np.percentile(times, [0, 50, 95])


def bare(corpus: Corpus, query: str) -> np.ndarray:
    """Return the dot products alone: what the memory of this machine allows."""
    (segment,) = corpus.store.snapshot().segments
    scores: np.ndarray = np.einsum("ij,j->i", segment.vectors, corpus.embed_query(query))
    return scores


def main(sizes: list[int]) -> None:
    """Print one line a case."""
    rng = np.random.default_rng(11)
    queries = [" ".join(f"w{w}" for w in rng.integers(20, 3000, size=3)) for _ in range(20)]
    cases: dict[str, Callable[[Corpus, str], object]] = {
        "hybrid": lambda c, q: search(c, q, mode="hybrid"),
        "dense": lambda c, q: search(c, q),
        "lexical": lambda c, q: search(c, q, mode="lexical"),
        "hybrid, filter 1 %": lambda c, q: search(
            c, q, mode="hybrid", filter={"one_percent": True}
        ),
        "hybrid, filter 50 %": lambda c, q: search(c, q, mode="hybrid", filter={"half": 1}),
        "hybrid, new filter": lambda c, q: search(
            c, q, mode="hybrid", filter={"path": {"$ne": q + str(time.perf_counter_ns())}}
        ),
        "bare dot products": lambda c, q: bare(c, q),
        "facets of 2 fields": lambda c, q: facets(c, q, ["tags", "half"]),
        "facets, blank query": lambda c, q: facets(c, "", ["tags", "half"]),
    }
    for n in sizes:
        corpus = corpus_of(n)
        # The first query builds the postings and is not what is measured.
        search(corpus, queries[0], mode="lexical")
        for name, run in cases.items():
            least, median, p95 = measure(partial(run, corpus), queries)
            print(f"{n:>7} {name:<20} min {least:6.3f}  p50 {median:6.3f}  p95 {p95:6.3f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 50_000])
    main(parser.parse_args().records)
