"""Search a corpus: hard metadata filters, then dense, lexical or hybrid ranking.

Everything is exact and comes from one published generation of the corpus; see
:func:`search` for the contract, :mod:`irengine.retrieve.filters` for the filter language.
"""

from irengine.base import best_per_artifact, tag_source
from irengine.errors import FilterError, NoLedgerEntry, StaleLedger
from irengine.retrieve.boosts import ScoreBoost, dependency_evidence_boost
from irengine.retrieve.faceting import FacetCount, FacetRange, facet_ranges, facets
from irengine.retrieve.filters import LOGICAL_OPERATORS, matches_filter, validate_filter
from irengine.retrieve.fusing import Identity, fuse_hits
from irengine.retrieve.operators import FIELD_OPERATORS
from irengine.retrieve.params import (
    DFLT_BLEND_ALPHA,
    DFLT_BM25_SAT_K,
    DFLT_FUSION,
    DFLT_RERANK_MAX_CHARS,
    DFLT_RRF_K,
    FUSIONS,
    MODES,
)
from irengine.retrieve.pipeline import search
from irengine.retrieve.records import records_for_artifact
from irengine.retrieve.retriever import Retriever, as_retriever

__all__ = [
    "DFLT_BLEND_ALPHA",
    "DFLT_BM25_SAT_K",
    "DFLT_FUSION",
    "DFLT_RERANK_MAX_CHARS",
    "DFLT_RRF_K",
    "FIELD_OPERATORS",
    "FUSIONS",
    "LOGICAL_OPERATORS",
    "MODES",
    "FacetCount",
    "FacetRange",
    "FilterError",
    "Identity",
    "NoLedgerEntry",
    "Retriever",
    "ScoreBoost",
    "StaleLedger",
    "as_retriever",
    "best_per_artifact",
    "dependency_evidence_boost",
    "facet_ranges",
    "facets",
    "fuse_hits",
    "matches_filter",
    "records_for_artifact",
    "search",
    "tag_source",
    "validate_filter",
]
