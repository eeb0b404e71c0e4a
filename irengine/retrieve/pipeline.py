"""``search``: one query against one corpus, from arguments to hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irengine.base import SearchHit
from irengine.checks import finite
from irengine.embed import trust
from irengine.errors import ParameterError
from irengine.rerank import (
    DFLT_RERANK_MAX_CHARS,
    Rerank,
    resolve_reranker,
)
from irengine.rerank.passages import RerankText
from irengine.retrieve.boosts import ScoreBoost
from irengine.retrieve.candidates import Candidates, candidates
from irengine.retrieve.channels import dense_channel, lexical_channel
from irengine.retrieve.explain import explain_rows
from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import (
    DFLT_BLEND_ALPHA,
    DFLT_BM25_SAT_K,
    DFLT_FUSION,
    DFLT_RRF_K,
    Formulate,
    SearchParams,
    check_query,
    search_params,
)
from irengine.retrieve.ranking import QueryChannels, collapse, ranked_pool
from irengine.retrieve.reranking import reranked_rows
from irengine.retrieve.unknown import check_kinds, warn_of_unknown_fields
from irengine.retrieve.wording import Wording
from irengine.text import query_terms

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import Row, Snapshot

__all__ = ["search"]


def search(
    corpus: Corpus | str,
    query: str,
    *,
    k: int = 10,
    filter: Mapping[str, Any] | None = None,
    wording: Wording | None = None,
    surfaces: Iterable[str] | None = None,
    per_artifact: bool = True,
    mode: str = "dense",
    fusion: str = DFLT_FUSION,
    rrf_k: float = DFLT_RRF_K,
    alpha: float = DFLT_BLEND_ALPHA,
    bm25_sat_k: float = DFLT_BM25_SAT_K,
    fetch_k: int | None = None,
    rerank: str | Rerank | None = None,
    rerank_text: RerankText = "surface",
    rerank_max_chars: int = DFLT_RERANK_MAX_CHARS,
    bm25: Mapping[str, float] | None = None,
    formulate: Formulate | None = None,
    surface_weights: Mapping[str, float] | None = None,
    dep_boost: ScoreBoost | None = None,
) -> list[SearchHit]:
    """Return the ``k`` best hits of ``query``, best first.

    The whole search reads one published generation of the corpus. Results are exact and
    repeatable: equal scores are ordered by record id (dense hits before lexical
    ones where ranks are fused). Each hit has its own metadata, carries the corpus' name as
    ``source``, and an ``explanation`` (see :func:`irengine.retrieve.explain.explain_rows`, with
    ``surface_weight``, ``rerank``, ``boost`` and ``final`` added).

    A blank query has no hits. A query without words (punctuation) has no lexical hits, and no
    dense ones when its vector is zero. Otherwise a dense search ranks every candidate, also
    those of cosine 0 and below.

    Args:
        corpus: an open corpus, or the name of one.
        query: the text to search for.
        k: how many hits (artifacts, with ``per_artifact``) at most.
        filter: metadata filter; see :mod:`irengine.retrieve.filters`. When nothing passes it and
            no record has one of its fields, a ``UserWarning`` says so and names the nearest.
        wording: words and phrases an answer must hold, or must not, whatever the mode; see
            :mod:`irengine.retrieve.wording`.
        surfaces: surface kinds to search; ``None`` = all. At least one has to be in the corpus.
        per_artifact: keep only the best hit of each artifact. As many artifacts as match, up to
            ``k``, are returned: the depth grows until they are found.
        mode: ``"dense"`` (score = cosine), ``"lexical"`` (BM25), or ``"hybrid"``.
        fusion: hybrid only. ``"convex"``: both channels on one scale, each with the share that
            it deserves for this query (:func:`irengine.retrieve.balance.balance_of`); ``"rrf"``:
            ``Σ 1 / (rrf_k + rank)``; ``"blend"``:
            ``alpha * cosine + (1 - alpha) * bm25 / (bm25 + bm25_sat_k)``. With the last two an
            empty channel, and a row below the depth of one, adds nothing; the scale stays the
            same.
        rrf_k: rank constant, above 0.
        alpha: the share of the cosine in a blend, the weight it starts from in ``"convex"``: 0
            to 1.
        bm25_sat_k: the BM25 score that counts one half, above 0.
        fetch_k: records each channel contributes, exactly; fewer than ``k`` hits may then come
            back. Default: ``max(5 * k, 50)`` growing as needed, or ``k`` when nothing collapses,
            weighs, boosts or reranks.
        rerank: ``(query, [{"text": passage, "score": first stage}, …]) -> scores``, called once,
            on distinct passages, with the query as given; its scores replace the first stage's.
            What it gives no finite number comes last. A name stands for a reranker, see
            :func:`irengine.rerank.resolve_reranker`; one that cannot be loaded leaves the first
            stage as it is.
        rerank_text: the passage: ``"surface"`` (the text that matched), ``"artifact"`` or a
            function, see :func:`irengine.rerank.passage_texts`.
        rerank_max_chars: how much of an artifact is read; at least 1.
        bm25: ``{"k1": 1.5, "b": 0.75}`` overrides.
        formulate: ``query -> text or texts`` to search with instead. Several texts are ranked
            separately, at the same depth, and fused by rank (``rrf_k``), whatever the mode.
        surface_weights: ``{kind: weight}``, at least 0, multiplying first-stage scores before
            the cut; other kinds weigh 1, kinds the corpus does not have are ignored.
        dep_boost: ``hit -> number`` added to the score after reranking and before the collapse.

    Raises:
        ParameterError: for an argument outside its range, before the corpus is looked at; and for
            ``surfaces`` of which the corpus has none.
        FilterError: for an invalid filter, likewise.
        CorpusNotFound: when ``corpus`` is a name nothing is built under.
        EmbedderMismatch: when the query's vector is not as wide as the stored ones.
    """
    params = search_params(
        k=k,
        filter=filter,
        wording=wording,
        surfaces=surfaces,
        per_artifact=per_artifact,
        mode=mode,
        fusion=fusion,
        rrf_k=rrf_k,
        alpha=alpha,
        bm25_sat_k=bm25_sat_k,
        fetch_k=fetch_k,
        rerank=rerank,
        rerank_text=rerank_text,
        rerank_max_chars=rerank_max_chars,
        bm25=bm25,
        formulate=formulate,
        surface_weights=surface_weights,
        dep_boost=dep_boost,
    )
    query = check_query(query)
    opened = as_corpus(corpus)
    if params.k == 0 or not query.strip():
        return []
    snapshot = opened.store.snapshot()
    check_kinds([snapshot], params.surfaces)
    among = candidates(snapshot, params.filter, params.surfaces, params.wording)
    if among.count == 0:
        warn_of_unknown_fields([snapshot], params.filter)
        return []
    if isinstance(params.rerank, str):
        params = replace(params, rerank=resolve_reranker(params.rerank))
    texts = _formulated(query, params.formulate)
    if len(texts) > 1 and params.mode != "lexical":
        opened.embed_queries(texts)
    channels = [_channels(opened, text, params, snapshot, among) for text in texts]
    return _hits(opened, query, channels, params, snapshot)


def _formulated(query: str, formulate: Formulate | None) -> list[str]:
    """Return the texts to search with: those of ``formulate``, or the query itself."""
    if formulate is None:
        return [query]
    made = formulate(query)
    if isinstance(made, str):
        return [made] if made.strip() else []
    if not isinstance(made, Iterable):
        raise ParameterError(f"formulate must return text or texts, not {made!r}")
    texts = [text for text in made if isinstance(text, str) and text.strip()]
    return list(dict.fromkeys(texts)) or [query]


def _channels(
    corpus: Corpus, text: str, params: SearchParams, snapshot: Snapshot, among: Candidates
) -> QueryChannels:
    dense = lexical = None
    if params.mode != "lexical":
        dense = dense_channel(snapshot, corpus.embed_query(text), among)  # goes on beside the words
    if params.mode != "dense":
        terms = [*query_terms(text), *among.terms]
        lexical = lexical_channel(snapshot, terms, among, k1=params.k1, b=params.b)
    worth = trust(corpus.embedder_id, text)
    return QueryChannels(text, None if dense is None else dense(), lexical, among.count, worth)


def _hits(
    corpus: Corpus,
    query: str,
    channels: list[QueryChannels],
    params: SearchParams,
    snapshot: Snapshot,
) -> list[SearchHit]:
    artifacts = snapshot.artifact_codes
    weights = _weight_of_rows(snapshot, params.surface_weights)
    pool = ranked_pool(channels, params, weights=weights, artifacts=artifacts)
    order = pool.rows
    stored: dict[int, Row] = {}
    reranked: dict[int, float] = {}
    boosts: dict[int, float] = {}
    if order and (params.rerank is not None or params.dep_boost is not None):
        stored = _stored(snapshot, order)
    if order and params.rerank is not None:
        order = reranked_rows(corpus, query, order, stored, params)
        reranked = dict(order)
    if order and params.dep_boost is not None:
        boosts = _boosts(corpus.name, order, stored, params.dep_boost)
        order = sorted(((row, s + boosts[row]) for row, s in order), key=lambda pair: -pair[1])
    if params.per_artifact:
        order = collapse(order, artifacts)
    order = order[: params.k]
    if not order:
        return []
    explained = explain_rows(pool, [row for row, _ in order], params)
    stored = stored or _stored(snapshot, order)
    hits = []
    for row, score in order:
        explanation = explained[row]
        explanation["surface_weight"] = 1.0 if weights is None else float(weights[row])
        if reranked:
            explanation["rerank"] = reranked[row]
        explanation["boost"] = boosts.get(row, 0.0)
        explanation["final"] = score
        hits.append(_hit(corpus.name, stored[row], score, explanation))
    return hits


def _stored(snapshot: Snapshot, order: list[tuple[int, float]]) -> dict[int, Row]:
    positions = [row for row, _ in order]
    return dict(zip(positions, snapshot.rows(positions), strict=True))


def _hit(
    source: str, row: Row, score: float, explanation: Mapping[str, Any] | None = None
) -> SearchHit:
    return SearchHit(
        artifact_id=row.artifact_id,
        surface_kind=row.surface_kind,
        score=score,
        text=row.text,
        metadata=row.metadata,
        source=source,
        surface_index=row.surface_index,
        explanation=explanation,
    )


def _weight_of_rows(snapshot: Snapshot, weights: Mapping[str, float]) -> np.ndarray | None:
    """Return the surface weight of each row, or ``None`` when none differs from 1.

    Kinds the corpus does not have must not change anything, not even the depth.
    """
    kinds = {kind for segment in snapshot.segments for kind in segment.kinds}
    effective = {kind: w for kind, w in weights.items() if kind in kinds and w != 1.0}
    if not effective:
        return None
    tables = [
        np.array([effective.get(kind, 1.0) for kind in segment.kinds] or [1.0])[segment.kind]
        for segment in snapshot.segments
    ]
    return np.concatenate(tables)


def _boosts(
    source: str, order: list[tuple[int, float]], stored: Mapping[int, Row], boost: ScoreBoost
) -> dict[int, float]:
    boosts = {}
    for row, score in order:
        added = boost(_hit(source, stored[row], score))
        number = finite(added)
        if number is None:
            raise ParameterError(
                f"dep_boost must return a finite number, not {added!r} "
                f"(for artifact {stored[row].artifact_id!r})"
            )
        boosts[row] = number
    return boosts
