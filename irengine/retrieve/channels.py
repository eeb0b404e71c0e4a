"""The two ways of scoring rows: cosine of vectors, and BM25 of words.

A channel scores *every* candidate once, exactly; asking it for more of its ranking only sorts
deeper. Equal scores are ordered by record id (through the stored tie value), so a ranking
does not depend on the order in which records were written.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from irengine.errors import EmbedderMismatch
from irengine.text.bm25 import Matches, top

if TYPE_CHECKING:
    from irengine.retrieve.candidates import Candidates
    from irengine.store import Snapshot

__all__ = ["Channel", "LexicalChannel", "dense_channel", "lexical_channel"]

_GATHER_BELOW = 0.25  # measured: below this share, copying the rows beats scoring all of them
_BLOCK = 8192  # rows scored by one thread at a time


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

    def scores_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the score of each of ``rows``, 0 where the channel did not score it: float64."""
        found = np.zeros(len(rows))
        if len(self.rows):
            at = np.minimum(self.rows.searchsorted(rows), len(self.rows) - 1)
            there = self.rows[at] == rows
            found[there] = self.scores[at[there]]
        return found

    def score_of(self, row: int) -> float | None:
        """Return the score of ``row``, or ``None`` when the channel did not score it."""
        at = int(self.rows.searchsorted(row))
        if at < len(self.rows) and int(self.rows[at]) == row:
            return float(self.scores[at])
        return None


@dataclass(frozen=True, slots=True)
class LexicalChannel(Channel):
    """BM25 scores, and the matches they come from."""

    matches: Matches

    @property
    def known_share(self) -> float:
        """See :class:`irengine.text.bm25.Matches`."""
        return self.matches.known_share

    def terms_of(self, rows: list[int]) -> list[dict[str, float]]:
        """Return, for each of ``rows``, what each of its terms adds to the score."""
        return [{part.term: part.score for part in parts} for parts in self.matches.explain(rows)]


def dense_channel(
    snapshot: Snapshot, query: np.ndarray, among: Candidates
) -> Callable[[], Channel]:
    """Score the candidates by cosine: the dot product of unit rows with the unit ``query``.

    Scoring many begins at once on other threads; the returned function waits for the channel.
    Exact, in float32. Zero and negative cosines are kept. A query vector of zeros (an embedder
    that found nothing in the text) has no direction: the channel is empty.

    Raises:
        EmbedderMismatch: when ``query`` is not as wide as the stored vectors.
        CorpusDamaged: when the stored vectors are not what was written.
    """
    vector = np.ascontiguousarray(query, dtype=np.float32)
    if vector.shape != (snapshot.dim,):
        raise EmbedderMismatch(
            f"the query has {vector.size} dimensions, the stored vectors {snapshot.dim} "
            f"({snapshot.embedder_id}): a different embedder made them",
            hint="rebuild the corpus, or search with mode='lexical'",
        )
    if not vector.any() or among.count == 0:
        return lambda: Channel(np.empty(0, np.int64), np.empty(0, np.float32), snapshot.tie)
    rows = among.rows
    gather = among.count < _GATHER_BELOW * snapshot.n
    threads = not gather and snapshot.n > _BLOCK
    blocks: list[np.ndarray] = []
    checks: list[Future[None]] = []
    for segment, offset in zip(snapshot.segments, snapshot.offsets, strict=True):
        if gather:
            low, high = rows.searchsorted((offset, offset + segment.n))
            chosen = rows[low:high] - offset
            segment.check_vectors(chosen)
            blocks.append(segment.vectors[chosen])
        else:
            if not threads:
                segment.check_vectors()
            elif not segment.vectors_checked:
                checks.append(_pool(os.getpid()).submit(segment.check_vectors))
            blocks += [segment.vectors[at : at + _BLOCK] for at in range(0, segment.n, _BLOCK)]
    parts = (_pool(os.getpid()).map if threads else map)(partial(_cosines, vector), blocks)

    def wait() -> Channel:
        for check in checks:
            check.result()
        scores = np.concatenate(list(parts))
        if not gather and among.mask is not None:
            scores = scores[rows]
        return Channel(rows, scores, snapshot.tie)

    return wait


def _cosines(query: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Return the dot product of each row of ``block`` with ``query``.

    einsum and not ``@``: it sums every row alike, so equal vectors have equal scores wherever
    they lie, and it does not wake BLAS threads, which wait spinning when a core is busy. It lets
    go of the interpreter, so plain threads share the work.
    """
    scores: np.ndarray = np.einsum("ij,j->i", block, query)
    return scores


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of this process: a forked one inherits the object, not the threads."""
    return ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="irengine-score")


def lexical_channel(
    snapshot: Snapshot, terms: list[str], among: Candidates, *, k1: float, b: float
) -> LexicalChannel:
    """Score the candidates that hold at least one of ``terms`` by BM25.

    The statistics (number of rows, mean length, document frequencies) are those of the
    candidates: a filter makes a smaller corpus, not a corner of a larger one.
    """
    parts = snapshot.parts if among.count else []
    matches = Matches(parts, terms, k1=k1, b=b, mask=among.mask, statistics=among.statistics)
    rows, scores = matches.scores()
    return LexicalChannel(rows, scores, snapshot.tie, matches)
