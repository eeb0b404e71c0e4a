"""Say how the score of a hit came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irengine.retrieve.channels import Channel, lexical_parts
from irengine.retrieve.ranking import Pool, Ranking

if TYPE_CHECKING:
    from irengine.retrieve.candidates import Candidates
    from irengine.retrieve.params import SearchParams
    from irengine.store import Snapshot

__all__ = ["explain_rows"]


def explain_rows(
    pool: Pool,
    rows: Sequence[int],
    params: SearchParams,
    snapshot: Snapshot,
    among: Candidates,
) -> dict[int, dict[str, Any]]:
    """Return the first-stage explanation of each of ``rows``.

    Keys: ``mode``; ``fusion`` (``None`` unless hybrid); ``dense`` with ``score`` (cosine) and
    ``rank``; ``lexical`` with ``score`` (BM25), ``rank`` and ``terms`` (what each matched term
    adds); ``first_stage``, the score before surface weights. A channel that did not score the
    row is ``None``; a rank that is ``None`` lies below the depth of the channel, which then
    added nothing. With several queries the channels are those of the query that ranks the row
    best, ``queries`` has the rank for each, and ``first_stage`` is that query's.
    """
    best = {row: _ranked_best(pool.rankings, row) for row in rows}
    explained: dict[int, dict[str, Any]] = {}
    for ranking in pool.rankings:
        mine = [row for row in rows if best[row] is ranking]
        terms = _terms(ranking, mine, params, snapshot, among)
        for row in mine:
            entry: dict[str, Any] = {
                "mode": params.mode,
                "fusion": params.fusion if params.mode == "hybrid" else None,
                "dense": _part(ranking.channels.dense, ranking.dense, row),
                "lexical": _part(ranking.channels.lexical, ranking.lexical, row),
                "first_stage": ranking.fused.get(row),
            }
            if entry["lexical"] is not None:
                entry["lexical"]["terms"] = terms[row]
            if len(pool.rankings) > 1:
                entry["queries"] = [
                    {"query": other.channels.query, "rank": _rank(other.order, row)}
                    for other in pool.rankings
                ]
            explained[row] = entry
    return explained


def _ranked_best(rankings: Sequence[Ranking], row: int) -> Ranking:
    def place(ranking: Ranking) -> float:
        rank = _rank(ranking.order, row)
        return float("inf") if rank is None else rank

    return rankings[0] if len(rankings) == 1 else min(rankings, key=place)


def _rank(order: dict[int, float], row: int) -> int | None:
    if row not in order:
        return None
    return next(rank for rank, other in enumerate(order, 1) if other == row)


def _part(channel: Channel | None, best: dict[int, float], row: int) -> dict[str, Any] | None:
    score = None if channel is None else channel.score_of(row)
    return None if score is None else {"score": score, "rank": _rank(best, row)}


def _terms(
    ranking: Ranking,
    rows: list[int],
    params: SearchParams,
    snapshot: Snapshot,
    among: Candidates,
) -> dict[int, dict[str, float]]:
    channels = ranking.channels
    if not rows or channels.lexical is None or not channels.terms:
        return {row: {} for row in rows}
    parts = lexical_parts(snapshot, channels.terms, rows, among, k1=params.k1, b=params.b)
    return dict(zip(rows, parts, strict=True))
