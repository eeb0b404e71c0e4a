"""Build and search one corpus with one engine, in this process; print a JSON line.

Run by ``bench_engines.py`` with the interpreter that has the engine. Both engines speak the same
API, so the workload is the same code for each.
"""

from __future__ import annotations

import importlib
import json
import resource
import statistics
import sys
import time
from pathlib import Path

started = time.perf_counter()
MODULE, TASK, FOLDER, SIZE = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
NAME = f"bench{SIZE}"


def embedder(ir):
    """Look the vectors up by the number that starts each text: embedding costs nothing."""
    import numpy as np

    vectors = np.load(FOLDER / "vectors.npy", mmap_mode="r")

    def look_up(texts, *, input_type="document"):
        return np.stack([vectors[int(text.split(" ", 1)[0][1:])] for text in texts])

    look_up._ir_id = "bench-vectors"
    return look_up


def documents():
    texts = (FOLDER / "texts.txt").read_text().splitlines()[:SIZE]
    return {
        f"d{i}": {
            "text": text,
            "path": f"/notes/{i % 97}/{i}.md",
            "bucket": i % 100,
            "half": i % 2 == 0,
            "lang": ("en", "de", "ko")[i % 3],
        }
        for i, text in enumerate(texts)
    }


def rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def percentiles(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "p50": statistics.median(ordered) * 1e3,
        "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1e3,
    }


def main() -> dict:
    ir = importlib.import_module(MODULE)
    imported = time.perf_counter() - started
    if TASK in ("build", "light"):
        fields = ("path", "bucket", "half", "lang")
        source = ir.CorpusSource.from_mapping(
            documents(),
            name=NAME if TASK == "build" else f"light{SIZE}",
            metadata_of=lambda _, raw: {key: raw[key] for key in fields},
        )
        spec = embedder(ir) if TASK == "build" else "light"
        begun = time.perf_counter()
        corpus = ir.build(source, embedder=spec)
        build = time.perf_counter() - begun
        begun = time.perf_counter()
        ir.build(source, embedder=spec)
        return {
            "build_s": build,
            "again_s": time.perf_counter() - begun,
            "records": len(corpus),
            "rss_mb": rss_mb(),
        }
    queries = (FOLDER / "queries.txt").read_text().splitlines()
    corpus = ir.open_corpus(NAME, embedder=embedder(ir))
    ir.search(corpus, queries[0], mode="hybrid", k=10)
    cold = time.perf_counter() - started
    result = {"import_ms": imported * 1e3, "cold_s": cold}
    cases = {
        "dense": {"mode": "dense"},
        "lexical": {"mode": "lexical"},
        "hybrid": {"mode": "hybrid"},
        "hybrid 1 %": {"mode": "hybrid", "filter": {"bucket": 7}},
        "hybrid 50 %": {"mode": "hybrid", "filter": {"half": True}},
    }
    if TASK == "cold":
        return result
    for label, options in cases.items():
        some = queries[: 200 if MODULE == "irengine" else 40]
        for query in some:  # the vectors of the queries are cached, the rest is warm
            if MODULE == "irengine":
                corpus.embed_query(query)
        ir.search(corpus, some[0], k=10, **options)
        times = []
        for query in some:
            begun = time.perf_counter()
            ir.search(corpus, query, k=10, **options)
            times.append(time.perf_counter() - begun)
        result[label] = percentiles(times)
    result["rss_mb"] = rss_mb()
    return result


if __name__ == "__main__":
    print(json.dumps(main()))
