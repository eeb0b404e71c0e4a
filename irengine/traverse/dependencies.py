"""From libraries to what depends on them: a walk against the direction of edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from irengine.base import SearchHit
from irengine.checks import real_number
from irengine.errors import ParameterError, ParameterTypeError
from irengine.graph import REF, CorpusGraph
from irengine.graph.paths import Node, in_order
from irengine.traverse.scoring import check_corpus, surfaces_of
from irengine.traverse.walking import WalkPolicy, WalkState

__all__ = ["reverse_dependency_policy"]

_NAME = "reverse_dependency_policy"
_GRAPH = "irengine.traverse.graph"


@dataclass(frozen=True, slots=True)
class _Step:
    """A node of the graph, and the seed it was reached from in so many hops."""

    id: Node
    seed: Node
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
        graph = state.cache[_GRAPH] = CorpusGraph(check_corpus(store, _NAME))
        resolved = {graph.resolve(seed, edge_type=self.edge_type) for seed in self.seeds}
        return [_Step(node, node, 0) for node in in_order(resolved)]

    def score(self, state: WalkState, node: _Step, store: Any) -> float:
        best = self._best(state, node, store)
        if best is None:
            return 0.0
        score = best[1]
        graph: CorpusGraph = state.cache[_GRAPH]
        if self.fan_in_weight and (most := graph.max_fan_in(edge_type=self.edge_type)):
            fan_in = graph.fan_in(node.id, edge_type=self.edge_type)
            score += self.fan_in_weight * fan_in / most
        if self.proximity_weight:
            score += self.proximity_weight / (1 + node.hops)
        return score

    def select(
        self, state: WalkState, scored: list[tuple[_Step, int, float]]
    ) -> list[tuple[_Step, int, float]]:
        return sorted(
            scored, key=lambda entry: (-entry[2], *_order(entry[0].seed), *_order(entry[0].id))
        )

    def expand(self, state: WalkState, node: _Step, store: Any) -> Iterable[_Step]:
        graph: CorpusGraph = state.cache[_GRAPH]
        for other in graph.reverse_neighbors(node.id, edge_type=self.edge_type):
            yield _Step(other, node.seed, node.hops + 1)

    def node_id(self, node: _Step) -> Node:
        return node.id

    def stop(self, state: WalkState) -> bool:
        return False

    def to_hit(self, state: WalkState, node: _Step, score: float, depth: int) -> SearchHit | None:
        best = self._best(state, node, None)
        if best is None:
            return None
        graph: CorpusGraph = state.cache[_GRAPH]
        told: dict[str, Any] = {
            "walk_depth": depth,
            "fan_in": graph.fan_in(node.id, edge_type=self.edge_type),
        }
        if node.hops:
            told["seed"] = node.seed
        return surfaces_of(state, None, _NAME).hit(best[0], score, told)

    def _best(self, state: WalkState, node: _Step, store: Any) -> tuple[int, float] | None:
        """Return the best surface of a node that is an artifact of the corpus."""
        return surfaces_of(state, store, _NAME).best(node.id) if isinstance(node.id, str) else None


def reverse_dependency_policy(
    *,
    seeds: Iterable[Any],
    edge_type: str = REF,
    fan_in_weight: float = 0.0,
    proximity_weight: float = 0.0,
) -> WalkPolicy:
    """Return the policy that walks from ``seeds`` to their dependents, and to theirs.

    Walks a :class:`~irengine.index.Corpus` built with an edge extractor. A seed that is an
    artifact is a result too; one outside the corpus only leads on. A result scores

        best cosine of its surfaces + fan_in_weight * fan_in / max_fan_in
        + proximity_weight / (1 + hops)

    and has in its metadata ``walk_depth``, ``fan_in`` and, unless it is a seed, ``seed``. One that
    several seeds lead to is credited to the first of them in sorted order. Results depend
    neither on the order of seeds nor on their spelling.

    Args:
        seeds: ids of libraries, or ``(source, artifact_id)`` pairs.
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
    checked = tuple(_checked(seed) for seed in seeds)
    return _ReverseDependencies(checked, edge_type, fan_in_weight, proximity_weight)


def _checked(seed: Any) -> Node:
    if isinstance(seed, (list, tuple)):
        if len(seed) != 2:
            raise ParameterError(f"a seed is an id or a (source, artifact_id) pair, not {seed!r}")
        return tuple(seed)
    if not isinstance(seed, str):
        raise ParameterTypeError(f"a seed is an id or a pair, not {type(seed).__name__}")
    return seed


def _order(node: Node) -> tuple[bool, Any]:
    return isinstance(node, tuple), node
