"""From channels to one ranked pool of rows: fusion, surface weights, depth.

The depth is how many *records* each channel contributes. It starts where the caller's ``k`` or
``fetch_k`` says and, when hits are collapsed by artifact, grows until ``k`` artifacts are found
or the candidates are exhausted: one long document cannot crowd out the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from irengine.retrieve.balance import Balance, balance_of
from irengine.retrieve.channels import Channel, LexicalChannel
from irengine.retrieve.fusion import blend, by_score, reciprocal_ranks

if TYPE_CHECKING:
    from irengine.retrieve.params import SearchParams

__all__ = ["Pool", "QueryChannels", "Ranking", "collapse", "ranked_pool"]

_GROWTH = 4


@dataclass(frozen=True, slots=True)
class QueryChannels:
    """One query text, and the channels that scored the ``n`` candidates for it.

    ``trust`` is what the embedder is worth on the query.
    """

    query: str
    dense: Channel | None
    lexical: LexicalChannel | None
    n: int
    trust: float = 1.0

    @property
    def deepest(self) -> int:
        """The number of rows of the larger channel: no greater depth changes anything."""
        return max((len(c.rows) for c in (self.dense, self.lexical) if c is not None), default=0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query's ranking at one depth; every mapping is ``row -> score``, best first.

    ``dense`` and ``lexical`` are what the channels contributed, ``fused`` what came of them,
    ``order`` the same after surface weights; ``balance`` is how they were weighed, where they
    were.
    """

    channels: QueryChannels
    dense: dict[int, float]
    lexical: dict[int, float]
    fused: dict[int, float]
    order: dict[int, float]
    balance: Balance | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """The rows a search goes on with, best first, and the rankings they come from."""

    rows: list[tuple[int, float]]
    rankings: list[Ranking]


def ranked_pool(
    queries: Sequence[QueryChannels],
    params: SearchParams,
    *,
    weights: np.ndarray | None,
    artifacts: np.ndarray,
) -> Pool:
    """Rank the candidates for one query, or for several whose rankings are fused by rank.

    Several queries score ``Σ 1 / (rrf_k + rank)`` over their rankings, all of the same depth and
    weight: agreement counts, and no query is favoured by its place in the list.

    Args:
        queries: what to rank for.
        params: the search.
        weights: surface weight of each row, float64 ``(n,)``; ``None`` = all 1.
        artifacts: artifact code of each row, int64 ``(n,)``.
    """
    depth = fetch = _first_depth(params, weighted=weights is not None)
    # The union of several rankings is cut at the depth too: only the sum exhausts it.
    deepest = sum(query.deepest for query in queries)
    wanted: int | None = None
    while True:
        rankings = [_rank(query, params, depth, weights) for query in queries]
        order = _merge(rankings, params, depth)
        if not params.per_artifact or params.fetch_k is not None or depth >= deepest:
            break
        found = len(collapse(order, artifacts))
        if wanted is None and found < params.k:
            wanted = min(params.k, _artifact_count(queries, artifacts))
        if wanted is None or found >= wanted:
            break
        depth *= _GROWTH
    if depth > fetch:
        order = _with_new_artifacts(order, fetch, params.k, artifacts)
    return Pool(order, rankings)


def _first_depth(params: SearchParams, *, weighted: bool) -> int:
    if params.fetch_k is not None:
        return params.fetch_k
    reordered = weighted or params.rerank is not None or params.dep_boost is not None
    return max(5 * params.k, 50) if params.per_artifact or reordered else params.k


def _rank(
    query: QueryChannels, params: SearchParams, depth: int, weights: np.ndarray | None
) -> Ranking:
    dense = {} if query.dense is None else query.dense.best(depth)
    lexical = {} if query.lexical is None else query.lexical.best(depth)
    balance = None
    if params.mode == "dense":
        fused = dense
    elif params.mode == "lexical":
        fused = lexical
    elif params.fusion == "convex":
        fused, balance = _weighed(query, list(dense | lexical), params)
    elif params.fusion == "rrf":
        fused = dict(by_score(reciprocal_ranks([dense, lexical], rrf_k=params.rrf_k)))
    else:
        fused = dict(
            by_score(blend(dense, lexical, alpha=params.alpha, bm25_sat_k=params.bm25_sat_k))
        )
    # Weights come before the cut: a weighted-up row just below it must still get in.
    order = fused
    if weights is not None:
        order = dict(by_score({row: score * float(weights[row]) for row, score in fused.items()}))
    best = dict(islice(order.items(), min(depth, len(order))))
    return Ranking(query, dense, lexical, fused, best, balance)


def _weighed(
    query: QueryChannels, rows: list[int], params: SearchParams
) -> tuple[dict[int, float], Balance]:
    """Return the score of each of ``rows``, best first, equal ones as they were; and the shares."""
    assert query.dense is not None and query.lexical is not None  # a hybrid search has both
    balance = balance_of(
        query.dense,
        query.lexical,
        n=query.n,
        trust=query.trust,
        alpha=params.alpha,
        bm25_sat_k=params.bm25_sat_k,
    )
    at = np.array(rows, dtype=np.int64)
    scores = balance.scores(query.dense.scores_of(at), query.lexical.scores_of(at))
    order = np.argsort(-scores, kind="stable")
    return dict(zip(at[order].tolist(), scores[order].tolist(), strict=True)), balance


def _merge(rankings: list[Ranking], params: SearchParams, depth: int) -> list[tuple[int, float]]:
    if len(rankings) == 1:
        return list(rankings[0].order.items())
    fused = reciprocal_ranks([ranking.order for ranking in rankings], rrf_k=params.rrf_k)
    return by_score(fused)[:depth]


def _artifact_count(queries: Sequence[QueryChannels], artifacts: np.ndarray) -> int:
    channels = [c for query in queries for c in (query.dense, query.lexical) if c is not None]
    return len(np.unique(np.concatenate([artifacts[channel.rows] for channel in channels])))


def _with_new_artifacts(
    order: list[tuple[int, float]], fetch: int, k: int, artifacts: np.ndarray
) -> list[tuple[int, float]]:
    """Keep the first ``fetch`` rows, then only rows of artifacts not seen yet, up to ``k``.

    What is left out could only repeat an artifact; a reranker is spared scoring it.
    """
    kept = order[:fetch]
    seen = {int(artifacts[row]) for row, _ in kept}
    for row, score in order[fetch:]:
        if len(seen) >= k:
            break
        if (artifact := int(artifacts[row])) not in seen:
            seen.add(artifact)
            kept.append((row, score))
    return kept


def collapse(order: Sequence[tuple[int, float]], artifacts: np.ndarray) -> list[tuple[int, float]]:
    """Keep the first row of each artifact; ``order`` is best first, so the first is the best."""
    first: dict[int, tuple[int, float]] = {}
    codes = artifacts[[row for row, _ in order]] if order else artifacts[:0]
    for artifact, ranked in zip(codes.tolist(), order, strict=True):
        first.setdefault(artifact, ranked)
    return list(first.values())
