"""Records a function returns, as a scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from irengine.checks import members
from irengine.sources.fetch import as_mapping, fetch
from irengine.sources.scope import RecordScope, Skipped

__all__ = ["lifted", "records_scope"]


def records_scope(name: str, fetcher: Any, id_key: str) -> RecordScope:
    """Fetch records and give every one an id: its ``id_key``, else ``<name>_<position>``.

    Of records with the same id the first is kept; the others are listed in ``skipped`` as
    ``duplicate-id``, unless they are equal to it.
    """
    records: dict[str, Any] = {}
    positions: dict[str, int] = {}
    skipped: list[Skipped] = []
    for position, record in enumerate(fetch(fetcher, name)):
        fields = as_mapping(record)
        given = fields.get(id_key) if fields is not None else None
        artifact_id = str(given) if given else f"{name}_{position}"
        raw = record if fields is None else fields
        if artifact_id not in records:
            records[artifact_id] = raw
            positions[artifact_id] = position
        elif records[artifact_id] is not raw and not _equal(records[artifact_id], raw):
            first = positions[artifact_id]
            detail = f"record {position} has the id of record {first}; the first was kept"
            skipped.append(Skipped(f"{artifact_id} (record {position})", "duplicate-id", detail))
    return RecordScope(records, skipped=skipped)


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # arrays compare element by element
        return False


def lifted(
    metadata_keys: Iterable[str] | str | None,
) -> Callable[[str, Any], Mapping[str, Any]] | None:
    """Return the function that lifts ``metadata_keys`` out of a record, those it has."""
    if metadata_keys is None:
        return None
    keys = [metadata_keys] if isinstance(metadata_keys, str) else metadata_keys
    keys = members("metadata_keys", keys, str, "names")

    def metadata_of(artifact_id: str, raw: Any) -> Mapping[str, Any]:
        if not isinstance(raw, Mapping):
            return {}
        return {key: raw[key] for key in keys if key in raw}

    return metadata_of
