from irengine.base import (
    POINTER_KEYS as POINTER_KEYS,
)
from irengine.base import (
    Artifact as Artifact,
)
from irengine.base import (
    FilterFields as FilterFields,
)
from irengine.base import (
    IndexPlan as IndexPlan,
)
from irengine.base import (
    Record as Record,
)
from irengine.base import (
    SearchHit as SearchHit,
)
from irengine.base import (
    Surface as Surface,
)
from irengine.base import (
    best_per_artifact as best_per_artifact,
)
from irengine.base import (
    ledger_key as ledger_key,
)
from irengine.base import (
    storage_key as storage_key,
)
from irengine.base import (
    tag_source as tag_source,
)
from irengine.coverage import (
    CoverageReport as CoverageReport,
)
from irengine.coverage import (
    corpus_coverage as corpus_coverage,
)
from irengine.coverage import (
    reports_coverage as reports_coverage,
)
from irengine.embed import (
    make_embedder as make_embedder,
)
from irengine.embed import (
    make_embedder_for_id as make_embedder_for_id,
)
from irengine.embed import (
    register_embedder as register_embedder,
)
from irengine.errors import (
    BuildCancelled as BuildCancelled,
)
from irengine.errors import (
    CorpusBusy as CorpusBusy,
)
from irengine.errors import (
    CorpusDamaged as CorpusDamaged,
)
from irengine.errors import (
    CorpusNotFound as CorpusNotFound,
)
from irengine.errors import (
    EmbedderError as EmbedderError,
)
from irengine.errors import (
    EmbedderMismatch as EmbedderMismatch,
)
from irengine.errors import (
    EmbedderUnavailable as EmbedderUnavailable,
)
from irengine.errors import (
    FilterError as FilterError,
)
from irengine.errors import (
    InvalidName as InvalidName,
)
from irengine.errors import (
    IrError as IrError,
)
from irengine.errors import (
    ItemError as ItemError,
)
from irengine.errors import (
    MissingExtra as MissingExtra,
)
from irengine.errors import (
    NoLedgerEntry as NoLedgerEntry,
)
from irengine.errors import (
    ParameterError as ParameterError,
)
from irengine.errors import (
    RegistryError as RegistryError,
)
from irengine.errors import (
    SeedNotFound as SeedNotFound,
)
from irengine.errors import (
    ShrinkRefused as ShrinkRefused,
)
from irengine.errors import (
    SourceError as SourceError,
)
from irengine.errors import (
    StaleLedger as StaleLedger,
)
from irengine.errors import (
    StorageFull as StorageFull,
)
from irengine.errors import (
    StoreError as StoreError,
)
from irengine.errors import (
    UnsupportedStorage as UnsupportedStorage,
)
from irengine.expand import (
    Passage as Passage,
)
from irengine.expand import (
    expand as expand,
)
from irengine.expand import (
    parent_policy as parent_policy,
)
from irengine.expand import (
    sentence_window_policy as sentence_window_policy,
)
from irengine.formulate import (
    identity_formulator as identity_formulator,
)
from irengine.formulate import (
    make_llm_formulator as make_llm_formulator,
)
from irengine.freshness import (
    FileState as FileState,
)
from irengine.freshness import (
    file_states as file_states,
)
from irengine.graph import (
    CorpusGraph as CorpusGraph,
)
from irengine.graph import (
    FederatedGraph as FederatedGraph,
)
from irengine.graph import (
    GraphStore as GraphStore,
)
from irengine.graph import (
    NoteLink as NoteLink,
)
from irengine.graph import (
    SurfaceGraph as SurfaceGraph,
)
from irengine.graph import (
    canonical_node_id as canonical_node_id,
)
from irengine.graph import (
    default_edge_extractor as default_edge_extractor,
)
from irengine.graph import (
    similar_edges as similar_edges,
)
from irengine.index import (
    BuildReport as BuildReport,
)
from irengine.index import (
    CancelToken as CancelToken,
)
from irengine.index import (
    Corpus as Corpus,
)
from irengine.index import (
    ProgressEvent as ProgressEvent,
)
from irengine.index import (
    build as build,
)
from irengine.index import (
    open_corpus as open_corpus,
)
from irengine.maintenance import (
    MaintenanceResult as MaintenanceResult,
)
from irengine.maintenance import (
    maintain as maintain,
)
from irengine.maintenance import (
    maintain_corpus as maintain_corpus,
)
from irengine.policy import (
    MaintenancePolicy as MaintenancePolicy,
)
from irengine.policy import (
    ReindexPolicy as ReindexPolicy,
)
from irengine.policy import (
    SynopsisPolicy as SynopsisPolicy,
)
from irengine.policy import (
    default_policy_for_kind as default_policy_for_kind,
)
from irengine.policy import (
    resolve_policy as resolve_policy,
)
from irengine.registry import (
    build_corpus as build_corpus,
)
from irengine.registry import (
    corpora as corpora,
)
from irengine.registry import (
    policy_for as policy_for,
)
from irengine.registry import (
    register as register,
)
from irengine.registry import (
    registered as registered,
)
from irengine.registry import (
    retriever_for as retriever_for,
)
from irengine.registry import (
    retrievers as retrievers,
)
from irengine.registry import (
    source_for as source_for,
)
from irengine.registry import (
    unregister as unregister,
)
from irengine.rerank import (
    calibration_key as calibration_key,
)
from irengine.rerank import (
    resolve_reranker as resolve_reranker,
)
from irengine.retrieve import (
    FUSIONS as FUSIONS,
)
from irengine.retrieve import (
    MODES as MODES,
)
from irengine.retrieve import (
    FacetCount as FacetCount,
)
from irengine.retrieve import (
    FacetRange as FacetRange,
)
from irengine.retrieve import (
    Retriever as Retriever,
)
from irengine.retrieve import (
    ScoreBoost as ScoreBoost,
)
from irengine.retrieve import (
    as_retriever as as_retriever,
)
from irengine.retrieve import (
    dependency_evidence_boost as dependency_evidence_boost,
)
from irengine.retrieve import (
    facet_ranges as facet_ranges,
)
from irengine.retrieve import (
    facets as facets,
)
from irengine.retrieve import (
    fuse_hits as fuse_hits,
)
from irengine.retrieve import (
    matches_filter as matches_filter,
)
from irengine.retrieve import (
    records_for_artifact as records_for_artifact,
)
from irengine.retrieve import (
    search as search,
)
from irengine.retrieve import (
    validate_filter as validate_filter,
)
from irengine.select import (
    BundledFile as BundledFile,
)
from irengine.select import (
    Disclosure as Disclosure,
)
from irengine.select import (
    DiscoveryResult as DiscoveryResult,
)
from irengine.select import (
    Selection as Selection,
)
from irengine.select import (
    disclose as disclose,
)
from irengine.select import (
    discover as discover,
)
from irengine.select import (
    make_llm_selector as make_llm_selector,
)
from irengine.select import (
    select as select,
)
from irengine.sources import (
    CorpusSource as CorpusSource,
)
from irengine.sources import (
    content_hash_signal as content_hash_signal,
)
from irengine.sources import (
    mcp_tool_record as mcp_tool_record,
)
from irengine.sources import (
    mcp_tool_signal as mcp_tool_signal,
)
from irengine.sources import (
    resolve_fetcher as resolve_fetcher,
)
from irengine.store import (
    CorpusStore as CorpusStore,
)
from irengine.strategy import (
    Chunked as Chunked,
)
from irengine.strategy import (
    ClaudeTurn as ClaudeTurn,
)
from irengine.strategy import (
    IndexingStrategy as IndexingStrategy,
)
from irengine.strategy import (
    Package as Package,
)
from irengine.strategy import (
    Skill as Skill,
)
from irengine.strategy import (
    WholeText as WholeText,
)
from irengine.strategy import (
    strategy_from_spec as strategy_from_spec,
)
from irengine.strategy import (
    strategy_to_spec as strategy_to_spec,
)
from irengine.strategy import (
    text_of as text_of,
)
from irengine.synopsis import (
    make_llm_synthesizer as make_llm_synthesizer,
)
from irengine.synopsis import (
    make_thin_description_predicate as make_thin_description_predicate,
)
from irengine.synopsis import (
    thin_description_predicate as thin_description_predicate,
)
from irengine.synopsis import (
    with_synopsis as with_synopsis,
)
from irengine.synopsis import (
    with_synopsis_policy as with_synopsis_policy,
)
from irengine.tools import (
    make_search as make_search,
)
from irengine.tools import (
    search_tool as search_tool,
)
from irengine.traverse import (
    WalkPolicy as WalkPolicy,
)
from irengine.traverse import (
    WalkState as WalkState,
)
from irengine.traverse import (
    collapsed_tree_policy as collapsed_tree_policy,
)
from irengine.traverse import (
    link_policy as link_policy,
)
from irengine.traverse import (
    reverse_dependency_policy as reverse_dependency_policy,
)
from irengine.traverse import (
    traverse as traverse,
)

__version__: str
from irengine.watch import (
    Watcher as Watcher,
)
from irengine.watch import (
    WatchEvent as WatchEvent,
)
