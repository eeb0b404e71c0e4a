"""Put the rankings of several corpora together, by rank: their scores have no common scale."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from irengine.base import SearchHit, best_per_artifact, tag_source
from irengine.checks import finite, mapping, real_number, whole_number
from irengine.errors import ParameterError
from irengine.retrieve.params import DFLT_RRF_K

__all__ = ["Identity", "fuse_hits"]

Identity = Callable[[SearchHit], Hashable] | str | None
"""How hits of several sources are known to be the same thing: a key, ``"pointer"``, or never."""


@dataclass(slots=True)
class _Merged:
    """What is known of one result: its fused score, and the hit that stands for it."""

    hit: SearchHit
    best: tuple[int, int]  # rank in its source, position of the source
    score: float = 0.0
    sources: dict[str | None, None] = field(default_factory=dict)


def fuse_hits(
    hits_by_source: Mapping[str | None, Sequence[SearchHit]],
    *,
    rrf_k: float = DFLT_RRF_K,
    weights: Mapping[str, float] | None = None,
    identity: Identity = None,
    k: int | None = None,
) -> list[SearchHit]:
    """Return one ranking of the hits of several sources, best first.

    Within a source the best hit of each artifact counts, by score. Across sources only ranks do:
    ``score(x) = Σ weight / (rrf_k + rank)`` over the sources that hold ``x``, rank counted from 1
    (reciprocal rank fusion; Cormack, Clarke and Büttcher, SIGIR 2009). Equal scores are ordered
    by rank, then by the order of the sources, then by artifact id.

    A fused hit's metadata says where it stood: ``source_score`` and ``source_rank``, and
    ``fused_sources`` when several sources hold it; the hit of the best rank represents it. The
    hits of a single source pass through with their own scores: there is nothing to fuse.

    Args:
        hits_by_source: the hits of each source. Untagged hits get the key as their ``source``;
            tags win, so one corpus under two keys is one source. ``None`` tags nothing.
        rrf_k: rank constant, above 0.
        weights: trust in a source, 1 by default; names not among the sources are ignored.
        identity: when hits of several sources are one result: ``None`` = when source and
            artifact id agree; ``"pointer"`` = when they point at the same file; or a function
            whose truthy values are compared.
        k: how many results; ``None`` = all.

    Raises:
        ParameterError: for another ``identity``, or a number out of range; its subclass
            ParameterTypeError (a ``TypeError``) for what is no mapping of hits.
    """
    rrf_k = real_number("rrf_k", rrf_k, above=0)
    key_of = _identity(identity)
    k = None if k is None else whole_number("k", k, least=0)
    trust = {} if weights is None else mapping("weights", weights, "of source to number")
    for name, weight in trust.items():
        if finite(weight) is None:
            raise ParameterError(f"the weight of {name!r} must be a finite number, not {weight!r}")
    ranked: dict[str | None, list[SearchHit]] = {}
    for source, hits in mapping("hits_by_source", hits_by_source, "of source to hits").items():
        best = _distinct(best_per_artifact(tag_source(hits, source)), key_of)
        if best:
            ranked[source] = best
    if len(ranked) <= 1:
        return [hit for hits in ranked.values() for hit in hits][:k]
    merged: dict[Hashable, _Merged] = {}
    for position, (source, hits) in enumerate(ranked.items()):
        weight = 1.0 if source is None else float(trust.get(source, 1.0))
        for rank, hit in enumerate(hits, 1):
            place = (rank, position)
            key = key_of(hit) or (hit.source, hit.artifact_id)
            entry = merged.setdefault(key, _Merged(hit, place))
            entry.score += weight / (rrf_k + rank)
            entry.sources[source] = None
            if place < entry.best:
                entry.best, entry.hit = place, hit
    fused = [(entry, _fused(entry)) for entry in merged.values()]
    fused.sort(key=lambda pair: (-pair[0].score, *pair[0].best, pair[1].artifact_id))
    return [hit for _, hit in fused][:k]


def _fused(entry: _Merged) -> SearchHit:
    told: dict[str, Any] = {
        **entry.hit.metadata,
        "source_score": float(entry.hit.score),
        "source_rank": entry.best[0],
    }
    if len(entry.sources) > 1:
        told["fused_sources"] = list(entry.sources)
    return replace(entry.hit, score=entry.score, metadata=told)


def _identity(identity: Identity) -> Callable[[SearchHit], Hashable]:
    if identity is None:
        return lambda hit: None
    if identity == "pointer":
        return lambda hit: hit.pointer
    if callable(identity):
        return identity
    raise ParameterError(
        f"identity must be None, 'pointer' or a function of a hit, not {identity!r}"
    )


def _distinct(
    hits: Sequence[SearchHit], key_of: Callable[[SearchHit], Hashable]
) -> list[SearchHit]:
    """Drop the hits whose identity came before: it must not count twice within one source."""
    seen: set[Hashable] = set()
    kept = []
    for hit in hits:
        key = key_of(hit)
        if key and key in seen:
            continue
        seen.add(key)
        kept.append(hit)
    return kept
