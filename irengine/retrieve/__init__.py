"""Search a corpus: hard metadata filters, then dense, lexical or hybrid ranking.

Everything is exact and comes from one published generation of the corpus; see
:func:`search` for the contract, :mod:`irengine.retrieve.filters` for the filter language.
"""

from irengine.errors import FilterError, NoLedgerEntry, StaleLedger
from irengine.retrieve.boosts import ScoreBoost, dependency_evidence_boost
from irengine.retrieve.faceting import FacetCount, FacetRange, facet_ranges, facets
from irengine.retrieve.filters import LOGICAL_OPERATORS, matches_filter, validate_filter
from irengine.retrieve.operators import FIELD_OPERATORS
from irengine.retrieve.params import (
    DFLT_BLEND_ALPHA,
    DFLT_BM25_SAT_K,
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
    "DFLT_RERANK_MAX_CHARS",
    "DFLT_RRF_K",
    "FIELD_OPERATORS",
    "FUSIONS",
    "LOGICAL_OPERATORS",
    "MODES",
    "FacetCount",
    "FacetRange",
    "FilterError",
    "NoLedgerEntry",
    "Retriever",
    "ScoreBoost",
    "StaleLedger",
    "as_retriever",
    "dependency_evidence_boost",
    "facet_ranges",
    "facets",
    "matches_filter",
    "records_for_artifact",
    "search",
    "validate_filter",
]
