"""Local retrieval: source → index → retrieve → select → disclose, one contract throughout.

    >>> import irengine as ir
    >>> source = ir.CorpusSource.from_mapping({"a": "a note about bees"}, name="demo")
    >>> corpus = ir.build(source, store=ir.CorpusStore.memory(), embedder="light")
    >>> [hit.artifact_id for hit in ir.search(corpus, "bees")]
    ['a']

Names and modules (``irengine.schedule``) are resolved on first use, so importing the package costs
next to nothing. Type checkers read them from ``__init__.pyi``.
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
    "irengine.coverage": "CoverageReport corpus_coverage reports_coverage source_coverage",
    "irengine.embed": "make_embedder make_embedder_for_id register_embedder",
    "irengine.errors": (
        "AmbiguousItem BuildCancelled CalibrationRefused CaseError CorpusBusy CorpusDamaged "
        "CorpusNotFound EmbedderError EmbedderMismatch EmbedderUnavailable "
        "FetcherAttributeError FetcherImportError FilterError InvalidName IrError ItemError "
        "MaintenanceBusy MissingExtra NoLedgerEntry ParameterError ParameterTypeError "
        "RegistryError ScheduleError SeedNotFound ShrinkRefused SourceError SourceMissing "
        "StaleLedger StorageFull StoreError UnknownItem UnsupportedStorage"
    ),
    "irengine.eval": (
        "DFLT_CALIB_SENSITIVITY_WEIGHT DFLT_CURVE_EMBEDDER DFLT_CURVE_MODE "
        "DFLT_DISTRACTOR_SIZES DFLT_K_VALUES DFLT_METRICS DFLT_MIN_YOUDEN_J DFLT_MODE "
        "DFLT_SWEEP_MAX_K DFLT_SWEEP_MIN_SCORE DFLT_SWEEP_OBJECTIVE DFLT_SWEEP_REL "
        "FAILURE_CLASSES LEVEL_GAINS RELEVANCE_LEVELS RETRIEVAL_METRICS SWEEP_METRICS "
        "CalibrationStatus CaseOutcome ComparisonReport DiscoveryCase DiscoveryReport "
        "DocRetriever Equivalents Latency MinScoreCalibration NamedSetReport NamedSets "
        "PackageRelevanceCase PairedComparison RetrievalEvalReport SelectionGridPoint "
        "SelectionReport SelectionSweep as_doc_retriever bootstrap_interval bootstrap_intervals "
        "calibrate_min_score calibration_status cases_from_qrels compare_indexings "
        "compare_reports corpus_artifact_ids corpus_slice derive_named_sets "
        "distractor_curve_from_cases distractor_robustness_curve equivalent_artifacts "
        "evaluate_discovery evaluate_named_sets evaluate_retrieval evaluate_selection "
        "fp_rate_on_distractors grades_of level_histogram load_calibration load_cases "
        "load_package_cases paired_comparison read_package_meta read_qrels read_queries "
        "recall_on_hard_positives retrieval_report robustness_curve save_cases "
        "save_package_cases score_ranking sweep_selector to_graded_qrels to_qrels "
        "validate_cases"
    ),
    "irengine.eval_gen": (
        "ABSTENTION_PROMPT BACKTRANSLATION_PROMPT DFLT_ABSTENTION_FRAC DFLT_ABSTENTION_THEME "
        "DFLT_MIN_DESCRIPTION_CHARS DFLT_QUERIES_PER_ARTIFACT NAME_PLACEHOLDER build_eval_set "
        "corpus_signature generate_abstention_cases generate_cases generate_offline_cases "
        "gives_away make_default_abstention_generator make_default_query_generator mask_name "
        "query_lines"
    ),
    "irengine.expand": "Passage expand parent_policy sentence_window_policy",
    "irengine.formulate": "identity_formulator make_llm_formulator",
    "irengine.freshness": "FileState IndexedFiles file_states modified_at",
    "irengine.graph": (
        "CorpusGraph FederatedGraph GraphStore NoteLink SurfaceGraph canonical_node_id "
        "default_edge_extractor similar_edges"
    ),
    "irengine.index": "BuildReport CancelToken Corpus ProgressEvent build open_corpus",
    "irengine.languages": "LanguageHint knows_only_english language_hint language_of",
    "irengine.llm": "LlmRefused LlmUnavailable",
    "irengine.maintenance": (
        "DFLT_STALE_LOCK_AFTER MaintenanceResult MaintenanceState lock_path maintain "
        "maintain_corpus single_run"
    ),
    "irengine.policy": (
        "DEFAULTS_BY_KIND GLOBAL_DEFAULT REINDEX_TRIGGERS STORAGE_BACKENDS SYNOPSIS_SCOPES Cron "
        "Due MaintenancePolicy ReindexPolicy SynopsisPolicy Window default_policy_for_kind "
        "in_downtime is_reindex_due next_downtime resolve_policy resolve_storage"
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
    "irengine.retrieve.wording": "Wording Words",
    "irengine.schedule": "ScheduleSpec ScheduleStatus",
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
        "MissingSynopsis make_llm_synthesizer make_thin_description_predicate "
        "thin_description_predicate with_synopsis with_synopsis_policy"
    ),
    "irengine.tools": "make_search search_tool",
    "irengine.traverse": (
        "WalkPolicy WalkState collapsed_tree_policy link_policy reverse_dependency_policy traverse"
    ),
    "irengine.watch": "WatchEvent Watcher",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 - the names are strings


_MODULE_NAMES = (
    "base config coverage embed errors eval eval_gen formulate freshness graph index languages "
    "llm maintenance policy registry rerank retrieve schedule sources store strategy synopsis "
    "text tools watch"
)
_MODULES = frozenset(_MODULE_NAMES.split())


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module 'irengine' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_MODULES})


class _Package(ModuleType):
    """The package, which keeps its functions when a module of the same name is imported.

    ``irengine.select(hits)`` is a call, ``from irengine.select import top_k`` an import; importing
    the module would otherwise put it in the place of the function.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and _HOME_OF.get(name) == f"{__name__}.{name}"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
