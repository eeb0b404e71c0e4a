"""How well a corpus is found: measures of its rankings, and what became of each case."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.checks import real_number, whole_number
from irengine.errors import ParameterError, nearest
from irengine.eval.cases import (
    DiscoveryCase,
    check_cases,
    grades_of,
    query_id,
    to_qrels,
    write_json_lines,
)
from irengine.eval.equivalence import Equivalents, class_of, merged_grades
from irengine.eval.intervals import (
    DFLT_CONFIDENCE,
    PairedComparison,
    bootstrap_intervals,
    paired_comparison,
)
from irengine.eval.metrics import (
    DFLT_K_VALUES,
    DFLT_METRICS,
    RetrievalEvalReport,
    check_depths,
    check_metrics,
    evaluate_retrieval,
    mean_metrics,
    measure,
)
from irengine.eval.running import (
    DFLT_MODE,
    Latency,
    as_doc_retriever,
    search_options,
    timed_rankings,
)
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "FAILURE_CLASSES",
    "CaseOutcome",
    "DiscoveryReport",
    "compare_reports",
    "evaluate_discovery",
    "retrieval_report",
]

FAILURE_CLASSES = (
    "hit_rank_1",
    "surfaced_low_rank",
    "retrieval_miss",
    "abstention_ok",
    "false_action",
    "abstention_unscored",
)
"""What can become of a case: its gold is first, further down, or not found; and, of a case that
nothing answers, the best hit is below the threshold, above it, or there is no threshold."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What became of one case.

    Attributes:
        query_id, query, gold: the case; ``query_id`` tells its position.
        outcome: one of :data:`FAILURE_CLASSES`.
        rank: of the first gold artifact, 0 when it is not in the ranking.
        ranking: the artifact ids found, best first.
        scores: their scores.
        metrics: the measures of this case; empty without gold.
        milliseconds: how long the search took.
    """

    query_id: str
    query: str
    gold: tuple[str, ...]
    outcome: str
    rank: int
    ranking: tuple[str, ...]
    scores: tuple[float, ...]
    metrics: Mapping[str, float] = field(default_factory=dict)
    milliseconds: float = field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "query_id": self.query_id,
            "query": self.query,
            "gold": list(self.gold),
            "outcome": self.outcome,
            "rank": self.rank,
            "ranking": [list(pair) for pair in zip(self.ranking, self.scores, strict=True)],
            "metrics": dict(self.metrics),
            "milliseconds": self.milliseconds,
        }


@dataclass(frozen=True, slots=True)
class DiscoveryReport:
    """How well a corpus was found.

    Attributes:
        retrieval: the measures, over the cases with gold.
        failure_classes: how many cases each of :data:`FAILURE_CLASSES` has; those of none left out.
        n_cases, n_gold, n_abstention: how many cases, with gold and without.
        primary_k: the depth of the headline figure and of a miss.
        abstention_accuracy: the share of cases without gold that were below the threshold;
            ``None`` without a threshold, or such cases.
        mode: how was searched.
        vd_degraded: whether words could not be searched; they always can.
        intervals: ``{"ndcg@10": (low, high), …}`` of each mean, by resampling the queries.
        latency: how long the searches took.
        outcomes: what became of each case, in their order.
    """

    retrieval: RetrievalEvalReport
    failure_classes: dict[str, int]
    n_cases: int
    n_gold: int
    n_abstention: int
    primary_k: int = 10
    abstention_accuracy: float | None = None
    mode: str = DFLT_MODE
    vd_degraded: bool = False
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    latency: Latency | None = None
    outcomes: tuple[CaseOutcome, ...] = field(default=(), repr=False)

    @property
    def primary(self) -> float | None:
        """The nDCG at ``primary_k``; ``None`` when no case has gold."""
        return self.retrieval.primary_at(self.primary_k)

    def failures(self, *classes: str) -> list[CaseOutcome]:
        """Return the outcomes of these classes, by default misses and false actions."""
        wanted = classes or ("retrieval_miss", "false_action")
        return [outcome for outcome in self.outcomes if outcome.outcome in wanted]

    def save_outcomes(self, path: str | os.PathLike[str]) -> None:
        """Write every outcome as one JSON line, after one that says what was measured."""
        told = {"mode": self.mode, "primary_k": self.primary_k, "n_cases": self.n_cases}
        write_json_lines((outcome.to_dict() for outcome in self.outcomes), path, told)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; the outcomes of the cases are not in it."""
        return {
            "mode": self.mode,
            "n_cases": self.n_cases,
            "n_gold": self.n_gold,
            "n_abstention": self.n_abstention,
            "primary_k": self.primary_k,
            "primary": self.primary,
            "metrics": dict(self.retrieval.metrics),
            "intervals": {name: list(pair) for name, pair in self.intervals.items()},
            "failure_classes": dict(self.failure_classes),
            "abstention_accuracy": self.abstention_accuracy,
            "latency_ms": None if self.latency is None else self.latency.to_dict(),
            "vd_degraded": self.vd_degraded,
        }

    def __str__(self) -> str:
        primary = "n/a" if self.primary is None else f"{self.primary:.4f}"
        lines = [
            f"DiscoveryReport — {self.n_cases} cases ({self.n_gold} gold, "
            f"{self.n_abstention} abstention)",
            f"  mode: {self.mode}",
            f"  primary NDCG@{self.primary_k}: {primary}",
        ]
        for name, value in self.retrieval.metrics.items():
            low, high = self.intervals.get(name, (value, value))
            lines.append(f"    {name}: {value:.4f}  [{low:.4f}, {high:.4f}]")
        lines.append("  failure classes:")
        counted = sorted(self.failure_classes.items(), key=lambda pair: (-pair[1], pair[0]))
        lines += [f"    {name}: {count}" for name, count in counted]
        if self.abstention_accuracy is not None:
            lines.append(f"  abstention accuracy: {self.abstention_accuracy:.4f}")
        if self.latency is not None:
            lines.append(
                f"  latency: {self.latency.p50:.1f} ms median, {self.latency.p95:.1f} ms p95"
            )
        return "\n".join(lines)


def retrieval_report(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    k_values: Iterable[int] = DFLT_K_VALUES,
    metrics: Iterable[str] = DFLT_METRICS,
    mode: str = DFLT_MODE,
    surfaces: Iterable[str] | None = None,
    limit: int | None = None,
    **search_kw: Any,
) -> RetrievalEvalReport:
    """Measure the rankings of a corpus over the cases that have gold.

    Args:
        corpus: an open corpus, or the name of one.
        cases: the questions.
        k_values, metrics, limit: see :func:`evaluate_retrieval`.
        mode, surfaces, **search_kw: see :func:`irengine.retrieve.search`; a hybrid search is fused
            as ``discover`` does it.

    Raises:
        ParameterError: when no case has gold, or for an argument out of range.
        CorpusNotFound: for a name nothing is built under.
    """
    retriever = as_doc_retriever(corpus, mode=mode, surfaces=surfaces, **search_kw)
    queries, qrels = to_qrels(check_cases(cases))
    return evaluate_retrieval(
        retriever, qrels, queries, k_values=k_values, metrics=metrics, limit=limit
    )


def evaluate_discovery(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    k_values: Iterable[int] = DFLT_K_VALUES,
    primary_k: int = 10,
    metrics: Iterable[str] = DFLT_METRICS,
    mode: str = DFLT_MODE,
    surfaces: Iterable[str] | None = None,
    abstain_threshold: float | None = None,
    equivalents: Equivalents = None,
    confidence: float = DFLT_CONFIDENCE,
    seed: int = 0,
    clock: Callable[[], float] | None = None,
    **search_kw: Any,
) -> DiscoveryReport:
    """Measure how well a corpus is found, and say what became of each case.

    Each case is searched once. The measures are those of :func:`retrieval_report`.

    Args:
        corpus: an open corpus, or the name of one.
        cases: the questions, with and without answers.
        k_values: the depths measured at, besides ``primary_k``.
        primary_k: the depth of the headline figure; gold further down is missed.
        metrics: names in :data:`~irengine.eval.metrics.RETRIEVAL_METRICS`.
        mode, surfaces, **search_kw: see :func:`irengine.retrieve.search`; a hybrid search is fused
            as ``discover`` does it.
        abstain_threshold: a case without gold is right when its best score is below this.
        equivalents: groups of artifact ids that are the same thing: each counts as one artifact,
            and any of its members as found (:func:`equivalent_artifacts` finds groups).
        confidence, seed: of the intervals.
        clock: seconds, for the latency.

    Raises:
        ParameterError: an unknown metric, or an argument out of range.
        CorpusNotFound: for a name nothing is built under.
    """
    primary_k = whole_number("primary_k", primary_k, least=1)
    depths = check_depths([*check_depths(k_values), primary_k])
    names = check_metrics(metrics)
    options = search_options(mode, surfaces, search_kw)
    confidence = real_number("confidence", confidence, above=0.0, least=0.0, most=1.0)
    seed = whole_number("seed", seed, least=0)
    if abstain_threshold is not None:
        abstain_threshold = real_number("abstain_threshold", abstain_threshold)
    representative = class_of(equivalents)
    listed = check_cases(cases)
    opened = as_corpus(corpus)

    def ask(query: str) -> list[SearchHit]:
        return search(opened, query, k=max(depths), **options)

    rankings, seconds = timed_rankings(ask, [case.query for case in listed], clock)
    outcomes = []
    for position, (case, hits) in enumerate(zip(listed, rankings, strict=True)):
        classes = [representative(hit.artifact_id) for hit in hits]
        grades = merged_grades(grades_of(case), representative)
        rank = next((i for i, name in enumerate(dict.fromkeys(classes), 1) if name in grades), 0)
        outcomes.append(
            CaseOutcome(
                query_id(position),
                case.query,
                case.gold,
                _outcome(case, rank, hits, primary_k, abstain_threshold),
                rank,
                tuple(hit.artifact_id for hit in hits),
                tuple(float(hit.score) for hit in hits),
                measure(classes, grades, depths, names) if case.gold else {},
                1000.0 * seconds[position],
            )
        )
    latency = Latency.of(seconds)
    return _report(outcomes, depths, primary_k, mode, abstain_threshold, latency, confidence, seed)


def compare_reports(
    baseline: DiscoveryReport | RetrievalEvalReport,
    candidate: DiscoveryReport | RetrievalEvalReport,
    metric: str = "ndcg@10",
    **options: Any,
) -> PairedComparison:
    """Compare two reports over the same cases by one measure, query by query.

    Args:
        baseline, candidate: the reports.
        metric: a measure at a depth that both have.
        **options: see :func:`paired_comparison`.

    Raises:
        ParameterError: when they are not over the same queries, or do not have the measure.
    """
    before, after = (
        (report.retrieval if isinstance(report, DiscoveryReport) else report).per_query
        for report in (baseline, candidate)
    )
    if before.keys() != after.keys():
        raise ParameterError("the two reports are not over the same queries")
    for rows in (before, after):
        for row in rows.values():
            if metric not in row:
                raise ParameterError(
                    f"{metric!r} was not measured; there are {', '.join(row)}",
                    hint=nearest(metric, row),
                )
    columns = ([rows[query][metric] for query in before] for rows in (before, after))
    return paired_comparison(*columns, **options)


def _outcome(
    case: DiscoveryCase,
    rank: int,
    hits: Sequence[SearchHit],
    primary_k: int,
    threshold: float | None,
) -> str:
    if case.gold:
        if not 1 <= rank <= primary_k:
            return "retrieval_miss"
        return "hit_rank_1" if rank == 1 else "surfaced_low_rank"
    if threshold is None:
        return "abstention_unscored"
    return "false_action" if hits and hits[0].score >= threshold else "abstention_ok"


def _report(
    outcomes: Sequence[CaseOutcome],
    depths: tuple[int, ...],
    primary_k: int,
    mode: str,
    threshold: float | None,
    latency: Latency | None,
    confidence: float,
    seed: int,
) -> DiscoveryReport:
    counted = Counter(outcome.outcome for outcome in outcomes)
    per_query = {o.query_id: dict(o.metrics) for o in outcomes if o.gold}
    means = mean_metrics(per_query)
    columns = {name: [row[name] for row in per_query.values()] for name in means}
    n_abstention = len(outcomes) - len(per_query)
    accuracy = None
    if threshold is not None and n_abstention:
        accuracy = counted["abstention_ok"] / n_abstention
    return DiscoveryReport(
        retrieval=RetrievalEvalReport(means, per_query, len(per_query), depths),
        failure_classes={name: counted[name] for name in FAILURE_CLASSES if counted[name]},
        n_cases=len(outcomes),
        n_gold=len(per_query),
        n_abstention=n_abstention,
        primary_k=primary_k,
        abstention_accuracy=accuracy,
        mode=mode,
        intervals=bootstrap_intervals(columns, confidence=confidence, seed=seed),
        latency=latency,
        outcomes=tuple(outcomes),
    )
