"""Whether a candidate has anything to do with the query at all, by what its two channels say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.embed.trust import UNREADABLE, reads_english_only, trust
from irengine.select.floors import RESCALING
from irengine.select.noise import best_cosine, noise_of
from irengine.text import query_terms

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["CLEAR_COSINE", "MIN_COSINE", "related", "unrelated_to_query"]

MIN_COSINE = 0.3
"""The cosine below which a text that shares no word with the query is not taken for an answer.

With the default embedder the best cosine of invented words is 0.15 to 0.32 (medians over six
English collections), and of 30 short questions put in other words than the text that answers
them, 27 come to 0.3 or more. An embedder whose cosines are all higher than this never abstains by
it: then only a calibrated floor can.
"""

CLEAR_COSINE = 0.5
"""The cosine of the default embedder above which an answer is no matter of doubt.

In nine collections nine of ten impossible questions stayed below 0.35, and all of them below 0.5:
such an answer is above the noise, which need not be measured for it.
"""


def related(hit: SearchHit) -> bool:
    """Return whether either channel found something of the query in ``hit``.

    A hit that does not say how its score came about counts as related.
    """
    scores = _channel_scores(hit)
    return not scores or max(scores.values()) > 0


def unrelated_to_query(
    corpus: Corpus, query: str, hits: Sequence[SearchHit], search_kw: Mapping[str, Any]
) -> dict[str, float] | None:
    """Return the numbers that say so when not even the best of ``hits`` has to do with the query.

    Either it shares no word with the query and its cosine is below :data:`MIN_COSINE`. Or it lacks
    words of the query, and neither its score nor the best cosine is above what this corpus gives
    questions that no text answers (:mod:`irengine.select.noise`). The latter is asked of the
    default embedder only, in its own script: other models do not tell the two apart so well.

    ``None`` when it has to do with the query, when there are no hits, and when the words were not
    looked at (another mode).
    """
    if not hits or (hits[0].explanation or {}).get("mode") != "hybrid":
        return None
    scores = _channel_scores(hits[0])
    cosine = scores.get("dense", 0.0)
    if scores.get("lexical", 0.0) <= 0 and cosine < MIN_COSINE:
        return {"top_cosine": cosine, "min_cosine": MIN_COSINE}
    best = best_cosine(hits)
    if best >= CLEAR_COSINE or not _comparable(corpus, query, search_kw):
        return None
    if _has_all_words(hits[0], query):
        return None
    noise = noise_of(corpus, search_kw)
    if hits[0].score > noise.score or best > noise.cosine:
        return None
    return {"top_cosine": cosine, "noise_score": noise.score, "noise_cosine": noise.cosine}


def _comparable(corpus: Corpus, query: str, search_kw: Mapping[str, Any]) -> bool:
    return (
        reads_english_only(corpus.embedder_id)
        and trust(corpus.embedder_id, query) > UNREADABLE
        and not any(search_kw.get(name) for name in RESCALING)
    )


def _has_all_words(hit: SearchHit, query: str) -> bool:
    channels: Mapping[str, Any] = hit.explanation or {}
    return set(query_terms(query)) <= set((channels.get("lexical") or {}).get("terms", ()))


def _channel_scores(hit: SearchHit) -> dict[str, float]:
    channels: Mapping[str, Any] = hit.explanation or {}
    parts = {name: channels.get(name) for name in ("dense", "lexical")}
    return {
        name: float(part["score"]) if part.get("readable", True) else 0.0
        for name, part in parts.items()
        if part
    }
