"""What waits for vectors between planning and writing, and which of them are there already."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irengine.base import IndexPlan, Record

if TYPE_CHECKING:
    import numpy as np

    from irengine.index.report import BuildReport
    from irengine.store import Batch, CorpusStore

__all__ = ["Queued", "vectors_there"]


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

    @property
    def texts(self) -> set[str]:
        """The texts that need a vector."""
        return {surface.text for surface in self.plan.surfaces}

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

    def put_into(
        self, batch: Batch, vectors: Mapping[str, np.ndarray], report: BuildReport
    ) -> None:
        """Write the artifact, with the vectors of its texts, and count it."""
        records = self.records([vectors[surface.text] for surface in self.plan.surfaces])
        entry = {**self.entry, "record_ids": [record.id for record in records]}
        batch.replace(self.artifact_id, records, entry)
        if self.links is not None:
            batch.set_links(self.artifact_id, self.links)
        report.texts += len(records)
        report.blank += [] if records else [self.artifact_id]
        if self.old is None:
            report.added += 1
        else:
            report.changed += 1


def vectors_there(
    queue: Sequence[Queued],
    store: CorpusStore,
    embedder_id: str,
    donors: Mapping[str, Sequence[str]],
) -> dict[str, np.ndarray]:
    """Return vectors the corpus already has, by text: of these artifacts, or of what they were.

    ``donors`` are the ids of records of what vanished, by the version of its artifact.
    """
    known: dict[str, np.ndarray] = {}
    for item in queue:
        if item.old is not None:
            same = item.old["embedder_id"] == embedder_id
            record_ids = list(item.old["record_ids"]) if same else []
        else:
            record_ids = list(donors.get(str(item.entry["version"]), ()))
        for record_id in record_ids:
            # A ledger may list what was deleted, or replaced by a later item of that id.
            with contextlib.suppress(KeyError):
                record = store.get_record(record_id)
                known[record.text] = record.vector
    return known
