"""The data model: what a corpus is made of and what a search returns.

An *artifact* is a logical item (a file, a skill, a package). A strategy turns it into an
*index plan*: filter fields, and *surfaces*, the texts that are embedded. A stored surface is
a *record*; a scored record is a *hit*.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from irengine.checks import members, text

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "POINTER_KEYS",
    "Artifact",
    "FilterFields",
    "IndexPlan",
    "Record",
    "SearchHit",
    "Surface",
    "best_per_artifact",
    "ledger_key",
    "storage_key",
    "tag_source",
]

FilterFields = Mapping[str, Any]
"""Metadata of an artifact that is filtered on, never embedded."""

POINTER_KEYS = ("skill_path", "path")
"""Metadata keys checked, in order, for the file or folder that holds an artifact's body."""

_SEPARATOR = "␟"  # U+241F, "symbol for unit separator": cannot be typed by accident


def storage_key(*parts: str) -> str:
    """Return a stable id for ``parts``: the first 24 hex digits of a SHA-256.

    >>> storage_key("a", "b")
    '596c082adde2c997e558afe1'
    """
    return hashlib.sha256(_SEPARATOR.join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def ledger_key(artifact_id: str) -> str:
    """Return the key under which an artifact's ledger entry is filed.

    Raises:
        ParameterTypeError: when the id is no text (also a ``TypeError``).
    """
    return storage_key(text("artifact_id", artifact_id))


@dataclass(slots=True)
class Artifact:
    """A logical corpus item before it is decomposed into surfaces."""

    id: str
    raw: Any
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Surface:
    """One embeddable unit of an artifact.

    ``kind`` names what the text is (``"description"``, ``"chunk"``); ``granularity`` is a coarse
    hint (``"document"``, ``"chunk"``, ``"field"``); ``metadata`` belongs to this surface alone
    (chunk position, heading path, line range).
    """

    artifact_id: str
    kind: str
    text: str
    granularity: str = "document"
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class IndexPlan:
    """What a strategy makes of one artifact."""

    filter_fields: Mapping[str, Any] = field(default_factory=dict)
    surfaces: list[Surface] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Record:
    """A stored surface with its vector: one row of the index.

    ``metadata`` is the artifact's filter fields overlaid by the surface's own metadata. ``vector``
    is a float32 array of shape ``(dim,)``.
    """

    id: str
    artifact_id: str
    surface_kind: str
    surface_index: int
    text: str
    vector: np.ndarray
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def make_id(artifact_id: str, surface_kind: str, surface_index: int) -> str:
        """Return the storage id of a surface.

        ``surface_index`` is the position among *all* surfaces of the artifact's plan, not the
        per-kind ``chunk_index``. Never derive a sibling's id from a per-kind index: ask
        ``records_for_artifact``.
        """
        return storage_key(artifact_id, surface_kind, str(surface_index))


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A scored record (higher is better).

    ``source`` is the name of the corpus the hit came from: an artifact id is unique only within
    its source. ``surface_index`` says which surface of the artifact matched. ``explanation`` is
    optional and says how the score came about; it takes no part in equality.
    """

    artifact_id: str
    surface_kind: str
    score: float
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    surface_index: int | None = None
    explanation: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def pointer(self) -> str | None:
        """The first truthy value of :data:`POINTER_KEYS` in the metadata, if any."""
        return next((self.metadata[k] for k in POINTER_KEYS if self.metadata.get(k)), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the seven fields, JSON-clean at the top level (score as a Python float)."""
        return {
            "artifact_id": self.artifact_id,
            "surface_kind": self.surface_kind,
            "score": float(self.score),
            "text": self.text,
            "metadata": dict(self.metadata),
            "source": self.source,
            "surface_index": self.surface_index,
        }


def best_per_artifact(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Keep the best hit of each ``(source, artifact_id)``, sorted by score descending.

    The earliest hit wins a tie, and the order of equal scores is kept.

    Raises:
        ParameterTypeError: for something that is no hit (also a ``TypeError``).
    """
    best: dict[tuple[str | None, str], SearchHit] = {}
    for hit in members("hits", hits, SearchHit, "hits"):
        key = (hit.source, hit.artifact_id)
        if key not in best or hit.score > best[key].score:
            best[key] = hit
    return sorted(best.values(), key=lambda hit: -hit.score)


def tag_source(hits: Iterable[SearchHit], source: str | None) -> list[SearchHit]:
    """Set ``source`` on every hit that has none; existing tags win.

    Raises:
        ParameterTypeError: for something that is no hit (also a ``TypeError``).
    """
    found = members("hits", hits, SearchHit, "hits")
    return [hit if hit.source is not None else replace(hit, source=source) for hit in found]
