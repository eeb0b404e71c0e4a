"""What a corpus answers to questions that no text answers: the measure of finding nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irengine.base import SearchHit
from irengine.retrieve import search
from irengine.select.floors import scale_of

if TYPE_CHECKING:
    import numpy as np

    from irengine.index import Corpus

__all__ = ["NOISE_QUERIES", "NOISE_QUANTILE", "Noise", "best_cosine", "noise_of"]

NOISE_QUANTILE = 0.9
"""The share of the impossible questions that a real one has to be answered better than.

With the default embedder, seven English collections: none to 2 % of their own questions are not,
and 30 to 93 % of 60 everyday questions out of their scope. Half, three quarters and all of them
instead lose at most 2, 2 and 12 % and turn away 5 to 53, 18 to 73 and 55 to 100 %.
"""

NOISE_QUERIES = (
    "why does my violin melt when the goldfish reads poetry",
    "which pancake recipe repairs a cracked glacier",
    "how to teach a staircase to whistle before breakfast",
    "the best shampoo for a nervous lighthouse",
    "can a marble statue catch the flu from a bicycle",
    "when should I water the ceiling of an empty opera house",
    "how many grandmothers fit inside a teaspoon of thunder",
    "is it legal to marry a carpet in the rain",
    "what wine goes with a broken submarine",
    "my neighbour's parrot owes the moon seven umbrellas",
    "how to iron a waterfall without waking the cheese",
    "the quickest train from a dream to the kitchen drawer",
    "where do old balloons go to learn the trumpet",
    "which socks does a volcano wear on sunday",
    "how to sharpen a cloud with a wooden spoon",
    "do penguins prefer velvet ladders or salted mirrors",
    "knitting a birthday cake out of cold gravel",
    "why is the piano afraid of lemon flavoured snow",
    "feeding candles to a sleeping football stadium",
    "what to pack for a holiday inside a hedgehog",
    "the price of a second hand sunset in a shoe shop",
    "how to tune a cow for the winter ballet",
    "can I paint my shadow with strawberry jam",
    "which horse won the argument with the refrigerator",
    "how long to boil a castle before the wedding",
    "a lullaby for angry potatoes in the elevator",
    "how do I return a mountain that was too loud",
    "are pirates allergic to soft furniture and algebra",
    "why the goat swallowed the choir on tuesday",
    "how to fold an ocean into a matchbox for grandpa",
    "what does the barber charge for a square moustache of fog",
    "is my garden gnome qualified to fly the dentist",
    "renting a cathedral to a family of mosquitoes",
    "does chocolate remember the first time it saw a giraffe",
    "how to apologise to a hammock after the earthquake",
    "who borrowed the tail of the snoring comet",
    "which perfume do tired elephants wear to the bakery",
    "how to plant feathers so that they grow into drums",
    "the wrong side of a pillow fight between two islands",
    "can a sandwich inherit a haunted greenhouse",
)
"""Questions of everyday words about things that do not go together.

Their answers are in no collection, unlike those of questions that are merely about something else:
a general collection may answer any of these.
"""

_vectors: dict[str, list[np.ndarray]] = {}
_KEPT = 32
_DEPTH = 10


class Noise(NamedTuple):
    """The score and the best cosine that nine of ten impossible questions do not exceed."""

    score: float
    cosine: float


def noise_of(corpus: Corpus, search_kw: Mapping[str, Any]) -> Noise:
    """Return what hybrid searches of ``corpus`` with these arguments give impossible questions.

    Measured once for each generation and scale, in memory. Words that an answer must hold, or must
    not, do not count: they choose among answers and change no scale.
    """
    kept: dict[str, Noise] = corpus.store.snapshot().cache.setdefault("noise", {})
    key = json.dumps(scale_of("hybrid", search_kw), sort_keys=True, default=str)
    if key not in kept:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept)), None)
        kept[key] = _measured(corpus, search_kw)
    return kept[key]


def best_cosine(hits: Sequence[SearchHit]) -> float:
    """Return the highest cosine among ``hits``; 0 when there is none."""
    parts = [(hit.explanation or {}).get("dense") for hit in hits[:_DEPTH]]
    return max((float(part["score"]) for part in parts if part), default=0.0)


def _measured(corpus: Corpus, search_kw: Mapping[str, Any]) -> Noise:
    _embed(corpus)
    asked = {**search_kw, "wording": None}
    scores, cosines = [], []
    for query in NOISE_QUERIES:
        hits = search(corpus, query, mode="hybrid", k=_DEPTH, per_artifact=True, **asked)
        scores.append(hits[0].score if hits else 0.0)
        cosines.append(best_cosine(hits))
    at = int(NOISE_QUANTILE * len(NOISE_QUERIES)) - 1
    return Noise(float(sorted(scores)[at]), sorted(cosines)[at])


def _embed(corpus: Corpus) -> None:
    """Let ``corpus`` know the vectors of the questions, which are made once an embedder."""
    known = _vectors.get(corpus.embedder_id)
    if known is None:
        corpus.embed_queries(NOISE_QUERIES)
        known = [corpus.embed_query(query) for query in NOISE_QUERIES]
        _vectors[corpus.embedder_id] = known
    for query, vector in zip(NOISE_QUERIES, known, strict=True):
        corpus.keep_query(query, vector)
