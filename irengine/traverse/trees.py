"""From summaries down to the texts they sum up: the collapsed tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from irengine.base import SearchHit
from irengine.errors import ParameterTypeError
from irengine.retrieve import search
from irengine.traverse.scoring import Surfaces, check_corpus, surfaces_of
from irengine.traverse.walking import WalkPolicy, WalkState

__all__ = ["DFLT_LEAF_KINDS", "DFLT_SEED_K", "DFLT_SUMMARY_KINDS", "collapsed_tree_policy"]

DFLT_SUMMARY_KINDS = ("description", "synopsis", "capability", "document")
DFLT_LEAF_KINDS = ("chunk", "readme_chunk")
DFLT_SEED_K = 10

_NAME = "collapsed_tree_policy"


@dataclass(frozen=True, slots=True)
class _Surface:
    """A row of the corpus: a summary, or a leaf below the artifact ``seed``."""

    position: int
    artifact_id: str
    leaves: tuple[int, ...] = ()
    seed: str | None = None


class _CollapsedTree:
    def __init__(
        self,
        summary_kinds: tuple[str, ...],
        leaf_kinds: tuple[str, ...],
        options: Mapping[str, Any],
    ) -> None:
        self.summary_kinds = summary_kinds
        self.leaf_kinds = leaf_kinds
        self.options = dict(options)

    def seed(self, state: WalkState, store: Any) -> list[_Surface]:
        corpus = check_corpus(store, _NAME)
        hits = search(
            corpus, state.query, surfaces=self.summary_kinds, per_artifact=True, **self.options
        )
        if not hits:
            return []
        surfaces = self._surfaces(state, store)
        seeds = []
        for hit in hits:
            matched = surfaces.find(hit)
            if matched is not None:
                leaves = tuple(
                    position
                    for position in surfaces.positions(hit.artifact_id)
                    if position != matched and surfaces.kind(position) in self.leaf_kinds
                )
                seeds.append(_Surface(matched, hit.artifact_id, leaves))
        return seeds

    def score(self, state: WalkState, node: _Surface, store: Any) -> float:
        return self._surfaces(state, store).cosine(node.position)

    def select(
        self, state: WalkState, scored: list[tuple[_Surface, int, float]]
    ) -> list[tuple[_Surface, int, float]]:
        return sorted(scored, key=lambda entry: -entry[2])

    def expand(self, state: WalkState, node: _Surface, store: Any) -> Iterable[_Surface]:
        for position in node.leaves:
            yield _Surface(position, node.artifact_id, seed=node.artifact_id)

    def node_id(self, node: _Surface) -> int:
        return node.position  # one row of the walk's snapshot, as a record id is

    def stop(self, state: WalkState) -> bool:
        return False

    def to_hit(
        self, state: WalkState, node: _Surface, score: float, depth: int
    ) -> SearchHit | None:
        if node.leaves:
            return None
        told: dict[str, Any] = {"walk_depth": depth}
        if node.seed is not None:
            told["seed"] = node.seed
        return self._surfaces(state, None).hit(node.position, score, told)

    def _surfaces(self, state: WalkState, store: Any) -> Surfaces:
        return surfaces_of(state, store, _NAME, self.options.get("filter"))


def collapsed_tree_policy(
    *,
    summary_kinds: Iterable[str] = DFLT_SUMMARY_KINDS,
    leaf_kinds: Iterable[str] = DFLT_LEAF_KINDS,
    seed_k: int = DFLT_SEED_K,
    mode: str = "dense",
    filter: Mapping[str, Any] | None = None,
    **search_options: Any,
) -> WalkPolicy:
    """Return the policy that goes from the best summaries down to the texts of their artifacts.

    Walks a :class:`~irengine.index.Corpus`. Seeds are the ``seed_k`` artifacts whose surfaces of
    ``summary_kinds`` a search finds best, each at the surface that matched. A summary whose
    artifact has surfaces of ``leaf_kinds`` only leads to these; one without is a hit itself. All
    are scored by the cosine of their own text to the query. No hit fails ``filter``. A hit's
    metadata has ``walk_depth``, and a leaf's ``seed``, the artifact it was reached through.

    Args:
        summary_kinds: surface kinds that seeds are searched among.
        leaf_kinds: surface kinds below them.
        seed_k: how many seeds.
        mode: how seeds are searched, as in :func:`irengine.retrieve.search`.
        filter: metadata filter, for seeds and hits.
        search_options: other arguments of that search (``rerank``, ``fusion``, ``alpha``…).

    Raises:
        ParameterError: for kinds that are one string; a walk raises what its search raises, and
            a ``TypeError`` when it walks on anything but an open corpus.
    """
    options = {**search_options, "k": seed_k, "mode": mode, "filter": filter}
    return _CollapsedTree(
        _kinds("summary_kinds", summary_kinds), _kinds("leaf_kinds", leaf_kinds), options
    )


def _kinds(name: str, kinds: Iterable[str]) -> tuple[str, ...]:
    if isinstance(kinds, str):
        raise ParameterTypeError(f"{name} takes a list of kinds, not the string {kinds!r}")
    return tuple(kinds)
