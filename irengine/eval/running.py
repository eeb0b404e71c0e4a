"""Ask a corpus the questions of a set of cases, and time it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.errors import ParameterError
from irengine.retrieve import search
from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import check_surfaces, search_params

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.index import Corpus

__all__ = [
    "DFLT_MODE",
    "DocRetriever",
    "Latency",
    "as_doc_retriever",
    "search_options",
    "timed_rankings",
]

DFLT_MODE = "hybrid"

DocRetriever = Callable[..., list[str]]
"""``retriever(query, *, limit=10) -> artifact ids``, best first."""

Clock = Callable[[], float]
"""Seconds since some moment, as :func:`time.perf_counter` has them."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long queries took, in milliseconds, each asked once on an open corpus.

    A corpus keeps the vectors of its last queries: asked again, they are not embedded again.

    ``p50`` and ``p95`` are the value that at least half, or 95 %, of the queries do not exceed.
    """

    mean: float
    p50: float
    p95: float
    longest: float
    n: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency | None:
        """Return the summary of durations in seconds; ``None`` for none."""
        if not seconds:
            return None
        ordered = sorted(1000.0 * value for value in seconds)
        n = len(ordered)

        def at(percent: int) -> float:
            return ordered[max(0, -(-percent * n // 100) - 1)]

        return cls(sum(ordered) / n, at(50), at(95), ordered[-1], n)

    def to_dict(self) -> dict[str, float]:
        """Return the JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}


def search_options(
    mode: str, surfaces: Iterable[str] | None, search_kw: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of ``search`` that are measured, checked.

    Raises:
        ParameterError: for what ``search`` would not accept, and for ``k`` or ``per_artifact``.
    """
    for name in ("k", "per_artifact"):
        if name in search_kw:
            raise ParameterError(f"{name} cannot be given for the searches of an evaluation")
    options = {**search_kw, "mode": mode, "surfaces": check_surfaces(surfaces)}
    known = search_params.__kwdefaults__ or {}
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ParameterError(f"search takes no argument {unknown[0]!r}")
    search_params(**options)
    return options


def as_doc_retriever(
    corpus: Corpus | str,
    *,
    mode: str = DFLT_MODE,
    surfaces: Iterable[str] | None = None,
    **search_kw: Any,
) -> DocRetriever:
    """Return ``retriever(query, *, limit=10) -> artifact ids`` over one corpus.

    Raises:
        ParameterError: for arguments ``search`` would not accept.
        CorpusNotFound: for a name nothing is built under.
    """
    options = search_options(mode, surfaces, search_kw)
    opened = as_corpus(corpus)

    def retriever(query: str, *, limit: int = 10) -> list[str]:
        return [hit.artifact_id for hit in search(opened, query, k=limit, **options)]

    return retriever


def timed_rankings(
    ask: Callable[[str], list[SearchHit]], queries: Sequence[str], clock: Clock | None = None
) -> tuple[list[list[SearchHit]], list[float]]:
    """Ask each query once, in order; return the rankings and the seconds each took.

    The first question is asked beforehand in other words, untimed: loading a model is not what a
    query costs.
    """
    now = clock or time.perf_counter
    if queries:
        ask(queries[0] + " ?")
    rankings, seconds = [], []
    for query in queries:
        start = now()
        rankings.append(ask(query))
        seconds.append(now() - start)
    return rankings, seconds
