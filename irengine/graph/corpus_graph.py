"""The graph of one corpus: artifacts, and the edges stored with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irengine.errors import NoLedgerEntry
from irengine.graph.index import Edges, GraphIndex, NoteLink, index_of
from irengine.graph.nodes import REF, SIMILAR, dependency_name, normalize_dist_name, pair_of
from irengine.graph.opening import store_of
from irengine.graph.paths import Node, reach, shortest_path
from irengine.graph.similar import DFLT_SIMILAR_K, similar_to
from irengine.graph.written import WRITTEN, WrittenLink
from irengine.store import stored_records

if TYPE_CHECKING:
    from irengine.base import Record

__all__ = ["CorpusGraph", "NoteLink"]


class CorpusGraph:
    """A :class:`GraphStore` over one corpus; nodes are artifact ids, edges what its build stored.

    Edges that a build found as text (wikilinks, Markdown links, ``related``) are resolved against
    the artifacts there are; the types are ``LINK`` and ``RELATED``. Targets are artifact ids,
    names outside the corpus (the dependencies of a package), or ``[source, artifact_id]`` lists
    for artifacts of other corpora, which :class:`FederatedGraph` follows.

    Nothing is read before it is asked for. :meth:`neighbors` and ``graph[id]`` read the store as
    it is; what needs to know all edges or all names (reverse neighbours, fan-in, paths, resolving)
    is worked out once for each graph object, so later builds show in a new object only.

    Args:
        store_or_corpus: an open corpus, a store, or the name of a built corpus.

    Attributes:
        store: the store.
        source: the name of the corpus, ``None`` for a bare store.
        corpus: the open corpus it was made of, ``None`` for a store or a name.
    """

    def __init__(self, store_or_corpus: Any) -> None:
        self.store, self.source = store_of(store_or_corpus)
        self.corpus = store_or_corpus if hasattr(store_or_corpus, "embed_query") else None

    def __repr__(self) -> str:
        return f"CorpusGraph({self.source or self.store!r})"

    # -- nodes --------------------------------------------------------------------------------

    def __getitem__(self, artifact_id: str) -> list[Record]:
        """Return the records of an artifact in plan order.

        Raises:
            NoLedgerEntry: when the corpus has no such artifact (a ``KeyError``).
        """
        return stored_records(self.store, artifact_id)

    def __iter__(self) -> Iterator[str]:
        """Iterate the artifact ids, sorted."""
        return iter(self._index.ids)

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._index.known

    def find(self, name: str) -> str | None:
        """Return the artifact somebody means by ``name``: an id, a file's path or name, an alias,
        or the name of a package in any spelling; ``None`` when there is none.
        """
        if name in self._index.known:
            return name
        found = self._index.names.find(name)
        if found is None:
            package = self._index.spelled.get(normalize_dist_name(name))
            if package is not None and dependency_name(package) == package.lower():
                found = package
        return found

    def resolve(self, node_id: Any, *, edge_type: str = REF) -> Node:
        """Return the one form of a node that every spelling of it has.

        A pair of this corpus' own source counts as the bare id. An id of an artifact is that
        artifact's, for ``REF`` in any spelling (the exact one first, else the first in sorted
        order). Anything else is what edges to it are filed under: for ``REF`` the normalised
        name, for other types the id as it is, for a foreign pair the tuple. To a bare store
        every pair is foreign.
        """
        return self._index.resolve(node_id, edge_type)

    # -- edges --------------------------------------------------------------------------------

    def neighbors(self, node_id: str, *, edge_type: str | None = None) -> list[Any]:
        """Return the targets of an artifact's edges, of one type or of all, each once, in order.

        Targets are as stored: ids, or ``[source, artifact_id]`` lists. An artifact without edges
        gives ``[]``. ``SIMILAR`` neighbours are given when asked for by type.
        """
        if edge_type == SIMILAR:
            try:
                return [other for other, _ in self.similar(node_id)]
            except NoLedgerEntry:
                return []
        edges = self._edges_of(node_id)
        wanted = edges.values() if edge_type is None else [edges.get(edge_type, [])]
        found: dict[Node, Any] = {}
        for targets in wanted:
            for target in targets:
                found.setdefault(pair_of(target) or target, target)
        return list(found.values())

    def edge_types(self, node_id: str) -> list[str]:
        """Return the types of an artifact's edges, in stored order."""
        return list(self._edges_of(node_id))

    def reverse_neighbors(self, node_id: Any, *, edge_type: str = REF) -> list[str]:
        """Return the artifacts whose edges of that type lead to ``node_id``, first seen first.

        The node may be an artifact, a name outside the corpus, or a ``(source, artifact_id)``
        pair. ``REF`` targets match in any spelling (``scikit_learn``, ``Scikit-Learn``).
        """
        key = self._index.key(node_id, edge_type)
        return list(self._index.sources(edge_type).get(key, ()))

    def fan_in(self, node_id: Any, *, edge_type: str = REF) -> int:
        """Return how many artifacts have an edge of that type to ``node_id``."""
        key = self._index.key(node_id, edge_type)
        return len(self._index.sources(edge_type).get(key, ()))

    def max_fan_in(self, *, edge_type: str = REF) -> int:
        """Return the largest fan-in of any target, inside the corpus or not; 0 without edges."""
        return max((len(found) for found in self._index.sources(edge_type).values()), default=0)

    def dependents(
        self, node_id: Any, *, edge_type: str = REF, max_depth: int | None = None
    ) -> dict[str, int]:
        """Return the artifacts that lead to ``node_id``, over others too, with the steps it takes.

        Nearest first, then by id; the node itself is not among them, whatever the cycles.
        """
        start = self.resolve(node_id, edge_type=edge_type)
        return reach(start, lambda n: self.reverse_neighbors(n, edge_type=edge_type), max_depth)

    def similar(self, node_id: str, *, k: int = DFLT_SIMILAR_K) -> list[tuple[str, float]]:
        """Return the ``k`` artifacts with the nearest centroids as ``(id, cosine)``, best first.

        Raises:
            NoLedgerEntry: when the artifact has no vectors.
        """
        return similar_to(self.store.snapshot(), node_id, k=k)

    # -- paths --------------------------------------------------------------------------------

    def path(
        self,
        start: Any,
        goal: Any,
        *,
        edge_types: Iterable[str] | None = None,
        directed: bool = False,
    ) -> list[Node]:
        """Return the nodes of a shortest path, both ends included; ``[]`` when there is none.

        Edges are walked in both directions unless ``directed``; ``edge_types`` keeps some. Of
        several shortest paths it is the first in sorted order.

        Raises:
            NoLedgerEntry: when one end is neither an artifact nor the target of an edge.
        """
        kinds = None if edge_types is None else tuple(sorted(set(edge_types)))
        adjacent = self._index.adjacency(kinds, directed)
        ends = [self._end(node, adjacent) for node in (start, goal)]
        return shortest_path(ends[0], ends[1], lambda node: adjacent.get(node, ()))

    def edges_between(self, one: Any, other: Any) -> list[tuple[str, bool]]:
        """Return the edges between two nodes as ``(edge type, whether it leads from the first)``.

        Forward ones first, each in sorted order.
        """
        one, other = pair_of(one) or one, pair_of(other) or other
        found = [(kind, True) for kind in self._index.types_between(one, other)]
        return found + [(kind, False) for kind in self._index.types_between(other, one)]

    def all_edges(self) -> Mapping[str, Mapping[str, list[Any]]]:
        """Return the edges of every artifact that has some, ``{id: {edge type: [target]}}``."""
        return self._index.edges

    # -- what notes say -------------------------------------------------------------------------

    def links(self, artifact_id: str) -> list[NoteLink]:
        """Return the links of a note as written, in order, with where each leads.

        A link to the note itself has the note as its target; it is no edge.
        """
        return list(self._index.links_in(artifact_id, self._row(artifact_id)))

    def unresolved(self) -> list[NoteLink]:
        """Return the links that lead to no note, by note and then in order of the text.

        Those that mean no note are left out: folders, files of a kind the corpus does not hold,
        and what lies outside its root.
        """
        index = self._index
        return [
            link
            for artifact_id in sorted(index.rows)
            for link in index.links_in(artifact_id, index.rows[artifact_id])
            if link.target is None
            and index.names.names_a_note(WrittenLink(*link[1:4]), artifact_id)
        ]

    # -- inside -------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> GraphIndex:
        return index_of(self.store, self.source)

    def _row(self, artifact_id: str) -> Edges:
        get = getattr(self.store, "get_links", None)
        return {} if get is None else get(artifact_id)

    def _edges_of(self, artifact_id: str) -> Edges:
        row = self._row(artifact_id)
        return self._index.edges_of(artifact_id, row) if WRITTEN in row else row

    def _end(self, node_id: Any, adjacent: Mapping[Node, Any]) -> Node:
        for edge_type in ("", REF):
            node = self.resolve(node_id, edge_type=edge_type)
            if node in adjacent or node in self._index.known:
                return node
        raise NoLedgerEntry(f"there is no ledger entry for artifact {node_id!r}, nor an edge to it")
