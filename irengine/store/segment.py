"""A segment: an immutable set of rows with their vectors, postings and columns.

A segment is built in memory from records, or opened from a folder (``segment_files``). Which of
its rows are still alive is not its business: that belongs to the snapshot.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irengine.store.columns import Columns, build_columns, merge_columns
from irengine.store.damage import damaged
from irengine.store.integrity import not_as_written, uneven_rows
from irengine.store.rows import (
    Prepared,
    Row,
    StringTable,
    lexical_text,
    parse_row,
    string_table,
    tie_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from irengine.text.postings import Postings

__all__ = ["CHUNK_ROWS", "Segment", "artifact_hash", "build_segment", "merge_segments"]

CHUNK_ROWS = 4096
"""Rows copied at once when a segment is written or merged: bounds memory."""

Positions = npt.NDArray[np.intp]
Part = tuple["Segment", Positions]
"""A segment and the positions of it that are kept, ascending."""


class Segment:
    """``n`` rows; every array has one entry a row unless said otherwise.

    Attributes:
        name: the folder name, ``""`` in memory.
        dim: width of the vectors.
        vectors: float32 ``(n, dim)``; unit rows, zero rows stay zero.
        scales: float32 lengths the vectors had, or ``None`` when all were unit rows.
        artifact: int32 position in :attr:`artifact_ids`, which has ``n_artifacts`` entries.
        artifact_hashes: uint64 ``(n_artifacts,)``, equal across segments for equal ids.
        kind: int16 position in ``kinds``.
        surface_index: int32 position within the artifact's plan.
        tie: uint64, ascending as record ids are; breaks ties.
        row_hash: uint64 of the row's JSON line; summed into the content id.
        columns: the metadata fields.
        folder: where it is stored; ``None`` in memory.
        vectors_checked: whether :meth:`check_vectors` has nothing left to do.
    """

    def __init__(
        self,
        *,
        name: str,
        vectors: npt.NDArray[np.float32],
        scales: npt.NDArray[np.float32] | None,
        artifact: npt.NDArray[np.int32],
        artifacts: StringTable,
        artifact_hashes: npt.NDArray[np.uint64],
        kind: npt.NDArray[np.int16],
        kinds: tuple[str, ...],
        surface_index: npt.NDArray[np.int32],
        tie: npt.NDArray[np.uint64],
        row_hash: npt.NDArray[np.uint64],
        ids: StringTable,
        columns: Columns,
        rows: Any,
        row_ends: npt.NDArray[np.int64],
        postings: Callable[[Segment], Postings],
        folder: Path | None = None,
        uneven: int | None = None,
    ) -> None:
        self.name = name
        self.n, self.dim = vectors.shape
        self.vectors = vectors
        self.scales = scales
        self.artifact = artifact
        self.artifacts = artifacts
        self.artifact_hashes = artifact_hashes
        self.kind = kind
        self.kinds = kinds
        self.surface_index = surface_index
        self.tie = tie
        self.row_hash = row_hash
        self.ids = ids
        self.columns = columns
        self.row_bytes = rows
        self.row_ends = row_ends
        self.folder = folder
        self._uneven = uneven  # rows that were not of unit length when they were written
        self.vectors_checked = folder is None or uneven is None
        self._load_postings = postings
        self._postings: Postings | None = None
        self._artifact_ids: list[str] | None = None
        self._orders: dict[str, Positions] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Segment({self.name or 'in memory'!r}, n={self.n}, dim={self.dim})"

    @property
    def postings(self) -> Postings:
        """The lexical index of the rows, loaded or built on first use."""
        if self._postings is None:
            with self._lock:
                if self._postings is None:
                    self._postings = self._load_postings(self)
                    self._load_postings = _analyse  # let go of what the first one held
        return self._postings

    def analyse_anew(self, notice: Callable[[], None]) -> None:
        """Take the postings from the texts when they are first needed, ``notice`` called before.

        For rows whose stored postings another analyzer made: its words are not those of a query.
        """

        def analyse(segment: Segment) -> Postings:
            notice()
            return _analyse(segment)

        self._load_postings = analyse

    @property
    def artifact_ids(self) -> list[str]:
        """The artifact ids in local code order, decoded on first use."""
        if self._artifact_ids is None:
            self._artifact_ids = list(self.artifacts)
        return self._artifact_ids

    @property
    def n_artifacts(self) -> int:
        """How many artifacts have, or had, rows here."""
        return len(self.artifact_hashes)

    def line(self, i: int) -> bytes:
        """Return the JSON line of row ``i``."""
        start = int(self.row_ends[i - 1]) if i else 0
        return bytes(self.row_bytes[start : int(self.row_ends[i])])

    def row(self, i: int) -> Row:
        """Return row ``i``, parsed afresh.

        Raises:
            CorpusDamaged: its line is not what was written.
        """
        return parse_row(self.intact_line(i))

    def intact_line(self, i: int) -> bytes:
        """Return the JSON line of row ``i``, compared with its hash when it comes from a file.

        Raises:
            CorpusDamaged: it is not what was written.
        """
        line = self.line(i)
        if self.folder is not None and _row_hash(line) != int(self.row_hash[i]):
            raise damaged(self.folder, f"row {i} of {self.folder} is not what was written")
        return line

    def lexical_texts(self) -> Iterator[str]:
        """Iterate what each row is found by word for word; see :func:`lexical_text`."""
        return (lexical_text(self.row(i)) for i in range(self.n))

    def check_vectors(self, positions: Positions | None = None) -> None:
        """Look whether vectors have the length they were written with.

        All of them, once, or those at ``positions`` only.

        Raises:
            CorpusDamaged: they have not; their scores would mean nothing.
        """
        if self.vectors_checked or (positions is not None and self._uneven):
            return
        found = uneven_rows(self.vectors if positions is None else self.vectors[positions])
        if found != self._uneven:
            assert self.folder is not None
            path = self.folder / "vectors.npy"
            raise not_as_written(
                path, meanwhile="searching by words (--mode lexical) works meanwhile"
            )
        self.vectors_checked = positions is None

    def vector(self, i: int) -> npt.NDArray[np.float32]:
        """Return a copy of the vector of row ``i`` at its original length."""
        self.check_vectors(np.array([i], dtype=np.intp))
        row = np.array(self.vectors[i], dtype=np.float32)
        return row if self.scales is None else row * self.scales[i]

    def find_ids(self, ties: npt.NDArray[np.uint64], ids: Sequence[str]) -> list[int]:
        """Return the positions of the rows that have one of ``ids`` (``ties`` are their ties)."""
        found = self._matches("tie", self.tie, ties)
        return [int(i) for i, k in found if self.ids[int(i)] == ids[k]]

    def find_artifacts(
        self, hashes: npt.NDArray[np.uint64], artifact_ids: Sequence[str]
    ) -> Positions:
        """Return the positions of the rows of any of ``artifact_ids``, ascending."""
        found = self._matches("artifact", self.artifact_hashes, hashes)
        codes = [int(c) for c, k in found if self.artifacts[int(c)] == artifact_ids[k]]
        if not codes:
            return np.empty(0, dtype=np.intp)
        if len(codes) == 1:
            return np.flatnonzero(self.artifact == codes[0])
        wanted = np.zeros(self.n_artifacts, dtype=bool)
        wanted[codes] = True
        return np.flatnonzero(wanted[self.artifact])

    def _matches(
        self, name: str, keys: npt.NDArray[np.uint64], wanted: npt.NDArray[np.uint64]
    ) -> Iterator[tuple[int, int]]:
        """Iterate ``(position in keys, position in wanted)`` of equal entries."""
        order = self._orders.get(name)
        if order is None:
            order = self._orders[name] = np.argsort(keys, kind="stable")
        ordered = keys[order]
        starts = np.searchsorted(ordered, wanted, "left")
        stops = np.searchsorted(ordered, wanted, "right")
        for k in np.flatnonzero(stops > starts).tolist():
            for at in range(int(starts[k]), int(stops[k])):
                yield int(order[at]), k


def artifact_hash(artifact_id: str) -> int:
    """Return 64 bits that stand for an artifact id in joins over segments."""
    raw = artifact_id.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "big")


def _row_hash(line: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "big")


def _analyse(segment: Segment) -> Postings:
    from irengine.text.postings import build_postings

    return build_postings(segment.lexical_texts())


def _analyser(rows: Sequence[Row]) -> Callable[[Segment], Postings]:
    """Analyse rows that are at hand, without parsing their lines again."""

    def analyse(segment: Segment) -> Postings:
        from irengine.text.postings import build_postings

        return build_postings(lexical_text(row) for row in rows)

    return analyse


def build_segment(records: Sequence[Prepared]) -> Segment:
    """Build a segment in memory; all vectors must have one width. Tokenising waits for use."""
    artifact_codes: dict[str, int] = {}
    kind_codes: dict[str, int] = {}
    artifact = [artifact_codes.setdefault(r.row.artifact_id, len(artifact_codes)) for r in records]
    kind = [kind_codes.setdefault(r.row.surface_kind, len(kind_codes)) for r in records]
    scales = np.array([r.scale for r in records], dtype=np.float32)
    lines = [r.line for r in records]
    return Segment(
        name="",
        vectors=np.stack([r.vector for r in records]),
        scales=None if np.all(scales == 1.0) else scales,
        artifact=np.array(artifact, dtype=np.int32),
        artifacts=string_table(artifact_codes),
        artifact_hashes=np.array([artifact_hash(a) for a in artifact_codes], dtype=np.uint64),
        kind=np.array(kind, dtype=np.int16),
        kinds=tuple(kind_codes),
        surface_index=np.array([r.row.surface_index for r in records], dtype=np.int32),
        tie=np.array([tie_of(r.row.id) for r in records], dtype=np.uint64),
        row_hash=np.array([_row_hash(line) for line in lines], dtype=np.uint64),
        ids=string_table(r.row.id for r in records),
        columns=build_columns([r.row.metadata for r in records]),
        rows=b"".join(lines),
        row_ends=np.cumsum([len(line) for line in lines], dtype=np.int64),
        postings=_analyser([r.row for r in records]),
    )


def merge_segments(
    parts: Sequence[Part],
    *,
    vectors: npt.NDArray[np.float32] | None = None,
    rows: Any = None,
    retokenize: bool = False,
) -> Segment:
    """Concatenate the kept rows of ``parts`` into one in-memory segment.

    Postings are merged without analysing the texts again, unless ``retokenize`` (the analyzer
    changed). ``vectors`` and ``rows`` are the concatenations when the caller already wrote them.
    """
    artifact_codes: dict[str, int] = {}
    kind_codes: dict[str, int] = {}
    artifact: list[npt.NDArray[np.int32]] = []
    kind: list[npt.NDArray[np.int16]] = []
    ids: list[str] = []
    for segment, keep in parts:
        codes = segment.artifact[keep]
        renamed = np.full(segment.n_artifacts, -1, dtype=np.int32)
        for code in np.unique(codes).tolist():
            name = segment.artifacts[code]
            renamed[code] = artifact_codes.setdefault(name, len(artifact_codes))
        artifact.append(renamed[codes])
        kinds = [kind_codes.setdefault(k, len(kind_codes)) for k in segment.kinds]
        kind.append(np.array(kinds, dtype=np.int16)[segment.kind[keep]])
        everything = list(segment.ids)
        ids.extend(everything[i] for i in keep.tolist())
    lengths = np.concatenate(
        [np.diff(segment.row_ends, prepend=np.int64(0))[keep] for segment, keep in parts]
    )
    if vectors is None:
        vectors = np.concatenate([segment.vectors[keep] for segment, keep in parts])
    if rows is None:
        rows = b"".join(segment.line(i) for segment, keep in parts for i in keep.tolist())
    return Segment(
        name="",
        vectors=vectors,
        scales=_merged_scales(parts),
        artifact=np.concatenate(artifact),
        artifacts=string_table(artifact_codes),
        artifact_hashes=np.array([artifact_hash(a) for a in artifact_codes], dtype=np.uint64),
        kind=np.concatenate(kind),
        kinds=tuple(kind_codes),
        surface_index=np.concatenate([s.surface_index[keep] for s, keep in parts]),
        tie=np.concatenate([s.tie[keep] for s, keep in parts]),
        row_hash=np.concatenate([s.row_hash[keep] for s, keep in parts]),
        ids=string_table(ids),
        columns=merge_columns([(s.columns, keep) for s, keep in parts]),
        rows=rows,
        row_ends=np.cumsum(lengths, dtype=np.int64),
        postings=_analyse if retokenize else _merged_postings(parts),
    )


def _merged_scales(parts: Sequence[Part]) -> npt.NDArray[np.float32] | None:
    if all(segment.scales is None for segment, _ in parts):
        return None
    ones = np.float32(1.0)
    return np.concatenate(
        [
            np.full(len(keep), ones) if segment.scales is None else segment.scales[keep]
            for segment, keep in parts
        ]
    )


def _merged_postings(parts: Sequence[Part]) -> Callable[[Segment], Postings]:
    def merge(segment: Segment) -> Postings:
        from irengine.text.postings import merge_postings

        masks = []
        for part, keep in parts:
            mask = np.zeros(part.n, dtype=bool)
            mask[keep] = True
            masks.append((part.postings, mask))
        return merge_postings(masks)

    return merge
