"""Local retrieval: source → index → retrieve → select → disclose, one contract throughout.

    >>> import irengine as ir
    >>> source = ir.CorpusSource.from_mapping({"a": "a note about bees"}, name="demo")
    >>> corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    >>> [hit.artifact_id for hit in ir.search(corpus, "bees")]
    ['a']

Names are resolved on first use, so importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the cost

__version__ = "0.1.0"

_HOMES = {
    "irengine.base": (
        "POINTER_KEYS Artifact FilterFields IndexPlan Record SearchHit Surface "
        "best_per_artifact ledger_key storage_key tag_source"
    ),
    "irengine.embed": "make_embedder make_embedder_for_id register_embedder",
    "irengine.errors": (
        "BuildCancelled CorpusBusy CorpusDamaged CorpusNotFound EmbedderError EmbedderMismatch "
        "EmbedderUnavailable FilterError InvalidName IrError ItemError MissingExtra "
        "NoLedgerEntry ParameterError RegistryError ShrinkRefused SourceError StorageFull "
        "StoreError"
    ),
    "irengine.index": "BuildReport CancelToken Corpus ProgressEvent build open_corpus",
    "irengine.policy": (
        "MaintenancePolicy ReindexPolicy SynopsisPolicy default_policy_for_kind resolve_policy"
    ),
    "irengine.registry": (
        "build_corpus corpora policy_for register registered retriever_for retrievers "
        "source_for unregister"
    ),
    "irengine.retrieve": (
        "FUSIONS MODES FacetCount Retriever ScoreBoost as_retriever dependency_evidence_boost "
        "facets records_for_artifact search"
    ),
    "irengine.sources": (
        "CorpusSource content_hash_signal mcp_tool_record mcp_tool_signal resolve_fetcher"
    ),
    "irengine.store": "CorpusStore",
    "irengine.strategy": (
        "Chunked ClaudeTurn IndexingStrategy Package Skill WholeText strategy_from_spec "
        "strategy_to_spec text_of"
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 - the names are strings

if TYPE_CHECKING:
    from typing import Any

    from irengine.base import *  # noqa: F403
    from irengine.embed import make_embedder, make_embedder_for_id, register_embedder
    from irengine.errors import *  # noqa: F403
    from irengine.index import (
        BuildReport,
        CancelToken,
        Corpus,
        ProgressEvent,
        build,
        open_corpus,
    )
    from irengine.policy import (
        MaintenancePolicy,
        ReindexPolicy,
        SynopsisPolicy,
        default_policy_for_kind,
        resolve_policy,
    )
    from irengine.registry import (
        build_corpus,
        corpora,
        policy_for,
        register,
        registered,
        retriever_for,
        retrievers,
        source_for,
        unregister,
    )
    from irengine.retrieve import (
        FUSIONS,
        MODES,
        FacetCount,
        Retriever,
        ScoreBoost,
        as_retriever,
        dependency_evidence_boost,
        facets,
        records_for_artifact,
        search,
    )
    from irengine.sources import (
        CorpusSource,
        content_hash_signal,
        mcp_tool_record,
        mcp_tool_signal,
        resolve_fetcher,
    )
    from irengine.store import CorpusStore
    from irengine.strategy import (
        Chunked,
        ClaudeTurn,
        IndexingStrategy,
        Package,
        Skill,
        WholeText,
        strategy_from_spec,
        strategy_to_spec,
        text_of,
    )


def __getattr__(name: str) -> Any:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'irengine' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME_OF])
