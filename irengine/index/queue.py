"""What waits for vectors between planning and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.base import IndexPlan, Record

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Queued"]


class Queued:
    """An artifact whose surfaces wait for vectors; ``links`` is its new links row, if any."""

    __slots__ = ("artifact_id", "entry", "links", "old", "plan")

    def __init__(
        self,
        artifact_id: str,
        plan: IndexPlan,
        entry: dict[str, Any],
        old: dict[str, Any] | None,
        links: dict[str, Any] | None = None,
    ) -> None:
        self.artifact_id = artifact_id
        self.plan = plan
        self.entry = entry
        self.old = old
        self.links = links

    def records(self, vectors: list[np.ndarray]) -> list[Record]:
        """Pair the plan's surfaces with their vectors; ids follow the plan-global position."""
        fields = dict(self.plan.filter_fields)
        return [
            Record(
                id=Record.make_id(self.artifact_id, surface.kind, index),
                artifact_id=self.artifact_id,
                surface_kind=surface.kind,
                surface_index=index,
                text=surface.text,
                vector=vector,
                metadata={**fields, **surface.metadata},
            )
            for index, (surface, vector) in enumerate(zip(self.plan.surfaces, vectors, strict=True))
        ]
