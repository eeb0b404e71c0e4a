"""Put rankings together: two small formulas over lists of row numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

__all__ = ["blend", "by_score", "reciprocal_ranks", "saturate"]

K = TypeVar("K", bound=Hashable)


def reciprocal_ranks(rankings: Iterable[Iterable[K]], *, rrf_k: float) -> dict[K, float]:
    """Return the reciprocal rank fusion of ``rankings`` (each best first, without repetitions).

    ``score(x) = Σ 1 / (rrf_k + rank)`` over the lists that hold ``x``, rank counted from 1
    (Cormack, Clarke and Büttcher, SIGIR 2009). Every list weighs the same; an empty list adds
    nothing, so one list alone scores ``1 / (rrf_k + rank)``. Keys are in order of first
    appearance, which is what :func:`by_score` keeps among equals.
    """
    scores: dict[K, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (rrf_k + rank)
    return scores


def saturate(bm25: float, *, bm25_sat_k: float) -> float:
    """Map a BM25 score to [0, 1): ``b / (b + bm25_sat_k)``; 0 for ``b <= 0``."""
    return bm25 / (bm25 + bm25_sat_k) if bm25 > 0 else 0.0


def blend(
    dense: Mapping[K, float], lexical: Mapping[K, float], *, alpha: float, bm25_sat_k: float
) -> dict[K, float]:
    """Return ``alpha * cosine + (1 - alpha) * saturate(bm25)`` over the union of both.

    A score that is missing on one side counts as 0, and so does a whole side that is empty:
    the scale never depends on the query. Keys are in order of ``dense``, then ``lexical``.
    """
    scores = {item: alpha * cosine for item, cosine in dense.items()}
    for item, bm25 in lexical.items():
        lexical_part = (1.0 - alpha) * saturate(bm25, bm25_sat_k=bm25_sat_k)
        scores[item] = scores.get(item, 0.0) + lexical_part
    return scores


def by_score(scores: Mapping[K, float]) -> list[tuple[K, float]]:
    """Return the items best first; equal scores keep the order of the mapping."""
    return sorted(scores.items(), key=lambda pair: -pair[1])
