"""Print nDCG@10 of each channel and of the hybrid search, beside the predecessor's.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_quality.py
        [--peer PYTHON] [--embedder NAME] [--sets cranfield,medline]

Documents are whole texts (``WholeText``) for short sets and ``Chunked(max_tokens=250)`` for long
ones; hits are collapsed to documents. ``--peer`` is an interpreter in which PyPI ``ir==0.1.61`` is
installed: it is given the same pieces of text and the same vectors, and ranks 100 of them. The last
rows are means over the English sets.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

import irengine as ir
from irengine.eval.collection import TestCollection, read_collection
from irengine.eval.metrics import ndcg

WORKER = Path(__file__).with_name("_quality_worker.py")
ENGLISH = (
    "cranfield",
    "medline",
    "cacm",
    "livemcpbench",
    "restbench-tmdb",
    "seal-tools-in_domain",
    "skills-kdense-need",
)
OTHER = ("belebele-ko", "xquad-zh", "belebele-q_ko-d_en", "xquad-q_zh-d_en")
LONG = {"skills-kdense-need"}
OURS = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "hybrid": {"mode": "hybrid"},
    "rrf": {"mode": "hybrid", "fusion": "rrf"},
    "blend": {"mode": "hybrid", "fusion": "blend"},
}
PEERS = {"peer lexical": "lexical", "peer dense": "dense", "peer hybrid": "hybrid"}
DEPTH = 10


def mean_ndcg(collection: TestCollection, rank: Callable[[str], list[str]]) -> float:
    """Return the mean over the queries; ``rank`` is given a query's id."""
    values = [ndcg(rank(name), grades, DEPTH) for name, grades in collection.qrels.items()]
    return float(np.mean(values))


def ours(corpus: ir.Corpus, collection: TestCollection) -> dict[str, float]:
    def ranked(options: Mapping[str, str]) -> Callable[[str], list[str]]:
        def rank(name: str) -> list[str]:
            hits = ir.search(corpus, collection.queries[name], k=DEPTH, **options)
            return [hit.artifact_id for hit in hits]

        return rank

    return {label: mean_ndcg(collection, ranked(options)) for label, options in OURS.items()}


def peers(
    python: str, corpus: ir.Corpus, collection: TestCollection, folder: Path
) -> dict[str, float]:
    """Return the predecessor's figures over the pieces and the vectors of ``corpus``."""
    snapshot = corpus.store.snapshot()
    rows = snapshot.rows(range(snapshot.n))
    names = list(collection.queries)
    vectors = [segment.vectors for segment in snapshot.segments]
    asked = [corpus.embed_query(collection.queries[name]) for name in names]
    np.save(folder / "vectors.npy", np.concatenate([*vectors, np.stack(asked)]))
    work = {"texts": [row.text for row in rows], "queries": [collection.queries[n] for n in names]}
    (folder / "work.json").write_text(json.dumps(work), encoding="utf-8")
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder / "xdg"),
        **{f"IR_{kind}_DIR": str(folder / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")},
    }
    command = [python, str(WORKER), "ir", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    rankings = json.loads(done.stdout.splitlines()[-1])

    def ranked(mode: str) -> Callable[[str], list[str]]:
        def rank(name: str) -> list[str]:
            found = [rows[at].artifact_id for at in rankings[mode][names.index(name)]]
            return list(dict.fromkeys(found))[:DEPTH]

        return rank

    return {label: mean_ndcg(collection, ranked(mode)) for label, mode in PEERS.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join((*ENGLISH, *OTHER)))
    parser.add_argument("--embedder", default="default")
    parser.add_argument("--peer", help="interpreter with PyPI ir==0.1.61")
    options = parser.parse_args()
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    labels = [*OURS, *(PEERS if options.peer else ())]
    print(f"{'nDCG@10':22}" + "".join(f"{label:>13}" for label in labels))
    english = []
    for name in options.sets.split(","):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            with tarfile.open(Path(data) / f"{name}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
            collection = read_collection(folder / name)
            strategy = ir.Chunked(max_tokens=250) if name in LONG else ir.WholeText()
            source = ir.CorpusSource.from_mapping(
                collection.documents, name=name, strategy=strategy
            )
            corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder=options.embedder)
            figures = ours(corpus, collection)
            if options.peer:
                figures |= peers(options.peer, corpus, collection, folder)
        if name in ENGLISH:
            english.append(figures)
        print(f"{name:22}" + "".join(f"{figures[label]:13.3f}" for label in labels), flush=True)
    if english:
        means = {label: np.mean([row[label] for row in english]) for label in labels}
        print(f"{'mean (English)':22}" + "".join(f"{means[label]:13.3f}" for label in labels))
        better = np.mean([max(row["lexical"], row["dense"]) for row in english])
        print(f"{'better channel of each':22}{better:13.3f}")


if __name__ == "__main__":
    main()
