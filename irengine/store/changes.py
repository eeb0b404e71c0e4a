"""What a batch has queued, and what the next set of segments looks like because of it.

Nothing here touches a disk: ``Changes`` are validated records and keys, ``Plan`` says which rows
die and which segments are merged. Memory and local stores share both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.errors import EmbedderMismatch
from irengine.store.rows import Prepared, tie_of
from irengine.store.segment import Part, Segment, artifact_hash, build_segment
from irengine.store.snapshot import Snapshot

__all__ = ["MAX_SEGMENTS", "Changes", "Plan", "effective", "layers_to_merge", "plan_segments"]

Masked = tuple[Segment, npt.NDArray[np.bool_] | None]
"""A segment and which of its rows are alive (``None`` = all)."""

MAX_SEGMENTS = 8
"""More segments than this are merged…"""
_DEAD_SHARE = 0.2  # …and a segment with a larger share of dead rows is rewritten


@dataclass
class Changes:
    """Queued work. ``None`` in a mapping means removal."""

    records: dict[str, Prepared] = field(default_factory=dict)
    artifacts: set[str] = field(default_factory=set)
    """Artifacts all of whose stored rows go."""
    record_ids: set[str] = field(default_factory=set)
    """Single rows that go."""
    ledger: dict[str, Any] = field(default_factory=dict)
    links: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] | None = None
    _queued: dict[str, set[str]] = field(default_factory=dict, repr=False)
    """Ids of the queued records of each artifact."""

    def put(self, record: Prepared) -> None:
        """Add a record; it replaces the one of the same id, queued or stored."""
        self._unqueue(record.row.id)
        self.records[record.row.id] = record
        self._queued.setdefault(record.row.artifact_id, set()).add(record.row.id)

    def drop_record(self, record_id: str) -> None:
        """Remove a row, queued and stored."""
        self._unqueue(record_id)
        self.record_ids.add(record_id)

    def drop_artifact(self, artifact_id: str) -> None:
        """Remove an artifact's rows, queued and stored."""
        self.artifacts.add(artifact_id)
        for record_id in self._queued.pop(artifact_id, ()):
            del self.records[record_id]

    def absorb(self, later: Changes) -> None:
        """Become what this and then ``later`` amount to."""
        for artifact_id in later.artifacts:
            self.drop_artifact(artifact_id)
        for record_id in later.record_ids:
            self.drop_record(record_id)
        for record in later.records.values():
            self.put(record)

    def _unqueue(self, record_id: str) -> None:
        known = self.records.pop(record_id, None)
        if known is not None:
            self._queued[known.row.artifact_id].discard(record_id)

    def touches_rows(self) -> bool:
        """Whether rows are added or removed."""
        return bool(self.records or self.artifacts or self.record_ids)

    def __bool__(self) -> bool:
        return bool(self.touches_rows() or self.ledger or self.links or self.config is not None)


@dataclass
class Plan:
    """The next generation in terms of the present one.

    ``keep`` are present segments (with their masks) that stay as they are; ``merge`` are parts
    that become one new segment, the delta among them; ``removed`` are ids of rows that die.
    """

    keep: list[Masked]
    merge: list[Part]
    removed: list[str]

    @property
    def changed(self) -> bool:
        """Whether anything about the rows changes."""
        return bool(self.merge or self.removed)


def plan_segments(
    base: Snapshot,
    changes: Changes,
    *,
    erase: bool = False,
    everything: bool = False,
) -> Plan:
    """Work out the segments after ``changes``.

    With ``erase`` every segment that has dead rows, now or after the changes, is written anew, so
    that nothing of a removed row stays; with ``everything`` all segments are merged into one.

    Raises:
        EmbedderMismatch: rows of two widths would have to live together.
    """
    delta = build_segment(list(changes.records.values())) if changes.records else None
    removed: list[str] = []
    live: list[Masked] = []
    gone = _Gone(changes)
    for segment, mask in zip(base.segments, base.alive_in, strict=True):
        dying = gone.positions(segment)
        if mask is not None:
            dying = dying[mask[dying]]
        if len(dying):
            removed += [segment.ids[i] for i in dying.tolist()]
            mask = np.ones(segment.n, dtype=bool) if mask is None else mask.copy()
            mask[dying] = False
        if mask is None or mask.any():
            live.append((segment, mask))
    for segment, _ in live:
        if delta is not None and segment.dim != delta.dim:
            raise EmbedderMismatch(
                f"vectors of {delta.dim} dimensions cannot join a corpus of {segment.dim}",
                hint="embed the whole corpus anew in one commit to change its embedder",
            )
    limit = -1.0 if everything else 0.0 if erase else _DEAD_SHARE
    return _arrange(live, delta, removed, limit)


def _arrange(
    live: list[Masked],
    delta: Segment | None,
    removed: list[str],
    limit: float,
) -> Plan:
    keep: list[Masked] = []
    rewritten: list[Masked] = []
    for segment, mask in live:
        share = 0.0 if mask is None else 1.0 - np.count_nonzero(mask) / segment.n
        (rewritten if share > limit else keep).append((segment, mask))
    merged = bool(rewritten) or delta is not None
    if len(keep) + int(merged) > MAX_SEGMENTS:
        keep.sort(key=lambda item: _alive(*item), reverse=True)
        size = sum(_alive(*item) for item in rewritten) + (delta.n if delta else 0)
        # Merge with neighbours of like size only: each row is then rewritten O(log n) times.
        while keep and (len(keep) + 1 > MAX_SEGMENTS or _alive(*keep[-1]) <= size):
            segment, mask = keep.pop()
            size += _alive(segment, mask)
            rewritten.append((segment, mask))
    parts: list[Part] = [(segment, _kept(segment, mask)) for segment, mask in rewritten]
    if delta is not None:
        parts.append((delta, np.arange(delta.n)))
    return Plan(keep, parts, removed)


def _alive(segment: Segment, mask: npt.NDArray[np.bool_] | None) -> int:
    return segment.n if mask is None else int(np.count_nonzero(mask))


def _kept(segment: Segment, mask: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.intp]:
    return np.arange(segment.n) if mask is None else np.flatnonzero(mask)


class _Gone:
    """Finds the rows that die: of removed artifacts, removed ids, and ids stored anew."""

    def __init__(self, changes: Changes) -> None:
        self.artifacts = list(changes.artifacts)
        self.hashes = _uint64(artifact_hash(a) for a in self.artifacts)
        self.ids = list(changes.record_ids.union(changes.records))
        self.ties = _uint64(tie_of(i) for i in self.ids)

    def positions(self, segment: Segment) -> npt.NDArray[np.intp]:
        by_artifact = segment.find_artifacts(self.hashes, self.artifacts)
        by_id = segment.find_ids(self.ties, self.ids)
        if not by_id:
            return by_artifact
        return np.union1d(by_artifact, np.array(by_id, dtype=np.intp))


def _uint64(numbers: Iterable[int]) -> npt.NDArray[np.uint64]:
    return np.fromiter(numbers, dtype=np.uint64)


def layers_to_merge(sizes: Sequence[int], new: int) -> int:
    """Return how many of the newest layers a new one of size ``new`` is to be merged with."""
    count = len(sizes)
    if count < MAX_SEGMENTS:
        return 0
    taken = 0
    while taken < count and (count - taken + 1 > MAX_SEGMENTS or sizes[count - 1 - taken] <= new):
        new += sizes[count - 1 - taken]
        taken += 1
    return taken


def effective(table: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of ``wanted`` (``None`` = remove) that would change ``table``."""
    if len(wanted) > 64:  # one pass over everything beats as many searches
        table = dict(table.items())
    return {key: value for key, value in wanted.items() if table.get(key) != value}
