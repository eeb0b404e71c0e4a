"""One graph over several corpora: edges that lead from one into another are followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from irengine.checks import members
from irengine.errors import NoLedgerEntry, ParameterError
from irengine.graph.corpus_graph import CorpusGraph
from irengine.graph.nodes import REF, pair_of
from irengine.graph.paths import adjacency, reach, shortest_path

if TYPE_CHECKING:
    from irengine.base import Record

__all__ = ["FederatedGraph"]

Pair = tuple[str, str]


class FederatedGraph:
    """A :class:`GraphStore` whose nodes are ``(source, artifact_id)`` pairs.

    A target without a source is in the corpus it is found in; a ``[source, artifact_id]`` target
    leads into the corpus of that name when it is one of these, else to a node without edges.
    Edges as a whole are read once for each graph object, as those of a :class:`CorpusGraph` are.

    Args:
        graphs: graphs, open corpora or names of built corpora; or a mapping from source to one
            (or to a bare store, which has no name of its own).

    Raises:
        ParameterError: for a corpus without a name, or two of the same name.
        CorpusNotFound: for a name nothing is built under.
    """

    def __init__(self, graphs: Mapping[str, Any] | Iterable[Any]) -> None:
        self.graphs: dict[str, CorpusGraph] = {}
        if isinstance(graphs, Mapping):
            pairs = list(graphs.items())
        else:
            pairs = [(None, graph) for graph in members("graphs", graphs, object, "graphs")]
        for name, given in pairs:
            graph = given if isinstance(given, CorpusGraph) else CorpusGraph(given)
            source = name if name is not None else graph.source
            if source is None:
                raise ParameterError(
                    "a bare store has no name", hint="give a mapping from source to store"
                )
            if source in self.graphs:
                raise ParameterError(f"there are two corpora named {source!r}")
            self.graphs[source] = graph
        self._reverse: dict[str, dict[Pair, list[Pair]]] = {}

    def __getitem__(self, node_id: Pair) -> list[Record]:
        """Return the records of an artifact in plan order.

        Raises:
            NoLedgerEntry: when the corpus, or the artifact in it, is not there (a ``KeyError``).
        """
        source, artifact_id = self._pair(node_id)
        if source not in self.graphs:
            raise NoLedgerEntry(f"there is no corpus {source!r} in this graph")
        return self.graphs[source][artifact_id]

    def __iter__(self) -> Iterator[Pair]:
        """Iterate the artifacts, corpus by corpus as given, sorted within each."""
        for source, graph in self.graphs.items():
            for artifact_id in graph:
                yield source, artifact_id

    def __contains__(self, node_id: object) -> bool:
        pair = pair_of(node_id)
        return pair is not None and pair[0] in self.graphs and pair[1] in self.graphs[pair[0]]

    def resolve(self, node_id: Any, *, edge_type: str = REF) -> Pair:
        """Return the one form of a node; see :meth:`CorpusGraph.resolve`."""
        source, artifact_id = self._pair(node_id)
        graph = self.graphs.get(source)
        if graph is None:
            return source, artifact_id
        return source, graph.resolve(artifact_id, edge_type=edge_type)

    def neighbors(self, node_id: Any, *, edge_type: str | None = None) -> list[Pair]:
        """Return the adjacent nodes of an artifact as pairs, each once, in stored order."""
        source, artifact_id = self._pair(node_id)
        graph = self.graphs.get(source)
        if graph is None:
            return []
        kinds = graph.edge_types(artifact_id) if edge_type is None else [edge_type]
        found = [
            self.resolve(pair_of(target) or (source, target), edge_type=kind)
            for kind in kinds
            for target in graph.neighbors(artifact_id, edge_type=kind)
        ]
        return list(dict.fromkeys(found))

    def edge_types(self, node_id: Any) -> list[str]:
        """Return the types of an artifact's edges, in stored order."""
        source, artifact_id = self._pair(node_id)
        graph = self.graphs.get(source)
        return [] if graph is None else graph.edge_types(artifact_id)

    def reverse_neighbors(self, node_id: Any, *, edge_type: str = REF) -> list[Pair]:
        """Return the artifacts of any of the corpora whose edges of that type lead to the node.

        Those of its own corpus first, the others in the order given.
        """
        node = self.resolve(node_id, edge_type=edge_type)
        found = self._sources(edge_type).get(node, ())
        return sorted(found, key=lambda pair: pair[0] != node[0])

    def fan_in(self, node_id: Any, *, edge_type: str = REF) -> int:
        """Return how many artifacts of all the corpora lead to ``node_id``."""
        node = self.resolve(node_id, edge_type=edge_type)
        return len(self._sources(edge_type).get(node, ()))

    def max_fan_in(self, *, edge_type: str = REF) -> int:
        """Return the largest fan-in of any node, in these corpora or not; 0 without edges."""
        return max(map(len, self._sources(edge_type).values()), default=0)

    def edges_between(self, one: Any, other: Any) -> list[tuple[str, bool]]:
        """Return the edges between two nodes as ``(edge type, whether it leads from the first)``.

        Forward ones first, each in sorted order.
        """
        found = [(kind, True) for kind in self._types_between(one, other)]
        return found + [(kind, False) for kind in self._types_between(other, one)]

    def dependents(
        self, node_id: Any, *, edge_type: str = REF, max_depth: int | None = None
    ) -> dict[Pair, int]:
        """Return the artifacts that lead to ``node_id``, with the steps it takes, nearest first."""
        start = self.resolve(node_id, edge_type=edge_type)
        return reach(start, lambda n: self.reverse_neighbors(n, edge_type=edge_type), max_depth)

    def path(
        self,
        start: Any,
        goal: Any,
        *,
        edge_types: Iterable[str] | None = None,
        directed: bool = False,
    ) -> list[Pair]:
        """Return the nodes of a shortest path over all corpora; ``[]`` when there is none.

        As :meth:`CorpusGraph.path`.

        Raises:
            NoLedgerEntry: when one end is neither an artifact nor the target of an edge.
        """
        kinds = None if edge_types is None else frozenset(edge_types)
        adjacent = adjacency(
            self._all_edges(),
            lambda n, kind: self.resolve(n, edge_type=kind),
            kinds=kinds,
            directed=directed,
        )
        ends = []
        for end in (start, goal):
            forms = [self.resolve(end, edge_type=kind) for kind in ("", REF)]
            known = [node for node in forms if node in adjacent or node in self]
            if not known:
                raise NoLedgerEntry(f"there is no artifact {end!r}, nor an edge to it")
            ends.append(known[0])
        return shortest_path(ends[0], ends[1], lambda node: adjacent.get(node, ()))

    def _all_edges(self) -> Iterator[tuple[Pair, dict[str, list[Pair]]]]:
        """Yield each artifact that has edges with these, every target as a pair."""
        for source, graph in self.graphs.items():
            for artifact_id, edges in graph.all_edges().items():
                yield (
                    (source, artifact_id),
                    {
                        kind: [pair_of(target) or (source, target) for target in targets]
                        for kind, targets in edges.items()
                    },
                )

    def _sources(self, edge_type: str) -> dict[Pair, list[Pair]]:
        """Return, for the edges of one type, the artifacts that have one to each target."""
        known = self._reverse.get(edge_type)
        if known is None:
            found: dict[Pair, dict[Pair, None]] = {}
            for artifact, edges in self._all_edges():
                for target in edges.get(edge_type, ()):
                    node = self.resolve(target, edge_type=edge_type)
                    found.setdefault(node, {})[artifact] = None
            known = {node: list(sources) for node, sources in found.items()}
            self._reverse[edge_type] = known
        return known

    def _types_between(self, one: Any, other: Any) -> list[str]:
        return sorted(
            kind
            for kind in self.edge_types(one)
            if self.resolve(other, edge_type=kind) in self.neighbors(one, edge_type=kind)
        )

    def _pair(self, node_id: Any) -> Pair:
        pair = pair_of(node_id)
        if pair is None:
            raise ParameterError(
                f"{node_id!r} is no node of several corpora",
                hint="give a (source, artifact_id) pair",
            )
        return pair
