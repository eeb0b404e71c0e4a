"""Artifacts by conditions alone, without a ranking; and answers in the order of a field."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irengine.base import Record, SearchHit
    from irengine.index import Corpus
    from irengine.retrieve.wording import Wording

__all__ = ["in_order", "listed", "sort_key", "unranked"]


def listed(
    corpus: Corpus,
    *,
    filter: dict[str, Any] | None = None,  # noqa: A002 - as the engine calls it
    wording: Wording | None = None,
    surfaces: Sequence[str] | None = None,
) -> list[SearchHit]:
    """Return one hit of score 0 for each artifact that meets the conditions, by id.

    It is the first of its texts that does.

    Raises:
        FilterError: for an invalid filter.
    """
    import numpy as np

    from irengine.retrieve.candidates import candidates
    from irengine.retrieve.filters import compile_filter

    snapshot = corpus.store.snapshot()
    kinds = None if surfaces is None else tuple(surfaces)
    compiled = None if filter is None else compile_filter(filter)
    rows = candidates(snapshot, compiled, kinds, wording).rows
    _, first = np.unique(snapshot.artifact_codes[rows], return_index=True)
    hits = []
    for position in rows[np.sort(first)].tolist():
        record = snapshot.record(position)
        hits.append(unranked(record, corpus.name))
    return sorted(hits, key=lambda hit: hit.artifact_id)


def unranked(record: Record, source: str) -> SearchHit:
    """Return a stored record of the corpus ``source`` as a hit that no query gave a score."""
    from irengine.base import SearchHit

    return SearchHit(
        artifact_id=record.artifact_id,
        surface_kind=record.surface_kind,
        score=0.0,
        text=record.text,
        metadata=record.metadata,
        source=source,
        surface_index=record.surface_index,
    )


def in_order(hits: list[SearchHit], sort: tuple[str, bool] | None) -> list[SearchHit]:
    """Return ``hits`` by a field of their metadata, or by ``score``; without one last.

    ``modified_at`` is when a file was last written, unless the metadata say otherwise. Numbers
    come before texts. Equal values keep their order.
    """
    if sort is None:
        return hits
    name, descending = sort
    keyed = [(sort_key(_value(hit, name)), hit) for hit in hits]
    known = [pair for pair in keyed if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return [hit for _, hit in known] + [hit for key, hit in keyed if key is None]


def _value(hit: SearchHit, name: str) -> Any:
    if name == "score":
        return hit.score
    if name == "modified_at" and name not in hit.metadata:
        from irengine.freshness import modified_at

        return modified_at(hit)
    return hit.metadata.get(name)


def sort_key(value: Any) -> Any:
    """Return what sorts numbers before texts, a list by its first element; ``None`` for neither."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, (bool, int, float)):
        return None if math.isnan(value) else (0, value, "")
    return (1, 0, value) if isinstance(value, str) else None
