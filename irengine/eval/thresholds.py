"""Where to put a floor between two sets of scores: the kernels of calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FloorRates", "best_floor", "candidate_floors", "floor_rates", "held_out_rates"]

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class FloorRates:
    """What a floor does: the share of positives it keeps and of negatives it holds back."""

    min_score: float
    sensitivity: float
    specificity: float

    @property
    def youden_j(self) -> float:
        """``sensitivity + specificity - 1``: 1 parts them fully, 0 is no better than chance."""
        return self.sensitivity + self.specificity - 1.0

    def to_dict(self) -> dict[str, float]:
        """Return the JSON form."""
        return {
            "min_score": self.min_score,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "youden_j": self.youden_j,
        }


def candidate_floors(scores: Sequence[float]) -> list[float]:
    """Return the floors worth trying: between adjacent scores, and one beyond either end.

    With ``n`` distinct finite scores the ends lie a share ``1 / n`` of their span outside; a
    single score ``v`` has ``v ± (0.5 * |v| + 1)``, none has 0.

    >>> candidate_floors([0.5])
    [-0.75, 1.75]
    """
    values = sorted({float(score) for score in scores if math.isfinite(score)})
    if not values:
        return [0.0]
    if len(values) == 1:
        reach = 0.5 * abs(values[0]) + 1.0
        return [values[0] - reach, values[0] + reach]
    reach = (values[-1] - values[0]) / len(values)
    between = [low + (high - low) / 2 for low, high in zip(values, values[1:], strict=False)]
    return [values[0] - reach, *between, values[-1] + reach]


def floor_rates(
    positives: Sequence[float], negatives: Sequence[float], floors: Sequence[float]
) -> list[FloorRates]:
    """Return the rates of each floor: positives at or above it, negatives below it."""
    high, low = np.sort(_array(positives)), np.sort(_array(negatives))
    at = _array(floors)
    kept = 1.0 - np.searchsorted(high, at, side="left") / len(high)
    held = np.searchsorted(low, at, side="left") / len(low)
    return [
        FloorRates(float(floor), float(sensitivity), float(specificity))
        for floor, sensitivity, specificity in zip(at, kept, held, strict=True)
    ]


def best_floor(rates: Sequence[FloorRates], sensitivity_weight: float) -> FloorRates:
    """Return the floor of the best ``w * sensitivity + (1 - w) * specificity``; ties go up."""

    def key(row: FloorRates) -> tuple[float, float]:
        # Rounded, so that what differs in the last digit only is a tie.
        value = sensitivity_weight * row.sensitivity + (1 - sensitivity_weight) * row.specificity
        return round(value, 12), row.min_score

    return max(rates, key=key)


def held_out_rates(
    positives: Sequence[float],
    negatives: Sequence[float],
    sensitivity_weight: float,
    *,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return ``(sensitivity, specificity)`` of floors on scores they were not chosen by.

    Five-fold cross-validation, the folds drawn by ``seed``; ``None`` with fewer than ten scores
    on either side, where a fold says nothing.
    """
    if min(len(positives), len(negatives)) < 2 * _FOLDS:
        return None
    rng = np.random.default_rng(seed)
    high, low = rng.permutation(_array(positives)), rng.permutation(_array(negatives))
    kept = held = 0
    for fold in range(_FOLDS):
        test = [np.arange(len(side)) % _FOLDS == fold for side in (high, low)]
        learn_high, learn_low = high[~test[0]].tolist(), low[~test[1]].tolist()
        floors = candidate_floors([*learn_high, *learn_low])
        chosen = best_floor(floor_rates(learn_high, learn_low, floors), sensitivity_weight)
        kept += int(np.count_nonzero(high[test[0]] >= chosen.min_score))
        held += int(np.count_nonzero(low[test[1]] < chosen.min_score))
    return kept / len(high), held / len(low)


def _array(values: Sequence[float]) -> npt.NDArray[np.float64]:
    array: Any = np.asarray(list(values), dtype=np.float64)
    return array  # type: ignore[no-any-return]
