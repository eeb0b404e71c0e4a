"""Calibrate the floor of a corpus: the score below which nothing is worth committing to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from irengine.checks import finite, members, real_number
from irengine.errors import ParameterError
from irengine.eval.cases import DiscoveryCase, check_cases
from irengine.eval.equivalence import Equivalents
from irengine.eval.floor_record import DFLT_MIN_YOUDEN_J, MinScoreCalibration
from irengine.eval.running import DFLT_MODE, search_options
from irengine.eval.selecting import found_for, question_of
from irengine.eval.thresholds import (
    FloorRates,
    best_floor,
    candidate_floors,
    floor_rates,
    held_out_rates,
)
from irengine.rerank import DFLT_RERANK_MAX_CHARS, is_anonymous, spec_tag
from irengine.retrieve.handles import as_corpus
from irengine.select.discovering import DFLT_FETCH_K
from irengine.select.floors import (
    RESCALING,
    fingerprint_of,
    floor_key,
    reranker_of,
    scale_of,
)
from irengine.store.rows import analyzer_id

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["DFLT_CALIB_SENSITIVITY_WEIGHT", "calibrate_min_score", "load_calibration"]

DFLT_CALIB_SENSITIVITY_WEIGHT = 0.5
"""How much finding weighs against abstaining: at one half, as much."""

_PARTED = 1.0 - 1e-9


def calibrate_min_score(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    mode: str = DFLT_MODE,
    k: int = DFLT_FETCH_K,
    surfaces: Iterable[str] | None = None,
    sensitivity_weight: float = DFLT_CALIB_SENSITIVITY_WEIGHT,
    floor_grid: Iterable[float] | None = None,
    persist: bool = False,
    min_youden_j: float = DFLT_MIN_YOUDEN_J,
    dedup_by: str | None = "auto",
    equivalents: Equivalents = None,
    now: Callable[[], datetime] | None = None,
    **search_kw: Any,
) -> MinScoreCalibration:
    """Find the floor that best parts questions with an answer from those without.

    Each case is searched once, as ``discover`` would. The best score of a case without gold is a
    negative, that of a case whose gold is among the candidates a positive. Candidate floors lie
    between adjacent scores; the one with the best weighted mean of sensitivity and specificity is
    taken, of equals the highest.

    There is no floor, and ``reason`` says why, when a kind of case is missing (``"no_cases"``,
    ``"no_positive_cases"``, ``"no_abstention_cases"``), or when the two kinds overlap too much
    (``"not_separable"``): then a floor would be a guess.

    Args:
        corpus: an open corpus, or the name of one.
        cases: questions with and without answers; aim at dozens of each.
        mode, k, surfaces, dedup_by, **search_kw: see :func:`irengine.select.discover`. A floor
            holds for searches with these arguments.
        equivalents: see :func:`~irengine.eval.evaluate_selection`.
        sensitivity_weight: from 0 (abstain when in doubt) to 1.
        floor_grid: the floors to try, instead of those between the scores.
        persist: store the floor for ``discover(min_score="auto")``.
        min_youden_j: how well the floor must part the two, see
            :attr:`MinScoreCalibration.youden_j`.
        now: the current time, for the date of the calibration.

    Raises:
        CalibrationRefused: with ``persist``, when the two kinds are not separable.
        ParameterError: for an argument out of range; with ``persist``, for a search whose scores
            no stored floor can be matched to: surface weights, a boost, formulated queries, a
            reranker without a name.
        CorpusNotFound: for a name nothing is built under.
    """
    weight = real_number("sensitivity_weight", sensitivity_weight, least=0.0, most=1.0)
    least_j = real_number("min_youden_j", min_youden_j, least=0.0, most=1.0)
    grid = _checked_grid(floor_grid)
    question = question_of(mode, k, surfaces, dedup_by, search_kw)
    tag = reranker_of(question.search_kw)
    if persist:
        _check_storable(question.search_kw, tag)
    listed = check_cases(cases)
    opened = as_corpus(corpus)
    positives, negatives, misses = [], [], 0
    for judged in found_for(opened, listed, question, equivalents):
        top = float(judged.hits[0].score) if judged.hits else -math.inf
        if not judged.gold:
            negatives.append(top)
        elif judged.found:
            positives.append(top)
        else:
            misses += 1
    scale = scale_of(mode, question.search_kw)
    snapshot = opened.store.snapshot()
    calibration = MinScoreCalibration(
        corpus_name=opened.name,
        mode=mode,
        k=question.k,
        sensitivity_weight=weight,
        n_positive=len(positives),
        n_abstention=len(negatives),
        n_retrieval_miss=misses,
        positive_scores=_summary(positives),
        abstention_scores=_summary(negatives),
        embedder_id=opened.embedder_id,
        rerank=tag,
        scale=scale,
        fingerprint=fingerprint_of(opened, scale, tag),
        analyzer_id=analyzer_id(),
        content_id=snapshot.content_id,
        n_records=snapshot.count,
        n_artifacts=snapshot.n_artifacts,
        calibrated_at=(now or _utc_now)().isoformat(timespec="seconds"),
        min_youden_j=least_j,
        **_decided(positives, negatives, bool(listed), grid, weight, least_j),
    )
    if persist and calibration.grid:
        calibration.save(opened)
    return calibration


def load_calibration(
    corpus: Corpus | str,
    mode: str = DFLT_MODE,
    *,
    rerank: Any = None,
    rerank_text: Any = "surface",
    rerank_max_chars: int = DFLT_RERANK_MAX_CHARS,
    surfaces: Iterable[str] | None = None,
    **search_kw: Any,
) -> MinScoreCalibration | None:
    """Return the calibration stored for searches with these arguments, or ``None``.

    No model is loaded, and whether it still holds is not looked at: see
    :func:`~irengine.eval.floor_record.calibration_status`. ``None`` also for a reranker that has
    no name or cannot be loaded here.

    Raises:
        ParameterError: for arguments ``search`` would not accept.
        CorpusNotFound: for a name nothing is built under.
    """
    tag = spec_tag(rerank, rerank_text, max_chars=rerank_max_chars)
    if rerank is not None and (tag is None or is_anonymous(tag)):
        return None
    scale = scale_of(mode, search_options(mode, surfaces, search_kw))
    record = as_corpus(corpus).store.get_calibration(floor_key(scale, tag))
    return None if record is None else MinScoreCalibration.from_dict(record)


def _decided(
    positives: Sequence[float],
    negatives: Sequence[float],
    any_cases: bool,
    floors: Sequence[float] | None,
    weight: float,
    least_j: float,
) -> dict[str, Any]:
    """Return the fields of a calibration that the scores decide."""
    if not positives or not negatives:
        missing = "no_positive_cases" if not positives else "no_abstention_cases"
        return {"reason": missing if any_cases else "no_cases"}
    tried = candidate_floors([*positives, *negatives]) if floors is None else floors
    rates = floor_rates(positives, negatives, tried)
    best = best_floor(rates, weight)
    held_out = held_out_rates(positives, negatives, weight) if floors is None else None
    usable = best.youden_j >= least_j and best.youden_j > 0
    return {
        "reason": "calibrated" if usable else "not_separable",
        "min_score": best.min_score if usable else None,
        "separable": any(row.youden_j >= _PARTED for row in rates),
        "grid": tuple(row.to_dict() for row in rates),
        "held_out": _held_out(held_out),
        **_rates(best),
    }


def _rates(best: FloorRates) -> dict[str, float]:
    return {
        "sensitivity": best.sensitivity,
        "specificity": best.specificity,
        "youden_j": best.youden_j,
        "balanced_accuracy": (best.sensitivity + best.specificity) / 2,
    }


def _held_out(rates: tuple[float, float] | None) -> dict[str, float] | None:
    if rates is None:
        return None
    sensitivity, specificity = rates
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "youden_j": sensitivity + specificity - 1.0,
    }


def _checked_grid(floor_grid: Iterable[float] | None) -> list[float] | None:
    if floor_grid is None:
        return None
    numbers = [finite(value) for value in members("floor_grid", floor_grid, object, "numbers")]
    floors = sorted({number for number in numbers if number is not None})
    if None in numbers:
        raise ParameterError("floor_grid must hold finite numbers only")
    if not floors:
        raise ParameterError("floor_grid must be non-empty")
    return floors


def _check_storable(search_kw: Mapping[str, Any], tag: str | None) -> None:
    rescaling = [name for name in RESCALING if search_kw.get(name)]
    if rescaling:
        raise ParameterError(
            f"cannot persist a floor for a search with {', '.join(rescaling)}: they give its "
            "scores a scale that no later search can be matched to",
            hint="calibrate without persist=True and pass the floor as min_score",
        )
    if tag is not None and is_anonymous(tag):
        raise ParameterError(
            "cannot persist a floor for a reranker without a stable identity",
            hint="give the reranker a rerank_id attribute",
        )


def _summary(scores: Sequence[float]) -> dict[str, float]:
    """Return smallest, median and largest of the finite scores; ``{}`` for none."""
    values = sorted(score for score in scores if math.isfinite(score))
    if not values:
        return {}
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    return {"min": values[0], "median": median, "max": values[-1]}


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)
