"""From summaries down to the texts they sum up: the collapsed tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from irengine.base import SearchHit
from irengine.checks import members
from irengine.retrieve import search
from irengine.retrieve.candidates import candidates
from irengine.traverse.scoring import Ground, Pair, ground_of
from irengine.traverse.walking import WalkPolicy, WalkState

__all__ = ["DFLT_LEAF_KINDS", "DFLT_SEED_K", "DFLT_SUMMARY_KINDS", "collapsed_tree_policy"]

DFLT_SUMMARY_KINDS = ("description", "synopsis", "capability", "document")
DFLT_LEAF_KINDS = ("chunk", "readme_chunk")
DFLT_SEED_K = 10

_NAME = "collapsed_tree_policy"


@dataclass(frozen=True, slots=True)
class _Surface:
    """A row of the corpus: a summary, or a leaf of the same artifact."""

    node: Pair
    position: int
    leaves: tuple[int, ...] = ()
    is_leaf: bool = False


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

    def seed(self, state: WalkState, store: Any) -> Iterable[_Surface]:
        ground = self._ground(state, store)
        for source, corpus in ground.corpora.items():
            if candidates(corpus.store.snapshot(), None, self.summary_kinds).count == 0:
                continue  # nothing to begin with here; search would take the kinds for misspelt
            hits = search(
                corpus, state.query, surfaces=self.summary_kinds, per_artifact=True, **self.options
            )
            for hit in hits:
                surfaces = ground.surfaces(source)
                matched = surfaces.find(hit)
                if matched is not None:
                    leaves = tuple(
                        position
                        for position in surfaces.positions(hit.artifact_id)
                        if position != matched and surfaces.kind(position) in self.leaf_kinds
                    )
                    yield _Surface((source, hit.artifact_id), matched, leaves)

    def score(self, state: WalkState, node: _Surface, store: Any) -> float:
        return self._ground(state, store).score(node.node[0], node.position)

    def select(
        self, state: WalkState, scored: list[tuple[_Surface, int, float]]
    ) -> list[tuple[_Surface, int, float]]:
        return sorted(scored, key=lambda entry: -entry[2])

    def expand(self, state: WalkState, node: _Surface, store: Any) -> Iterable[_Surface]:
        for position in node.leaves:
            yield _Surface(node.node, position, is_leaf=True)

    def node_id(self, node: _Surface) -> tuple[str, int]:
        return node.node[0], node.position  # a row of the walk's snapshot, as a record id is

    def stop(self, state: WalkState) -> bool:
        return False

    def to_hit(
        self, state: WalkState, node: _Surface, score: float, depth: int
    ) -> SearchHit | None:
        if node.leaves:
            return None
        ground = self._ground(state, None)
        told: dict[str, Any] = {"walk_depth": depth}
        if node.is_leaf:
            told["seed"] = ground.told(node.node)
        return ground.surfaces(node.node[0]).hit(node.position, score, told)

    def _ground(self, state: WalkState, store: Any) -> Ground:
        return ground_of(state, store, _NAME, self.options.get("filter"))


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

    Walks a :class:`~irengine.index.Corpus`, or several (a list, or their ``FederatedGraph``). Seeds
    are the ``seed_k`` artifacts of each whose surfaces of ``summary_kinds`` a search finds best,
    each at the surface that matched. A summary whose artifact has surfaces of ``leaf_kinds`` only
    leads to these; one without is a hit itself. All are scored by the cosine of their own text to
    the query. No hit fails ``filter``. A hit's
    metadata has ``walk_depth``, and a leaf's ``seed``, the artifact it was reached through (over
    several corpora as a ``(source, artifact_id)`` pair; for cosines see :func:`link_policy`).

    Args:
        summary_kinds: surface kinds that seeds are searched among.
        leaf_kinds: surface kinds below them.
        seed_k: how many seeds, of each corpus.
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
    return tuple(members(name, kinds, str, "kinds"))
