"""``discover``: from a query to the few results worth acting on, or to none with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.checks import text, whole_number
from irengine.errors import ParameterError, ParameterTypeError
from irengine.expand import NeighborhoodPolicy
from irengine.rerank import resolve_reranker
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import (
    DFLT_FUSION,
    check_keywords,
    check_query,
    check_surfaces,
    search_params,
)
from irengine.select.complementing import complements
from irengine.select.disclosing import (
    BodyLoader,
    Disclosure,
    ResourceStore,
    check_disclosure,
    reveal,
)
from irengine.select.evidence import unrelated_to_query
from irengine.select.floors import floor_of
from irengine.select.selection import (
    DFLT_GAP_RATIO,
    DFLT_MAX_K,
    DFLT_REL_THRESHOLD,
    Selection,
    Selector,
    check_strategy,
    select,
    strategy_name,
    with_places,
)

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "DFLT_DEDUP_BY",
    "DFLT_FETCH_K",
    "DiscoveryResult",
    "Question",
    "candidates_of",
    "discover",
    "has_words",
]

DFLT_FETCH_K = 10
"""How many candidates are looked at."""
DFLT_DEDUP_BY = {"skills": "name"}
"""By corpus name: the metadata field whose equal values are one thing."""

Merge = Callable[[Mapping[str, list[SearchHit]]], Iterable[SearchHit]]
"""``{corpus name: its hits} -> hits``, best first."""


@dataclass(frozen=True, slots=True)
class DiscoveryResult:
    """The answer to one query.

    Attributes:
        query, mode, strategy, disclose_level: what was asked.
        results: what was committed to, best first, revealed as far as asked.
        abstained: whether nothing was committed to; ``reason`` says why, or which rule ended the
            commitment.
        n_retrieved: how many candidates there were.
        signals: the numbers behind the decision: those of :class:`Selection`, ``floor`` (or, over
            several corpora, ``merge``, ``sources`` and ``per_source``).
    """

    query: str
    mode: str
    strategy: str
    disclose_level: str
    results: list[Disclosure]
    abstained: bool
    reason: str
    n_retrieved: int
    signals: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The committed artifact ids, best first."""
        return [disclosure.artifact_id for disclosure in self.results]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "query": self.query,
            "mode": self.mode,
            "strategy": self.strategy,
            "disclose_level": self.disclose_level,
            "results": [disclosure.to_dict() for disclosure in self.results],
            "abstained": self.abstained,
            "reason": self.reason,
            "n_retrieved": self.n_retrieved,
            "n_selected": len(self.results),
            "signals": dict(self.signals),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each corpus, and how its candidates are chosen among."""

    query: str
    mode: str
    k: int
    dedup_by: str | None
    strategy: str | Selector
    max_k: int
    rel: float
    gap_ratio: float
    search_kw: Mapping[str, Any]

    @property
    def by_rank(self) -> bool:
        """Whether scores are sums of reciprocal ranks, which have no magnitude."""
        return self.mode == "hybrid" and self.search_kw.get("fusion", DFLT_FUSION) == "rrf"

    def unrelated(self, corpus: Corpus, hits: Sequence[SearchHit]) -> dict[str, float] | None:
        """Return the numbers that say so when no candidate of ``corpus`` has to do with the query.

        A reranker judges that itself, and rank fusion is asked for by those who want its rule.
        """
        if self.by_rank or self.search_kw.get("rerank") is not None:
            return None
        return unrelated_to_query(corpus, self.query, hits, self.search_kw)

    def select(self, hits: Sequence[SearchHit], **changed: Any) -> Selection:
        """Commit to some of ``hits``, and to those that complement them."""
        options: dict[str, Any] = {
            "strategy": self.strategy,
            "max_k": self.max_k,
            "rel": self.rel,
            "gap_ratio": self.gap_ratio,
            **changed,
        }
        selection = select(hits, **options)
        if options["strategy"] != "conservative" or selection.reason != "rel_threshold":
            return selection
        near, top = len(selection.selected), hits[0].score
        shares = [hit.score / top for hit in hits]
        places = self.complements(hits, shares, range(near), options["rel"], options["max_k"])
        return with_places(selection, [*range(near), *places], shares) if places else selection

    def complements(
        self,
        hits: Sequence[SearchHit],
        shares: Sequence[float],
        chosen: Sequence[int],
        rel: float,
        max_k: int,
    ) -> list[int]:
        """Return what to commit to besides ``chosen``; only magnitudes of both channels tell."""
        if self.mode != "hybrid" or self.by_rank or self.search_kw.get("rerank") is not None:
            return []
        return complements(hits, shares, chosen, rel=rel, most=max_k - len(chosen))


def discover(
    corpus: Any,
    query: str,
    *,
    k: int = DFLT_FETCH_K,
    mode: str = "hybrid",
    strategy: str | Selector = "conservative",
    disclose_level: str = "metadata",
    filter: Mapping[str, Any] | None = None,
    surfaces: Iterable[str] | None = None,
    max_k: int = DFLT_MAX_K,
    rel: float = DFLT_REL_THRESHOLD,
    gap_ratio: float = DFLT_GAP_RATIO,
    min_score: float | str | Mapping[str, float | str | None] | None = None,
    merge: str | Merge = "rrf",
    merge_weights: Mapping[str, float] | None = None,
    merge_rrf_k: float | None = None,
    loader: BodyLoader | None = None,
    store: ResourceStore | None = None,
    expand: NeighborhoodPolicy | None = None,
    dedup_by: str | None = "auto",
    **search_kw: Any,
) -> DiscoveryResult:
    """Retrieve candidates, commit to the few worth acting on, and reveal those.

    With ``conservative``, a hybrid search by score also commits, while there is room, to a
    candidate with ``7/9 * rel`` of the best score that says something of the query which none
    committed to before says: a request for several things has several answers. ``signals`` has
    their number as ``n_complementary``.

    Nothing is committed to when nothing is found, when the query has no words, or when even the
    best candidate is below the floor. Without a floor, a hybrid search also abstains when the best
    candidate shares no word with the query and is not close to it either, or is no better than
    what this corpus gives to questions that no text answers (:mod:`irengine.select.evidence`). With
    ``fusion="rrf"`` the scores are ranks, a share of the best says little, and only a floor or an
    empty query abstains.

    Several corpora (a list or tuple) are searched at the same time, the query embedded once per
    embedder. A corpus whose best candidate is below its floor takes no part, nor, without one,
    one that has nothing of the query or whose best candidate is far below that of another corpus
    of the same embedder. The others are fused by rank, and what is committed to must be near the
    best of its corpus.

    Args:
        corpus: an open corpus, the name of one, or a list of those.
        query: what is looked for.
        k: how many candidates of each corpus.
        mode: ``"hybrid"``, ``"dense"`` or ``"lexical"``.
        strategy, max_k, rel, gap_ratio: see :func:`select`.
        disclose_level, loader, store: see :func:`disclose`.
        filter, surfaces, **search_kw: see :func:`irengine.retrieve.search`.
        min_score: a floor: a number, or ``"auto"`` for the calibrated one. For several corpora
            ``"auto"`` or ``{name: number, "auto" or None}``: their scores have no common scale.
        merge: several corpora only: ``"rrf"`` by rank, ``"score"`` by score (one embedder for
            all), or a function ``{name: hits} -> hits``.
        merge_weights, merge_rrf_k: several corpora only: see :func:`fuse_hits`.
        expand: a neighbourhood policy: also stitch the text around each match.
        dedup_by: a metadata field; of candidates that agree in it the best counts, before the cut
            at ``k``. ``"auto"``: ``name`` for a corpus called ``skills``. ``None``: all count.

    Raises:
        ParameterError: for an argument out of range, or that does not fit the number of corpora;
            its subclass ParameterTypeError (a ``TypeError``) for one neither this nor ``search``
            takes.
        CorpusNotFound: when a name is not that of a built corpus.
        FilterError: for an invalid filter.
    """
    if "per_artifact" in search_kw:
        raise ParameterTypeError(
            "discover() has no per_artifact: it commits to artifacts, once each"
        )
    check_keywords("discover", search_kw, _KEYWORDS)
    if dedup_by is not None:
        text("dedup_by", dedup_by)
    check_disclosure(disclose_level, loader, store, expand)
    check_strategy(strategy, min_score)
    if search_kw.get("rerank") is not None:
        # Before the floors are looked up: one that cannot be loaded leaves the first stage's.
        search_kw["rerank"] = resolve_reranker(search_kw["rerank"])
    question = Question(
        check_query(query),
        mode,
        whole_number("k", k, least=1),
        dedup_by,
        strategy,
        max_k,
        rel,
        gap_ratio,
        {"filter": filter, "surfaces": check_surfaces(surfaces), **search_kw},
    )
    question.select([], min_score=0.0)  # its numbers are checked before anything is searched
    corpora: Any
    if isinstance(corpus, (list, tuple)):
        from irengine.select.federating import federated

        selection, retrieved, corpora = federated(
            corpus, question, min_score, merge, merge_weights, merge_rrf_k
        )
    else:
        if merge != "rrf" or merge_weights is not None or merge_rrf_k is not None:
            raise ParameterError("merge arguments belong to the federated form: a list of corpora")
        if isinstance(min_score, Mapping):
            raise ParameterError("min_score by name belongs to the federated form: a list")
        corpora = as_corpus(corpus)
        selection, retrieved = _single(corpora, question, min_score)
    return DiscoveryResult(
        query=question.query,
        mode=mode,
        strategy=strategy_name(strategy),
        disclose_level=disclose_level,
        results=reveal(
            selection,
            level=disclose_level,
            loader=loader,
            store=store,
            expand=expand,
            corpora=corpora,
        ),
        abstained=selection.abstained,
        reason=selection.reason,
        n_retrieved=retrieved,
        signals=selection.signals,
    )


_KEYWORDS = sorted({*(discover.__kwdefaults__ or {}), *(search_params.__kwdefaults__ or {})})


def _single(corpus: Corpus, question: Question, min_score: Any) -> tuple[Selection, int]:
    floor = floor_of(corpus, min_score, question.mode, question.search_kw)
    hits = candidates_of(corpus, question)
    numbers = question.unrelated(corpus, hits) if floor.score is None else None
    selection = question.select([] if numbers else hits, min_score=floor.score)
    signals = {**selection.signals, "floor": floor.to_dict()}
    if numbers is not None:
        selection = replace(selection, candidates=hits, reason="abstain:unrelated")
        signals |= {"n_candidates": len(hits), "top_score": float(hits[0].score), **numbers}
    elif not hits and not has_words(question.query):
        selection = replace(selection, reason="abstain:empty_query")
    return replace(selection, signals=signals), len(hits)


def has_words(query: str) -> bool:
    """Return whether there is anything in ``query`` to look for: a letter, digit or known term."""
    from irengine.text import query_terms

    return any(character.isalnum() for character in query) or bool(query_terms(query))


def candidates_of(corpus: Corpus, question: Question) -> list[SearchHit]:
    """Return the ``k`` best hits of one corpus, one per artifact and per value of ``dedup_by``."""
    if not has_words(question.query):
        search(corpus, "", mode=question.mode, **question.search_kw)  # checks its arguments
        return []
    key = question.dedup_by
    if key == "auto":
        key = DFLT_DEDUP_BY.get(corpus.name)
    depth = question.k
    while True:
        found = search(
            corpus,
            question.query,
            k=depth,
            mode=question.mode,
            per_artifact=True,
            **question.search_kw,
        )
        hits = _distinct(found, key)
        # What repeats must not use up the places of what does not.
        if len(hits) >= question.k or len(found) < depth:
            return hits[: question.k]
        depth *= 4


def _distinct(hits: list[SearchHit], key: str | None) -> list[SearchHit]:
    """Keep the first hit of each value of a metadata field, and all hits without it."""
    if key is None:
        return hits
    seen: list[Any] = []
    kept = []
    for hit in hits:
        value = hit.metadata.get(key)
        if value is not None:
            if value in seen:
                continue
            seen.append(value)
        kept.append(hit)
    return kept
