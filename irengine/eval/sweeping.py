"""Which settings of a selection suit a corpus best: all combinations, from one search a case."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.checks import members, real_number, whole_number
from irengine.errors import ParameterError, nearest
from irengine.eval.cases import DiscoveryCase, check_cases
from irengine.eval.equivalence import Equivalents
from irengine.eval.running import DFLT_MODE
from irengine.eval.selecting import SelectionReport, found_for, question_of, selection_report
from irengine.retrieve.handles import as_corpus
from irengine.select.discovering import DFLT_FETCH_K
from irengine.select.selection import DFLT_GAP_RATIO, Selector, check_strategy, strategy_name

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "DFLT_SWEEP_MAX_K",
    "DFLT_SWEEP_MIN_SCORE",
    "DFLT_SWEEP_OBJECTIVE",
    "DFLT_SWEEP_REL",
    "SWEEP_METRICS",
    "SelectionGridPoint",
    "SelectionSweep",
    "sweep_selector",
]

DFLT_SWEEP_MAX_K = (1, 2, 3, 5, 8)
DFLT_SWEEP_REL = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DFLT_SWEEP_MIN_SCORE: tuple[float | None, ...] = (None,)
DFLT_SWEEP_OBJECTIVE = "selection_f1"
SWEEP_METRICS = (
    "selection_f1",
    "selection_precision",
    "selection_recall",
    "conditional_commit_rate",
    "abstention_accuracy",
    "mean_selected_size",
)
"""What settings can be compared by; the size is better small, the others large."""

_SMALLER_IS_BETTER = frozenset({"mean_selected_size"})
_WIDTH = 11


@dataclass(frozen=True, slots=True)
class SelectionGridPoint:
    """One combination of settings and how it did."""

    max_k: int
    rel: float
    min_score: float | None
    report: SelectionReport

    @property
    def params(self) -> dict[str, Any]:
        """The settings, as arguments of ``discover``."""
        return {"max_k": self.max_k, "rel": self.rel, "min_score": self.min_score}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**self.params, "report": self.report.to_dict()}


@dataclass(frozen=True, slots=True)
class SelectionSweep:
    """All combinations of settings; ``points`` by ``max_k``, then ``rel``, then ``min_score``."""

    points: tuple[SelectionGridPoint, ...]
    objective: str
    strategy: str
    mode: str
    k: int
    n_cases: int
    n_gold: int
    n_abstention: int
    n_gold_retrieved: int

    def best(
        self, metric: str | None = None, *, minimize: bool | None = None
    ) -> SelectionGridPoint:
        """Return the best settings by ``metric``, by default the objective.

        A figure that is ``None`` is the worst. Ties go to the smaller mean size, then the smaller
        ``max_k``, then the larger ``rel``.

        Args:
            metric: one of :data:`SWEEP_METRICS`.
            minimize: whether less is better; by default only for ``mean_selected_size``.

        Raises:
            ParameterError: for an unknown metric, or a sweep without points.
        """
        return min(self._points(), key=self._order(metric, minimize))

    def frontier(
        self, *, x: str = "selection_recall", y: str = "selection_precision"
    ) -> list[SelectionGridPoint]:
        """Return the points that no other beats in both figures, ``x`` ascending.

        Of points that are equal in both the first counts; those without a figure are left out.
        """
        good_x, good_y = _good(_metric(x), None), _good(_metric(y), None)
        rated = []
        for point in self._points():
            on_x, on_y = good_x(point), good_y(point)
            if on_x is not None and on_y is not None:
                rated.append((on_x, on_y, point))
        kept: list[SelectionGridPoint] = []
        highest = float("-inf")
        for _, on_y, point in sorted(rated, key=lambda row: (-row[0], -row[1])):
            if on_y > highest:
                kept.append(point)
                highest = on_y
        return sorted(kept, key=lambda point: float(getattr(point.report, x)))

    def table(self, *, sort_by: str | None = None) -> str:
        """Return the settings as a table, best first by ``sort_by`` or the objective."""
        points = sorted(self._points(), key=self._order(sort_by, None))
        floors = any(point.min_score is not None for point in points)
        names = ["max_k", "rel", *(["min_score"] if floors else [])]
        names += ["cond_commit", "precision", "recall", "F1", "sel_size"]
        rows = [names]
        for point in points:
            report = point.report
            rows.append(
                [
                    str(point.max_k),
                    f"{point.rel:g}",
                    *([_cell(point.min_score)] if floors else []),
                    _cell(report.conditional_commit_rate),
                    _cell(report.selection_precision),
                    _cell(report.selection_recall),
                    _cell(report.selection_f1),
                    _cell(report.mean_selected_size),
                ]
            )
        return "\n".join("  ".join(cell.rjust(_WIDTH) for cell in row) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the best point."""
        return {
            "objective": self.objective,
            "strategy": self.strategy,
            "mode": self.mode,
            "k": self.k,
            "n_cases": self.n_cases,
            "n_gold": self.n_gold,
            "n_abstention": self.n_abstention,
            "n_gold_retrieved": self.n_gold_retrieved,
            "best": self.best().to_dict(),
            "points": [point.to_dict() for point in self.points],
        }

    def __str__(self) -> str:
        best = self.best()
        floor = "" if best.min_score is None else f" min_score={best.min_score:g}"
        return "\n".join(
            [
                f"SelectionSweep — {len(self.points)} settings  ({self.strategy}, {self.mode}, "
                f"k={self.k})",
                f"  {self.n_cases} cases ({self.n_gold} gold, {self.n_abstention} abstention), "
                f"gold retrieved in {self.n_gold_retrieved}",
                f"  objective: {self.objective}",
                self.table(),
                f"  best ({self.objective}): max_k={best.max_k} rel={best.rel:g}{floor}  →  "
                f"{self.objective}={_cell(getattr(best.report, self.objective))}",
            ]
        )

    def _points(self) -> tuple[SelectionGridPoint, ...]:
        if not self.points:
            raise ParameterError("the sweep has no settings to compare")
        return self.points

    def _order(
        self, metric: str | None, minimize: bool | None
    ) -> Callable[[SelectionGridPoint], tuple[float, float, int, float]]:
        good = _good(_metric(self.objective if metric is None else metric), minimize)

        def key(point: SelectionGridPoint) -> tuple[float, float, int, float]:
            value = good(point)
            size = point.report.mean_selected_size
            return (
                float("inf") if value is None else -value,
                float("inf") if size is None else size,
                point.max_k,
                -point.rel,
            )

        return key


def sweep_selector(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    strategy: str | Selector = "conservative",
    mode: str = DFLT_MODE,
    k: int = DFLT_FETCH_K,
    surfaces: Iterable[str] | None = None,
    max_k_grid: Iterable[int] = DFLT_SWEEP_MAX_K,
    rel_grid: Iterable[float] = DFLT_SWEEP_REL,
    min_score_grid: Iterable[float | None] = DFLT_SWEEP_MIN_SCORE,
    gap_ratio: float = DFLT_GAP_RATIO,
    objective: str = DFLT_SWEEP_OBJECTIVE,
    dedup_by: str | None = "auto",
    equivalents: Equivalents = None,
    **search_kw: Any,
) -> SelectionSweep:
    """Measure :func:`evaluate_selection` for every combination of settings.

    Each case is searched once, whatever the size of the grid.

    Args:
        corpus: an open corpus, or the name of one.
        cases: the questions.
        max_k_grid, rel_grid, min_score_grid: the settings to combine.
        objective: the metric that :meth:`SelectionSweep.best` goes by.
        strategy, mode, k, surfaces, gap_ratio, dedup_by, equivalents, **search_kw: see
            :func:`evaluate_selection`.

    Raises:
        ParameterError: an empty grid, a value out of range, or an unknown objective.
        CorpusNotFound: for a name nothing is built under.
    """
    wanted, rels = (
        members(name, grid, object, "values")
        for name, grid in (("max_k_grid", max_k_grid), ("rel_grid", rel_grid))
    )
    most = [whole_number("max_k_grid", value, least=1) for value in wanted]
    shares = [real_number("rel_grid", value) for value in rels]
    floors = [
        None if value is None else real_number("min_score_grid", value)
        for value in members("min_score_grid", min_score_grid, object, "values")
    ]
    if not (most and shares and floors):
        raise ParameterError("a grid of the sweep is empty")
    for floor in floors:
        check_strategy(strategy, floor)
    question = question_of(mode, k, surfaces, dedup_by, search_kw, strategy, gap_ratio=gap_ratio)
    _metric(objective)
    listed = check_cases(cases)
    found = found_for(as_corpus(corpus), listed, question, equivalents)
    points = tuple(
        SelectionGridPoint(
            size,
            share,
            floor,
            selection_report(found, question, max_k=size, rel=share, min_score=floor),
        )
        for size, share, floor in itertools.product(most, shares, floors)
    )
    first = points[0].report
    return SelectionSweep(
        points,
        objective,
        strategy_name(strategy),
        mode,
        question.k,
        first.n_cases,
        first.n_gold,
        first.n_abstention,
        first.n_gold_retrieved,
    )


def _metric(name: str) -> str:
    if name not in SWEEP_METRICS:
        raise ParameterError(
            f"unknown metric {name!r}; metrics of a sweep are {', '.join(SWEEP_METRICS)}",
            hint=nearest(str(name), SWEEP_METRICS),
        )
    return name


def _good(name: str, minimize: bool | None) -> Callable[[SelectionGridPoint], float | None]:
    """Return how good a point is by a metric: larger is better."""
    less = name in _SMALLER_IS_BETTER if minimize is None else minimize

    def good(point: SelectionGridPoint) -> float | None:
        value: float | None = getattr(point.report, name)
        return value if value is None or not less else -value

    return good


def _cell(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"
