"""How finding one artifact gets harder the more others there are.

A smaller corpus is a slice of the built one: the same rows and vectors, with all but the chosen
artifacts left out. Searching it gives what a corpus built of those artifacts would give.
"""

from __future__ import annotations

import math
import numbers
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irengine.checks import having, members, whole_number
from irengine.errors import ParameterError
from irengine.eval.cases import DiscoveryCase
from irengine.eval.reading import readable_items, warn_unreadable
from irengine.eval.running import search_options
from irengine.index import Corpus, build
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus
from irengine.sources import CorpusSource
from irengine.store import CorpusStore, Snapshot

if TYPE_CHECKING:
    from irengine.strategy import IndexingStrategy

__all__ = [
    "DFLT_CURVE_EMBEDDER",
    "DFLT_CURVE_MODE",
    "DFLT_DISTRACTOR_SIZES",
    "corpus_slice",
    "distractor_curve_from_cases",
    "distractor_robustness_curve",
    "robustness_curve",
]

DFLT_DISTRACTOR_SIZES = (1, 4, 8, 16, 32, 64, 128)
DFLT_CURVE_MODE = "dense"
DFLT_CURVE_EMBEDDER = "light"

Probe = tuple[str, str]
"""A query and the id of the artifact that answers it."""


def distractor_robustness_curve(
    scope: Mapping[str, Any],
    probes: Iterable[Probe],
    *,
    strategy: IndexingStrategy | None = None,
    embedder: Any = DFLT_CURVE_EMBEDDER,
    mode: str = DFLT_CURVE_MODE,
    sizes: Iterable[int] = DFLT_DISTRACTOR_SIZES,
    trials: int = 20,
    seed: int = 0,
    k: int = 1,
    **search_kw: Any,
) -> dict[int, float]:
    """Return ``{N: how often the artifact is found among N}`` over the items of ``scope``.

    ``scope`` is built once, in memory; see :func:`robustness_curve` for the rest. An item that
    cannot be read or decomposed is left out; one warning says which.

    Args:
        scope: ``{artifact id: raw item}``.
        probes: ``(query, artifact id)`` pairs.
        strategy: what is indexed of an item, by default its whole text.
        embedder: what it is embedded with.
        mode, sizes, trials, seed, k, **search_kw: see :func:`robustness_curve`.
    """
    checked = _checked(sizes, trials, seed, k)
    source = CorpusSource.from_mapping(scope, name="robustness", strategy=strategy)
    corpus = build(source, store=CorpusStore.memory(), embedder=embedder)
    failed = {item.id: item.detail for item in corpus.report.errors} if corpus.report else {}
    warn_unreadable(failed)
    ids = [artifact_id for artifact_id in scope if artifact_id not in failed]
    return _curve(corpus, ids, probes, mode, *checked, search_kw)


def distractor_curve_from_cases(
    source: CorpusSource, cases: Iterable[DiscoveryCase], **kwargs: Any
) -> dict[int, float]:
    """Return :func:`distractor_robustness_curve` over a source, for its cases of one gold id.

    The strategy is that of the source, unless ``strategy`` is given. What cannot be read is left
    out, as there.
    """
    having("source", source, "indexing_strategy", "a corpus source")
    options = {"strategy": source.indexing_strategy, **kwargs}
    failed: dict[str, str] = {}
    scope = dict(readable_items(source, failed))
    warn_unreadable(failed)
    return distractor_robustness_curve(scope, _probes(cases), **options)


def robustness_curve(
    corpus: Corpus | str,
    cases: Iterable[DiscoveryCase],
    *,
    mode: str = DFLT_CURVE_MODE,
    sizes: Iterable[int] = DFLT_DISTRACTOR_SIZES,
    trials: int = 20,
    seed: int = 0,
    k: int = 1,
    **search_kw: Any,
) -> dict[int, float]:
    """Return ``{N: how often the gold artifact is found among N}`` in a built corpus.

    For each size and each case of one gold id, ``trials`` times: N - 1 other artifacts are drawn,
    and the case is a hit when its gold is among the first ``k`` of those N. Where N is the whole
    corpus there is one trial. With no more than ``k`` artifacts there is nothing to get wrong.

    Args:
        corpus: an open corpus, or the name of one; nothing is embedded but queries.
        cases: those of one gold id that the corpus has are used.
        mode, **search_kw: see :func:`irengine.retrieve.search`.
        sizes: values of N, whole numbers; above the number of artifacts they are that number,
            below 1 they are left out.
        trials: draws a case and size.
        seed: of the draws; equal seeds give equal curves.
        k: how far down a hit may be.

    Returns:
        One entry a size, ascending; NaN where no case could be used.

    Raises:
        ParameterError: for an argument out of range.
    """
    checked = _checked(sizes, trials, seed, k)
    opened = as_corpus(corpus)
    ids = opened.store.snapshot().artifact_ids()
    return _curve(opened, ids, _probes(cases), mode, *checked, search_kw)


def corpus_slice(corpus: Corpus, artifact_ids: Iterable[str]) -> Corpus:
    """Return ``corpus`` as if it held only these artifacts; nothing is copied or embedded.

    For searching: it shares rows and vectors with ``corpus`` at this moment, and what a search
    counts (documents that have a word, their lengths) is counted over the slice.
    """
    ids = members("artifact_ids", artifact_ids, str, "artifact ids")
    snapshot = having("corpus", corpus, "store", "an open corpus").store.snapshot()
    chosen = np.zeros(snapshot.n, dtype=bool)
    for artifact_id in ids:
        chosen[snapshot.positions_of(artifact_id)] = True
    return _sliced(corpus, snapshot, chosen)


class _SlicedStore:
    """What a search asks of a store."""

    path = None

    def __init__(self, snapshot: Snapshot, whole: CorpusStore) -> None:
        self._snapshot = snapshot
        self._whole = whole

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("get_", "ledger_")):
            return getattr(self._whole, name)
        raise AttributeError(f"a slice of a corpus is for searching and has no {name}")


def _sliced(corpus: Corpus, snapshot: Snapshot, chosen: Any) -> Corpus:
    ends = [*snapshot.offsets[1:], snapshot.n]
    part = Snapshot(
        generation=snapshot.generation,
        segments=snapshot.segments,
        alive=[chosen[start:end] for start, end in zip(snapshot.offsets, ends, strict=True)],
        embedder_id=snapshot.embedder_id,
        analyzer_id=snapshot.analyzer_id,
    )
    store: Any = _SlicedStore(part, corpus.store)
    return Corpus(corpus.name, store, corpus.embedder, corpus.embedder_id)


def _probes(cases: Iterable[DiscoveryCase]) -> list[Probe]:
    listed = members("cases", cases, DiscoveryCase, "cases")
    return [(case.query, case.gold[0]) for case in listed if len(set(case.gold)) == 1]


def _checked(sizes: Any, trials: Any, seed: Any, k: Any) -> tuple[list[int], int, int, int]:
    """Return the numbers a curve is made by; of the sizes those of at least 1."""
    if isinstance(sizes, (str, bytes)) or not isinstance(sizes, Iterable):
        raise ParameterError(f"sizes must be whole numbers, such as (1, 8, 64), not {sizes!r}")
    listed = list(sizes)
    for size in listed:
        if isinstance(size, bool) or not isinstance(size, numbers.Integral):
            raise ParameterError(f"sizes must be whole numbers, such as (1, 8, 64), not {size!r}")
    return (
        [int(size) for size in listed if size >= 1],
        whole_number("trials", trials, least=1),
        whole_number("seed", seed, least=0),
        whole_number("k", k, least=1),
    )


def _curve(
    corpus: Corpus,
    ids: Sequence[str],
    probes: Iterable[Probe],
    mode: str,
    sizes: Sequence[int],
    trials: int,
    seed: int,
    k: int,
    search_kw: Mapping[str, Any],
) -> dict[int, float]:
    options = search_options(mode, search_kw.get("surfaces"), search_kw)
    wanted = sorted({min(size, len(ids)) for size in sizes} - {0})
    known = set(ids)
    usable = [(query, gold) for query, gold in probes if gold in known]
    snapshot = corpus.store.snapshot()
    rows = {artifact_id: snapshot.positions_of(artifact_id) for artifact_id in ids}
    curve = {}
    for size in wanted:
        rng = random.Random(seed + size)
        found = []
        for query, gold in usable:
            others = [artifact_id for artifact_id in ids if artifact_id != gold]
            for _ in range(1 if size == len(ids) else trials):
                drawn = rng.sample(others, size - 1)
                if size <= k:
                    found.append(True)
                    continue
                chosen = np.zeros(snapshot.n, dtype=bool)
                for artifact_id in (gold, *drawn):
                    chosen[rows[artifact_id]] = True
                part = _sliced(corpus, snapshot, chosen)
                if mode != "lexical":
                    part.keep_query(query, corpus.embed_query(query))
                hits = search(part, query, k=k, **options)
                found.append(any(hit.artifact_id == gold for hit in hits))
        curve[size] = sum(found) / len(found) if found else math.nan
    return curve
