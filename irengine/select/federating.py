"""``discover`` over several corpora: search each, leave out what has nothing, fuse the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit, best_per_artifact
from irengine.checks import real_number
from irengine.errors import ParameterError, nearest
from irengine.retrieve.fusing import fuse_hits
from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import DFLT_RRF_K, search_params
from irengine.retrieve.unknown import fitting
from irengine.select.discovering import Merge, Question, candidates_of, has_words
from irengine.select.evidence import related
from irengine.select.floors import Floor, floor_of
from irengine.select.selection import Selection, hits_from, with_places
from irengine.several import at_once, embed_once, embedder_of, names_of

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["federated"]

_MAY_BE_SLOW = ("rerank", "dep_boost", "formulate")
_SIDE_BY_SIDE = 16_384
"""Texts below which the corpora are searched one after the other, once the query is embedded:
what is left is mostly Python, and threads cost three small corpora 3 of 11 milliseconds."""


@dataclass(frozen=True, slots=True)
class _Source:
    """What one corpus answered."""

    corpus: Corpus
    hits: list[SearchHit]
    floor: Floor

    @property
    def top(self) -> float | None:
        """The best score; ``None`` when there are no hits."""
        return float(self.hits[0].score) if self.hits else None

    @property
    def gated(self) -> bool:
        """Whether not even the best hit reaches the floor."""
        return self.floor.score is not None and (self.top is None or self.top < self.floor.score)


def federated(
    entries: Sequence[Any],
    question: Question,
    min_score: Any,
    merge: str | Merge,
    weights: Mapping[str, float] | None,
    rrf_k: float | None,
) -> tuple[Selection, int, dict[str, Corpus]]:
    """Search all corpora and commit; return the selection, the number of hits, the corpora."""
    names = names_of(entries)
    if question.strategy == "abs_threshold":
        raise ParameterError(
            "strategy 'abs_threshold' needs one scale, and several corpora have several",
            hint="give each corpus its floor with min_score={name: number}",
        )
    if weights is not None and not isinstance(weights, Mapping):
        raise ParameterError(f"merge_weights takes a mapping of name to weight, not {weights!r}")
    for name in weights or ():
        if name not in names:
            raise ParameterError(
                f"merge_weights names {name!r}, which is not in this discover call",
                hint=nearest(str(name), names),
            )
    if not callable(merge) and merge not in ("rrf", "score"):
        raise ParameterError(f"unknown merge {merge!r}; it is 'rrf', 'score' or a function")
    rank_constant = DFLT_RRF_K if rrf_k is None else real_number("merge_rrf_k", rrf_k, above=0)
    wanted = _wanted_floors(min_score, names)
    corpora = dict(zip(names, map(as_corpus, entries), strict=True))
    floors = {
        name: floor_of(corpus, wanted[name], question.mode, question.search_kw)
        for name, corpus in corpora.items()
    }
    params = search_params(mode=question.mode, **question.search_kw)
    found = _searched(fitting(corpora, params.filter, params.surfaces), question)
    sources = {
        name: _Source(corpus, found.get(name, []), floors[name]) for name, corpus in corpora.items()
    }
    weak = _weak(sources, question)
    survivors = {
        name: source.hits
        for name, source in sources.items()
        if source.hits and not source.gated and name not in weak
    }
    fused = _merged(survivors, corpora, question, merge, weights, rank_constant)
    selection = _select(fused, sources, question, merge)
    signals = {
        **selection.signals,
        "merge": "custom" if callable(merge) else merge,
        "sources": names,
        "per_source": {
            name: {
                "n_retrieved": len(source.hits),
                "top_score": source.top,
                "floor": source.floor.score,
                "floor_state": source.floor.to_dict(),
                "abstained": source.gated or not source.hits or name in weak,
                **({"why": weak[name]} if name in weak else {}),
            }
            for name, source in sources.items()
        },
    }
    if merge == "rrf":
        signals["merge_rrf_k"] = rank_constant
    reason = _reason(selection, fused, sources, question)
    chosen = Selection(
        selection.selected, selection.candidates, selection.abstained, reason, signals
    )
    return chosen, sum(len(source.hits) for source in sources.values()), corpora


def _wanted_floors(min_score: Any, names: list[str]) -> dict[str, Any]:
    if min_score is None or (isinstance(min_score, str) and min_score == "auto"):
        return dict.fromkeys(names, min_score)
    if not isinstance(min_score, Mapping):
        raise ParameterError(
            "a floor is per-(corpus, mode, embedder): one number fits no two corpora",
            hint="give min_score='auto' or min_score={name: number}",
        )
    for name in min_score:
        if name not in names:
            raise ParameterError(
                f"min_score names {name!r}, which is not in this discover call",
                hint=nearest(str(name), names),
            )
    return {name: min_score.get(name) for name in names}


def _searched(corpora: Mapping[str, Corpus], question: Question) -> dict[str, list[SearchHit]]:
    """Search all corpora; those of one embedder share one embedding of the query.

    Embedders work side by side, and a corpus is searched as soon as its vector is there.
    """
    if question.mode == "lexical" or question.search_kw.get("formulate"):
        return _searched_group(corpora, question)
    groups: dict[Any, dict[str, Corpus]] = {}
    for name, corpus in corpora.items():
        groups.setdefault(embedder_of(corpus), {})[name] = corpus

    def search_group(group: Mapping[str, Corpus]) -> dict[str, list[SearchHit]]:
        if has_words(question.query):
            embed_once(group.values(), question.query)
        return _searched_group(group, question)

    found: dict[str, list[SearchHit]] = {}
    for hits in at_once(search_group, groups).values():
        found |= hits
    return {name: found[name] for name in corpora}


def _searched_group(
    corpora: Mapping[str, Corpus], question: Question
) -> dict[str, list[SearchHit]]:
    """Search corpora, side by side when that is large work or waits for functions."""
    rows = sum(corpus.store.snapshot().count for corpus in corpora.values())
    if rows < _SIDE_BY_SIDE and not any(question.search_kw.get(name) for name in _MAY_BE_SLOW):
        return {name: candidates_of(corpus, question) for name, corpus in corpora.items()}
    return at_once(lambda corpus: candidates_of(corpus, question), corpora)


def _weak(sources: Mapping[str, _Source], question: Question) -> dict[str, str]:
    """Return the corpora without a floor whose best hit is not worth a place, and why.

    Rank fusion would give the best hit of every corpus the same score. So a corpus needs a hit
    that has to do with the query and, where there is another one of the same embedder, whose
    scores mean the same, one that is near the best of both.
    """
    best: dict[Any, float] = {}
    for source in sources.values():
        if source.top is not None and not source.gated:
            scale = _scale(source, question)
            best[scale] = max(source.top, best.get(scale, source.top))
    weak = {}
    for name, source in sources.items():
        if source.top is None or source.floor.score is not None:
            continue
        nothing = source.top <= 0 or (question.by_rank and not related(source.hits[0]))
        if nothing or question.unrelated(source.corpus, source.hits) is not None:
            weak[name] = "its best hit has nothing of the query"
        elif (
            question.strategy == "conservative"
            and not question.by_rank
            and source.top < question.rel * best[_scale(source, question)]
        ):
            weak[name] = "its best hit is far below the best of all"
    return weak


def _scale(source: _Source, question: Question) -> Any:
    """Return what is equal for corpora whose scores can be compared."""
    return None if question.mode == "lexical" else embedder_of(source.corpus)


def _merged(
    survivors: Mapping[str, list[SearchHit]],
    corpora: Mapping[str, Corpus],
    question: Question,
    merge: str | Merge,
    weights: Mapping[str, float] | None,
    rrf_k: float,
) -> list[SearchHit]:
    if callable(merge):
        return hits_from("a merge function", merge(dict(survivors)))
    if merge == "rrf":
        by_source: dict[str | None, Sequence[SearchHit]] = dict(survivors.items())
        return fuse_hits(by_source, rrf_k=rrf_k, weights=weights, k=question.k)
    embedders = sorted({embedder_of(corpora[name]) for name in survivors})
    if len(embedders) > 1:
        raise ParameterError(
            "merge='score' needs a shared embedder, and these have "
            + ", ".join(name for name, _ in embedders),
            hint="use merge='rrf'",
        )
    return best_per_artifact(hit for hits in survivors.values() for hit in hits)[: question.k]


def _select(
    fused: list[SearchHit], sources: Mapping[str, _Source], question: Question, merge: str | Merge
) -> Selection:
    """Commit to the hits of the fused ranking that are near the best by their own score."""
    by_magnitude = (
        merge == "rrf"
        and question.strategy == "conservative"
        and not question.by_rank
        and any("source_score" in hit.metadata for hit in fused)
    )
    if not by_magnitude:
        return question.select(fused)
    shares = [_ratio(hit, sources) for hit in fused]
    near = [place for place, share in enumerate(shares) if share >= question.rel]
    chosen = near[: question.max_k]
    further = question.complements(fused, shares, chosen, question.rel, question.max_k)
    if len(near) > len(chosen):
        reason = "max_k"
    else:
        reason = "exhausted" if len(near) == len(fused) else "rel_threshold"
    signals = {"n_candidates": len(fused), "top_score": float(fused[0].score)}
    selection = Selection([fused[p] for p in chosen], fused, False, reason, signals)
    return with_places(selection, [*chosen, *further], shares)


def _ratio(hit: SearchHit, sources: Mapping[str, _Source]) -> float:
    """Return the score of a hit in its corpus as a share of the best there."""
    source = sources.get(str(hit.source))
    top = None if source is None else source.top
    return float(hit.metadata["source_score"]) / top if top else 1.0


def _reason(
    selection: Selection,
    fused: list[SearchHit],
    sources: Mapping[str, _Source],
    question: Question,
) -> str:
    if fused or not selection.abstained:
        return selection.reason
    if not has_words(question.query):
        return "abstain:empty_query"
    if any(source.gated for source in sources.values()):
        if all(source.floor.score is not None for source in sources.values()):
            return "abstain:all_sources_below_floor"
        return "abstain:no_surviving_sources"
    if any(source.hits for source in sources.values()):
        return "abstain:no_surviving_sources"
    return selection.reason
