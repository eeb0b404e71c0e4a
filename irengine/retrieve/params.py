"""What ``search`` may be asked for, checked before any corpus is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from irengine.checks import finite, members, real_number, text, whole_number
from irengine.errors import ParameterError, ParameterTypeError, nearest
from irengine.rerank import DFLT_RERANK_MAX_CHARS, Rerank, check_rerank
from irengine.rerank.passages import RerankText, check_rerank_text
from irengine.retrieve.boosts import ScoreBoost
from irengine.retrieve.filters import Filter, compile_filter
from irengine.retrieve.wording import Wording, check_wording

__all__ = [
    "DFLT_BLEND_ALPHA",
    "DFLT_BM25_SAT_K",
    "DFLT_FUSION",
    "DFLT_RERANK_MAX_CHARS",
    "DFLT_RRF_K",
    "FUSIONS",
    "MODES",
    "Formulate",
    "Fusion",
    "Mode",
    "SearchParams",
    "check_keywords",
    "check_query",
    "check_surfaces",
    "search_params",
]

Mode = Literal["dense", "lexical", "hybrid"]
Fusion = Literal["rrf", "blend", "convex"]

MODES: tuple[Mode, ...] = ("dense", "lexical", "hybrid")
"""Meaning (vectors), words (BM25), or both."""

FUSIONS: tuple[Fusion, ...] = ("rrf", "blend", "convex")
"""How a hybrid search puts its two rankings together: by rank, by score with fixed shares, or by
score with shares that depend on the query."""

DFLT_FUSION: Fusion = "convex"

DFLT_RRF_K = 60
DFLT_BLEND_ALPHA = 0.5
DFLT_BM25_SAT_K = 8.0

Formulate = Callable[[str], "str | Iterable[str]"]
"""``query -> one or several queries to search with instead``."""


@dataclass(frozen=True, slots=True)
class SearchParams:
    """The validated arguments of ``search``; see there for what each does."""

    k: int
    filter: Filter | None
    wording: Wording | None
    surfaces: tuple[str, ...] | None
    per_artifact: bool
    mode: Mode
    fusion: Fusion
    rrf_k: float
    alpha: float
    bm25_sat_k: float
    fetch_k: int | None
    rerank: str | Rerank | None
    rerank_text: RerankText
    rerank_max_chars: int
    k1: float
    b: float
    formulate: Formulate | None
    surface_weights: Mapping[str, float]
    dep_boost: ScoreBoost | None


def search_params(
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
) -> SearchParams:
    """Check every argument of ``search`` but the corpus and the query.

    Raises:
        ParameterError: naming the argument, its value, and the choices or the range.
        FilterError: for an invalid filter.
    """
    check_rerank(rerank)
    check_rerank_text(rerank_text)
    k1, b = _bm25(bm25)
    return SearchParams(
        k=whole_number("k", k, least=0),
        filter=None if filter is None else compile_filter(filter),
        wording=check_wording(wording),
        surfaces=check_surfaces(surfaces),
        per_artifact=bool(per_artifact),
        mode=cast(Mode, _choice("mode", mode, MODES)),
        fusion=cast(Fusion, _choice("fusion", fusion, FUSIONS)),
        rrf_k=real_number("rrf_k", rrf_k, above=0.0),
        alpha=real_number("alpha", alpha, least=0.0, most=1.0),
        bm25_sat_k=real_number("bm25_sat_k", bm25_sat_k, above=0.0),
        fetch_k=None if fetch_k is None else whole_number("fetch_k", fetch_k, least=1),
        rerank=rerank,
        rerank_text=rerank_text,
        rerank_max_chars=whole_number("rerank_max_chars", rerank_max_chars, least=1),
        k1=k1,
        b=b,
        formulate=_callable("formulate", formulate),
        surface_weights=_weights(surface_weights),
        dep_boost=_callable("dep_boost", dep_boost),
    )


def check_keywords(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Make sure that ``function`` takes each of the keywords ``given`` to be passed on.

    Raises:
        ParameterTypeError: (also a ``TypeError``) naming the nearest.
    """
    choices = list(known)
    for name in given:
        if name not in choices:
            raise ParameterTypeError(
                f"{function} takes no argument {name!r}", hint=nearest(name, choices)
            )


def check_query(query: object) -> str:
    """Return ``query`` when it is text.

    Raises:
        ParameterTypeError: for anything else (also a ``TypeError``).
    """
    return text("the query", query)


def check_surfaces(surfaces: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return ``surfaces`` as a tuple of kinds without repetitions, or ``None`` for all.

    Raises:
        ParameterError: for a bare string, or members that are not text.
    """
    if surfaces is None:
        return None
    return tuple(dict.fromkeys(members("surfaces", surfaces, str, "surface kinds")))


def _choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise ParameterError(
        f"{name} must be one of {', '.join(choices)}, not {value!r}",
        hint=nearest(value, choices) if isinstance(value, str) else "",
    )


def _callable(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise ParameterError(f"{name} must be a callable or None, not {value!r}")
    return value


def _bm25(bm25: Mapping[str, float] | None) -> tuple[float, float]:
    options = {} if bm25 is None else bm25
    if not isinstance(options, Mapping):
        raise ParameterError(f"bm25 takes a mapping with k1 and b, not {bm25!r}")
    for key in options:
        if key not in ("k1", "b"):
            raise ParameterError(f"bm25 knows k1 and b, not {key!r}")
    k1 = real_number("bm25 k1", options.get("k1", 1.5), least=0.0)
    return k1, real_number("bm25 b", options.get("b", 0.75), least=0.0, most=1.0)


def _weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise ParameterError(f"surface_weights takes a mapping of kind to weight, not {weights!r}")
    checked = {}
    for kind, weight in weights.items():
        number = finite(weight)
        if not isinstance(kind, str) or number is None or number < 0:
            raise ParameterError(
                f"surface_weights must map kinds to finite numbers of at least 0, "
                f"not {kind!r} to {weight!r}"
            )
        checked[kind] = number
    return checked
