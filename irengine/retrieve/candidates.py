"""Which rows a search may return: live, of the wanted kinds, passing the filter and the wording."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irengine.retrieve.wording import Wording, worded_rows
from irengine.text.bm25 import collection_statistics

if TYPE_CHECKING:
    from irengine.retrieve.filters import Filter
    from irengine.store import Segment, Snapshot

__all__ = ["Candidates", "candidates"]

_KEPT_MASKS = 16
_CACHE_KEY = "irengine.retrieve.candidates"


@dataclass(frozen=True)
class Candidates:
    """A set of rows: ``mask`` bool ``(n,)`` over the snapshot (``None`` = every row).

    ``segments`` are those of the snapshot, each with the position of its first row; their
    postings are opened when words are asked for. ``terms`` are the index terms that the prefixes
    of a wording stood for.
    """

    n: int
    mask: np.ndarray | None
    segments: list[tuple[Segment, int]] = field(repr=False)
    terms: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> np.ndarray:
        """The positions of the rows: int64, ascending."""
        return np.arange(self.n) if self.mask is None else np.flatnonzero(self.mask)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.n if self.mask is None else len(self.rows)

    @cached_property
    def statistics(self) -> tuple[int, int]:
        """How many of the rows have terms, and how many terms they have together."""
        parts = [(segment.postings, offset) for segment, offset in self.segments]
        return collection_statistics(parts, self.mask)


class _Recent:
    """The most recently used values, made at most once at a time by each caller."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Candidates] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Candidates]) -> Candidates:
        with self._lock:
            known = self._values.get(key)
            if known is not None:
                self._values.move_to_end(key)
                return known
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return made


def candidates(
    snapshot: Snapshot,
    filter: Filter | None,
    surfaces: tuple[str, ...] | None,
    wording: Wording | None = None,
) -> Candidates:
    """Return the rows a search of ``snapshot`` may return.

    The answer is kept with the snapshot (the last 16 combinations), so asking again is free;
    a new generation starts afresh.
    """
    recent: _Recent = snapshot.cache.setdefault(_CACHE_KEY, _Recent(_KEPT_MASKS))
    kinds = None if surfaces is None else frozenset(surfaces)
    key = (None if filter is None else filter.key, kinds)
    if wording is None:
        return recent.get(key, lambda: _select(snapshot, filter, kinds))

    def select_worded() -> Candidates:
        among = candidates(snapshot, filter, surfaces)
        found = worded_rows(snapshot, wording, among.mask)
        mask = None if found.mask.all() else found.mask
        return Candidates(snapshot.n, mask, _placed(snapshot), found.terms)

    return recent.get((*key, wording), select_worded)


def _select(snapshot: Snapshot, filter: Filter | None, kinds: frozenset[str] | None) -> Candidates:
    masks = [] if snapshot.alive is None else [snapshot.alive]
    if kinds is not None:
        masks.append(_per_segment(snapshot, lambda segment: _of_kinds(segment, kinds)))
    if filter is not None:
        masks.append(_per_segment(snapshot, filter.predicate.mask))
    if not masks:
        return Candidates(snapshot.n, None, _placed(snapshot))
    mask = np.logical_and.reduce(masks)
    return Candidates(snapshot.n, None if mask.all() else mask, _placed(snapshot))


def _placed(snapshot: Snapshot) -> list[tuple[Segment, int]]:
    return list(zip(snapshot.segments, snapshot.offsets, strict=True))


def _per_segment(snapshot: Snapshot, mask_of: Callable[..., np.ndarray]) -> np.ndarray:
    parts = [mask_of(segment) for segment in snapshot.segments]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)


def _of_kinds(segment: Segment, kinds: frozenset[str]) -> np.ndarray:
    wanted = np.array([kind in kinds for kind in segment.kinds] or [False], dtype=bool)
    verdict: np.ndarray = wanted[segment.kind] if segment.n else np.zeros(0, dtype=bool)
    return verdict
