"""Links between artifacts: how they are found, stored and followed."""

from __future__ import annotations

from irengine.graph.corpus_graph import CorpusGraph, NoteLink
from irengine.graph.edges import default_edge_extractor
from irengine.graph.federated import FederatedGraph
from irengine.graph.nodes import (
    CHILD,
    LINK,
    NEXT,
    PARENT,
    PREV,
    REF,
    RELATED,
    SIMILAR,
    GraphStore,
    canonical_node_id,
    normalize_dist_name,
)
from irengine.graph.similar import DFLT_SIMILAR_K, similar_edges, similar_to
from irengine.graph.surfaces import SurfaceGraph
from irengine.graph.written import WRITTEN, WrittenLink, written_in

__all__ = [
    "CHILD",
    "DFLT_SIMILAR_K",
    "LINK",
    "NEXT",
    "PARENT",
    "PREV",
    "REF",
    "RELATED",
    "SIMILAR",
    "WRITTEN",
    "CorpusGraph",
    "FederatedGraph",
    "GraphStore",
    "NoteLink",
    "SurfaceGraph",
    "WrittenLink",
    "canonical_node_id",
    "default_edge_extractor",
    "normalize_dist_name",
    "similar_edges",
    "similar_to",
    "written_in",
]
