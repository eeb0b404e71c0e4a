"""All records of one artifact, in the order of its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irengine.base import Record, ledger_key
from irengine.errors import NoLedgerEntry, StaleLedger
from irengine.retrieve.handles import as_store

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
    store = as_store(store_or_corpus)
    try:
        entry = store.get_ledger_entry(ledger_key(artifact_id))
    except KeyError:
        entry = None
    if entry is None:
        raise NoLedgerEntry(f"there is no ledger entry for artifact {artifact_id!r}")
    records = []
    for record_id in entry["record_ids"]:
        try:
            records.append(store.get_record(record_id))
        except KeyError as error:
            raise StaleLedger(
                f"stale ledger: artifact {artifact_id!r} lists record {record_id!r}, "
                "which the store does not have",
                hint="rebuild the corpus, or verify it with --repair",
            ) from error
    if surface_kind is not None:
        records = [record for record in records if record.surface_kind == surface_kind]
    return sorted(records, key=lambda record: record.surface_index)
