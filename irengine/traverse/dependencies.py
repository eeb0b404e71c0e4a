"""From libraries to what depends on them: a walk against the direction of edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from irengine.base import SearchHit
from irengine.checks import members, real_number
from irengine.errors import ParameterError, ParameterTypeError
from irengine.graph import REF
from irengine.graph.paths import Node
from irengine.traverse.scoring import Ground, Pair, ground_of
from irengine.traverse.walking import WalkPolicy, WalkState

__all__ = ["reverse_dependency_policy"]

_NAME = "reverse_dependency_policy"


@dataclass(frozen=True, slots=True)
class _Step:
    """A node of the graph, and the seed it was reached from in so many hops."""

    node: Pair
    seed: Pair
    hops: int


class _ReverseDependencies:
    def __init__(
        self,
        seeds: tuple[Node, ...],
        edge_type: str,
        fan_in_weight: float,
        proximity_weight: float,
    ) -> None:
        self.seeds = seeds
        self.edge_type = edge_type
        self.fan_in_weight = fan_in_weight
        self.proximity_weight = proximity_weight

    def seed(self, state: WalkState, store: Any) -> list[_Step]:
        ground = ground_of(state, store, _NAME)
        resolved = {
            ground.graph.resolve(node, edge_type=self.edge_type)
            for seed in self.seeds
            for node in ground.nodes_of(seed)
        }
        return [_Step(node, node, 0) for node in sorted(resolved, key=_order(ground))]

    def score(self, state: WalkState, node: _Step, store: Any) -> float:
        ground = ground_of(state, store, _NAME)
        best = ground.best(node.node)
        if best is None:
            return 0.0
        score = ground.score(node.node[0], best)
        if self.fan_in_weight and (most := ground.graph.max_fan_in(edge_type=self.edge_type)):
            fan_in = ground.graph.fan_in(node.node, edge_type=self.edge_type)
            score += self.fan_in_weight * fan_in / most
        if self.proximity_weight:
            score += self.proximity_weight / (1 + node.hops)
        return score

    def select(
        self, state: WalkState, scored: list[tuple[_Step, int, float]]
    ) -> list[tuple[_Step, int, float]]:
        place = _order(ground_of(state, None, _NAME))
        return sorted(scored, key=lambda e: (-e[2], place(e[0].seed), place(e[0].node)))

    def expand(self, state: WalkState, node: _Step, store: Any) -> Iterable[_Step]:
        graph = ground_of(state, store, _NAME).graph
        for other in graph.reverse_neighbors(node.node, edge_type=self.edge_type):
            yield _Step(other, node.seed, node.hops + 1)

    def node_id(self, node: _Step) -> Pair:
        return node.node

    def stop(self, state: WalkState) -> bool:
        return False

    def to_hit(self, state: WalkState, node: _Step, score: float, depth: int) -> SearchHit | None:
        ground = ground_of(state, None, _NAME)
        best = ground.best(node.node)
        if best is None:
            return None
        told: dict[str, Any] = {
            "walk_depth": depth,
            "fan_in": ground.graph.fan_in(node.node, edge_type=self.edge_type),
        }
        if node.hops:
            told["seed"] = ground.told(node.seed)
        return ground.surfaces(node.node[0]).hit(best, score, told)


def reverse_dependency_policy(
    *,
    seeds: Iterable[Any],
    edge_type: str = REF,
    fan_in_weight: float = 0.0,
    proximity_weight: float = 0.0,
) -> WalkPolicy:
    """Return the policy that walks from ``seeds`` to their dependents, and to theirs.

    Walks a :class:`~irengine.index.Corpus` built with an edge extractor, or several of them (a
    list, or their ``FederatedGraph``), whose edges into each other it follows. A seed that is an
    artifact is a result too; one outside the corpus only leads on. A result scores

        best cosine of its surfaces + fan_in_weight * fan_in / max_fan_in
        + proximity_weight / (1 + hops)

    and has in its metadata ``walk_depth``, ``fan_in`` and, unless it is a seed, ``seed``. One that
    several seeds lead to is credited to the first of them in sorted order. Results depend
    neither on the order of seeds nor on their spelling.

    Args:
        seeds: ids of libraries, or ``(source, artifact_id)`` pairs. Over several corpora an id is
            that of each, and ``seed`` in the metadata a pair; for cosines see :func:`link_policy`.
        edge_type: the type of the edges to walk against.
        fan_in_weight: what being depended on by many is worth.
        proximity_weight: what being close to a seed is worth.

    Raises:
        ParameterTypeError: when ``seeds`` is one string, or a seed is no text; a walk raises it
            when it walks on anything but an open corpus.
        ParameterError: for a seed that is no pair, or a weight that is negative or not finite.
    """
    if isinstance(seeds, str):
        raise ParameterTypeError(
            f"seeds takes a list of ids, not the string {seeds!r}", hint=f"write [{seeds!r}]"
        )
    fan_in_weight = real_number("fan_in_weight", fan_in_weight, least=0)
    proximity_weight = real_number("proximity_weight", proximity_weight, least=0)
    checked = tuple(_checked(seed) for seed in members("seeds", seeds, object, "ids"))
    return _ReverseDependencies(checked, edge_type, fan_in_weight, proximity_weight)


def _checked(seed: Any) -> Node:
    if isinstance(seed, (list, tuple)):
        if len(seed) != 2:
            raise ParameterError(f"a seed is an id or a (source, artifact_id) pair, not {seed!r}")
        return tuple(seed)
    if not isinstance(seed, str):
        raise ParameterTypeError(f"a seed is an id or a pair, not {type(seed).__name__}")
    return seed


def _order(ground: Ground) -> Callable[[Pair], tuple[bool, Pair]]:
    """Return the key that sorts nodes: those of the corpora first."""
    return lambda node: (node[0] not in ground.corpora, node)
