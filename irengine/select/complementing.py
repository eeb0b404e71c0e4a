"""Which further candidates say something of the query that those committed to do not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irengine.base import SearchHit

__all__ = ["COMPLEMENT_NEWS", "COMPLEMENT_REL", "complements"]

COMPLEMENT_REL = 7 / 9
"""What part of the share that any further result needs one needs that says something new."""
COMPLEMENT_NEWS = 0.15
"""What part of the query, by the weight of its words, is something new.

A request for several things has several answers, none of which says all of it. Over nine
collections this pair raises the F1 of the selection by 0.014 on average, also on the halves that
it was not chosen by; 0.7 of the best alone, whatever a candidate says, raises it by 0.006, and
costs 0.09 where questions have one answer.
"""


def complements(
    hits: Sequence[SearchHit],
    shares: Sequence[float],
    chosen: Sequence[int],
    *,
    rel: float,
    most: int,
) -> list[int]:
    """Return up to ``most`` places of hits to commit to besides ``chosen``, in order.

    One of them has ``COMPLEMENT_REL * rel`` of the best score or more, and holds words of the
    query, worth ``COMPLEMENT_NEWS`` of all that any of ``hits`` holds, that neither a chosen one
    holds nor one before it here. A word is worth the most it adds to the score of a hit. Hits
    that do not say which words they hold have no complements.

    Args:
        hits: the candidates.
        shares: their scores as shares of the best.
        chosen: places of those that are committed to already.
        rel: the share of the best score that any further result needs.
        most: how many more there may be.
    """
    words = [_words_of(hit) for hit in hits]
    worth: dict[str, float] = {}
    for held in words:
        for word, score in held.items():
            worth[word] = max(score, worth.get(word, 0.0))
    enough = COMPLEMENT_NEWS * sum(worth.values())
    said = {word for place in chosen for word in words[place]}
    found: list[int] = []
    for place, share in enumerate(shares):
        if len(found) >= most or not said:
            break
        if place in chosen or share < COMPLEMENT_REL * rel:
            continue
        if sum(worth[word] for word in words[place] if word not in said) >= enough:
            found.append(place)
            said |= words[place].keys()
    return found


def _words_of(hit: SearchHit) -> Mapping[str, float]:
    lexical = (hit.explanation or {}).get("lexical") or {}
    terms: Mapping[str, float] = lexical.get("terms") or {}
    return terms
