"""The floor of a corpus: the score below which nothing is worth committing to."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.errors import ParameterError
from irengine.retrieve.checks import finite

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["Floor", "floor_of"]

_RESCALING = ("surface_weights", "dep_boost", "rerank")
"""Arguments of a search that give its scores another scale."""


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

    ``"auto"`` is the floor that was calibrated for this corpus, mode and embedder; when there is
    none that fits, a ``UserWarning`` says so and the search goes on without.

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


def _stored(corpus: Corpus, mode: str, search_kw: Mapping[str, Any]) -> Floor:
    rescaling = [name for name in _RESCALING if search_kw.get(name)]
    if rescaling:
        return Floor(None, "unusable", f"{', '.join(rescaling)} rescale the scores")
    record = corpus.store.get_calibration(mode)
    if record is None:
        return Floor(None, "missing", f"no calibration is stored for {mode!r}")
    if record.get("mode", mode) != mode or record.get("rerank") is not None:
        return Floor(None, "stale", "what is stored was calibrated for another configuration")
    if not record.get("embedder_id") or record["embedder_id"] != corpus.embedder_id:
        return Floor(None, "stale", "stale: it was calibrated with another embedder")
    if record.get("min_score") is None:
        return Floor(None, "applied")
    number = finite(record["min_score"])
    if number is None:
        return Floor(None, "stale", f"the stored floor {record['min_score']!r} is no number")
    return Floor(number, "applied")
