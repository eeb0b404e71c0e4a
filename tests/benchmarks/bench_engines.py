"""Build and search side by side with the predecessor, in one run.

    python tests/benchmarks/bench_engines.py [--peer PYTHON] [--sizes 1000,10000,50000]

``--peer`` is an interpreter in which PyPI ``ir==0.1.61`` is installed; without it only this
engine is measured. Vectors are given (384 dimensions, clustered), so embedding costs nothing on
either side; ``light`` builds embed for real. Times are wall times of one run on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WORKER = Path(__file__).with_name("_worker.py")
WORDS = 80


def make_workload(folder: Path, size: int) -> None:
    """Write ``size`` Zipf texts, their clustered unit vectors, and 200 queries."""
    rng = np.random.default_rng(7)
    vocabulary = np.array([f"w{i:x}" for i in range(40_000)])
    weights = 1 / np.arange(1, len(vocabulary) + 1) ** 1.05
    weights /= weights.sum()
    centres = rng.standard_normal((500, 384)).astype("f4")
    n_queries = 200
    picks = rng.choice(len(vocabulary), size=(size, WORDS), p=weights)
    with (folder / "texts.txt").open("w") as out:
        for i, row in enumerate(picks):
            out.write(f"d{i} " + " ".join(vocabulary[row]) + "\n")
    mid = rng.integers(30, 3000, size=(n_queries, 3))
    with (folder / "queries.txt").open("w") as out:
        for i, row in enumerate(mid):
            out.write(f"d{size + i} " + " ".join(vocabulary[row]) + "\n")
    topics = rng.integers(0, len(centres), size + n_queries)
    vectors = centres[topics] + rng.standard_normal((size + n_queries, 384)).astype("f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(folder / "vectors.npy", vectors.astype("f4"))


def run(python: str, module: str, task: str, folder: Path, size: int, home: Path) -> dict:
    """Run the worker and return what it printed."""
    environment = {
        **os.environ,
        "IR_DATA_DIR": str(home / "data"),
        "IR_CONFIG_DIR": str(home / "config"),
        "IR_CACHE_DIR": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "xdg"),
    }
    command = [python, str(WORKER), module, task, str(folder), str(size)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", help="interpreter with PyPI ir==0.1.61")
    parser.add_argument("--sizes", default="1000,10000,50000")
    parser.add_argument("--peer-limit", type=int, default=50_000, help="largest size for the peer")
    parser.add_argument("--no-light", action="store_true", help="skip the builds with `light`")
    options = parser.parse_args()
    rows: list[tuple[int, str, dict]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for size in map(int, options.sizes.split(",")):
            folder = Path(temporary) / str(size)
            folder.mkdir()
            make_workload(folder, size)
            engines = [("irengine", sys.executable)]
            if options.peer and size <= options.peer_limit:
                engines.append(("ir", options.peer))
            for module, python in engines:
                home = folder / module
                result = run(python, module, "build", folder, size, home)
                result |= run(python, module, "search", folder, size, home)
                if not options.no_light and size <= options.peer_limit:
                    light = run(python, module, "light", folder, size, home)
                    result |= {"light_s": light["build_s"], "light_again_s": light["again_s"]}
                colds = [run(python, module, "cold", folder, size, home) for _ in range(3)]
                result["cold_s"] = min(cold["cold_s"] for cold in colds)
                result["import_ms"] = min(cold["import_ms"] for cold in colds)
                rows.append((size, module, result))
                print_rows(rows[-1:], header=len(rows) == 1)
    print()
    print_ratios(rows)


COLUMNS = {
    "build s": lambda r: r["build_s"],
    "again s": lambda r: r["again_s"],
    "light s": lambda r: r.get("light_s", float("nan")),
    "dense": lambda r: r["dense"]["p50"],
    "lexical": lambda r: r["lexical"]["p50"],
    "hybrid": lambda r: r["hybrid"]["p50"],
    "hyb p95": lambda r: r["hybrid"]["p95"],
    "1 %": lambda r: r["hybrid 1 %"]["p50"],
    "50 %": lambda r: r["hybrid 50 %"]["p50"],
    "cold s": lambda r: r["cold_s"],
    "import ms": lambda r: r["import_ms"],
    "RSS MB": lambda r: r["rss_mb"],
}


def print_rows(rows: list[tuple[int, str, dict]], *, header: bool) -> None:
    if header:
        print("searches in ms (p50 unless said), k=10, query embedding excluded")
        print(f"{'size':>7} {'engine':9}" + "".join(f"{name:>10}" for name in COLUMNS))
    for size, module, result in rows:
        cells = "".join(f"{cell(result):10.2f}" for cell in COLUMNS.values())
        print(f"{size:7} {module:9}{cells}", flush=True)


def print_ratios(rows: list[tuple[int, str, dict]]) -> None:
    by_size: dict[int, dict[str, dict]] = {}
    for size, module, result in rows:
        by_size.setdefault(size, {})[module] = result
    for size, engines in by_size.items():
        if len(engines) == 2:
            ratios = [
                f"{name} {cell(engines['ir']) / cell(engines['irengine']):.1f}×"
                for name, cell in COLUMNS.items()
            ]
            print(f"{size:7} peer/ours: " + ", ".join(ratios))


if __name__ == "__main__":
    main()
