"""Print nDCG@10 of every channel and fusion with the default embedder.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_quality.py [--sets cranfield,medline]

Documents are whole texts (``WholeText``) for short sets and ``Chunked(max_tokens=250)`` for long
ones; hits are collapsed to documents. The last rows are means over the English sets: hybrid should
be above the better of its two channels.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_bm25_sets import ndcg, read_collection

import irengine as ir

ENGLISH = (
    "cranfield",
    "medline",
    "cacm",
    "livemcpbench",
    "restbench-tmdb",
    "seal-tools-in_domain",
    "skills-kdense-need",
)
OTHER = ("belebele-ko", "xquad-zh")
LONG = {"skills-kdense-need"}
CONFIGURATIONS = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "rrf": {"mode": "hybrid"},
    "blend": {"mode": "hybrid", "fusion": "blend"},
}


def evaluate(folder: Path, name: str) -> tuple[dict[str, float], float]:
    """Return nDCG@10 by configuration, and the seconds the build took."""
    collection = read_collection(folder)
    documents = dict(zip(collection.ids, collection.texts, strict=True))
    strategy = ir.Chunked(max_tokens=250) if name in LONG else ir.WholeText()
    source = ir.CorpusSource.from_mapping(documents, name=name, strategy=strategy)
    begun = time.perf_counter()
    corpus = ir.build(source, store=ir.CorpusStore.memory())
    seconds = time.perf_counter() - begun
    figures = {}
    for label, options in CONFIGURATIONS.items():
        values = []
        for query_id, judged in collection.judgements.items():
            hits = ir.search(corpus, collection.queries[query_id], k=10, **options)
            values.append(ndcg([hit.artifact_id for hit in hits], judged))
        figures[label] = float(np.mean(values))
    return figures, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join((*ENGLISH, *OTHER)))
    options = parser.parse_args()
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    print(
        f"{'nDCG@10':24}" + "".join(f"{label:>9}" for label in CONFIGURATIONS) + f"{'build s':>9}"
    )
    english = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets.split(","):
            with tarfile.open(Path(data) / f"{name}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
            figures, seconds = evaluate(Path(folder) / name, name)
            if name in ENGLISH:
                english.append(figures)
            cells = "".join(f"{figures[label]:9.4f}" for label in CONFIGURATIONS)
            print(f"{name:24}{cells}{seconds:9.1f}", flush=True)
    if english:
        means = {label: np.mean([row[label] for row in english]) for label in CONFIGURATIONS}
        better = np.mean([max(row["lexical"], row["dense"]) for row in english])
        print(f"{'mean (English)':24}" + "".join(f"{means[label]:9.4f}" for label in means))
        print(f"{'better channel of each':24}{better:9.4f}")


if __name__ == "__main__":
    main()
