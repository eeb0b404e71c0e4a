"""The surroundings of one artifact in the graph of its corpus, as rows of a tree.

The tree is worked out anew for every view of it: which nodes are open, how deep, of which types and
directions. It is finite: a node is opened once, where the walk (breadth first, nearest first) comes
to it first, and shown as seen elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irtui.commands.live import Live

if TYPE_CHECKING:
    from irengine.graph import CorpusGraph
    from irengine.index import Corpus

__all__ = [
    "BOTH",
    "DIRECTIONS",
    "IN",
    "OUT",
    "SAME",
    "TYPES",
    "View",
    "ego",
    "facts_of",
    "find_node",
    "node_key",
    "row_of",
    "ways",
]

TYPES = ("LINK", "RELATED", "REF", "PARENT", "SIMILAR")
"""The types a walk can follow; ``SIMILAR`` is worked out from vectors, the others are written."""

BOTH = "both"
DIRECTIONS = (BOTH, "out", "in")
"""Edges that lead from a node, to it, or both."""

OUT, IN, SAME = "→", "←", "↔"
"""Which way an edge leads, seen from the node above."""
_BACK = {OUT: IN, IN: OUT, SAME: SAME}

_FANOUT = 12
_SIMILAR = 8


@dataclass(frozen=True, slots=True)
class View:
    """What of the graph is looked at.

    Attributes:
        depth: how many edges away nodes are opened by themselves.
        budget: how many nodes are shown at most.
        types: the edge types that are followed.
        direction: one of :data:`DIRECTIONS`.
        least: the least weight of an edge; written edges weigh 1, ``SIMILAR`` its cosine.
        opened: keys of nodes to open beyond ``depth``, and whole: no ``… more`` row.
        closed: keys of nodes to leave closed.
    """

    depth: int = 1
    budget: int = 200
    types: tuple[str, ...] = ("LINK", "RELATED", "REF", "PARENT")
    direction: str = BOTH
    least: float = 0.0
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()


def node_key(node: Any) -> str:
    """Return a node as text: its id, or ``source`` and id of another corpus."""
    return f"{node[0]}\0{node[1]}" if isinstance(node, tuple) else str(node)


def ego(
    live: Live,
    corpus: str,
    start: str,
    view: View,
    *,
    seconds: float = 2.0,
    now: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Walk from an artifact, or from a name that edges lead to.

    Returns:
        ``rows``, in the order of the tree, each with ``key``, ``node`` (an id, or ``[source,
        id]``), ``title``, ``depth``, ``parent`` (the key of the node above), ``type``,
        ``way`` (:data:`OUT`, :data:`IN` or :data:`SAME`), ``weight``, ``what``: ``node``,
        ``seen`` (opened elsewhere), ``outside`` (no artifact of the corpus) or ``more`` (``left``
        more edges), ``open``, ``edges`` (how many lead on from there);
        ``nodes``, ``complete`` (nothing was cut), ``late`` (time was up).

    Raises:
        IrError: when there is no such node.
    """
    from irengine.errors import UnknownItem

    found = live.opened_one(corpus)
    graph = _graph(live, found)
    node: Any = graph.find(start) or start
    if node not in graph and not _edges(graph, node, View(types=TYPES[:-1])):
        raise UnknownItem(f"{corpus} has no {start!r}", hint="press / to look for another node")
    end = now() + seconds
    titles = _Titles(found)
    children: dict[str, list[dict[str, Any]]] = {}
    first: dict[str, int] = {node_key(node): 0}
    came_by: dict[str, tuple[str, str, str]] = {}
    queue: list[tuple[Any, int]] = [(node, 0)]
    cut = late = False
    while queue:
        here, depth = queue.pop(0)
        key = node_key(here)
        whole = key in view.opened
        if key in view.closed or not (depth < view.depth or whole):
            continue
        if now() > end:
            late = True
            break
        edges = _edges(graph, here, view)
        if here != node:  # the edge one came by leads back; it is drawn already
            edges = [each for each in edges if each.mark != came_by.get(key)]
        shown = edges if whole else edges[:_FANOUT]
        rows: list[dict[str, Any]] = []
        for edge in shown:
            other, other_key = edge.node, edge.key
            new = other_key not in first
            if new and len(first) >= view.budget:
                cut = True
                break
            row = {
                "key": other_key,
                "node": list(other) if isinstance(other, tuple) else other,
                "title": titles[other],
                "depth": depth + 1,
                "parent": key,
                "type": edge.type,
                "way": edge.way,
                "weight": edge.weight,
                "what": "node" if new else "seen",
                "open": False,
                "edges": 0,
            }
            if new:
                first[other_key] = depth + 1
                came_by[other_key] = (key, edge.type, _BACK[edge.way])
                if other not in graph:
                    row["what"] = "outside"
                if not isinstance(other, tuple):
                    queue.append((other, depth + 1))
            rows.append(row)
        left = len(edges) - len(rows)
        if left:
            cut = cut or whole
            rows.append(_more(key, depth + 1, left))
        children[key] = rows
    top = {
        "key": node_key(node),
        "node": node,
        "title": titles[node],
        "depth": 0,
        "parent": "",
        "type": "",
        "way": OUT,
        "weight": 1.0,
        "what": "node" if node in graph else "outside",
        "open": node_key(node) in children,
        "edges": 0,
    }
    rows = list(_in_order(top, children))
    for row in rows:
        if row["what"] in ("node", "outside") and not isinstance(row["node"], list):
            edges = _edges(graph, row["node"], view)
            came = came_by.get(row["key"])
            row["edges"] = sum(each.mark != came for each in edges)
    return {
        "rows": rows,
        "nodes": len(first),
        "complete": not (cut or late),
        "late": late,
        "corpus": corpus,
    }


def facts_of(live: Live, corpus: str, node: str) -> dict[str, Any]:
    """Return of a node ``title``, ``known``, ``counts`` (``{type: [out, in]}``), ``dependents``.

    ``dependents`` are the ids that lead to it, over others too, with the steps it takes, along
    the type most edges to it have.
    """
    found = live.opened_one(corpus)
    graph = _graph(live, found)
    counts: dict[str, list[int]] = {}
    for kind in TYPES[:-1]:
        out = len(graph.neighbors(node, edge_type=kind)) if node in graph else 0
        into = graph.fan_in(node, edge_type=kind)
        if out or into:
            counts[kind] = [out, into]
    kind = max(counts, key=lambda name: (counts[name][1], name), default="LINK")
    dependents = graph.dependents(node, edge_type=kind) if counts else {}
    titles = _Titles(found)
    return {
        "title": titles[node],
        "known": node in graph,
        "counts": counts,
        "by": kind,
        "dependents": [[other, steps, titles[other]] for other, steps in dependents.items()],
    }


def ways(live: Live, corpus: str, start: str, goal: str, types: Iterable[str]) -> list[list[Any]]:
    """Return a shortest path as ``[node, title, [[type, forward], …] from the one before]``."""
    found = live.opened_one(corpus)
    graph = _graph(live, found)
    titles = _Titles(found)
    kinds = [kind for kind in types if kind != "SIMILAR"] or None
    nodes = graph.path(start, goal, edge_types=kinds)
    told: list[list[Any]] = []
    for before, node in zip([None, *nodes], nodes, strict=False):
        edges = [] if before is None else graph.edges_between(before, node)
        told.append([node_key(node), titles[node], [list(edge) for edge in edges]])
    return told


def row_of(live: Live, corpus: str, artifact_id: str) -> dict[str, Any] | None:
    """Return an artifact as a hit without a query, for a selection; ``None`` if unknown."""
    from irtui.commands.listing import unranked
    from irtui.commands.ranking import hit_data

    found = live.opened_one(corpus)
    snapshot = found.store.snapshot()
    positions = list(snapshot.positions_of(artifact_id))
    if not positions:
        return None
    hit = unranked(snapshot.record(int(positions[0])), corpus)
    return {**hit_data(1, hit, "", store=found.store), "key": f"{corpus}\0{artifact_id}"}


def find_node(live: Live, names: Sequence[str], text: str) -> tuple[str, str]:
    """Return corpus and node that a text names: an artifact, or what edges lead to.

    Raises:
        IrError: when nothing is called so.
    """
    from irengine.errors import UnknownItem
    from irengine.graph import CorpusGraph
    from irtui.commands.targets import resolve

    corpora = live.opened(names)[0]
    try:
        found = resolve(text, corpora)
    except UnknownItem:
        for corpus in corpora:
            graph = CorpusGraph(corpus)
            if any(graph.fan_in(text, edge_type=kind) for kind in TYPES[:-1]):
                return corpus.name, text
        raise
    return found.corpus.name, found.artifact_id


class _Titles:
    def __init__(self, corpus: Corpus) -> None:
        self._snapshot = corpus.store.snapshot()

    def __getitem__(self, node: Any) -> str:
        from irtui.commands.ranking import title_of

        if isinstance(node, tuple):
            return f"{node[0]}/{node[1]}"
        positions = self._snapshot.positions_of(node)
        if not positions:
            return str(node)
        return title_of(node, self._snapshot.rows(positions[:1])[0].metadata)


def _graph(live: Live, corpus: Corpus) -> CorpusGraph:
    """Return the graph of the present generation, kept: its index is worth keeping."""
    from irengine.graph import CorpusGraph

    mark = ("graph", corpus.name, corpus.store.snapshot().generation)
    kept: CorpusGraph | None = live.remembered.get(mark)
    if kept is None:
        for old in [key for key in live.remembered if key[:2] == mark[:2]]:
            live.remembered.pop(old, None)
        kept = live.remembered[mark] = CorpusGraph(corpus)
    return kept


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge as seen from one of its ends: to what it leads, and which way."""

    type: str
    way: str
    weight: float
    node: Any

    @property
    def key(self) -> str:
        """The other end as text."""
        return node_key(self.node)

    @property
    def mark(self) -> tuple[str, str, str]:
        """What tells it from the other edges of its first end."""
        return self.key, self.type, self.way


def _edges(graph: CorpusGraph, node: Any, view: View) -> list[Edge]:
    """Return the edges of a node that a view follows: heaviest first, then by way and node."""
    from irengine.errors import NoLedgerEntry
    from irengine.graph.nodes import pair_of

    found: dict[tuple[str, str], Edge] = {}
    known = node in graph
    for kind in TYPES:
        if kind not in view.types:
            continue
        if kind == "SIMILAR":
            try:
                near = graph.similar(node, k=_SIMILAR) if known else []
            except NoLedgerEntry:
                near = []
            for like, weight in near:
                if weight >= view.least:
                    found[kind, like] = Edge(kind, SAME, round(float(weight), 3), like)
            continue
        if view.direction != "in" and known:
            for target in graph.neighbors(node, edge_type=kind):
                other: Any = pair_of(target) or target
                found[kind, node_key(other)] = Edge(kind, OUT, 1.0, other)
        if view.direction != "out":
            for source in graph.reverse_neighbors(node, edge_type=kind):
                key = (kind, node_key(source))
                found[key] = Edge(kind, SAME if key in found else IN, 1.0, source)
    edges = [edge for edge in found.values() if edge.node != node]
    edges.sort(key=lambda edge: (TYPES.index(edge.type), -edge.weight, edge.way, edge.key))
    return edges


def _more(parent: str, depth: int, left: int) -> dict[str, Any]:
    return {
        "key": f"{parent}\0more",
        "node": "",
        "title": "",
        "depth": depth,
        "parent": parent,
        "type": "",
        "way": OUT,
        "weight": 1.0,
        "what": "more",
        "left": left,
        "open": False,
        "edges": 0,
    }


def _in_order(
    row: dict[str, Any], children: Mapping[str, Sequence[dict[str, Any]]]
) -> Iterable[dict[str, Any]]:
    below: Collection[dict[str, Any]] = ()
    if row["what"] in ("node", "outside"):
        below = children.get(row["key"], ())
        row["open"] = row["key"] in children
    yield row
    for each in below:
        yield from _in_order(each, children)
