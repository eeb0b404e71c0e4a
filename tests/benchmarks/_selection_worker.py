"""Answer queries with the predecessor's ``discover``; print the answers as JSON.

Run by ``bench_selection.py`` with the interpreter that has the predecessor. Vectors come from a
second process, this file run without arguments by the interpreter of this engine: a line of JSON
with texts in, a line with their vectors out.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

BATCH = 64


def embed_lines() -> None:
    embedder, _ = importlib.import_module("irengine").make_embedder("default")
    for line in sys.stdin:
        asked = json.loads(line)
        vectors = embedder(asked["texts"], input_type=asked["input_type"])
        print(json.dumps(np.asarray(vectors, dtype="f4").tolist()), flush=True)


def embedder_in(process: subprocess.Popen):
    known = {}

    def embed(texts, *, input_type="document"):
        texts = list(texts)
        new = [text for text in dict.fromkeys(texts) if (input_type, text) not in known]
        for at in range(0, len(new), BATCH):
            some = new[at : at + BATCH]
            process.stdin.write(json.dumps({"texts": some, "input_type": input_type}) + "\n")
            process.stdin.flush()
            for text, vector in zip(some, json.loads(process.stdout.readline()), strict=True):
                known[input_type, text] = vector
        return np.array([known[input_type, text] for text in texts], dtype="f4")

    embed._ir_id = "bench-default"
    return embed


def answers(folder: Path, cut: str, asked: dict) -> list:
    ir = importlib.import_module("ir")
    documents = {}
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        documents[str(row["_id"])] = {"text": f"{row.get('title') or ''}\n\n{row['text']}"}
    strategy = ir.Chunked() if cut == "chunks" else ir.WholeText()
    source = ir.CorpusSource.from_mapping(documents, name="bench", strategy=strategy)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(asked["embed"], **pipes) as process:
        store = ir.CorpusStore.memory()
        corpus = ir.build(source, store=store, embedder=embedder_in(process))
        found = []
        for query in asked["queries"]:
            ranking = ir.search(corpus, query, k=10, mode="hybrid")
            chosen = ir.discover(corpus, query).ids
            found.append((chosen, [hit.artifact_id for hit in ranking]))
    return found


if __name__ == "__main__":
    if len(sys.argv) == 1:
        embed_lines()
    else:
        print(json.dumps(answers(Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin))))
