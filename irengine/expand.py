"""From a hit to the passage around it, put together from what is stored of its artifact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.base import Record, SearchHit
from irengine.checks import having, whole_number
from irengine.errors import ParameterError, ParameterTypeError, SeedNotFound
from irengine.retrieve import records_for_artifact
from irengine.text.stitch import DFLT_MIN_STITCH_OVERLAP, line_ranges, stitch

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = [
    "DFLT_MIN_STITCH_OVERLAP",
    "DFLT_WINDOW",
    "NeighborhoodPolicy",
    "Passage",
    "SeedNotFound",
    "expand",
    "parent_policy",
    "sentence_window_policy",
]

DFLT_WINDOW = 1
"""Neighbours on either side that the default policy takes."""

NeighborhoodPolicy = Callable[[SearchHit, Sequence[Record]], Sequence[Record]]
"""``(hit, records of its artifact in plan order) -> those of them that make the passage``."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with the text around it.

    All but ``text``, ``record_ids`` and ``lines`` is the hit's own. ``record_ids`` are the records
    the text was put together from, in plan order; empty when it is only the hit's own text.
    ``lines`` are the ranges of lines they take up, 1-based and inclusive, in the same order; empty
    when the corpus does not know lines.
    """

    artifact_id: str
    surface_kind: str
    score: float
    text: str
    record_ids: tuple[str, ...] = ()
    source: str | None = None
    surface_index: int | None = None
    lines: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: ids as a list, and ``lines`` only where they are known."""
        told: dict[str, Any] = {
            "artifact_id": self.artifact_id,
            "surface_kind": self.surface_kind,
            "score": float(self.score),
            "text": self.text,
            "record_ids": list(self.record_ids),
            "source": self.source,
            "surface_index": self.surface_index,
        }
        if self.lines:
            told["lines"] = [list(span) for span in self.lines]
        return told


def sentence_window_policy(k: int = DFLT_WINDOW) -> NeighborhoodPolicy:
    """Return the policy that takes the hit and up to ``k`` neighbours of its kind on each side.

    The policy raises a ``ParameterError`` for a hit without ``surface_index``, and
    :class:`SeedNotFound` when no record of the hit's kind has its index.

    Raises:
        ParameterError: unless ``k`` is a whole number of at least 0.
    """
    k = whole_number("the window k (>= 0)", k, least=0)

    def window(hit: SearchHit, siblings: Sequence[Record]) -> Sequence[Record]:
        if hit.surface_index is None:
            raise ParameterError(
                f"the hit on {hit.artifact_id!r} has no surface_index, so it has no neighbours",
                hint="parent_policy() needs none",
            )
        run = [record for record in siblings if record.surface_kind == hit.surface_kind]
        for at, record in enumerate(run):
            if record.surface_index == hit.surface_index:
                return run[max(0, at - k) : at + k + 1]
        raise SeedNotFound(
            f"artifact {hit.artifact_id!r} has no {hit.surface_kind!r} surface "
            f"{hit.surface_index} any more",
            hint="search again: the corpus was rebuilt, or the hit is from another one",
        )

    return window


def parent_policy() -> NeighborhoodPolicy:
    """Return the policy that takes the whole artifact: every surface, in plan order."""
    return lambda hit, siblings: siblings


def expand(
    hit: SearchHit,
    corpus: Corpus | CorpusStore | str,
    *,
    policy: NeighborhoodPolicy | None = None,
) -> Passage:
    """Return ``hit`` with the text around it.

    The records of the hit's artifact are looked up in the ledger, ``policy`` says which to take
    (default: a window of :data:`DFLT_WINDOW`), and they are stitched in plan order, each once,
    without what neighbours repeat of each other (:func:`irengine.text.stitch.stitch`). A policy
    that takes none gives the hit's own text. No embedder is involved.

    Args:
        hit: where to start; its identity and score are the passage's.
        corpus: the corpus it came from: a handle, a store or a name.
        policy: ``(hit, siblings) -> records``, which must be among ``siblings``.

    Raises:
        NoLedgerEntry: the corpus does not know the artifact (a ``KeyError``).
        StaleLedger: the ledger lists a record that is not there (a ``KeyError``).
        SeedNotFound: the default policy does not find the hit (a ``ValueError``).
        ParameterError: the policy returned records that are not siblings of the hit, or the
            default policy got a hit without ``surface_index``.
        CorpusNotFound: nothing is built under the name.
        ParameterTypeError: for something that is no hit.
    """
    if policy is None:
        policy = sentence_window_policy()
    elif not callable(policy):
        raise ParameterTypeError(
            f"a policy is a function of a hit and its siblings, not {policy!r:.60}",
            hint="sentence_window_policy() or parent_policy() make one",
        )
    having("hit", hit, "surface_index", "a hit of a search")
    siblings = records_for_artifact(corpus, hit.artifact_id)
    taken = _checked(policy(hit, siblings), siblings, hit)
    return Passage(
        artifact_id=hit.artifact_id,
        surface_kind=hit.surface_kind,
        score=hit.score,
        text=stitch(taken) if taken else hit.text,
        record_ids=tuple(record.id for record in taken),
        source=hit.source,
        surface_index=hit.surface_index,
        lines=line_ranges(taken) if taken else _lines_of(hit.metadata),
    )


def _checked(
    chosen: Iterable[Record] | None, siblings: Sequence[Record], hit: SearchHit
) -> list[Record]:
    """Return the siblings a policy chose, each once and in plan order."""
    ids = {getattr(record, "id", None) for record in chosen or ()}
    if not ids <= {record.id for record in siblings}:
        raise ParameterError(
            f"the policy returned records that are not siblings of the hit on {hit.artifact_id!r}",
            hint="a policy may only choose from the records it is given",
        )
    return [record for record in siblings if record.id in ids]


def _lines_of(metadata: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    first, last = metadata.get("line_start"), metadata.get("line_end")
    return ((first, last),) if isinstance(first, int) and isinstance(last, int) else ()
