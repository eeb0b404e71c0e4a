"""Local retrieval: source → index → retrieve → select → disclose, one contract throughout.

    >>> import irengine as ir
    >>> source = ir.CorpusSource.from_mapping({"a": "a note about bees"}, name="demo")
    >>> corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    >>> [hit.artifact_id for hit in ir.search(corpus, "bees")]
    ['a']

Names are resolved on first use, so importing the package costs next to nothing. Type checkers
read them from ``__init__.pyi``.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

__version__ = "0.1.0"

_HOMES = {
    "irengine.base": (
        "POINTER_KEYS Artifact FilterFields IndexPlan Record SearchHit Surface "
        "best_per_artifact ledger_key storage_key tag_source"
    ),
    "irengine.coverage": "CoverageReport corpus_coverage reports_coverage",
    "irengine.embed": "make_embedder make_embedder_for_id register_embedder",
    "irengine.errors": (
        "BuildCancelled CorpusBusy CorpusDamaged CorpusNotFound EmbedderError "
        "EmbedderMismatch EmbedderUnavailable FilterError InvalidName IrError ItemError "
        "MissingExtra NoLedgerEntry ParameterError RegistryError ShrinkRefused SourceError "
        "SeedNotFound StaleLedger StorageFull StoreError UnsupportedStorage"
    ),
    "irengine.expand": "Passage expand parent_policy sentence_window_policy",
    "irengine.formulate": "identity_formulator make_llm_formulator",
    "irengine.freshness": "FileState file_states",
    "irengine.graph": (
        "CorpusGraph FederatedGraph GraphStore NoteLink SurfaceGraph canonical_node_id "
        "default_edge_extractor similar_edges"
    ),
    "irengine.index": "BuildReport CancelToken Corpus ProgressEvent build open_corpus",
    "irengine.maintenance": "MaintenanceResult maintain maintain_corpus",
    "irengine.policy": (
        "MaintenancePolicy ReindexPolicy SynopsisPolicy default_policy_for_kind resolve_policy"
    ),
    "irengine.registry": (
        "build_corpus corpora policy_for register registered retriever_for retrievers "
        "source_for unregister"
    ),
    "irengine.rerank": "calibration_key resolve_reranker",
    "irengine.retrieve": (
        "FUSIONS MODES FacetCount FacetRange Retriever ScoreBoost as_retriever "
        "dependency_evidence_boost facet_ranges facets fuse_hits matches_filter "
        "records_for_artifact search validate_filter"
    ),
    "irengine.select": (
        "BundledFile Disclosure DiscoveryResult Selection disclose discover make_llm_selector "
        "select"
    ),
    "irengine.sources": (
        "CorpusSource content_hash_signal mcp_tool_record mcp_tool_signal resolve_fetcher"
    ),
    "irengine.store": "CorpusStore",
    "irengine.strategy": (
        "Chunked ClaudeTurn IndexingStrategy Package Skill WholeText strategy_from_spec "
        "strategy_to_spec text_of"
    ),
    "irengine.synopsis": (
        "make_llm_synthesizer make_thin_description_predicate thin_description_predicate "
        "with_synopsis with_synopsis_policy"
    ),
    "irengine.tools": "make_search search_tool",
    "irengine.traverse": (
        "WalkPolicy WalkState collapsed_tree_policy link_policy reverse_dependency_policy traverse"
    ),
    "irengine.watch": "WatchEvent Watcher",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'irengine' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME_OF])


class _Package(ModuleType):
    """The package, which keeps its functions when a module of the same name is imported.

    ``irengine.select(hits)`` is a call, ``from irengine.select import top_k`` an import; importing
    the module would otherwise put it in the place of the function.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and _HOME_OF.get(name) == f"{__name__}.{name}"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
