"""All records of one artifact, in the order of its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irengine.base import Record
from irengine.retrieve.handles import as_store
from irengine.store import stored_records

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = ["records_for_artifact"]


def records_for_artifact(
    store_or_corpus: CorpusStore | Corpus | str,
    artifact_id: str,
    *,
    surface_kind: str | None = None,
) -> list[Record]:
    """Return the stored records of ``artifact_id``, sorted by ``surface_index``.

    The ledger says which records those are; ids are never derived. ``surface_kind`` keeps one
    kind (``[]`` when the artifact has none of it). No embedder is involved.

    Raises:
        NoLedgerEntry: when the ledger does not know the artifact (a ``KeyError``).
        StaleLedger: when the ledger lists a record the store does not have (a ``KeyError``).
        CorpusNotFound: for a name nothing is built under.
    """
    records = stored_records(as_store(store_or_corpus), artifact_id)
    if surface_kind is not None:
        return [record for record in records if record.surface_kind == surface_kind]
    return records
