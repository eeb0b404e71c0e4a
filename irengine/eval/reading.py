"""Read the items of a source one by one: one that cannot be read does not end the others."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irengine.errors import ItemError
from irengine.index.planning import candidates, listed_ids
from irengine.sources import CorpusSource

__all__ = ["item_ids", "readable_items", "warn_unreadable"]

_NAMED = 3


def item_ids(source: CorpusSource) -> list[str]:
    """Return the ids of a source in its order; items are read only where they cannot be listed."""
    ids = listed_ids(source)
    return [artifact_id for artifact_id, _ in source.items()] if ids is None else ids


def readable_items(
    source: CorpusSource, failed: dict[str, str], ids: Iterable[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Iterate ``(id, raw item)``, leaving out what cannot be read.

    Args:
        source: whose items they are.
        failed: takes ``{id: what is wrong}`` of those that are left out.
        ids: only these, in this order; by default all, in that of the source.

    Raises:
        SourceError: when the source as a whole cannot be read.
    """
    wanted = listed_ids(source) if ids is None else list(ids)
    for candidate in candidates(source, wanted):
        try:
            raw = candidate.read()
        except ItemError as error:
            failed[candidate.id] = error.message
            continue
        yield candidate.id, raw


def warn_unreadable(failed: Mapping[str, str], *, stacklevel: int = 2) -> None:
    """Give one ``UserWarning`` that counts what could not be read and quotes the first of it."""
    if failed:
        quoted = "; ".join(list(failed.values())[:_NAMED])
        more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        items = "1 item" if len(failed) == 1 else f"{len(failed)} items"
        warnings.warn(f"left out {items}: {quoted}{more}", stacklevel=stacklevel + 1)
