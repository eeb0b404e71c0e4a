"""How much the two channels of a hybrid search have to say about one query.

A fixed share for each fails where one of them is at a loss: an English model that is asked in
Korean, words that no document has. So each channel is weighed by how far its best candidate stands
out from all others, and put on one scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irengine.retrieve.fusion import saturate

if TYPE_CHECKING:
    from irengine.retrieve.channels import Channel, LexicalChannel

__all__ = ["Balance", "balance_of"]

_DENSE_FACTOR = 3.0
"""Cosines are spread like chance, BM25 is 0 nearly everywhere: what stands out as far in standard
deviations says more in the first."""
_KNOWN_ENOUGH = 0.25
"""The share of a query's words, by their rarity, that the corpus must know for BM25 to count in
full; a question in another language shares only names and numbers."""
_UNSEEN = 0.2
"""How far below the least of few cosines the least of many may lie."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The shares of the two channels of one query, and what puts their scores on one scale.

    ``score = magnitude * (dense_share * (cosine - low) / span + lexical_share * bm25 / top)``.
    The best score of a query is at most ``magnitude``, which lies between 0 and 1 and is
    comparable across queries: ``alpha * trust * best cosine + (1 - alpha) * known * saturated best
    BM25``, where ``known`` is the share of the query's words that the corpus knows. Weighed by the
    shares of the query instead, a floor for skills turned away 77 to 97 % of the questions out of
    scope that it had not seen; so it is 100 %, at 2 to 3 % of the others.
    """

    dense_share: float
    lexical_share: float
    low: float
    span: float
    top: float
    magnitude: float

    def scores(self, cosines: np.ndarray, bm25: np.ndarray) -> np.ndarray:
        """Return the score of each candidate: float64, from its cosine and its BM25 score."""
        mixed = np.zeros(len(cosines))
        if self.dense_share:
            mixed += self.dense_share / self.span * (cosines - self.low)
        if self.lexical_share:
            mixed += self.lexical_share / self.top * bm25
        return self.magnitude * mixed


def balance_of(
    dense: Channel,
    lexical: LexicalChannel,
    *,
    n: int,
    trust: float,
    alpha: float,
    bm25_sat_k: float,
) -> Balance:
    """Weigh two channels that scored the same ``n`` candidates.

    With ``z`` the number of standard deviations by which a channel's best score lies above the
    mean of all candidates, the lexical share is ``L / (L + D)``, where
    ``L = (1 - alpha) * (1 + (z_lexical * known) ** 2)`` and
    ``D = alpha * trust * (1 + 3 * z_dense ** 2)``. ``known`` is 1, or less when the corpus knows less than
    a quarter of the query's words by their idf. An empty channel has no share.

    Args:
        dense: cosines of all candidates.
        lexical: BM25 scores of the candidates that have one; all others have 0.
        n: how many candidates there are.
        trust: what the embedder is worth on the query, see :func:`irengine.embed.trust`.
        alpha: the weight given to the dense channel beforehand; 0.5 favours neither.
        bm25_sat_k: the BM25 score that counts one half in the magnitude.
    """  # noqa: E501
    low, high, dense_z = _spread(dense.scores, n)
    _, top, lexical_z = _spread(lexical.scores, n)
    known = min(1.0, lexical.known_share / _KNOWN_ENOUGH)
    for_words = (1.0 - alpha) * (1.0 + (lexical_z * known) ** 2) if top > 0 else 0.0
    for_meaning = alpha * trust * (1.0 + _DENSE_FACTOR * dense_z**2) if len(dense.scores) else 0.0
    together = for_words + for_meaning
    # Rounded: sums over rows depend on their order in the last digits, an order of hits must not.
    share = round(for_words / together, 6) if together else 0.0
    low -= (high - low + _UNSEEN) / max(n, 1)
    meaning = alpha * trust * max(0.0, high)
    words = (1.0 - alpha) * lexical.known_share * saturate(top, bm25_sat_k=bm25_sat_k)
    return Balance(
        dense_share=1.0 - share if for_meaning else 0.0,
        lexical_share=share,
        low=low,
        span=max(high - low, 1e-9),
        top=top,
        magnitude=min(1.0, meaning + words),
    )


def _spread(scores: np.ndarray, n: int) -> tuple[float, float, float]:
    """Return the least and the largest score, and how far the largest stands out.

    Candidates without a score count 0.
    """
    if not len(scores):
        return 0.0, 0.0, 0.0
    exact = scores.astype(np.float64, copy=False)
    mean = float(exact.sum()) / n
    variance = float(np.einsum("i,i->", exact, exact)) / n - mean * mean
    low, high = float(scores.min()), float(scores.max())
    return low, high, (high - mean) / math.sqrt(variance) if variance > 1e-12 else 0.0
