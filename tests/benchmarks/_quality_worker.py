"""Rank given pieces of text for given queries with one engine; print a JSON line.

Run by ``bench_quality.py`` with the interpreter that has the engine: ``ENGINE FOLDER``, where
``FOLDER`` holds ``work.json`` (texts, queries) and ``vectors.npy`` (theirs, in that order).
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import numpy as np

MODULE, FOLDER = sys.argv[1], Path(sys.argv[2])
DEPTH = 100


def main() -> dict[str, list[list[int]]]:
    ir = importlib.import_module(MODULE)
    work = json.loads((FOLDER / "work.json").read_text(encoding="utf-8"))
    texts, queries = work["texts"], work["queries"]
    vectors = np.load(FOLDER / "vectors.npy")
    vector_of = dict(zip([*texts, *queries], vectors, strict=True))

    def look_up(texts, *, input_type="document"):
        return np.stack([vector_of[text] for text in texts])

    look_up._ir_id = "given-vectors"
    pieces = {str(at): text for at, text in enumerate(texts)}
    corpus = ir.build(ir.CorpusSource.from_mapping(pieces, name="given"), embedder=look_up)
    return {
        mode: [
            [int(hit.artifact_id) for hit in ir.search(corpus, query, k=DEPTH, mode=mode)]
            for query in queries
        ]
        for mode in ("lexical", "dense", "hybrid")
    }


if __name__ == "__main__":
    print(json.dumps(main()))
