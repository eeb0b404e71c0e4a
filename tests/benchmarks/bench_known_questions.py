"""Print how many of the known questions each mode answers, on the three real trees built whole.

    IR_TEST_DATA=<folder of .tar.xz> python tests/benchmarks/bench_known_questions.py

``--trees`` names some of the trees, ``--embedder`` another model than the default one. The
corpora are held in memory; vectors are kept in the cache of ``IR_CACHE_DIR``, so that a second
run is quick. The questions were worded so that lexical search answers them, hence its figures
say nothing about other questions; the other modes are there to be compared between versions.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import irengine as ir

QUESTIONS = Path(__file__).parent.with_name("known_questions.json")
MODES: dict[str, dict[str, Any]] = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "hybrid rrf": {"mode": "hybrid", "fusion": "rrf"},
    "hybrid blend": {"mode": "hybrid", "fusion": "blend"},
}
DEPTHS = (1, 3, 10)


def unpack(tree: str, data: Path, target: Path) -> Path:
    """Unpack a tree and return its root."""
    target.mkdir()
    with tarfile.open(data / f"{tree}.tar.xz") as tar:
        tar.extractall(target, filter="data")
    children = list(target.iterdir())
    only_folder = len(children) == 1 and children[0].is_dir()
    return children[0] if only_folder else target


def rank(corpus: ir.Corpus, item: Mapping[str, str], options: Mapping[str, Any]) -> int:
    """Return the rank of the known page from 1, or one beyond the deepest that counts."""
    hits = ir.search(corpus, item["query"], k=max(DEPTHS), **options)
    found = [hit.artifact_id for hit in hits]
    return found.index(item["id"]) + 1 if item["id"] in found else max(DEPTHS) + 1


def measure(tree: str, root: Path, items: Sequence[Mapping[str, str]], embedder: str) -> None:
    """Build one tree and print a line for each mode."""
    begun = time.perf_counter()
    source = ir.CorpusSource.from_files(root, name=tree)
    corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder=embedder)
    seconds = time.perf_counter() - begun
    files, records = (corpus.report.added, corpus.report.records) if corpus.report else (0, 0)
    print(f"\n{tree}: {files:,} files, {records:,} records, {seconds:.0f} s")
    print(f"  {'':14}{'first':>7}{'top 3':>7}{'top 10':>7}   of {len(items)}")
    for label, options in MODES.items():
        ranks = [rank(corpus, item, options) for item in items]
        counts = [sum(place <= depth for place in ranks) for depth in DEPTHS]
        print(f"  {label:14}" + "".join(f"{count:>7}" for count in counts), flush=True)


def main() -> None:
    questions = json.loads(QUESTIONS.read_text("utf-8"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trees", default=",".join(questions), help="comma-separated")
    parser.add_argument("--embedder", default="default")
    chosen = parser.parse_args()
    trees = chosen.trees.split(",")
    if unknown := [tree for tree in trees if tree not in questions]:
        parser.error(f"no questions for {', '.join(unknown)}; there are {', '.join(questions)}")
    if not os.environ.get("IR_TEST_DATA"):
        sys.exit("set IR_TEST_DATA to the folder with the .tar.xz collections")
    data = Path(os.environ["IR_TEST_DATA"])
    with tempfile.TemporaryDirectory() as scratch:
        for tree in trees:
            root = unpack(tree, data, Path(scratch) / tree)
            measure(tree, root, questions[tree], chosen.embedder)


if __name__ == "__main__":
    main()
