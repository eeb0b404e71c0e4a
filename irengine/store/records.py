"""The records of one artifact, as its ledger entry lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irengine.base import Record, ledger_key
from irengine.errors import NoLedgerEntry, StaleLedger

if TYPE_CHECKING:
    from irengine.store.corpus_store import CorpusStore

__all__ = ["stored_records"]


def stored_records(store: CorpusStore, artifact_id: str) -> list[Record]:
    """Return the records of ``artifact_id``, sorted by ``surface_index``; ids are never derived.

    Raises:
        NoLedgerEntry: when the ledger does not know the artifact (a ``KeyError``).
        StaleLedger: when the ledger lists a record the store does not have (a ``KeyError``).
    """
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
    return sorted(records, key=lambda record: record.surface_index)
