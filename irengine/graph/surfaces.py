"""The graph of the surfaces of a corpus: which text comes before and after which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.errors import NoLedgerEntry, ParameterError
from irengine.graph.nodes import NEXT, PARENT, PREV
from irengine.graph.opening import store_of
from irengine.store import stored_records

if TYPE_CHECKING:
    from irengine.base import Record

__all__ = ["SurfaceGraph"]

_TYPES = (PREV, NEXT)


class SurfaceGraph:
    """A :class:`GraphStore` whose nodes are record ids.

    ``PREV`` and ``NEXT`` lead to the record of the same kind before and after, in plan order: from
    chunk to chunk, past whatever other surfaces the artifact has. ``PARENT`` gives the artifact
    id, when asked for by type. Nothing of this is stored; the ledger says which records there are.

    Attributes:
        store: the store.
        source: the name of the corpus, ``None`` for a bare store.
    """

    def __init__(self, store_or_corpus: Any) -> None:
        self.store, self.source = store_of(store_or_corpus)
        self._last: tuple[str, list[Record]] = ("", [])

    def __getitem__(self, record_id: str) -> list[Record]:
        """Return the record in a list, as every graph gives records.

        Raises:
            NoLedgerEntry: when there is none of that id (a ``KeyError``).
        """
        try:
            return [self.store.get_record(record_id)]
        except KeyError:
            raise NoLedgerEntry(f"there is no record {record_id!r}") from None

    def neighbors(self, record_id: str, *, edge_type: str | None = None) -> list[str]:
        """Return the ids of the records before and after, or of one of them; ``[]`` at an end.

        Raises:
            NoLedgerEntry: when there is no record of that id.
            ParameterError: for an edge type that surfaces do not have.
        """
        if edge_type not in (None, PARENT, *_TYPES):
            raise ParameterError(f"surfaces have {PREV}, {NEXT} and {PARENT}, not {edge_type!r}")
        record = self[record_id][0]
        if edge_type == PARENT:
            return [record.artifact_id]
        run = [r.id for r in self._records(record) if r.surface_kind == record.surface_kind]
        at = run.index(record_id)
        found = {PREV: run[max(0, at - 1) : at], NEXT: run[at + 1 : at + 2]}
        return [other for kind in _TYPES if edge_type in (None, kind) for other in found[kind]]

    def _records(self, record: Record) -> list[Record]:
        """Return the records of the same artifact; those asked for last are kept."""
        artifact_id, records = self._last
        if artifact_id != record.artifact_id or all(r.id != record.id for r in records):
            records = stored_records(self.store, record.artifact_id)
            self._last = (record.artifact_id, records)
        return records
