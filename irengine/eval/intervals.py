"""How sure a mean is, and whether one run is better than another: resampling, with a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irengine.checks import real_number, whole_number
from irengine.errors import ParameterError

__all__ = [
    "DFLT_CONFIDENCE",
    "DFLT_RESAMPLES",
    "PairedComparison",
    "bootstrap_interval",
    "bootstrap_intervals",
    "paired_comparison",
]

DFLT_CONFIDENCE = 0.95
DFLT_RESAMPLES = 2000
_CELLS = 4_000_000
"""Resampled values held at a time."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """What tells two runs over the same queries apart.

    Attributes:
        mean_difference: mean of ``candidate - baseline`` over the queries.
        low, high: its bootstrap interval.
        p_value: how often chance alone gives a difference as large, two-sided.
        wins, ties, losses: queries on which the candidate is better, equal, worse.
        n: how many queries.
    """

    mean_difference: float
    low: float
    high: float
    p_value: float
    wins: int
    ties: int
    losses: int
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}


def bootstrap_interval(
    values: Sequence[float],
    *,
    confidence: float = DFLT_CONFIDENCE,
    resamples: int = DFLT_RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return ``(low, high)`` around the mean of ``values``, which are one figure a query.

    The percentile bootstrap (Efron and Tibshirani, 1993, chapter 13): queries are drawn with
    replacement ``resamples`` times; equal input and seed give equal output.

    Raises:
        ParameterError: no values, one that is not finite, or a number out of range.
    """
    return bootstrap_intervals({"": values}, confidence=confidence, resamples=resamples, seed=seed)[
        ""
    ]


def bootstrap_intervals(
    columns: Mapping[str, Sequence[float]],
    *,
    confidence: float = DFLT_CONFIDENCE,
    resamples: int = DFLT_RESAMPLES,
    seed: int = 0,
) -> dict[str, tuple[float, float]]:
    """Return :func:`bootstrap_interval` of several figures of the same queries.

    The same draws are used for all.
    """
    confidence = real_number("confidence", confidence, above=0.0, least=0.0, most=1.0)
    rows = [_values(column) for column in columns.values()]
    if not rows:
        return {}
    if len({len(row) for row in rows}) > 1:
        raise ParameterError("the figures must be of the same queries: their rows differ in length")
    table = np.stack(rows)
    seed = whole_number("seed", seed, least=0)
    edges = ((1 - confidence) / 2, (1 + confidence) / 2)
    means = _resampled_means(table, whole_number("resamples", resamples, least=1), seed)
    low, high = np.quantile(means, edges, axis=1)
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(columns)}


def paired_comparison(
    baseline: Sequence[float],
    candidate: Sequence[float],
    *,
    confidence: float = DFLT_CONFIDENCE,
    resamples: int = 10_000,
    seed: int = 0,
) -> PairedComparison:
    """Compare two runs by the same measure over the same queries, in the same order.

    The p-value is that of Fisher's randomisation test: were the two runs exchangeable, the sign
    of each difference would be chance. ``p = (1 + as extreme) / (1 + resamples)``, two-sided
    (Smucker, Allan and Carterette, CIKM 2007).

    Raises:
        ParameterError: lengths that differ, no values, one that is not finite, or a number out of
            range.
    """
    before, after = _values(baseline), _values(candidate)
    if len(before) != len(after):
        raise ParameterError(
            f"a paired comparison needs the same queries: {len(before)} and {len(after)} values"
        )
    resamples = whole_number("resamples", resamples, least=1)
    seed = whole_number("seed", seed, least=0)
    differences = after - before
    low, high = bootstrap_interval(
        differences.tolist(), confidence=confidence, resamples=resamples, seed=seed
    )
    observed = abs(float(differences.mean()))
    # Sums in another order differ in their last digits; a tie must count as one.
    close = 1e-12 * max(1.0, float(np.abs(differences).sum()))
    extreme = sum(
        int(np.count_nonzero(np.abs(signs @ differences) / len(differences) >= observed - close))
        for signs in _signs(len(differences), resamples, seed)
    )
    return PairedComparison(
        float(differences.mean()),
        low,
        high,
        (1 + extreme) / (1 + resamples),
        int(np.count_nonzero(differences > 0)),
        int(np.count_nonzero(differences == 0)),
        int(np.count_nonzero(differences < 0)),
        len(differences),
    )


def _values(values: Sequence[float]) -> Any:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ParameterError("resampling needs a row of finite numbers, at least one")
    return array


def _resampled_means(table: Any, resamples: int, seed: int) -> Any:
    """Return ``(figures, resamples)`` means of ``table`` ``(figures, queries)``."""
    n = table.shape[1]
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // n)
    pieces = []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, n, size=(min(block, resamples - start), n))
        pieces.append(np.stack([row[drawn].mean(axis=1) for row in table]))
    return np.concatenate(pieces, axis=1)


def _signs(n: int, resamples: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // n)
    for start in range(0, resamples, block):
        yield rng.integers(0, 2, size=(min(block, resamples - start), n)) * 2.0 - 1.0
