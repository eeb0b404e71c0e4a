"""BM25 over postings: scores of the touched rows only, statistics of the masked rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.errors import ParameterError
from irengine.text.postings import Postings

__all__ = ["Matches", "TermScore", "bm25_scores", "collection_statistics", "idf", "top"]

_GROUP = 64

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


class Matches:
    """Where the terms of a query occur: found once, to be scored and to be explained.

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
        statistics: what :func:`collection_statistics` says of ``parts`` and ``mask``, when known.

    Attributes:
        df: the document frequency of each term that was found, in query order.
        known_share: the idf of the terms that were found, as a share of that of all terms; 0 for
            a query without terms.

    Raises:
        ParameterError: ``k1`` or ``b`` is out of range.
    """

    def __init__(
        self,
        parts: Parts,
        terms: Sequence[str],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        mask: Mask | None = None,
        statistics: tuple[int, int] | None = None,
    ) -> None:
        if not (math.isfinite(k1) and k1 >= 0):
            raise ParameterError(f"k1 must be a number of at least 0, not {k1!r}")
        if not 0 <= b <= 1:
            raise ParameterError(f"b must be between 0 and 1, not {b!r}")
        self.df: dict[str, int] = {}
        self.known_share = 0.0
        self._size = max((offset + postings.n for postings, offset in parts), default=0)
        self._terms = list(dict.fromkeys(terms))
        found = [o for part in parts if (o := _occurrences(part, self._terms, mask)) is not None]
        if not found:
            return
        # All parts and terms behind one another: the arithmetic is done once.
        self._rows, self._tfs, self._lengths, self._term = map(
            np.concatenate, zip(*found, strict=True)
        )
        counts = np.bincount(self._term, minlength=len(self._terms)).tolist()
        self.df = {term: df for term, df in zip(self._terms, counts, strict=True) if df}
        n, total = collection_statistics(parts, mask) if statistics is None else statistics
        self._idf = np.array([idf(n, df) for df in counts])
        known = sum(self._idf[i] for i, df in enumerate(counts) if df)
        self.known_share = float(known / self._idf.sum())
        weights = self._idf[self._term]
        self._added = _contributions(weights, self._tfs, self._lengths * (n / max(total, 1)), k1, b)

    def scores(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the rows that hold at least one term, ascending, and the score of each."""
        if not self.df:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        if len(self._rows) * 16 < self._size:
            # Few postings in a large index: sorting them is cheaper than an array of all rows.
            touched, inverse = np.unique(self._rows, return_inverse=True)
            return touched, np.bincount(inverse, self._added).astype(np.float64, copy=False)
        sums = np.bincount(self._rows, self._added, minlength=self._size)
        sums = sums.astype(np.float64, copy=False)
        touched = np.flatnonzero(sums).astype(np.int64, copy=False)
        return touched, sums[touched]

    def explain(self, rows: Sequence[int]) -> list[list[TermScore]]:
        """Return for each of ``rows`` what its terms add, in query order.

        A row outside the mask, or without any of the terms, has an empty list.
        """
        wanted: dict[int, list[TermScore]] = {int(row): [] for row in rows}
        if not self.df or not wanted:
            return [[] for _ in rows]
        asked = np.zeros(self._size, dtype=np.bool_)
        asked[list(wanted)] = True
        for i in np.flatnonzero(asked[self._rows]).tolist():
            number = int(self._term[i])
            term = self._terms[number]
            wanted[int(self._rows[i])].append(
                TermScore(
                    term,
                    int(self._tfs[i]),
                    self.df[term],
                    float(self._idf[number]),
                    int(self._lengths[i]),
                    float(self._added[i]),
                )
            )
        return [wanted[int(row)] for row in rows]


def bm25_scores(
    parts: Parts,
    terms: Sequence[str],
    *,
    k1: float = 1.5,
    b: float = 0.75,
    mask: Mask | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], dict[str, int]]:
    """Score the rows that contain at least one of ``terms``: see :class:`Matches`.

    Returns:
        Global rows, ascending; their scores in the same order; the document frequency of each
        term that was found, in query order.
    """
    matches = Matches(parts, terms, k1=k1, b=b, mask=mask)
    return (*matches.scores(), matches.df)


def _contributions(
    weight: npt.NDArray[np.float64],
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
    candidates = np.flatnonzero(scores >= _limit(scores, k))
    chosen = rows[candidates]
    order = np.lexsort((chosen, tie[chosen], -scores[candidates]))[:k]
    return candidates[order].astype(np.int64, copy=False)


def _limit(scores: npt.NDArray[np.floating[Any]], k: int) -> Any:
    """Return a score that at least ``k`` of ``scores`` reach, close to the largest such one.

    Of many scores only the best of each group of 64 are partitioned: ``k`` groups reach their
    ``k``-th best, so ``k`` scores do.
    """
    groups = len(scores) // _GROUP
    if groups > 4 * k:
        scores = scores[: groups * _GROUP].reshape(groups, _GROUP).max(axis=1)
    if k >= len(scores):
        return -np.inf
    return np.partition(scores, len(scores) - k)[len(scores) - k]


def collection_statistics(parts: Parts, mask: Mask | None) -> tuple[int, int]:
    """Return how many masked rows have terms, and how many terms they have together."""
    n = total = 0
    for postings, offset in parts:
        if mask is None:
            n += postings.n_filled
            total += postings.n_terms
        else:
            lengths = postings.lengths[mask[offset : offset + postings.n]]
            n += int(np.count_nonzero(lengths))
            total += int(lengths.sum(dtype=np.int64))
    return n, total


_Found = tuple[
    npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]
]


def _occurrences(
    part: tuple[Postings, int], terms: Sequence[str], mask: Mask | None
) -> _Found | None:
    """Return rows, term frequencies, row lengths and term numbers of one part, by term, by row."""
    postings, offset = part
    entries = [postings.lookup(term) for term in terms]
    present = [(number, entry) for number, entry in enumerate(entries) if entry is not None]
    if not present:
        return None
    docs = np.concatenate([entry[0] for _, entry in present])
    tfs = np.concatenate([entry[1] for _, entry in present])
    sizes = [len(entry[0]) for _, entry in present]
    term = np.repeat([number for number, _ in present], sizes)
    if mask is not None:
        keep = np.flatnonzero(mask[offset : offset + postings.n][docs])
        docs, tfs, term = docs[keep], tfs[keep], term[keep]
    return np.add(docs, offset, dtype=np.int64), tfs, postings.lengths[docs], term
