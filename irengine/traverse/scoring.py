"""The surfaces of one corpus as a walk sees them: one snapshot, all cosines worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irengine.base import SearchHit
from irengine.errors import ParameterTypeError
from irengine.retrieve.candidates import candidates
from irengine.retrieve.channels import dense_channel
from irengine.retrieve.filters import compile_filter

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.traverse.walking import WalkState

__all__ = ["Surfaces", "check_corpus", "surfaces_of"]

_KEY = "irengine.traverse.surfaces"


class Surfaces:
    """The live rows of a corpus with their cosine to a query.

    Args:
        corpus: an open corpus.
        query: the text; one without direction (all zeros) has cosine 0 to everything.
        filter: rows that do not pass it are not there.
    """

    def __init__(self, corpus: Corpus, query: str, filter: Mapping[str, Any] | None) -> None:
        self.source = corpus.name
        self.snapshot = corpus.store.snapshot()
        compiled = None if filter is None else compile_filter(filter)
        self._mask = candidates(self.snapshot, compiled, None).mask
        self._cosines: Any = None
        if self.snapshot.count:
            everything = candidates(self.snapshot, None, None)
            self._cosines = dense_channel(self.snapshot, corpus.embed_query(query), everything)()
        self._positions: dict[str, list[int]] = {}

    def positions(self, artifact_id: str) -> list[int]:
        """Return the rows of an artifact that pass the filter, in plan order."""
        known = self._positions.get(artifact_id)
        if known is None:
            found = self.snapshot.positions_of(artifact_id)
            known = [p for p in found if self._mask is None or self._mask[p]]
            self._positions[artifact_id] = known
        return known

    def cosine(self, position: int) -> float:
        """Return the cosine of a row to the query."""
        score = None if self._cosines is None else self._cosines.score_of(position)
        return 0.0 if score is None else float(score)

    def best(self, artifact_id: str) -> tuple[int, float] | None:
        """Return the row of an artifact with the best cosine, the first of equals; or ``None``."""
        scored = [(-self.cosine(p), at, p) for at, p in enumerate(self.positions(artifact_id))]
        if not scored:
            return None
        cosine, _, position = min(scored)
        return position, -cosine

    def kind(self, position: int) -> str:
        """Return the surface kind of a row."""
        segment, at = self.snapshot.locate(position)
        return segment.kinds[int(segment.kind[at])]

    def find(self, hit: SearchHit) -> int | None:
        """Return the row a hit came from, if it is still there."""
        for position in self.positions(hit.artifact_id):
            segment, at = self.snapshot.locate(position)
            if int(segment.surface_index[at]) == hit.surface_index:
                return position
        return None

    def hit(self, position: int, score: float, told: Mapping[str, Any]) -> SearchHit:
        """Return a row as a hit, with a metadata of its own that ``told`` is added to."""
        row = self.snapshot.rows([position])[0]
        return SearchHit(
            artifact_id=row.artifact_id,
            surface_kind=row.surface_kind,
            score=float(score),
            text=row.text,
            metadata={**row.metadata, **told},
            source=self.source,
            surface_index=row.surface_index,
            explanation={"mode": "walk", "cosine": self.cosine(position), "final": float(score)},
        )


def check_corpus(store: Any, policy: str) -> Corpus:
    """Return ``store`` when it is an open corpus.

    Raises:
        ParameterTypeError: for a bare store, a name, or anything else.
    """
    if not hasattr(store, "store") or not hasattr(store, "embed_query"):
        raise ParameterTypeError(
            f"{policy} walks an open Corpus, not {type(store).__name__}",
            hint="open_corpus(name) opens one",
        )
    corpus: Corpus = store
    return corpus


def surfaces_of(
    state: WalkState, store: Any, policy: str, filter: Mapping[str, Any] | None = None
) -> Surfaces:
    """Return the surfaces of this walk, read once.

    Raises:
        ParameterTypeError: when ``store`` is no open corpus.
        FilterError: for an invalid filter.
    """
    known: Surfaces | None = state.cache.get(_KEY)
    if known is None:
        known = Surfaces(check_corpus(store, policy), state.query, filter)
        state.cache[_KEY] = known
    return known
