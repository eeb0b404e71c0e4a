"""A corpus over plain mappings: nothing is written, and everything is forgotten at the end."""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from irengine.base import Record
from irengine.errors import CorpusBusy
from irengine.store.changes import Changes, effective, plan_segments
from irengine.store.rows import analyzer_id, prepare
from irengine.store.segment import Segment, merge_segments
from irengine.store.snapshot import Snapshot

__all__ = ["MemoryStore"]

View = MutableMapping[str, Any]


class MemoryStore:
    """The mapping backend of a :class:`CorpusStore`.

    ``meta`` and ``vectors`` are the truth: ``record id -> {artifact_id, surface_kind,
    surface_index, text, metadata}`` and ``record id -> float32 (dim,)``. The snapshot follows
    them lazily; a mapping that was changed behind our back is noticed by its size only.
    """

    exists = True

    def __init__(self, meta: View, vectors: View, ledger: View, config: View, links: View) -> None:
        self.meta = meta
        self.vectors = vectors
        self.ledger = ledger
        self.settings = config
        self.links = links
        self.generation = 0
        self._snapshot: Snapshot | None = None
        self._since = Changes()
        self._guard = threading.RLock()
        self._writer = threading.Lock()

    def config(self) -> dict[str, Any]:
        """Return the build settings."""
        return copy.deepcopy(dict(self.settings.get("config") or {}))

    def table(self, kind: str) -> Mapping[str, Any]:
        """Return a copy of ``ledger`` or ``links``."""
        return copy.deepcopy(dict(self.ledger if kind == "ledger" else self.links))

    def entry(self, kind: str, key: str) -> Any:
        """Return a copy of one entry, or ``None``."""
        return copy.deepcopy((self.ledger if kind == "ledger" else self.links).get(key))

    @contextlib.contextmanager
    def writing(self, purpose: str, timeout: float) -> Iterator[MemoryStore]:
        """Let one thread write at a time."""
        if not self._writer.acquire(timeout=max(0.0, timeout)):
            raise CorpusBusy(
                f"another thread is writing the corpus ({purpose} waited {timeout:g} s)",
                hint="try again when it has finished",
            )
        try:
            yield self
        finally:
            self._writer.release()

    def warm_up(self) -> None:
        """There is nothing to prepare."""

    def publish(self, changes: Changes, *, compact: bool = False) -> Snapshot:
        """Apply ``changes`` to the mappings as one generation."""
        with self._guard:
            ledger = effective(self.ledger, changes.ledger)
            links = effective(self.links, changes.links)
            known = self.config()
            config = known if changes.config is None else changes.config
            # Planning raises before anything is touched when vectors do not fit.
            plan = plan_segments(self._current(), changes)
            if not (plan.changed or ledger or links or config != known):
                return self.snapshot()
            self._apply(changes)
            _update(self.ledger, ledger)
            _update(self.links, links)
            if changes.config is not None:
                self.settings["config"] = copy.deepcopy(config)
            self.generation += 1
            return self.snapshot()

    def clear(self) -> None:
        """Empty every mapping."""
        with self._guard:
            for view in (self.meta, self.vectors, self.ledger, self.settings, self.links):
                for key in list(view):
                    del view[key]
            self._snapshot, self._since = None, Changes()
            self.generation += 1

    def snapshot(self) -> Snapshot:
        """Return the rows as of now."""
        with self._guard:
            return self._current()

    def _apply(self, changes: Changes) -> None:
        doomed = changes.record_ids & self.meta.keys()
        if changes.artifacts:
            doomed |= {
                key for key, row in self.meta.items() if row["artifact_id"] in changes.artifacts
            }
        for record_id in doomed:
            del self.meta[record_id]
            self.vectors.pop(record_id, None)
        for record_id, record in changes.records.items():
            row = record.row
            self.vectors[record_id] = (record.vector * np.float32(record.scale)).astype(np.float32)
            self.meta[record_id] = {
                "artifact_id": row.artifact_id,
                "surface_kind": row.surface_kind,
                "surface_index": row.surface_index,
                "text": row.text,
                "metadata": copy.deepcopy(row.metadata),
            }
        self._since.absorb(changes)

    def _current(self) -> Snapshot:
        if self._snapshot is not None and self._since.touches_rows():
            self._snapshot = self._advanced(self._snapshot, self._since)
        if self._snapshot is None or self._snapshot.count != len(self.meta):
            self._snapshot = self._advanced(Snapshot(generation=0), self._everything())
        self._since = Changes()
        same = self._snapshot.generation == self.generation
        embedder_id = str(self.config().get("embedder_id", ""))
        if not same or self._snapshot.embedder_id != embedder_id:
            self._snapshot = Snapshot(
                generation=self.generation,
                segments=self._snapshot.segments,
                alive=self._snapshot.alive_in,
                embedder_id=embedder_id,
                analyzer_id=analyzer_id(),
            )
        return self._snapshot

    def _everything(self) -> Changes:
        changes = Changes()
        for record_id, row in self.meta.items():
            changes.put(prepare(Record(id=record_id, vector=self.vectors[record_id], **row)))
        return changes

    def _advanced(self, base: Snapshot, changes: Changes) -> Snapshot:
        plan = plan_segments(base, changes)
        segments: list[Segment] = [segment for segment, _ in plan.keep]
        masks = [mask for _, mask in plan.keep]
        if plan.merge:
            only, keep = plan.merge[0]
            whole = len(plan.merge) == 1 and len(keep) == only.n
            segments.append(only if whole else merge_segments(plan.merge))
            masks.append(None)
        return Snapshot(
            generation=self.generation,
            segments=segments,
            alive=masks,
            embedder_id=str(self.config().get("embedder_id", "")),
            analyzer_id=analyzer_id(),
        )


def _update(view: View, entries: Mapping[str, Any]) -> None:
    for key, value in entries.items():
        if value is None:
            view.pop(key, None)
        else:
            view[key] = copy.deepcopy(value)
