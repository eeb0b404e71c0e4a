"""Print how well ``discover`` commits: by default, and with rank fusion.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_selection.py [--peer PYTHON] [--sets A,B]

``rrf`` is ``discover(fusion="rrf")``: rank fusion, and nine tenths of the best fused score.
Precision, recall and F1 are those of what is committed to, per query and then averaged; an
abstention counts 0. ``R@10`` is the recall of the ranking the commitment is made from. ``best cut``
is the mean F1 if the ranking were cut, at one, two or three, where it is best for each query: no
rule that commits to a prefix of at most three can do better. Below each set stands the difference
in F1 of each configuration to ``rrf``, with its standard error over the queries.

Documents are whole texts, as a mapping has them by default; the long ones of ``(chunks)`` are also
measured as ``Chunked(max_tokens=250)``.

``nonsense`` is the share of invented queries (letters by chance) that ``discover`` abstains from.
``--peer`` is an interpreter in which PyPI ``ir==0.1.61`` is installed; its default is measured as
well, on the same documents and with the vectors of this engine's default embedder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench_quality import LONG

import irengine as ir
from irengine.eval.collection import TestCollection, read_collection
from irengine.retrieve import DFLT_FUSION

SETS = (
    "skills-kdense-need",
    "livemcpbench",
    "restbench-tmdb",
    "seal-tools-in_domain",
    "cranfield",
    "cacm",
    "medline",
)
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "rrf": {"fusion": "rrf"},
    "blend": {"fusion": "blend"},
    "default": {},
    "default, .85": {"rel": 0.85},
}
WORKER = Path(__file__).with_name("_selection_worker.py")
DEPTH, MOST = 10, 3

Answer = tuple[list[str], list[str]]
"""What was committed to, and the ranking it comes from."""


def measures(answers: Sequence[Answer], gold: Sequence[set[str]]) -> np.ndarray:
    """Return ``(queries, 7)``: R@10, precision, recall, F1, number, abstained, best cut."""
    rows = []
    for (chosen, ranking), wanted in zip(answers, gold, strict=True):
        hits = len(wanted.intersection(chosen))
        cuts = [f1(len(wanted.intersection(ranking[:n])), n, len(wanted)) for n in (1, 2, MOST)]
        rows.append(
            (
                len(wanted.intersection(ranking[:DEPTH])) / len(wanted),
                hits / len(chosen) if chosen else 0.0,
                hits / len(wanted),
                f1(hits, len(chosen), len(wanted)),
                len(chosen),
                not chosen,
                max(cuts),
            )
        )
    return np.array(rows, dtype=float)


def f1(hits: int, chosen: int, wanted: int) -> float:
    return 2 * hits / (chosen + wanted)


def nonsense(count: int = 100) -> list[str]:
    """Return queries of one to five invented words, the same each time."""
    rng = random.Random(3)

    def word() -> str:
        return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 9)))

    return [" ".join(word() for _ in range(rng.randint(1, 5))) for _ in range(count)]


def ours(collection: TestCollection, *, chunks: bool) -> Callable[..., Answer]:
    strategy = ir.Chunked(max_tokens=250) if chunks else ir.WholeText()
    source = ir.CorpusSource.from_mapping(collection.documents, name="bench", strategy=strategy)
    corpus = ir.build(source, store=ir.CorpusStore.memory())

    def ask(query: str, **options: Any) -> Answer:
        fusion = options.get("fusion", DFLT_FUSION)
        ranking = ir.search(corpus, query, k=DEPTH, mode="hybrid", fusion=fusion)
        found = ir.discover(corpus, query, k=DEPTH, **options)
        return found.ids, [hit.artifact_id for hit in ranking]

    return ask


def peers(python: str, folder: Path, queries: Sequence[str], *, chunks: bool) -> list[Answer]:
    """Return the answers of the predecessor's default, from a process of its own."""
    command = [python, str(WORKER), str(folder), "chunks" if chunks else "whole"]
    done = subprocess.run(
        command,
        input=json.dumps({"queries": list(queries), "embed": [sys.executable, str(WORKER)]}),
        env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    return [(chosen, ranking) for chosen, ranking in json.loads(done.stdout)]


def print_set(name: str, results: dict[str, np.ndarray]) -> None:
    for label, rows in results.items():
        recall, precision, share, f, number, abstained, best = rows.mean(axis=0)
        print(
            f"{name:28}{label:14}{recall:8.3f}{precision:8.3f}{share:8.3f}{f:8.3f}"
            f"{number:7.2f}{abstained:8.0%}{best:10.3f}",
            flush=True,
        )
    for label, rows in results.items():
        if label != "rrf":
            gain = rows[:, 3] - results["rrf"][:, 3]
            error = gain.std(ddof=1) / len(gain) ** 0.5
            print(f"{'':28}{label:14}F1 {gain.mean():+.3f} ± {error:.3f} against rrf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--peer", help="interpreter with PyPI ir==0.1.61")
    options = parser.parse_args()
    data = os.environ.get("IR_TEST_DATA")
    if not data:
        sys.exit("set IR_TEST_DATA to the folder of the collections")
    columns = ("R@10", "prec", "recall", "F1")
    print(
        f"{'set':28}{'configuration':14}"
        + "".join(f"{column:>8}" for column in columns)
        + f"{'number':>7}{'abstain':>8}{'best cut':>10}"
    )
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.sets.split(","):
            with tarfile.open(Path(data) / f"{name}.tar.xz") as archive:
                archive.extractall(temporary, filter="data")
            folder = Path(temporary) / name
            collection = read_collection(folder)
            judged = {
                query: {document for document, grade in grades.items() if grade > 0}
                for query, grades in collection.qrels.items()
            }
            judged = {query: wanted for query, wanted in judged.items() if wanted}
            queries = [collection.queries[query] for query in judged]
            gold = list(judged.values())
            for chunks in (False, True) if name in LONG else (False,):
                ask = ours(collection, chunks=chunks)
                results = {
                    label: measures([ask(query, **how) for query in queries], gold)
                    for label, how in CONFIGURATIONS.items()
                }
                if options.peer:
                    found = peers(options.peer, folder, queries, chunks=chunks)
                    results["ir 0.1.61"] = measures(found, gold)
                print_set(f"{name} (chunks)" if chunks else name, results)
                refused = np.mean([not ask(query)[0] for query in nonsense()])
                print(f"{'':28}{'nonsense':14}{refused:.0%} abstained from", flush=True)


if __name__ == "__main__":
    main()
