"""The two ways of scoring rows: cosine of vectors, and BM25 of words.

A channel scores *every* candidate once, exactly; asking it for more of its ranking only sorts
deeper. Equal scores are ordered by record id (through the stored tie value), so a ranking
does not depend on the order in which records were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irengine.errors import EmbedderMismatch
from irengine.text.bm25 import bm25_explain, bm25_scores, top

if TYPE_CHECKING:
    from irengine.retrieve.candidates import Candidates
    from irengine.store import Snapshot

__all__ = ["Channel", "dense_channel", "lexical_channel", "lexical_parts"]

_GATHER_BELOW = 0.25  # measured: below this share, copying the rows beats scoring all of them


@dataclass(frozen=True, slots=True)
class Channel:
    """The scores of one channel: ``rows`` int64 ascending, ``scores`` aligned, ``tie`` uint64."""

    rows: np.ndarray
    scores: np.ndarray
    tie: np.ndarray

    def best(self, depth: int) -> dict[int, float]:
        """Return the ``depth`` best rows with their scores, best first."""
        order = top(self.rows, self.scores, depth, self.tie)
        return dict(zip(self.rows[order].tolist(), self.scores[order].tolist(), strict=True))

    def score_of(self, row: int) -> float | None:
        """Return the score of ``row``, or ``None`` when the channel did not score it."""
        at = int(np.searchsorted(self.rows, row))
        if at < len(self.rows) and int(self.rows[at]) == row:
            return float(self.scores[at])
        return None


def dense_channel(snapshot: Snapshot, query: np.ndarray, among: Candidates) -> Channel:
    """Score the candidates by cosine: the dot product of unit rows with the unit ``query``.

    Exact, in float32, single-threaded. Zero and negative cosines are kept. A query vector of
    zeros (an embedder that found nothing in the text) has no direction: the channel is empty.

    Raises:
        EmbedderMismatch: when ``query`` is not as wide as the stored vectors.
    """
    vector = np.ascontiguousarray(query, dtype=np.float32)
    if vector.shape != (snapshot.dim,):
        raise EmbedderMismatch(
            f"the query has {vector.size} dimensions, the stored vectors {snapshot.dim} "
            f"({snapshot.embedder_id}): a different embedder made them",
            hint="rebuild the corpus, or search with mode='lexical'",
        )
    if not vector.any() or among.count == 0:
        return _empty(snapshot)
    rows = among.rows
    gather = among.count < _GATHER_BELOW * snapshot.n
    parts: list[np.ndarray] = []
    for segment, offset in zip(snapshot.segments, snapshot.offsets, strict=True):
        if gather:
            low, high = np.searchsorted(rows, (offset, offset + segment.n))
            matrix = segment.vectors[rows[low:high] - offset]
        else:
            matrix = segment.vectors
        # einsum and not ``@``: one thread, no BLAS wake-ups, faster and steadier at these sizes.
        parts.append(np.einsum("ij,j->i", matrix, vector))
    scores = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if not gather and among.mask is not None:
        scores = scores[rows]
    return Channel(rows, scores, snapshot.tie)


def lexical_channel(
    snapshot: Snapshot, terms: list[str], among: Candidates, *, k1: float, b: float
) -> Channel:
    """Score the candidates that hold at least one of ``terms`` by BM25.

    The statistics (number of rows, mean length, document frequencies) are those of the
    candidates: a filter makes a smaller corpus, not a corner of a larger one.
    """
    if not terms or among.count == 0:
        return _empty(snapshot)
    rows, scores, _ = bm25_scores(snapshot.parts, terms, k1=k1, b=b, mask=among.mask)
    return Channel(rows, scores, snapshot.tie)


def lexical_parts(
    snapshot: Snapshot,
    terms: list[str],
    rows: list[int],
    among: Candidates,
    *,
    k1: float,
    b: float,
) -> list[dict[str, float]]:
    """Return, for each of ``rows``, what each of its terms adds to the BM25 score."""
    explained = bm25_explain(snapshot.parts, terms, rows, k1=k1, b=b, mask=among.mask)
    return [{part.term: part.score for part in parts} for parts in explained]


def _empty(snapshot: Snapshot) -> Channel:
    return Channel(np.empty(0, np.int64), np.empty(0, np.float64), snapshot.tie)
