"""Measures of a ranking against judgements, with binary positives: a grade above 0 is relevant.

Each takes ``(ranking, grades, k)``: artifact ids best first, where only the first place of an id
counts; ``{id: grade}``; and the depth. They are those of trec_eval (``ndcg_cut``, ``recall``,
``P``, ``map_cut``, and ``recip_rank`` of the first ``k``), and are kept here because the library
that has them for Python brings scipy along.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from irengine.checks import having, mapping, members, whole_number
from irengine.errors import ParameterError, nearest

__all__ = [
    "DFLT_K_VALUES",
    "DFLT_METRICS",
    "RETRIEVAL_METRICS",
    "Grades",
    "RetrievalEvalReport",
    "average_precision",
    "check_depths",
    "check_metrics",
    "dcg",
    "evaluate_retrieval",
    "mean_metrics",
    "measure",
    "ndcg",
    "precision",
    "recall",
    "reciprocal_rank",
]

DFLT_K_VALUES = (1, 5, 10)
DFLT_METRICS = ("ndcg", "recall", "precision", "mrr", "map")

Grades = Mapping[str, float]
"""``{artifact id: grade}`` of one query."""


def dcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return the discounted cumulative gain, ``Σ grade_i / log2(i + 1)`` over ranks 1 to ``k``.

    The gain is the grade itself, and 0 for a negative one (Järvelin and Kekäläinen, TOIS 2002).
    """
    return sum(
        max(0.0, grades.get(artifact, 0.0)) / math.log2(rank + 1)
        for rank, artifact in enumerate(ranking[: max(0, k)], 1)
    )


def ndcg(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return the gain as a share of that of the best ranking; 0 where nothing is relevant."""
    best = sorted(_relevant(grades), key=lambda artifact: -grades[artifact])
    ideal = dcg(best, grades, k)
    return dcg(_first(ranking, k), grades, k) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return which share of what is relevant is among the first ``k``."""
    relevant = _relevant(grades)
    return len(relevant.intersection(_first(ranking, k))) / len(relevant) if relevant else 0.0


def precision(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return which share of the first ``k`` places holds something relevant."""
    found = _relevant(grades).intersection(_first(ranking, k))
    return len(found) / k if k > 0 else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return 1 / rank of the first that is relevant; 0 when it is not among the first ``k``."""
    relevant = _relevant(grades)
    for rank, artifact in enumerate(_first(ranking, k), 1):
        if artifact in relevant:
            return 1.0 / rank
    return 0.0


def average_precision(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Return the precision at each relevant one of the first ``k``, summed, over all relevant."""
    relevant = _relevant(grades)
    found, total = 0, 0.0
    for rank, artifact in enumerate(_first(ranking, k), 1):
        if artifact in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else 0.0


RETRIEVAL_METRICS: Mapping[str, Callable[[Sequence[str], Grades, int], float]] = {
    "ndcg": ndcg,
    "recall": recall,
    "precision": precision,
    "mrr": reciprocal_rank,
    "map": average_precision,
}
"""The measures by name."""


@dataclass(frozen=True, slots=True)
class RetrievalEvalReport:
    """Measures of a retriever over a set of queries.

    Attributes:
        metrics: ``{"ndcg@10": mean, …}``; empty when no query has anything relevant.
        per_query: ``{query id: {"ndcg@10": value, …}}``.
        n_queries: how many queries were measured.
        k_values: the depths, ascending.
        distractor_hits: ``{query id: [ids]}`` of known distractors found, where any were given.
    """

    metrics: dict[str, float]
    per_query: dict[str, dict[str, float]]
    n_queries: int
    k_values: tuple[int, ...]
    distractor_hits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def primary(self) -> float | None:
        """The nDCG at 10; ``None`` when it was not measured."""
        return self.primary_at(10)

    def primary_at(self, k: int) -> float | None:
        """Return the nDCG at ``k``; ``None`` when it was not measured."""
        return self.metrics.get(f"ndcg@{k}")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "metrics": dict(self.metrics),
            "per_query": {query: dict(row) for query, row in self.per_query.items()},
            "n_queries": self.n_queries,
            "k_values": list(self.k_values),
            "distractor_hits": dict(self.distractor_hits),
        }


def evaluate_retrieval(
    retriever: Callable[..., Iterable[str]],
    qrels: Mapping[str, Grades],
    queries: Mapping[str, str],
    *,
    k_values: Iterable[int] = (1, 5, 10, 100),
    metrics: Iterable[str] = DFLT_METRICS,
    limit: int | None = None,
) -> RetrievalEvalReport:
    """Measure ``retriever(query, limit=n) -> artifact ids`` over judged queries.

    A query counts when it has a text and something relevant; means are over those, in the order
    of ``queries``.

    Args:
        retriever: called once a query.
        qrels: ``{query id: {artifact id: grade}}``.
        queries: ``{query id: text}``.
        k_values: the depths measured at.
        metrics: names in :data:`RETRIEVAL_METRICS`.
        limit: how many ids are asked for; by default the greatest depth.

    Raises:
        ParameterError: an unknown metric, a depth below 1, or no query to measure.
    """
    depths, names = check_depths(k_values), check_metrics(metrics)
    wanted = max(depths) if limit is None else whole_number("limit", limit, least=1)
    having("retriever", retriever, "__call__", "a function of a query")
    mapping("qrels", qrels, "of query id to grades")
    mapping("queries", queries, "of query id to text")
    per_query = {
        query_id: measure(list(retriever(text, limit=wanted)), qrels[query_id], depths, names)
        for query_id, text in queries.items()
        if _relevant(qrels.get(query_id, {}))
    }
    if not per_query:
        raise ParameterError(
            "no query has both a text and something relevant",
            hint="check that the ids of queries and judgements agree",
        )
    return RetrievalEvalReport(mean_metrics(per_query), per_query, len(per_query), depths)


def measure(
    ranking: Sequence[str], grades: Grades, depths: Iterable[int], metrics: Iterable[str]
) -> dict[str, float]:
    """Return ``{"ndcg@10": value, …}`` of one ranking, metric by metric."""
    once, depths = list(dict.fromkeys(ranking)), tuple(depths)
    return {
        f"{name}@{k}": RETRIEVAL_METRICS[name](once, grades, k) for name in metrics for k in depths
    }


def mean_metrics(per_query: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the queries; ``{}`` for no queries."""
    rows = list(per_query.values())
    if not rows:
        return {}
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def check_depths(k_values: Iterable[int]) -> tuple[int, ...]:
    """Return the depths ascending, each once.

    Raises:
        ParameterError: for none, or one that is no whole number of at least 1.
    """
    given = members("k_values", k_values, object, "depths")
    depths = sorted({whole_number("k_values", k, least=1) for k in given})
    if not depths:
        raise ParameterError("k_values is empty; give at least one depth")
    return tuple(depths)


def check_metrics(metrics: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the metrics, each once.

    Raises:
        ParameterError: for one that is not in :data:`RETRIEVAL_METRICS`.
    """
    names = [metrics] if isinstance(metrics, str) else members("metrics", metrics, str, "names")
    for name in names:
        if name not in RETRIEVAL_METRICS:
            raise ParameterError(
                f"Unknown metric {name!r}; metrics are {', '.join(RETRIEVAL_METRICS)}",
                hint=nearest(str(name), RETRIEVAL_METRICS),
            )
    return tuple(dict.fromkeys(names))


def _relevant(grades: Grades) -> set[str]:
    return {artifact for artifact, grade in grades.items() if grade > 0}


def _first(ranking: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(ranking))[: max(0, k)]
