"""The second stage of a search: a reranker's scores in the place of the first stage's."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irengine.errors import ParameterError
from irengine.rerank import passage_texts

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.retrieve.params import SearchParams
    from irengine.store import Row

__all__ = ["reranked_rows"]


def reranked_rows(
    corpus: Corpus,
    query: str,
    order: list[tuple[int, float]],
    stored: Mapping[int, Row],
    params: SearchParams,
) -> list[tuple[int, float]]:
    """Return ``order`` by the scores of ``params.rerank``, best first, ties as they were.

    Each distinct passage is scored once; rows that share one share its score. Passages without a
    finite score come last, with the lowest that was given, and a warning tells of them; when none
    has one, the order and the scores of the first stage stay.

    Raises:
        ParameterError: for a wrong number of scores, or scores that are no numbers.
    """
    texts = passage_texts(
        corpus,
        [stored[row] for row, _ in order],
        params.rerank_text,
        max_chars=params.rerank_max_chars,
    )
    groups: dict[str, list[tuple[int, float]]] = {}
    for text, candidate in zip(texts, order, strict=True):
        groups.setdefault(text, []).append(candidate)
    rerank: Any = params.rerank
    segments = [{"text": text, "score": rows[0][1]} for text, rows in groups.items()]
    scores = [_number(score) for score in rerank(query, segments)]
    if len(scores) != len(groups):
        raise ParameterError(
            f"the reranker returned {len(scores)} scores for {len(groups)} passages"
        )
    given = [score for score in scores if math.isfinite(score)]
    if len(given) < len(scores):
        warnings.warn(
            f"the reranker gave {len(scores) - len(given)} of {len(scores)} passages no finite "
            f"score: {'they come last' if given else 'the first stage decides'}",
            stacklevel=4,
        )
    if not given:
        return order
    lowest = min(given)
    judged = sorted(
        zip(scores, groups.values(), strict=True),
        key=lambda pair: -pair[0] if math.isfinite(pair[0]) else math.inf,
    )
    return [
        (row, score if math.isfinite(score) else lowest)
        for score, rows in judged
        for row, _ in rows
    ]


def _number(score: object) -> float:
    if isinstance(score, bool) or not isinstance(score, numbers.Real):
        raise ParameterError(f"the reranker returned {score!r}, which is no number")
    return float(score)
