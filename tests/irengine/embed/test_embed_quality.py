"""The default model finds what full precision finds: dense retrieval on Cranfield."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from irengine.embed import call_embedder
from irengine.embed.minilm import MiniLM

FULL_PRECISION = 0.4996
"""nDCG@10 of the fp32 weights on the same texts and grades."""


@pytest.mark.data
@pytest.mark.slow
def test_int8_keeps_the_quality_of_full_precision(
    int8: MiniLM, collection: Callable[[str], Path]
) -> None:
    folder = collection("cranfield")
    documents = {d["_id"]: f"{d['title']} {d['text']}" for d in lines(folder / "corpus.jsonl")}
    queries = {q["_id"]: q["text"] for q in lines(folder / "queries.jsonl")}
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test_graded.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = int(grade)

    vectors = call_embedder(int8, list(documents.values()), input_type="document")
    asked = call_embedder(int8, [queries[q] for q in grades], input_type="query")
    ids = list(documents)
    best = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :10]
    values = [
        dcg([judged.get(ids[i], 0) for i in row]) / dcg(sorted(judged.values())[::-1][:10])
        for row, judged in zip(best, grades.values(), strict=True)
    ]

    assert float(np.mean(values)) == pytest.approx(FULL_PRECISION, abs=0.005)


def dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
