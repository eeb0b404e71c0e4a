"""Whether a candidate has anything to do with the query at all, by what its two channels say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irengine.base import SearchHit

__all__ = ["MIN_COSINE", "related", "unrelated_to_query"]

MIN_COSINE = 0.3
"""The cosine below which a text that shares no word with the query is not taken for an answer.

With the default embedder the best cosine of invented words is 0.15 to 0.32 (medians over six
English collections), and of 30 short questions put in other words than the text that answers
them, 27 come to 0.3 or more. An embedder whose cosines are all higher than this never abstains by
it: then only a calibrated floor can.
"""


def related(hit: SearchHit) -> bool:
    """Return whether either channel found something of the query in ``hit``.

    A hit that does not say how its score came about counts as related.
    """
    scores = _channel_scores(hit)
    return not scores or max(scores.values()) > 0


def unrelated_to_query(hits: Sequence[SearchHit]) -> dict[str, float] | None:
    """Return the numbers that say so when not even the best of ``hits`` has to do with the query.

    It does not share a word with the query and its cosine is below :data:`MIN_COSINE`. ``None``
    when it does, when there are no hits, and when the words were not looked at (another mode).
    """
    if not hits or (hits[0].explanation or {}).get("mode") != "hybrid":
        return None
    scores = _channel_scores(hits[0])
    cosine = scores.get("dense", 0.0)
    if scores.get("lexical", 0.0) > 0 or cosine >= MIN_COSINE:
        return None
    return {"top_cosine": cosine, "min_cosine": MIN_COSINE}


def _channel_scores(hit: SearchHit) -> dict[str, float]:
    channels: Mapping[str, Any] = hit.explanation or {}
    parts = {name: channels.get(name) for name in ("dense", "lexical")}
    return {
        name: float(part["score"]) if part.get("readable", True) else 0.0
        for name, part in parts.items()
        if part
    }
