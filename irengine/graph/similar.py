"""Which artifacts resemble each other: nearest neighbours of the artifacts' centroids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.checks import real_number, whole_number
from irengine.errors import NoLedgerEntry
from irengine.graph.opening import store_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from irengine.store import Snapshot

__all__ = ["DFLT_SIMILAR_K", "centroids", "similar_edges", "similar_to"]

DFLT_SIMILAR_K = 10
_BLOCK = 512
_ROWS = 8192

Neighbours = list[tuple[str, float]]


def centroids(snapshot: Snapshot) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Return the artifact ids, sorted, and the unit mean of each one's vectors ``(n, dim)``.

    An artifact whose vectors cancel out, or are zero, has a zero row. Kept with the snapshot.
    """
    known: tuple[list[str], npt.NDArray[np.float32]] | None = snapshot.cache.get("centroids")
    if known is None:
        known = snapshot.cache["centroids"] = _centroids(snapshot)
    return known


def _centroids(snapshot: Snapshot) -> tuple[list[str], npt.NDArray[np.float32]]:
    import numpy as np

    ids = snapshot.artifact_ids()
    place = {artifact_id: at for at, artifact_id in enumerate(ids)}
    sums = np.zeros((len(ids), snapshot.dim), dtype=np.float64)
    for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
        places = np.array([place.get(a, -1) for a in segment.artifact_ids], dtype=np.int64)
        rows = np.arange(segment.n) if mask is None else np.flatnonzero(mask)
        rows = rows[np.argsort(places[segment.artifact[rows]], kind="stable")]
        for at in range(0, len(rows), _ROWS):
            some = rows[at : at + _ROWS]
            where, first = np.unique(places[segment.artifact[some]], return_index=True)
            sums[where] += np.add.reduceat(segment.vectors[some], first, axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    unit = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 1e-9)
    return ids, unit.astype(np.float32)


def similar_to(
    snapshot: Snapshot, artifact_id: str, *, k: int = DFLT_SIMILAR_K, min_score: float = 0.0
) -> Neighbours:
    """Return the ``k`` artifacts most like ``artifact_id`` as ``(id, cosine)``, best first.

    Ties go by id; only cosines above ``min_score`` count, and never the artifact itself.

    Raises:
        NoLedgerEntry: when it has no vectors here.
        ParameterError: for a ``k`` below 1.
    """
    from bisect import bisect_left

    k = whole_number("k", k, least=1)
    ids, unit = centroids(snapshot)
    at = bisect_left(ids, artifact_id)
    if at == len(ids) or ids[at] != artifact_id:
        raise NoLedgerEntry(f"artifact {artifact_id!r} has no records")
    return _best(ids, unit, at, at + 1, k, min_score)[0]


def similar_edges(
    store_or_corpus: Any, *, k: int = DFLT_SIMILAR_K, min_score: float = 0.0
) -> dict[str, Neighbours]:
    """Return the ``k`` nearest neighbours of every artifact, ``{id: [(id, cosine)]}``, sorted.

    Exact: the cosines of all pairs, a block of rows at a time, so that memory stays linear in
    the number of artifacts. Neighbours are as in :func:`similar_to`.
    """
    k, min_score = whole_number("k", k, least=1), real_number("min_score", min_score)
    ids, unit = centroids(store_of(store_or_corpus)[0].snapshot())
    found: dict[str, Neighbours] = {}
    for start in range(0, len(ids), _BLOCK):
        stop = min(start + _BLOCK, len(ids))
        best = _best(ids, unit, start, stop, k, min_score)
        found.update(zip(ids[start:stop], best, strict=True))
    return found


def _best(
    ids: list[str],
    unit: npt.NDArray[np.float32],
    start: int,
    stop: int,
    k: int,
    min_score: float,
) -> list[Neighbours]:
    """Return the neighbours of the rows ``start`` to ``stop``."""
    import numpy as np

    # Rounded, because a product's last bits depend on the shape of the block it is part of.
    scores = np.round(unit[start:stop] @ unit.T, 6)
    found = []
    for row, own in zip(scores, range(start, stop), strict=True):
        row[own] = -2.0
        if k < len(row):
            worst = np.partition(row, len(row) - k)[len(row) - k]
            among = np.flatnonzero(row >= worst)
        else:
            among = np.arange(len(row))
        order = among[np.lexsort((among, -row[among]))][:k]
        found.append([(ids[i], float(row[i])) for i in order if row[i] > min_score])
    return found
