"""The floor of a corpus: the score below which nothing is worth committing to."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.checks import finite
from irengine.errors import ParameterError
from irengine.rerank import DFLT_RERANK_MAX_CHARS, calibration_key, is_anonymous, rerank_tag
from irengine.retrieve.filters import compile_filter
from irengine.retrieve.params import (
    DFLT_BLEND_ALPHA,
    DFLT_BM25_SAT_K,
    DFLT_FUSION,
    DFLT_RRF_K,
    check_surfaces,
)
from irengine.store.rows import analyzer_id

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = [
    "RESCALING",
    "Floor",
    "fingerprint_of",
    "floor_key",
    "floor_of",
    "reranker_of",
    "scale_of",
    "stored_calibration",
]

RESCALING = ("surface_weights", "dep_boost", "formulate")
"""Arguments of a search that give its scores another scale, one that nothing stored can name."""


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor and how it stands.

    ``status`` is ``"none"`` (not asked for), ``"given"`` (by the caller), ``"applied"`` (as
    calibrated), ``"missing"`` (nothing calibrated), ``"stale"`` (calibrated for something else) or
    ``"unusable"`` (this search has another scale); ``why`` says more for the last three.
    """

    score: float | None
    status: str
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``why`` only where there is something to say."""
        told: dict[str, Any] = {"min_score": self.score, "status": self.status}
        return {**told, "why": self.why} if self.why else told


def floor_of(corpus: Corpus, wanted: Any, mode: str, search_kw: Mapping[str, Any]) -> Floor:
    """Return the floor for a search of ``corpus``: none, the number given, or the stored one.

    ``"auto"`` is the floor that was calibrated for this corpus, mode and embedder, and, where the
    record has a ``scale``, for searches of that scale (see :func:`scale_of`). When there is none
    that fits, a ``UserWarning`` says so and the search goes on without.

    Raises:
        ParameterError: when ``wanted`` is neither ``None``, a number nor ``"auto"``.
    """
    if wanted is None:
        return Floor(None, "none")
    if isinstance(wanted, str) and wanted == "auto":
        floor = _stored(corpus, mode, search_kw)
        if floor.why:
            warnings.warn(f"no floor for corpus {corpus.name!r}: {floor.why}", stacklevel=4)
        return floor
    number = finite(wanted)
    if number is None:
        raise ParameterError(
            f"invalid min_score {wanted!r} (for source {corpus.name!r})",
            hint="give a number, 'auto' for the calibrated floor, or None",
        )
    return Floor(number, "given")


def scale_of(mode: str, search_kw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that give the scores of a search their scale, as JSON data.

    A calibration stores them under ``scale``: a floor means nothing for scores of another kind.
    Where a setting is not given it is the default of :func:`irengine.retrieve.search`.
    """
    scale: dict[str, Any] = {"mode": mode}
    if mode == "hybrid":
        scale["fusion"] = search_kw.get("fusion", DFLT_FUSION)
        names = {"alpha": DFLT_BLEND_ALPHA, "bm25_sat_k": DFLT_BM25_SAT_K}
        if scale["fusion"] == "rrf":
            names = {"rrf_k": DFLT_RRF_K}
        scale |= {name: float(search_kw.get(name, default)) for name, default in names.items()}
    if mode != "dense" and search_kw.get("bm25"):
        scale["bm25"] = dict(search_kw["bm25"])
    surfaces = check_surfaces(search_kw.get("surfaces"))
    if surfaces is not None:
        scale["surfaces"] = sorted(surfaces)
    if mode != "dense" and search_kw.get("filter"):
        # A word is rare or common among the candidates, and those are what passes the filter.
        scale["filter"] = compile_filter(search_kw["filter"]).key
    if search_kw.get("fetch_k") is not None:
        scale["fetch_k"] = int(search_kw["fetch_k"])
    return scale


def floor_key(scale: Mapping[str, Any], tag: str | None = None) -> str:
    """Return the key a floor for searches of this ``scale`` and reranker is stored under.

    That of :func:`irengine.rerank.calibration_key` for what ``discover`` does unless told
    otherwise; any other scale adds a digest of itself, so that each has a floor of its own.

    >>> floor_key(scale_of("hybrid", {}))
    'hybrid'
    >>> floor_key(scale_of("hybrid", {"fusion": "rrf"}))
    'hybrid@2730a71ef852'
    """
    key = calibration_key(str(scale["mode"]), tag)
    usual = scale_of(str(scale["mode"]), {})
    return key if dict(scale) == usual else f"{key}@{_digest(scale)[:12]}"


def stored_calibration(
    store: CorpusStore, scale: Mapping[str, Any], tag: str | None = None
) -> dict[str, Any] | None:
    """Return the record for searches of this scale, else that under the plain key, else ``None``.

    The latter tells what was calibrated when this was not.
    """
    record = store.get_calibration(floor_key(scale, tag))
    if record is None:
        record = store.get_calibration(calibration_key(str(scale["mode"]), tag))
    return record


def fingerprint_of(corpus: Corpus, scale: Mapping[str, Any], tag: str | None = None) -> str:
    """Return a digest of everything that shapes the scores of such a search of ``corpus``.

    The scale, the reranker, the embedder and, where words are looked at, the analyzer. Not what
    the corpus holds: a new document adds a score and changes no scale.
    """
    shaping: dict[str, Any] = {
        "scale": dict(scale),
        "rerank": tag,
        "embedder_id": corpus.embedder_id,
    }
    if scale["mode"] != "dense":
        shaping["analyzer_id"] = analyzer_id()
    return _digest(shaping)[:24]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _stored(corpus: Corpus, mode: str, search_kw: Mapping[str, Any]) -> Floor:
    rescaling = [name for name in RESCALING if search_kw.get(name)]
    if rescaling:
        return Floor(None, "unusable", f"{', '.join(rescaling)} rescale the scores")
    tag = reranker_of(search_kw)
    if tag is not None and is_anonymous(tag):
        return Floor(None, "unusable", "a reranker without a name has no floor of its own")
    wanted = scale_of(mode, search_kw)
    record = stored_calibration(corpus.store, wanted, tag)
    if record is None:
        key = calibration_key(mode, tag)
        return Floor(None, "missing", f"no calibration is stored for {key!r}")
    if record.get("mode", mode) != mode or record.get("rerank") != tag:
        return Floor(None, "stale", "what is stored was calibrated for another configuration")
    if not record.get("embedder_id") or record["embedder_id"] != corpus.embedder_id:
        return Floor(None, "stale", "stale: it was calibrated with another embedder")
    made_with = record.get("scale")
    if made_with is not None and made_with != wanted:
        return Floor(None, "stale", f"it was calibrated for {made_with}, and this is {wanted}")
    fingerprint = record.get("fingerprint")
    if fingerprint is not None and fingerprint != fingerprint_of(corpus, wanted, tag):
        return Floor(None, "stale", "stale: words are split otherwise since it was calibrated")
    if record.get("min_score") is None:
        return Floor(None, "applied")
    number = finite(record["min_score"])
    if number is None:
        return Floor(None, "stale", f"the stored floor {record['min_score']!r} is no number")
    return Floor(number, "applied")


def reranker_of(search_kw: Mapping[str, Any]) -> str | None:
    """Return the tag of the reranker among the arguments of a search, or ``None``.

    Resolve a reranker given by name first: one that cannot be loaded has no tag.
    """
    return rerank_tag(
        search_kw.get("rerank"),
        search_kw.get("rerank_text", "surface"),
        max_chars=search_kw.get("rerank_max_chars", DFLT_RERANK_MAX_CHARS),
    )
