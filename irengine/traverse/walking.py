"""The walk itself: score the frontier, commit, expand. The bounds are the operator's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from irengine.base import SearchHit
from irengine.checks import whole_number
from irengine.errors import ParameterError, ParameterTypeError

__all__ = [
    "DFLT_MAX_DEPTH",
    "DFLT_NODE_BUDGET",
    "MAX_FRONTIER",
    "WalkPolicy",
    "WalkState",
    "traverse",
]

DFLT_MAX_DEPTH = 2
DFLT_NODE_BUDGET = 64
MAX_FRONTIER = 100_000
"""Nodes that are looked at in one level; what a policy gives beyond is not asked for."""

_METHODS = ("seed", "score", "select", "expand", "node_id", "stop", "to_hit")


@dataclass
class WalkState:
    """What a policy can see of one walk.

    Attributes:
        query: the text that was asked.
        max_depth, budget: the bounds of this walk. Changing them, or what follows, changes
            nothing: the operator keeps its own count.
        visited: ids of the nodes that were committed.
        results: the hits so far, in the order of their commitment.
        cache: scratch space of the policy, for example for the query's vector.
    """

    query: str
    max_depth: int
    budget: int
    visited: set[Any] = field(default_factory=set)
    results: list[SearchHit] = field(default_factory=list)
    cache: dict[Any, Any] = field(default_factory=dict)


class WalkPolicy(Protocol):
    """Where a walk begins, which way it goes, and what it brings back."""

    def seed(self, state: WalkState, store: Any) -> Iterable[Any]:
        """Return the nodes to begin with."""
        ...

    def score(self, state: WalkState, node: Any, store: Any) -> float:
        """Return how well a node fits the query; higher is better."""
        ...

    def select(
        self, state: WalkState, scored: list[tuple[Any, int, float]]
    ) -> Iterable[tuple[Any, int, float]]:
        """Return those of the ``(node, depth, score)`` to commit, in order."""
        ...

    def expand(self, state: WalkState, node: Any, store: Any) -> Iterable[Any]:
        """Return the neighbours of a committed node."""
        ...

    def node_id(self, node: Any) -> Any:
        """Return what nodes are told apart by; hashable."""
        ...

    def stop(self, state: WalkState) -> bool:
        """Return whether this is enough; asked after each hit."""
        ...

    def to_hit(self, state: WalkState, node: Any, score: float, depth: int) -> SearchHit | None:
        """Return a committed node as a hit, or ``None`` when it only leads on."""
        ...


def traverse(
    query: str,
    store: Any,
    *,
    policy: WalkPolicy,
    max_depth: int = DFLT_MAX_DEPTH,
    node_budget: int = DFLT_NODE_BUDGET,
    k: int = 10,
) -> list[SearchHit]:
    """Walk ``store`` from ``query`` by ``policy``; return the ``k`` best hits, best first.

    Level by level: the frontier is scored, what the policy selects of it is committed in that
    order, and the neighbours of what was committed are the next frontier. A walk ends whatever
    the policy does, as long as each of its calls returns: a node is committed once, no level lies
    deeper than ``max_depth``, at most ``node_budget`` nodes give hits and at most as many more
    only lead on, and of a frontier (seeds, neighbours, selection) no more than
    :data:`MAX_FRONTIER` nodes are taken, endless iterators included. Equal scores keep the order
    of commitment; a score that is no number ranks last.

    Args:
        query: what is looked for.
        store: handed to the policy: a corpus, a graph, whatever it walks on.
        policy: a :class:`WalkPolicy`.
        max_depth: steps away from a seed; 0 commits seeds only.
        node_budget: nodes that may give hits.
        k: how many hits to return.

    Raises:
        ParameterError: for a query that is no text, a bound below 0, or an object that is no
            policy.
    """
    if not isinstance(query, str):
        raise ParameterError(f"the query must be text, not {type(query).__name__}")
    max_depth = whole_number("max_depth", max_depth, least=0)
    node_budget = whole_number("node_budget", node_budget, least=0)
    k = whole_number("k", k, least=0)
    missing = [name for name in _METHODS if not callable(getattr(policy, name, None))]
    if missing:
        raise ParameterTypeError(f"{policy!r:.60} is no walk policy: it has no {missing[0]}()")
    if node_budget == 0:
        return []
    walk = _Walk(policy, store, WalkState(query, max_depth, node_budget), max_depth, node_budget)
    walk.run()
    return sorted(walk.hits, key=lambda hit: _rank(hit.score), reverse=True)[:k]


class _Walk:
    """One walk; counts for itself what the state merely shows."""

    def __init__(
        self, policy: WalkPolicy, store: Any, state: WalkState, max_depth: int, budget: int
    ) -> None:
        self.policy = policy
        self.store = store
        self.state = state
        self.max_depth = max_depth
        self.budget = budget
        self.routers = 0
        self.visited: set[Any] = set()
        self.hits: list[SearchHit] = []

    def run(self) -> None:
        frontier = list(islice(self.policy.seed(self.state, self.store), MAX_FRONTIER))
        depth = 0
        while frontier and len(self.hits) < self.budget:
            following = self._level(frontier, depth)
            if following is None:
                return
            frontier, depth = following, depth + 1

    def _level(self, frontier: list[Any], depth: int) -> list[Any] | None:
        """Commit one level and return the next frontier; ``None`` when the policy has enough."""
        policy, state = self.policy, self.state
        scored = [
            (node, depth, policy.score(state, node, self.store))
            for node in frontier
            if policy.node_id(node) not in self.visited
        ]
        if not scored:
            return []
        following: list[Any] = []
        asked = 0
        for node, _, score in islice(policy.select(state, list(scored)), len(scored)):
            node_id = policy.node_id(node)
            if node_id in self.visited:
                continue
            if len(self.hits) >= self.budget:
                break
            hit = policy.to_hit(state, node, score, depth)
            if hit is None:
                if self.routers >= self.budget:
                    continue
                self.routers += 1
            self.visited.add(node_id)
            state.visited.add(node_id)
            if hit is not None:
                self.hits.append(hit)
                state.results.append(hit)
                if policy.stop(state):
                    return None
            if depth < self.max_depth:
                for other in islice(policy.expand(state, node, self.store), MAX_FRONTIER - asked):
                    asked += 1
                    if policy.node_id(other) not in self.visited:
                        following.append(other)
        return following


def _rank(score: float) -> float:
    return -math.inf if math.isnan(score) else score
