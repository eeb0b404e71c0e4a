"""Shortest paths and reach over any adjacency."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from irengine.errors import ParameterError

__all__ = ["Node", "adjacency", "in_order", "reach", "shortest_path"]

Node = Any
"""An artifact id, or a ``(source, artifact_id)`` pair."""

Neighbours = Callable[[Node], Iterable[Node]]


def adjacency(
    artifacts: Iterable[tuple[Node, Mapping[str, Iterable[Node]]]],
    resolve: Callable[[Node, str], Node],
    *,
    kinds: Collection[str] | None,
    directed: bool,
) -> dict[Node, list[Node]]:
    """Return the sorted neighbours of each node there is an edge from or to, by some edges.

    ``artifacts`` are nodes with their edges, ``{type: targets}``; ``resolve`` gives the one form of
    a target for its type. The nodes are all there are; ``kinds`` says which edges make neighbours
    (``None``: all), and unless ``directed`` they do so both ways.
    """
    found: dict[Node, set[Node]] = {}
    for artifact, edges in artifacts:
        onward = found.setdefault(artifact, set())
        for kind, targets in edges.items():
            for target in targets:
                node = resolve(target, kind)
                back = found.setdefault(node, set())
                if kinds is None or kind in kinds:
                    onward.add(node)
                    if not directed:
                        back.add(artifact)
    return {node: in_order(others) for node, others in found.items()}


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return distinct nodes in sorted order: ids first, then pairs."""
    return sorted(set(nodes), key=lambda node: (isinstance(node, tuple), node))


def shortest_path(start: Node, goal: Node, neighbours: Neighbours) -> list[Node]:
    """Return the nodes from ``start`` to ``goal``, both included; ``[]`` when there is no way.

    Of several shortest paths it is the first in sorted order. ``neighbours`` gives sorted nodes.
    """
    came_from: dict[Node, Node] = {start: None}
    level = [start]
    while level and goal not in came_from:
        following = []
        for node in level:
            for other in neighbours(node):
                if other not in came_from:
                    came_from[other] = node
                    following.append(other)
        level = following
    if goal not in came_from:
        return []
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def reach(start: Node, neighbours: Neighbours, max_depth: int | None) -> dict[Node, int]:
    """Return each node that can be reached, ``start`` left out, with its distance in steps.

    Nearest first, then in sorted order.

    Raises:
        ParameterError: for a ``max_depth`` below 0.
    """
    if max_depth is not None and max_depth < 0:
        raise ParameterError(f"max_depth must be at least 0, not {max_depth}")
    steps = {start: 0}
    level, depth = [start], 0
    while level and (max_depth is None or depth < max_depth):
        depth += 1
        level = in_order(n for node in level for n in neighbours(node) if n not in steps)
        steps.update(dict.fromkeys(level, depth))
    del steps[start]
    return steps
