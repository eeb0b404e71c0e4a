"""All edges and all names of one published corpus, worked out once and then looked up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from irengine.graph.nodes import LINK, REF, RELATED, normalize_dist_name, pair_of
from irengine.graph.paths import Node, adjacency
from irengine.graph.resolving import NameIndex
from irengine.graph.written import WRITTEN, aliases_in, written_of

if TYPE_CHECKING:
    from irengine.store import CorpusStore

__all__ = ["Edges", "GraphIndex", "NoteLink", "index_of"]

Edges = dict[str, list[Any]]
_NO_LINKS = ("alias", "blank")
_CACHE_KEY = "irengine.graph.index"


class NoteLink(NamedTuple):
    """A link of a note; ``target`` is the note it leads to, ``None`` when there is none."""

    source: str
    kind: str
    written: str
    heading: str
    target: str | None


def index_of(store: CorpusStore, source: str | None) -> GraphIndex:
    """Return the index of what is stored now.

    That of a published generation is kept with it, so that every graph of it shares one; in
    memory, where links may change under the same rows, each call makes its own.
    """
    snapshot = store.snapshot()
    items = getattr(store, "link_items", None)
    if store.path is None:
        rows = {} if items is None else dict(items())
        return GraphIndex(snapshot.artifact_ids(), rows, source)
    key = (_CACHE_KEY, source)
    known: GraphIndex | None = snapshot.cache.get(key)
    if known is None:
        # Sorted, because the order of merged layers tells the history of builds.
        known = GraphIndex(snapshot.artifact_ids(), dict(sorted(store.link_items())), source)
        snapshot.cache[key] = known
    return known


class GraphIndex:
    """What is known of the edges of a corpus; each table is made when first needed.

    Args:
        artifact_ids: the artifacts with records.
        rows: the links rows; their order is that of reverse neighbours.
        source: the name of the corpus, ``None`` when it has none.
    """

    def __init__(
        self, artifact_ids: list[str], rows: Mapping[str, Edges], source: str | None
    ) -> None:
        self.rows = rows
        self.source = source
        self._with_records = artifact_ids
        self._reverse: dict[str, dict[Node, list[str]]] = {}
        self._adjacent: dict[tuple[tuple[str, ...] | None, bool], dict[Node, list[Node]]] = {}

    # -- names --------------------------------------------------------------------------------

    @cached_property
    def ids(self) -> list[str]:
        """The artifacts, sorted; those without any text among them."""
        ids = set(self._with_records)
        for artifact_id, row in self.rows.items():
            if any(link.kind == "blank" for link in written_of(row)):
                ids.add(artifact_id)
        return sorted(ids)

    @cached_property
    def known(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.ids)

    @cached_property
    def names(self) -> NameIndex:
        """What the artifacts are called."""
        aliases = {i: aliases_in(row) for i, row in self.rows.items() if WRITTEN in row}
        return NameIndex(self.ids, {i: found for i, found in aliases.items() if found})

    @cached_property
    def spelled(self) -> dict[str, str]:
        """The first artifact, in sorted order, of each normalised name."""
        return {normalize_dist_name(i): i for i in reversed(self.ids)}

    def own(self, node_id: Any) -> Node:
        """Return a pair of this corpus' own source as a bare id, another one as a tuple."""
        pair = pair_of(node_id)
        if pair is None:
            return node_id
        return pair[1] if self.source is not None and pair[0] == self.source else pair

    def resolve(self, node_id: Any, edge_type: str) -> Node:
        """Return the one form of a node; see :meth:`CorpusGraph.resolve`."""
        node = self.own(node_id)
        if isinstance(node, tuple) or node in self.known or edge_type != REF:
            return node
        name = normalize_dist_name(node)
        return self.spelled.get(name, name)

    def key(self, target: Any, edge_type: str) -> Node:
        """Return what edges to ``target`` are filed under."""
        node = self.own(target)
        if isinstance(node, tuple) or edge_type != REF:
            return node
        return normalize_dist_name(node)

    # -- edges --------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> dict[str, Edges]:
        """The edges of each artifact that has some, by type."""
        edges = {i: self.edges_of(i, row) for i, row in self.rows.items()}
        return {i: found for i, found in edges.items() if found}

    def edges_of(self, artifact_id: str, row: Mapping[str, list[Any]]) -> Edges:
        """Return the edges of a links row, those of its written links among them."""
        edges = {kind: list(targets) for kind, targets in row.items() if kind != WRITTEN}
        found: dict[str, dict[str, None]] = {}
        for link in self.links_in(artifact_id, row):
            if link.target is not None and link.target != artifact_id:
                kind = RELATED if link.kind == "related" else LINK
                found.setdefault(kind, {})[link.target] = None
        for kind, targets in found.items():
            stored = edges.setdefault(kind, [])
            stored += [target for target in targets if target not in stored]
        return edges

    def links_in(self, artifact_id: str, row: Mapping[str, list[Any]]) -> Iterator[NoteLink]:
        """Yield the links of a row as written, in order, with where each leads."""
        for link in written_of(row):
            if link.kind not in _NO_LINKS:
                target = self.names.resolve(link, artifact_id)
                yield NoteLink(artifact_id, link.kind, link.target, link.heading, target)

    def sources(self, edge_type: str) -> dict[Node, list[str]]:
        """Return, for the edges of one type, the artifacts that have one to each target."""
        known = self._reverse.get(edge_type)
        if known is None:
            found: dict[Node, dict[str, None]] = {}
            for artifact_id, edges in self.edges.items():
                for target in edges.get(edge_type, ()):
                    found.setdefault(self.key(target, edge_type), {})[artifact_id] = None
            known = {key: list(sources) for key, sources in found.items()}
            self._reverse[edge_type] = known
        return known

    def adjacency(self, kinds: tuple[str, ...] | None, directed: bool) -> dict[Node, list[Node]]:
        """Return the sorted neighbours of each node, by edges of some ``kinds`` or of all."""
        known = self._adjacent.get((kinds, directed))
        if known is None:
            known = adjacency(self.edges.items(), self.resolve, kinds=kinds, directed=directed)
            self._adjacent[kinds, directed] = known
        return known

    def types_between(self, one: Node, other: Node) -> list[str]:
        """Return the types of the edges that lead from ``one`` to ``other``, sorted."""
        return sorted(
            kind
            for kind, targets in self.edges.get(one, {}).items()
            if any(self.key(t, kind) == self.key(other, kind) for t in targets)
        )
