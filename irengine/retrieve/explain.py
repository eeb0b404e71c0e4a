"""Say how the score of a hit came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irengine.embed.trust import UNREADABLE
from irengine.retrieve.channels import Channel
from irengine.retrieve.ranking import Pool, Ranking

if TYPE_CHECKING:
    from irengine.retrieve.params import SearchParams

__all__ = ["explain_rows"]


def explain_rows(
    pool: Pool,
    rows: Sequence[int],
    params: SearchParams,
) -> dict[int, dict[str, Any]]:
    """Return the first-stage explanation of each of ``rows``.

    Keys: ``mode``; ``fusion`` (``None`` unless hybrid); ``dense`` with ``score`` (cosine),
    ``rank``, and ``readable`` false when the embedder does not know the script of the query;
    ``lexical`` with ``score`` (BM25), ``rank`` and ``terms`` (what each matched term adds);
    ``shares`` of the two, where they depend on the query; ``first_stage``, the score before
    surface weights. A channel that did not score the row is ``None``; a rank that is ``None``
    lies below the depth of the channel, which, but for ``"convex"``, then added nothing. With
    several queries the channels are those of the query that ranks the row best, ``queries`` has
    the rank for each, and ``first_stage`` is that query's.
    """
    # With one query there is nothing to choose; with several, ranks decide.
    places = [_ranks(r.order) for r in pool.rankings] if len(pool.rankings) > 1 else []
    best = {row: _ranked_best(places, row) for row in rows}
    explained: dict[int, dict[str, Any]] = {}
    for at, ranking in enumerate(pool.rankings):
        mine = [row for row in rows if best[row] == at]
        terms = _terms(ranking, mine)
        dense_ranks, lexical_ranks = _ranks(ranking.dense), _ranks(ranking.lexical)
        for row in mine:
            entry: dict[str, Any] = {
                "mode": params.mode,
                "fusion": params.fusion if params.mode == "hybrid" else None,
                "dense": _part(ranking.channels.dense, dense_ranks, row),
                "lexical": _part(ranking.channels.lexical, lexical_ranks, row),
                "first_stage": ranking.fused.get(row),
            }
            if ranking.balance is not None:
                entry["shares"] = {
                    "dense": ranking.balance.dense_share,
                    "lexical": ranking.balance.lexical_share,
                }
            if ranking.channels.trust <= UNREADABLE and entry["dense"] is not None:
                entry["dense"]["readable"] = False
            if entry["lexical"] is not None:
                entry["lexical"]["terms"] = terms[row]
            if places:
                entry["queries"] = [
                    {"query": other.channels.query, "rank": ranks.get(row)}
                    for other, ranks in zip(pool.rankings, places, strict=True)
                ]
            explained[row] = entry
    return explained


def _ranked_best(places: Sequence[Mapping[int, int]], row: int) -> int:
    """Return which ranking has ``row`` highest; the first when there is no other."""
    if not places:
        return 0
    return min(range(len(places)), key=lambda at: places[at].get(row, float("inf")))


def _ranks(best: Mapping[int, float]) -> dict[int, int]:
    return {row: rank for rank, row in enumerate(best, 1)}


def _part(channel: Channel | None, ranks: Mapping[int, int], row: int) -> dict[str, Any] | None:
    score = None if channel is None else channel.score_of(row)
    return None if score is None else {"score": score, "rank": ranks.get(row)}


def _terms(ranking: Ranking, rows: list[int]) -> dict[int, dict[str, float]]:
    lexical = ranking.channels.lexical
    parts = [] if lexical is None else lexical.terms_of(rows)
    return dict(zip(rows, parts, strict=False))
