"""Queue changes, then publish them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from irengine.base import Record, ledger_key
from irengine.checks import mapping, members, text
from irengine.errors import EmbedderMismatch, ParameterError
from irengine.store.changes import Changes
from irengine.store.rows import clean_json, prepare
from irengine.store.snapshot import Snapshot

__all__ = ["Batch", "clean_edges"]


class Publisher(Protocol):
    """Where a batch goes."""

    def publish(self, changes: Changes, *, compact: bool = False) -> Snapshot:
        """Make ``changes`` one new generation, completely or not at all."""
        ...

    def warm_up(self) -> None:
        """Prepare for a publication that is certain to come."""
        ...


class Batch:
    """The open write transaction of a store; see :meth:`CorpusStore.writing`.

    Everything is checked when it is queued, so a commit can fail for want of disk space, never
    for want of valid data. Queued work is not visible to readers, this process included, before
    :meth:`commit`.
    """

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._changes = Changes()
        self._warm = False

    @property
    def pending(self) -> int:
        """How many records are queued."""
        return len(self._changes.records)

    def replace(
        self, artifact_id: str, records: Sequence[Record], entry: Mapping[str, Any]
    ) -> None:
        """Queue ``records`` in place of everything stored of the artifact, and its ledger entry.

        Raises:
            ItemError: text or metadata are not JSON; nothing was queued.
            EmbedderError: a vector is not a finite row of numbers.
            EmbedderMismatch: vectors of two widths.
            ParameterError: a record of another artifact, or two of one id.
        """
        prepared = {}
        for record in records:
            if record.artifact_id != artifact_id:
                raise ParameterError(
                    f"record {record.id!r} belongs to {record.artifact_id!r}, not {artifact_id!r}"
                )
            if record.id in prepared:
                raise ParameterError(f"artifact {artifact_id!r} has two records {record.id!r}")
            prepared[record.id] = prepare(record)
            self._warm_up()
            self._check_width(artifact_id, len(prepared[record.id].vector), prepared)
        cleaned = clean_json(entry, f"artifact {artifact_id!r}", "ledger entry")
        self._changes.drop_artifact(artifact_id)
        for item in prepared.values():
            self._changes.put(item)
        self._changes.ledger[ledger_key(artifact_id)] = cleaned

    def remove(self, artifact_id: str) -> None:
        """Queue the removal of an artifact: records, ledger entry and links."""
        self._changes.drop_artifact(artifact_id)
        self._changes.ledger[ledger_key(artifact_id)] = None
        self._changes.links[artifact_id] = None

    def put_record(self, record: Record) -> None:
        """Queue one record, replacing the one of the same id."""
        prepared = prepare(record)
        self._warm_up()
        self._check_width(record.artifact_id, len(prepared.vector), {})
        self._changes.put(prepared)

    def delete_record(self, record_id: str) -> None:
        """Queue the removal of one record; a missing id is tolerated."""
        self._changes.drop_record(text("record_id", record_id))

    def set_entry(self, artifact_id: str, entry: Mapping[str, Any]) -> None:
        """Queue a ledger entry, leaving the records alone."""
        self.set_ledger_entry(ledger_key(artifact_id), entry)

    def set_ledger_entry(self, key: str, entry: Mapping[str, Any] | None) -> None:
        """Queue a ledger entry by its key; ``None`` removes it."""
        where = f"ledger key {text('key', key)!r}"
        if entry is not None:
            entry = clean_json(mapping("entry", entry, "to JSON values"), where, "ledger entry")
        self._changes.ledger[key] = entry

    def set_links(self, artifact_id: str, edges: Mapping[str, Sequence[Any]]) -> None:
        """Queue the outgoing edges of an artifact, ``{edge_type: [target]}``.

        Empty lists are dropped; without any edge left, so is the artifact's entry.
        """
        self._changes.links[artifact_id] = clean_edges(artifact_id, edges) or None

    def set_config(self, settings: Mapping[str, Any]) -> None:
        """Queue the build settings; ``embedder_id`` among them names the vectors' model."""
        mapping("settings", settings, "to JSON values")
        self._changes.config = clean_json(settings, "corpus", "settings")

    def commit(self, *, compact: bool = False) -> Snapshot:
        """Publish what is queued as one new generation and return it; a no-op when nothing is.

        With ``compact`` the segments become one when most rows are this batch's own: the steps of
        a long build leave several, and a query looks its words up in each.

        May be called many times. When it raises, nothing was published and the queue is intact.

        Raises:
            StorageFull: the disk is full; the previous generation still serves.
            EmbedderMismatch: the new vectors do not fit those that stay.
            StoreError: the files, or Chroma, cannot be written.
        """
        snapshot = self._publisher.publish(self._changes, compact=compact)
        self._changes = Changes()
        return snapshot

    def _warm_up(self) -> None:
        if not self._warm:
            self._warm = True
            self._publisher.warm_up()

    def _check_width(self, artifact_id: str, width: int, others: Mapping[str, Any]) -> None:
        known = next(iter(others.values()), None) or next(
            iter(self._changes.records.values()), None
        )
        if known is not None and len(known.vector) != width:
            raise EmbedderMismatch(
                f"artifact {artifact_id!r}: a vector of {width} dimensions among vectors "
                f"of {len(known.vector)}",
                hint="one corpus, one embedder",
            )


def clean_edges(artifact_id: str, edges: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return a JSON copy of an artifact's edges without empty lists."""
    text("artifact_id", artifact_id)
    for targets in mapping("edges", edges, "of edge type to targets").values():
        members("an edge type", targets, object, "targets")
    cleaned = clean_json(edges, f"artifact {artifact_id!r}", "links")
    return {kind: list(targets) for kind, targets in cleaned.items() if targets}
