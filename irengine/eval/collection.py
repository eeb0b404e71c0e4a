"""Measure every way of searching on a test collection: a folder in BEIR layout.

The collection is indexed in memory; what is worth keeping (vectors by text, figures by
configuration) is kept in the cache folder, so a run that was interrupted goes on where it stopped
and one that is asked again answers at once.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.config import cache_dir
from irengine.errors import (
    CaseError,
    EmbedderUnavailable,
    ParameterError,
    SourceMissing,
    StoreError,
    nearest,
)
from irengine.eval.cases import read_json_lines, read_qrels, read_queries
from irengine.eval.intervals import bootstrap_intervals
from irengine.eval.metrics import mean_metrics, measure
from irengine.eval.running import Latency, timed_rankings
from irengine.index import CancelToken, ProgressEvent, build
from irengine.index.report import no_progress
from irengine.rerank import resolve_reranker
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.store.files import storage_errors, write_json
from irengine.store.rows import analyzer_id
from irengine.strategy import IndexingStrategy, WholeText, strategy_to_spec

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "VARIANTS",
    "CollectionReport",
    "TestCollection",
    "VariantFigures",
    "evaluate_collection",
    "read_collection",
]

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "hybrid": {"mode": "hybrid"},
    "hybrid-rrf": {"mode": "hybrid", "fusion": "rrf"},
    "hybrid-blend": {"mode": "hybrid", "fusion": "blend"},
    "hybrid-maxsim": {"mode": "hybrid", "rerank": "maxsim"},
    "hybrid-cross-encoder": {"mode": "hybrid", "rerank": "cross-encoder"},
}
"""The ways of searching that can be measured, as arguments of :func:`irengine.search`."""

DFLT_VARIANTS = ("lexical", "dense", "hybrid", "hybrid-rrf", "hybrid-blend")

_MEASURES = (("ndcg", 10), ("recall", 10), ("recall", 100), ("mrr", 10), ("map", 100))
_DEPTH = 100
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class TestCollection:
    """Documents, queries, and which documents answer which query.

    Attributes:
        name: the name of its folder.
        documents: ``{id: title, a blank line, text}``.
        queries: ``{id: text}`` of the judged queries, in the order of their file.
        qrels: ``{query id: {document id: grade}}``.
        content_id: changes with any of the files it was read from.
    """

    __test__ = False  # its name does not make it a test

    name: str
    documents: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, float]]
    content_id: str


def read_collection(folder: str | Path, *, split: str | None = None) -> TestCollection:
    """Read ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/<split>.tsv`` of a folder.

    ``split`` is by default ``test`` or, when there is only one, that one.

    Raises:
        SourceMissing: the folder or one of the files is not there.
        CaseError: a line is not what it should be, or no query has both text and judgements.
    """
    base = Path(folder)
    if not base.is_dir():
        raise SourceMissing(f"there is no folder {base}", hint="name a folder in BEIR layout")
    files = [base / "corpus.jsonl", base / "queries.jsonl", _judgements(base, split)]
    for path in files:
        if not path.is_file():
            raise SourceMissing(
                f"{base} has no {path.relative_to(base)}",
                hint="a collection has corpus.jsonl, queries.jsonl and qrels/test.tsv",
            )
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    qrels = read_qrels(files[2])
    judged = {name for name, grades in qrels.items() if any(g > 0 for g in grades.values())}
    queries = {name: text for name, text in read_queries(files[1]).items() if name in judged}
    if not queries:
        raise CaseError(
            f"no query of {files[1]} is judged in {files[2]}",
            hint="check that the ids of queries and judgements agree",
        )
    return TestCollection(
        base.resolve().name, _documents(files[0]), queries, qrels, digest.hexdigest()[:24]
    )


def _judgements(base: Path, split: str | None) -> Path:
    if split is not None:
        return base / "qrels" / f"{split}.tsv"
    found = sorted((base / "qrels").glob("*.tsv"))
    return found[0] if len(found) == 1 else base / "qrels" / "test.tsv"


def _documents(path: Path) -> dict[str, str]:
    documents: dict[str, str] = {}
    for number, row in read_json_lines(path):
        name, text = (row.get("_id"), row.get("text")) if isinstance(row, Mapping) else (None, None)
        if type(name) not in (str, int) or not isinstance(text, str):
            raise CaseError(f"{path}, line {number}: a document needs _id and text")
        if str(name) in documents:
            raise CaseError(f"{path}, line {number}: the document {name!r} is there twice")
        title = row.get("title")
        documents[str(name)] = f"{title}\n\n{text}" if isinstance(title, str) and title else text
    if not documents:
        raise CaseError(f"{path} holds no document")
    return documents


@dataclass(frozen=True, slots=True)
class VariantFigures:
    """What one way of searching achieved.

    Attributes:
        metrics: ``{"ndcg@10": mean, …}`` over the queries.
        intervals: ``{"ndcg@10": (low, high), …}``, 95 % bootstrap intervals of the means.
        per_query: ``{query id: {"ndcg@10": value, …}}``.
        latency: milliseconds a query; ``None`` when no query was asked.
    """

    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    per_query: Mapping[str, Mapping[str, float]]
    latency: Mapping[str, float] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "metrics": dict(self.metrics),
            "intervals": {name: list(pair) for name, pair in self.intervals.items()},
            "per_query": {name: dict(row) for name, row in self.per_query.items()},
            "latency": self.latency,
        }


@dataclass(frozen=True, slots=True)
class CollectionReport:
    """The figures of a collection, by variant; ``cached`` names those that were known already.

    ``embedder_id`` is ``""`` when no variant needs vectors.
    """

    name: str
    documents: int
    queries: int
    embedder_id: str
    strategy: Mapping[str, Any]
    variants: Mapping[str, VariantFigures]
    cached: tuple[str, ...] = ()
    build_seconds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "documents": self.documents,
            "queries": self.queries,
            "embedder_id": self.embedder_id,
            "strategy": dict(self.strategy),
            "cached": list(self.cached),
            "build_seconds": self.build_seconds,
            "variants": {name: figures.to_dict() for name, figures in self.variants.items()},
        }


def evaluate_collection(
    collection: TestCollection,
    *,
    embedder: str = "default",
    variants: Iterable[str] = DFLT_VARIANTS,
    strategy: IndexingStrategy | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    cancel: CancelToken | None = None,
    fresh: bool = False,
) -> CollectionReport:
    """Index a collection in memory and measure each of ``variants`` over all its queries.

    Args:
        collection: what :func:`read_collection` returns.
        embedder: a spec of :func:`irengine.make_embedder`; not loaded when every variant that has
            to be measured searches by words only.
        variants: names in :data:`VARIANTS`; one whose reranker cannot be loaded is left out, with
            the warning of :func:`irengine.rerank.resolve_reranker`.
        strategy: how documents are cut; by default whole texts.
        progress: called with the events of the build, then with phase ``search``.
        cancel: looked at between queries; the variants that are done are kept.
        fresh: measure anew what is known already.

    Figures that cannot be kept in the cache folder are returned all the same, with one warning.

    Raises:
        ParameterError: for an unknown variant, or none.
        EmbedderUnavailable: when the model, or the reranker of every variant, cannot be loaded.
        BuildCancelled: when ``cancel`` was set.
    """
    from irengine.embed import embedder_id_for

    asked = _checked(variants)
    wanted = [name for name in asked if _available(VARIANTS[name])]
    if not wanted:
        raise EmbedderUnavailable(
            f"nothing can be measured here: no reranker of {', '.join(asked)} can be loaded",
            hint="choose other variants, such as lexical, dense or hybrid",
        )
    strategy = strategy or WholeText()
    tell, token = progress or no_progress, cancel or CancelToken()
    embedder_id = embedder_id_for(embedder)
    paths = {
        name: _path(
            collection,
            embedder_id if _needs_vectors(name) else "",
            strategy_to_spec(strategy),
            VARIANTS[name],
        )
        for name in wanted
    }
    known = {} if fresh else {n: f for n, path in paths.items() if (f := _known(path)) is not None}
    corpus: Corpus | None = None
    keeps = True
    figures: dict[str, VariantFigures] = {}
    for name in wanted:
        if name in known:
            figures[name] = known[name]
            continue
        if corpus is None:
            source = CorpusSource.from_mapping(
                collection.documents, name=collection.name, strategy=strategy
            )
            store = CorpusStore.memory()
            dense = any(_needs_vectors(other) for other in wanted if other not in known)
            vectors = embedder if dense else _no_vectors
            corpus = build(source, store=store, embedder=vectors, progress=tell, cancel=token)
        figures[name] = _measured(corpus, collection, VARIANTS[name], tell, token)
        if keeps:
            keeps = _keep(paths[name], figures[name])
    seconds = None
    if corpus is not None and corpus.report is not None:
        seconds = sum(corpus.report.seconds.values())
    return CollectionReport(
        collection.name,
        len(collection.documents),
        len(collection.queries),
        embedder_id if any(map(_needs_vectors, wanted)) else "",
        strategy_to_spec(strategy),
        figures,
        tuple(known),
        seconds,
    )


def _checked(variants: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(variants))
    if not names:
        raise ParameterError(f"no variant to measure; there are {', '.join(VARIANTS)}")
    for name in names:
        if name not in VARIANTS:
            raise ParameterError(
                f"there is no variant {name!r}; there are {', '.join(VARIANTS)}",
                hint=nearest(name, VARIANTS),
            )
    return names


def _needs_vectors(variant: str) -> bool:
    return bool(VARIANTS[variant]["mode"] != "lexical")


def _no_vectors(texts: Sequence[str]) -> list[list[float]]:
    """Stand for an embedder where nothing is searched by meaning."""
    return [[0.0]] * len(texts)


def _available(options: Mapping[str, Any]) -> bool:
    spec = options.get("rerank")
    return spec is None or resolve_reranker(spec) is not None


def _measured(
    corpus: Corpus,
    collection: TestCollection,
    options: Mapping[str, Any],
    tell: Callable[[ProgressEvent], None],
    token: CancelToken,
) -> VariantFigures:
    from irengine.retrieve import search

    asked = 0

    def ask(query: str) -> list[SearchHit]:
        nonlocal asked
        token.raise_if_cancelled()
        tell(ProgressEvent("search", asked, len(collection.queries)))
        asked += 1
        return search(corpus, query, k=_DEPTH, **options)

    rankings, seconds = timed_rankings(ask, list(collection.queries.values()))
    per_query = {
        name: _figures([hit.artifact_id for hit in hits], collection.qrels[name])
        for name, hits in zip(collection.queries, rankings, strict=True)
    }
    return _summed(per_query, Latency.of(seconds))


def _figures(ranking: Sequence[str], grades: Mapping[str, float]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, k in _MEASURES:
        figures |= measure(ranking, grades, [k], [name])
    return figures


def _summed(
    per_query: Mapping[str, Mapping[str, float]], latency: Latency | None
) -> VariantFigures:
    names = list(next(iter(per_query.values())))
    columns = {name: [row[name] for row in per_query.values()] for name in names}
    return VariantFigures(
        mean_metrics(per_query),
        bootstrap_intervals(columns),
        per_query,
        None if latency is None else latency.to_dict(),
    )


def _path(
    collection: TestCollection,
    embedder_id: str,
    strategy: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Path:
    """Return where the figures of one configuration are kept."""
    from irengine import __version__

    key = [_FORMAT, __version__, collection.content_id, embedder_id, analyzer_id()]
    text = json.dumps([*key, dict(strategy), dict(options)], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:24]
    return cache_dir() / "eval" / f"{digest}.json"


def _keep(path: Path, figures: VariantFigures) -> bool:
    """Keep figures at ``path``; warn, and return ``False``, when nothing can be kept there."""
    try:
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, figures.to_dict())
    except StoreError as error:
        warnings.warn(f"the figures are not kept for the next time: {error}", stacklevel=3)
        return False
    return True


def _known(path: Path) -> VariantFigures | None:
    """Return the figures kept at ``path``; ``None`` when they are not there, or not whole."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        pairs = {name: (pair[0], pair[1]) for name, pair in told["intervals"].items()}
        return VariantFigures(told["metrics"], pairs, told["per_query"], told["latency"])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
