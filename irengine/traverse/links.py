"""From what a search finds along links to what it did not find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from irengine.base import SearchHit
from irengine.checks import members, real_number
from irengine.graph import LINK, RELATED, SIMILAR
from irengine.retrieve import search
from irengine.traverse.scoring import Ground, Pair, ground_of
from irengine.traverse.walking import WalkPolicy, WalkState

__all__ = ["DFLT_CARRY", "DFLT_LINK_SEED_K", "link_policy"]

DFLT_LINK_SEED_K = 5
DFLT_CARRY = 0.5

_NAME = "link_policy"


@dataclass(slots=True)
class _Note:
    """An artifact at the surface it is shown at, and what led to it."""

    node: Pair
    position: int
    via: _Note | None = None
    score: float = 0.0

    @property
    def seed(self) -> _Note:
        note = self
        while note.via is not None:
            note = note.via
        return note


class _Links:
    def __init__(
        self,
        edge_types: tuple[str, ...],
        backwards: bool,
        carry: float,
        options: Mapping[str, Any],
    ) -> None:
        self.edge_types = edge_types
        self.backwards = backwards
        self.carry = carry
        self.options = dict(options)

    def seed(self, state: WalkState, store: Any) -> Iterable[_Note]:
        ground = self._ground(state, store)
        for source, corpus in ground.corpora.items():
            for hit in search(corpus, state.query, per_artifact=True, **self.options):
                position = ground.surfaces(source).find(hit)
                if position is not None:
                    yield _Note((source, hit.artifact_id), position)

    def score(self, state: WalkState, node: _Note, store: Any) -> float:
        node.score = self._ground(state, store).score(node.node[0], node.position)
        if node.via is not None:
            node.score = (1 - self.carry) * node.score + self.carry * node.via.score
        return node.score

    def select(
        self, state: WalkState, scored: list[tuple[_Note, int, float]]
    ) -> list[tuple[_Note, int, float]]:
        return sorted(scored, key=lambda e: (-e[2], e[0].node, e[0].via.node if e[0].via else ()))

    def expand(self, state: WalkState, node: _Note, store: Any) -> Iterable[_Note]:
        ground = self._ground(state, store)
        for other in self._adjacent(ground, node.node):
            best = ground.best(other)
            if best is not None:
                yield _Note(other, best, node)

    def node_id(self, node: _Note) -> Pair:
        return node.node

    def stop(self, state: WalkState) -> bool:
        return False

    def to_hit(self, state: WalkState, node: _Note, score: float, depth: int) -> SearchHit:
        ground = self._ground(state, None)
        told: dict[str, Any] = {"walk_depth": depth}
        if node.via is not None:
            told |= {"seed": ground.told(node.seed.node), "via": ground.told(node.via.node)}
        return ground.surfaces(node.node[0]).hit(node.position, score, told)

    def _adjacent(self, ground: Ground, node: Pair) -> list[Pair]:
        found = []
        for kind in self.edge_types:
            found += ground.graph.neighbors(node, edge_type=kind)
            if self.backwards and kind != SIMILAR:
                found += ground.graph.reverse_neighbors(node, edge_type=kind)
        return list(dict.fromkeys(found))

    def _ground(self, state: WalkState, store: Any) -> Ground:
        return ground_of(state, store, _NAME, self.options.get("filter"))


def link_policy(
    *,
    edge_types: Iterable[str] = (LINK, RELATED),
    seed_k: int = DFLT_LINK_SEED_K,
    mode: str = "hybrid",
    filter: Mapping[str, Any] | None = None,
    backwards: bool = True,
    carry: float = DFLT_CARRY,
    **search_options: Any,
) -> WalkPolicy:
    """Return the policy that goes from the artifacts a search finds along their links.

    Walks a :class:`~irengine.index.Corpus`, or several (a list, or their ``FederatedGraph``), whose
    links into each other it follows. A seed scores the cosine of the surface that matched; what is
    linked to scores ``(1 - carry) * cosine + carry * score`` of what led there, with the
    cosine of its best surface: a note that never says what was asked for ranks by the company it
    keeps. No hit fails ``filter``, and nothing is reached through what fails it.

    A hit's metadata has ``walk_depth`` and, unless it is a seed, ``seed`` and ``via``, the artifact
    linked from; over several corpora these are ``(source, artifact_id)`` pairs. Cosines of corpora
    with different embedders mean different things: then each counts as a share of the best of its
    embedder.

    Args:
        edge_types: which edges to follow; ``"SIMILAR"`` too.
        seed_k: how many seeds, of each corpus.
        mode: how seeds are searched, as in :func:`irengine.retrieve.search`.
        filter: metadata filter, for seeds and hits.
        backwards: also go from an artifact to those that link to it.
        carry: share of the score that is handed on along a link, 0 to 1.
        search_options: other arguments of that search (``surfaces``, ``rerank``, ``fusion``…).

    Raises:
        ParameterError: for ``edge_types`` that are one string, or a ``carry`` outside its range;
            a walk raises what its search raises, and a ``TypeError`` when it walks on anything
            but an open corpus.
    """
    types = tuple(members("edge_types", edge_types, str, "types of edges"))
    carry = real_number("carry", carry, least=0, most=1)
    options = {**search_options, "k": seed_k, "mode": mode, "filter": filter}
    return _Links(types, backwards, carry, options)
