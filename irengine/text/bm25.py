"""BM25 over postings: scores of the touched rows only, statistics of the masked rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irengine.errors import ParameterError
from irengine.text.postings import Postings

__all__ = ["TermScore", "bm25_explain", "bm25_scores", "idf", "top"]

Mask = npt.NDArray[np.bool_]
Parts = Sequence[tuple[Postings, int]]


@dataclass(frozen=True, slots=True)
class TermScore:
    """What one query term adds to the score of one row; the sum over terms is the score."""

    term: str
    tf: int
    df: int
    idf: float
    length: int
    score: float


def idf(n: int, df: int) -> float:
    """Return ``ln(1 + (n - df + 0.5) / (df + 0.5))``: above 0 for every ``df <= n``."""
    return math.log(1.0 + (n - df + 0.5) / (df + 0.5))


def bm25_scores(
    parts: Parts,
    terms: Sequence[str],
    *,
    k1: float = 1.5,
    b: float = 0.75,
    mask: Mask | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], dict[str, int]]:
    """Score the rows that contain at least one of ``terms``.

    ``score = sum over distinct terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / avg))``
    (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, with the idf of
    Lucene, which is never negative). ``n``, ``avg`` and the document frequencies are those of
    the masked rows; rows without terms are not counted.

    Args:
        parts: postings with the global position of their first row.
        terms: query terms; repetitions have no effect.
        k1: term frequency saturation, at least 0.
        b: length normalisation, 0 to 1.
        mask: global rows that take part; None means all.

    Returns:
        Global rows, ascending; their scores in the same order; the document frequency of each
        term that was found, in query order.

    Raises:
        ParameterError: ``k1`` or ``b`` is out of range.
    """
    n, average = _statistics(parts, k1, b, mask)
    rows: list[npt.NDArray[np.int64]] = []
    weights: list[npt.NDArray[np.float64]] = []
    matched: dict[str, int] = {}
    for term, df, found in _matches(parts, terms, mask):
        matched[term] = df
        for row, tf, length in found:
            rows.append(row)
            weights.append(_contributions(idf(n, df), tf, length / average, k1, b))
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.float64), {}
    touched, scores = _sum_by_row(np.concatenate(rows), np.concatenate(weights), parts)
    return touched, scores, matched


def bm25_explain(
    parts: Parts,
    terms: Sequence[str],
    rows: Sequence[int],
    *,
    k1: float = 1.5,
    b: float = 0.75,
    mask: Mask | None = None,
) -> list[list[TermScore]]:
    """Return for each of ``rows`` what its terms add, in query order.

    The arguments and errors are those of ``bm25_scores``; a row outside the mask, or without
    any of the terms, has an empty list.
    """
    n, average = _statistics(parts, k1, b, mask)
    wanted: dict[int, list[TermScore]] = {int(row): [] for row in rows}
    positions = np.array(sorted(wanted), dtype=np.int64)
    for term, df, found in _matches(parts, terms, mask):
        weight = idf(n, df)
        for row, tf, length in found:
            hit = np.flatnonzero(np.isin(row, positions, assume_unique=True))
            added = _contributions(weight, tf[hit], length[hit] / average, k1, b)
            for i, score in zip(hit.tolist(), added.tolist(), strict=True):
                wanted[int(row[i])].append(
                    TermScore(term, int(tf[i]), df, weight, int(length[i]), score)
                )
    return [wanted[int(row)] for row in rows]


def _contributions(
    weight: float,
    tf: npt.NDArray[np.int32],
    relative_length: npt.NDArray[np.float64],
    k1: float,
    b: float,
) -> npt.NDArray[np.float64]:
    """Return ``weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * relative_length))``."""
    norm = relative_length
    norm *= k1 * b
    norm += k1 * (1.0 - b)
    norm += tf
    np.divide(tf, norm, out=norm)
    norm *= weight * (k1 + 1.0)
    return norm


def top(
    rows: npt.NDArray[np.int64],
    scores: npt.NDArray[np.float64],
    k: int,
    tie: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """Return the positions in ``rows`` of the ``k`` best scores, best first.

    Equal scores are ordered by the smaller ``tie[row]``, then by the smaller row, also at the
    cut. Only the given rows are partitioned, never a score array of the whole index.
    """
    if k <= 0 or len(rows) == 0:
        return np.empty(0, np.int64)
    if k < len(rows):
        limit = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= limit)
    else:
        candidates = np.arange(len(rows))
    chosen = rows[candidates]
    order = np.lexsort((chosen, tie[chosen], -scores[candidates]))[:k]
    return candidates[order].astype(np.int64, copy=False)


def _statistics(parts: Parts, k1: float, b: float, mask: Mask | None) -> tuple[int, float]:
    """Return the number and the mean length of the masked rows that have terms."""
    if not (math.isfinite(k1) and k1 >= 0):
        raise ParameterError(f"k1 must be a number of at least 0, not {k1!r}")
    if not 0 <= b <= 1:
        raise ParameterError(f"b must be between 0 and 1, not {b!r}")
    n = total = 0
    for postings, offset in parts:
        if mask is None:
            n += postings.n_filled
            total += postings.n_terms
        else:
            lengths = postings.lengths[mask[offset : offset + postings.n]]
            n += int(np.count_nonzero(lengths))
            total += int(lengths.sum(dtype=np.int64))
    return n, total / n if n else 1.0


_Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32]]


def _matches(
    parts: Parts, terms: Sequence[str], mask: Mask | None
) -> Iterator[tuple[str, int, list[_Found]]]:
    """Yield each distinct term that occurs, its document frequency, and rows, tfs, lengths."""
    for term in dict.fromkeys(terms):
        found: list[_Found] = []
        df = 0
        for postings, offset in parts:
            entry = postings.lookup(term)
            if entry is None:
                continue
            docs, tfs = entry
            if mask is not None:
                keep = mask[offset : offset + postings.n][docs]
                docs, tfs = docs[keep], tfs[keep]
            if len(docs):
                df += len(docs)
                rows = np.add(docs, offset, dtype=np.int64)
                found.append((rows, tfs, postings.lengths[docs]))
        if found:
            yield term, df, found


def _sum_by_row(
    rows: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], parts: Parts
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    size = max(offset + postings.n for postings, offset in parts)
    if len(rows) * 16 < size:
        # Few postings in a large index: sorting them is cheaper than an array of all rows.
        touched, inverse = np.unique(rows, return_inverse=True)
        return touched, np.bincount(inverse, weights).astype(np.float64, copy=False)
    sums = np.bincount(rows, weights, minlength=size).astype(np.float64, copy=False)
    touched = np.flatnonzero(sums).astype(np.int64, copy=False)
    return touched, sums[touched]
