"""Artifacts that are the same thing: finding either is finding it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irengine.checks import members, real_number, text
from irengine.retrieve.handles import as_store

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import CorpusStore, Snapshot

__all__ = ["DFLT_SAME_COSINE", "Equivalents", "class_of", "equivalent_artifacts", "merged_grades"]

DFLT_SAME_COSINE = 0.98
"""From this cosine on, two texts are taken for the same."""
_BLOCK = 1024

Equivalents = Iterable[Iterable[str]] | None
"""Groups of artifact ids; those of a group count as one artifact."""


def class_of(groups: Equivalents) -> Callable[[str], str]:
    """Return ``artifact id -> representative``, the smallest id of its group or itself.

    Groups that share a member are one.
    """
    union = _Union()
    for group in members("equivalents", groups or (), object, "groups of ids"):
        ids = members("a group of equivalents", group, str, "ids")
        for member in ids:
            union.join(ids[0], member)
    return union.find


def equivalent_artifacts(
    corpus: Corpus | CorpusStore | str,
    *,
    by: str | None = None,
    min_cosine: float = DFLT_SAME_COSINE,
) -> list[list[str]]:
    """Return the groups of artifacts that are the same thing, each sorted, in order of first id.

    Args:
        corpus: where to look.
        by: a metadata field whose equal values make artifacts the same; by default vectors do.
        min_cosine: without ``by``: artifacts are the same when they have as many texts and each
            text is at least this close to that of the same place. Every pair is compared.

    Raises:
        ParameterError: a cosine that is not above 0 and at most 1.
    """
    min_cosine = real_number("min_cosine", min_cosine, above=0.0, least=0.0, most=1.0)
    if by is not None:
        text("by", by)
    snapshot = as_store(corpus).snapshot()
    union = _Union()
    pairs = _same_vectors(snapshot, min_cosine) if by is None else _same_value(snapshot, by)
    for one, other in pairs:
        union.join(one, other)
    return union.groups()


class _Union:
    """Disjoint sets of ids; the smallest id stands for its set."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, member: str) -> str:
        root = member
        while (above := self._parent.get(root, root)) != root:
            root = above
        while (above := self._parent.get(member, member)) != root:
            self._parent[member], member = root, above
        return root

    def join(self, one: str, other: str) -> None:
        low, high = sorted((self.find(one), self.find(other)))
        self._parent.setdefault(low, low)
        self._parent[high] = low

    def groups(self) -> list[list[str]]:
        found: dict[str, list[str]] = {}
        for member in sorted(self._parent):
            found.setdefault(self.find(member), []).append(member)
        return [group for group in found.values() if len(group) > 1]


def _same_value(snapshot: Snapshot, field: str) -> Iterable[tuple[str, str]]:
    first: dict[Hashable, str] = {}
    for row in snapshot.rows(snapshot.live_positions().tolist()):
        value = row.metadata.get(field)
        if value is not None and value != "":
            yield first.setdefault(repr(value), row.artifact_id), row.artifact_id


def _same_vectors(snapshot: Snapshot, min_cosine: float) -> Iterable[tuple[str, str]]:
    texts: dict[str, list[np.ndarray]] = {}
    for artifact_id in snapshot.artifact_ids():
        vectors = [snapshot.record(p).vector for p in snapshot.positions_of(artifact_id)]
        if all(np.any(vector) for vector in vectors):
            texts[artifact_id] = [vector / np.linalg.norm(vector) for vector in vectors]
    by_size: dict[int, list[str]] = {}
    for artifact_id, vectors in texts.items():
        by_size.setdefault(len(vectors), []).append(artifact_id)
    for size, ids in by_size.items():
        firsts = np.stack([texts[artifact_id][0] for artifact_id in ids])
        for start in range(0, len(ids), _BLOCK):
            close = firsts[start : start + _BLOCK] @ firsts.T >= min_cosine
            for i, j in np.argwhere(close).tolist():
                one, other = ids[start + i], ids[j]
                if one < other and _all_close(texts[one], texts[other], size, min_cosine):
                    yield one, other


def _all_close(
    one: Sequence[np.ndarray], other: Sequence[np.ndarray], size: int, min_cosine: float
) -> bool:
    return all(float(one[i] @ other[i]) >= min_cosine for i in range(size))


def merged_grades(
    grades: Mapping[str, float], representative: Callable[[str], str]
) -> dict[str, float]:
    """Return the grades of the classes: that of the best member each."""
    merged: dict[str, float] = {}
    for artifact, grade in grades.items():
        name = representative(artifact)
        merged[name] = max(grade, merged.get(name, grade))
    return merged
