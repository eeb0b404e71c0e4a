"""What is done with a collection, as named requests: the work of the Chroma process.

Requests and answers are plain values, so that :mod:`irengine.store.worker` can pass them to a
process of their own; where none can be started, the same object serves them here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irengine.base import Record
from irengine.errors import StoreError
from irengine.store import chroma
from irengine.store.chroma import Session
from irengine.store.generation import open_generation
from irengine.store.layout import Layout, Published
from irengine.store.memory_limit import MemoryLimit
from irengine.store.rows import parse_row, prepare
from irengine.store.segment import build_segment
from irengine.store.segment_files import save_segment

if TYPE_CHECKING:
    from irengine.store.snapshot import Snapshot

__all__ = ["ChromaWork"]

_TOLERANCE = 1e-5
_SHOWN = 20


class ChromaWork:
    """One collection at a time; every public method is a request."""

    def __init__(self, limit: MemoryLimit | None = None) -> None:
        self._session: Session | None = None
        self._limit = limit
        """What the process may take while a local collection is open that others have written."""

    def open(self, storage: Mapping[str, Any], folder: str, pointer: str, create: bool) -> None:
        """Open a collection, or make a new one."""
        self.close()
        if self._limit is not None and not create and storage["backend"] == "local":
            self._limit.set_for(Path(folder) / pointer)
        self._session = chroma.connect(storage, Path(folder), pointer, create=create)

    def close(self) -> None:
        """Close the collection; its files are complete afterwards."""
        if self._session is not None:
            session, self._session = self._session, None
            session.close()
        if self._limit is not None:
            self._limit.lift()

    def count(self) -> int:
        """Return the number of records."""
        return self._opened.count()

    def delete(self, ids: Sequence[str]) -> None:
        """Delete records; missing ids are ignored."""
        self._opened.delete(ids)

    def add(self, ids: Sequence[str], lines: Sequence[bytes], vectors: Any) -> None:
        """Add records: ids, JSON lines, and a float32 matrix of unit rows."""
        if self._limit is not None:
            self._limit.extend(vectors.nbytes + sum(map(len, lines)))
        self._opened.add(zip(ids, lines, vectors, strict=True))

    def differences(self, count: int, sample: Mapping[str, Any]) -> list[str]:
        """Compare with what it should hold: ``count`` records, and some vectors by id."""
        session = self._opened
        problems = []
        found = session.count()
        if found != count:
            problems.append(f"Chroma has {found} records instead of {count}")
        vectors = session.vectors(list(sample))
        for record_id, vector in sample.items():
            theirs = vectors.get(record_id)
            if theirs is None:
                problems.append(f"Chroma lacks record {record_id}")
            elif not _same(theirs, vector):
                problems.append(f"Chroma has another vector for record {record_id}")
        # That a query reaches every record is no sign of health: the graph of many equal vectors
        # falls apart (19 of 60 found), and nothing here ever searches it.
        return problems

    def compare(self, folder: str) -> list[str]:
        """Compare every record with the live rows that are published in ``folder``."""
        layout = Layout(Path(folder))
        expected = _live_places(open_generation(layout, Published.read(layout.current)).snapshot)
        problems = []
        for record_id, line, vector in self._opened.rows():
            place = expected.pop(record_id, None)
            if place is None:
                problems.append(f"Chroma has record {record_id}, which is not published")
                continue
            segment, i = place
            if line != segment.line(i):
                problems.append(f"Chroma has another text or metadata for record {record_id}")
            if not _same(vector, segment.vectors[i]):
                problems.append(f"Chroma has another vector for record {record_id}")
        problems += [f"Chroma lacks record {record_id}" for record_id in expected]
        hidden = len(problems) - _SHOWN
        return problems[:_SHOWN] + ([f"and {hidden} more differences"] if hidden > 0 else [])

    def export(self, target: str) -> int:
        """Write every record as a segment into the folder ``target``; return how many."""
        prepared = []
        for record_id, line, vector in self._opened.rows():
            row = parse_row(line)
            if row.id != record_id:
                raise StoreError(f"Chroma's record {record_id} claims to be {row.id}")
            record = Record(
                row.id,
                row.artifact_id,
                row.surface_kind,
                row.surface_index,
                row.text,
                vector,
                row.metadata,
            )
            prepared.append(prepare(record))
        if prepared:
            save_segment(build_segment(prepared), Path(target))
        return len(prepared)

    def drop(self, storage: Mapping[str, Any], pointer: str) -> None:
        """Delete a remote collection; a missing one is fine."""
        chroma.drop_collection(storage, pointer)

    @property
    def _opened(self) -> Session:
        if self._session is None:
            raise StoreError("no collection is open", code="chroma")
        return self._session


def _live_places(snapshot: Snapshot) -> dict[str, tuple[Any, int]]:
    places = {}
    for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
        for i, record_id in enumerate(segment.ids):
            if mask is None or mask[i]:
                places[record_id] = (segment, i)
    return places


def _same(theirs: Any, ours: Any) -> bool:
    return theirs.shape == ours.shape and bool(np.allclose(theirs, ours, atol=_TOLERANCE))
