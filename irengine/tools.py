"""Search as a tool for agents: plain functions whose results and errors are JSON.

Nothing here knows a protocol: a server for MCP or HTTP, or an agent's own loop, calls the function
and sends on what it returns. What a caller can do something about (an unknown corpus, a bad filter,
a missing model) comes back as a result with an ``error``, because an agent reads results and not
tracebacks. Faults of the program itself are raised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from irengine.checks import text
from irengine.errors import IrError
from irengine.strategy import text_of

__all__ = ["make_search", "search", "search_tool"]

Tool = Callable[..., dict[str, Any]]


def search(
    query: str,
    *,
    corpus: Any,
    k: int = 8,
    mode: str = "hybrid",
    filter: Mapping[str, Any] | None = None,
    rerank: Any = None,
    rerank_text: str = "surface",
    max_k: int | None = None,
    min_score: Any = None,
    strategy: Any = None,
    disclose_level: str = "metadata",
) -> dict[str, Any]:
    """Search one corpus or several and return the few results worth acting on, as JSON data.

    The result is that of :func:`irengine.select.discover` as a dict: ``results`` best first
    (each with ``artifact_id``, ``name``, ``score``, ``summary``, ``pointer``, ``metadata``, and a
    ``body`` when asked for), ``abstained`` with a ``reason`` when nothing fits, and the ``signals``
    of the choice. It holds only what JSON has: a number that is not finite is ``None``.

    What went wrong is a result as well: no ``results``, ``abstained``, the reason
    ``"error:<code>"``, and ``error`` with ``code``, ``message`` and ``hint``.

    Args:
        query: what is looked for, in words.
        corpus: the name of a built corpus, a list of names, or an open corpus.
        k: how many candidates are looked at; at most ``max_k`` of them are results.
        mode: ``"hybrid"``, ``"dense"`` or ``"lexical"``.
        filter: a condition on the metadata, see :mod:`irengine.retrieve.filters`. A field that
            no record has is an error here, when nothing passes: an agent sees no warnings.
        rerank: a second stage that orders the candidates again, such as ``"maxsim"``.
        rerank_text: which text it reads.
        max_k: how many results at most; ``None`` leaves it to ``discover``, as do the next two.
        min_score: the score below which nothing is a result: a number, ``"auto"``, or for several
            corpora a mapping by name.
        strategy: the rule by which results are chosen.
        disclose_level: ``"metadata"``, ``"body"`` or ``"bundled"``.
    """
    asked: dict[str, Any] = {
        "k": k,
        "mode": mode,
        "filter": filter,
        "disclose_level": disclose_level,
        "min_score": min_score,
    }
    if rerank is not None:
        asked |= {"rerank": rerank, "rerank_text": rerank_text}
    asked |= {
        name: value
        for name, value in (("max_k", max_k), ("strategy", strategy))
        if value is not None
    }
    try:
        from irengine.retrieve.handles import as_corpus
        from irengine.retrieve.unknown import check_fields
        from irengine.select import discover

        told = discover(corpus, query, **asked)
        if filter is not None and not told.n_retrieved:
            several = corpus if isinstance(corpus, (list, tuple)) else [corpus]
            check_fields([as_corpus(each) for each in several], filter)
        found: dict[str, Any] = _clean(told.to_dict())
        return found
    except IrError as error:
        return _failure(query, mode, strategy, disclose_level, error)


search_tool = search


def make_search(
    corpus: Any,
    *,
    name: str | None = None,
    description: str | None = None,
    k: int = 8,
    mode: str = "hybrid",
    rerank: Any = None,
    rerank_text: str = "surface",
    filter: Mapping[str, Any] | None = None,
    max_k: int | None = None,
    min_score: Any = None,
    strategy: Any = None,
    disclose_level: str = "metadata",
) -> Tool:
    """Return ``tool(query, k=k) -> dict``: :func:`search` bound to one corpus and these options.

    A host that shows functions to agents shows this one by its ``__name__``, ``search_<label>``
    with every character but ASCII letters and digits as ``_``, and its ``__doc__``, the
    ``description``. The label is ``name``, else the corpus when it is given by its name, else
    ``corpus``. The corpus is looked up at each call, not now.

    Raises:
        ParameterTypeError: when ``name`` is no text.
    """
    if name is not None:
        text("name", name)
    label = name or (corpus if isinstance(corpus, str) else "") or "corpus"
    options: dict[str, Any] = {
        "mode": mode,
        "filter": filter,
        "rerank": rerank,
        "rerank_text": rerank_text,
        "max_k": max_k,
        "min_score": min_score,
        "strategy": strategy,
        "disclose_level": disclose_level,
    }

    def bound(query: str, k: int = k) -> dict[str, Any]:
        return search(query, corpus=corpus, k=k, **options)

    slug = re.sub(r"[^0-9A-Za-z]", "_", label).strip("_") or "corpus"
    bound.__name__ = bound.__qualname__ = f"search_{slug}"
    bound.__doc__ = description or (
        f"Search {label} for what a query in words describes; returns the few results worth "
        "acting on, or none with a reason."
    )
    return bound


def _failure(query: Any, mode: Any, strategy: Any, level: Any, error: IrError) -> dict[str, Any]:
    """Return an error in the shape of a result, so that reading results needs no second path."""
    return {
        "query": _clean(query),
        "mode": _clean(mode),
        "strategy": strategy if isinstance(strategy, str) else None,
        "disclose_level": _clean(level),
        "results": [],
        "abstained": True,
        "reason": f"error:{error.code}",
        "n_retrieved": 0,
        "n_selected": 0,
        "signals": {},
        "error": _clean(error.to_dict()),
    }


def _clean(value: Any) -> Any:
    """Return ``value`` as JSON has it; what JSON has no word for becomes its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text_of(str.__str__(value))
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {text_of(str(key)): _clean(item) for key, item in value.items()}
    if getattr(value, "ndim", None) == 0:  # a scalar of numpy
        return _clean(value.item())
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [_clean(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return text_of(value)
