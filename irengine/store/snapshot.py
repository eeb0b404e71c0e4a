"""What a query reads: one published generation, immutable, held to the query's end."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irengine.base import Record
from irengine.store.rows import Row, tie_of
from irengine.store.segment import Segment, artifact_hash

if TYPE_CHECKING:
    from irengine.text.postings import Postings

__all__ = ["Snapshot", "content_id_of"]

Bools = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]


class Snapshot:
    """The rows of a corpus at one generation.

    A row has a *position*: the offset of its segment plus its place there. Positions mean nothing
    outside their snapshot.

    Attributes:
        generation: number of the generation; 0 for a corpus never built.
        segments: the segments, and in ``offsets`` the position of each one's first row.
        n: rows, dead ones included; ``count`` without them.
        alive: bool ``(n,)``, or ``None`` when every row is alive.
        dim: width of the vectors; 0 when there are none.
        embedder_id, analyzer_id: what vectors and stored postings were made with.
        cache: scratch space of this generation (compiled filters…); its users bound it.
    """

    def __init__(
        self,
        *,
        generation: int,
        segments: Sequence[Segment] = (),
        alive: Sequence[Bools | None] = (),
        embedder_id: str = "",
        analyzer_id: str = "",
        n_artifacts: int | None = None,
        content_id: str | None = None,
    ) -> None:
        self.generation = generation
        self.segments = tuple(segments)
        sizes = [segment.n for segment in self.segments]
        self.offsets = tuple(sum(sizes[:i]) for i in range(len(sizes)))
        self.n = sum(sizes)
        self.dim = self.segments[0].dim if self.segments else 0
        self.embedder_id = embedder_id
        self.analyzer_id = analyzer_id
        self.alive_in = tuple(alive)
        self.alive: Bools | None = None
        if any(mask is not None for mask in alive):
            self.alive = np.concatenate(
                [
                    np.ones(segment.n, dtype=bool) if mask is None else mask
                    for segment, mask in zip(self.segments, alive, strict=True)
                ]
            )
        self.count = self.n if self.alive is None else int(np.count_nonzero(self.alive))
        self.cache: dict[Any, Any] = {}
        if n_artifacts is not None:
            self.__dict__["n_artifacts"] = n_artifacts
        if content_id is not None:
            self.__dict__["content_id"] = content_id

    def __repr__(self) -> str:
        return f"Snapshot(generation={self.generation}, count={self.count}, dim={self.dim})"

    def __len__(self) -> int:
        return self.count

    @property
    def parts(self) -> list[tuple[Postings, int]]:
        """``(postings, offset)`` of each segment, for :func:`irengine.text.bm25.bm25_scores`."""
        return [(s.postings, o) for s, o in zip(self.segments, self.offsets, strict=True)]

    @cached_property
    def n_artifacts(self) -> int:
        """How many artifacts have live rows."""
        codes = self.artifact_codes if self.alive is None else self.artifact_codes[self.alive]
        return len(np.unique(codes))

    @cached_property
    def content_id(self) -> str:
        """Equal for equal live rows, embedder and analyzer, whatever the history of builds."""
        return content_id_of(self)

    @cached_property
    def artifact_codes(self) -> Int64:
        """One number per artifact, over all segments: int64 ``(n,)``."""
        if not self.segments:
            return np.empty(0, dtype=np.int64)
        if len(self.segments) == 1:
            return self.segments[0].artifact.astype(np.int64)
        hashes = np.concatenate([segment.artifact_hashes for segment in self.segments])
        _, codes = np.unique(hashes, return_inverse=True)
        codes = codes.astype(np.int64)
        start, pieces = 0, []
        for segment in self.segments:
            pieces.append(codes[start : start + segment.n_artifacts][segment.artifact])
            start += segment.n_artifacts
        return np.concatenate(pieces)

    @cached_property
    def tie(self) -> UInt64:
        """Tie-breaking numbers, ascending as record ids are: uint64 ``(n,)``."""
        if not self.segments:
            return np.empty(0, dtype=np.uint64)
        if len(self.segments) == 1:
            return self.segments[0].tie
        return np.concatenate([segment.tie for segment in self.segments])

    def fields(self) -> list[str]:
        """Return the metadata fields that occur, sorted."""
        return sorted({field for segment in self.segments for field in segment.columns.fields})

    def locate(self, position: int) -> tuple[Segment, int]:
        """Return the segment of a position, and the row's place in it."""
        if not 0 <= position < self.n:
            raise IndexError(f"position {position} of {self.n}")
        at = bisect_right(self.offsets, position) - 1
        return self.segments[at], position - self.offsets[at]

    def rows(self, positions: Sequence[int]) -> list[Row]:
        """Return the rows at ``positions``, in that order, parsed afresh."""
        found = []
        for position in positions:
            segment, i = self.locate(int(position))
            found.append(segment.row(i))
        return found

    def record(self, position: int) -> Record:
        """Return the record at ``position`` with its vector."""
        segment, i = self.locate(position)
        row = segment.row(i)
        return Record(
            row.id,
            row.artifact_id,
            row.surface_kind,
            row.surface_index,
            row.text,
            segment.vector(i),
            row.metadata,
        )

    def live_positions(self) -> Int64:
        """Return the positions of the live rows, ascending."""
        if self.alive is None:
            return np.arange(self.n, dtype=np.int64)
        return np.flatnonzero(self.alive).astype(np.int64)

    def record_ids(self) -> list[str]:
        """Return the ids of the live rows, in position order."""
        ids: list[str] = []
        for segment, mask in zip(self.segments, self.alive_in, strict=True):
            these = list(segment.ids)
            ids += these if mask is None else [these[i] for i in np.flatnonzero(mask).tolist()]
        return ids

    def find(self, record_id: str) -> int | None:
        """Return the position of the live row ``record_id``, if there is one."""
        ties = np.array([tie_of(record_id)], dtype=np.uint64)
        for segment, offset, mask in self._pieces():
            for i in segment.find_ids(ties, [record_id]):
                if mask is None or mask[i]:
                    return offset + i
        return None

    def positions_of(self, artifact_id: str) -> list[int]:
        """Return the positions of an artifact's live rows in plan order."""
        hashes = np.array([artifact_hash(artifact_id)], dtype=np.uint64)
        found = []
        for segment, offset, mask in self._pieces():
            at = segment.find_artifacts(hashes, [artifact_id])
            if mask is not None:
                at = at[mask[at]]
            found += [(int(segment.surface_index[i]), offset + i) for i in at.tolist()]
        return [position for _, position in sorted(found)]

    def artifact_ids(self) -> list[str]:
        """Return the ids of the artifacts with live rows, sorted."""
        names: set[str] = set()
        for segment, _, mask in self._pieces():
            codes = segment.artifact if mask is None else segment.artifact[mask]
            names.update(segment.artifact_ids[code] for code in np.unique(codes).tolist())
        return sorted(names)

    def _pieces(self) -> list[tuple[Segment, int, Bools | None]]:
        return list(zip(self.segments, self.offsets, self.alive_in, strict=True))


def content_id_of(snapshot: Snapshot) -> str:
    """Hash the live rows of ``snapshot`` independently of their order (a sum modulo 2**64)."""
    total = 0
    for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
        hashes = segment.row_hash if mask is None else segment.row_hash[mask]
        total += int(np.sum(hashes, dtype=np.uint64))
    text = f"{total % 2**64:016x} {snapshot.count} {snapshot.dim} "
    text += f"{snapshot.embedder_id} {snapshot.analyzer_id}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
