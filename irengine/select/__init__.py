"""From a ranking to an answer: what is committed to, and how much of it is revealed.

:func:`select` commits to a few hits of a ranking or to none, :func:`disclose` reveals as much of
them as is asked, and :func:`discover` does both for a query over one corpus or several.
"""

from irengine.base import POINTER_KEYS
from irengine.select.disclosing import (
    DFLT_MAX_BODY_CHARS,
    DISCLOSURE_LEVELS,
    BodyLoader,
    BundledFile,
    Disclosure,
    ResourceStore,
    disclose,
)
from irengine.select.discovering import (
    DFLT_DEDUP_BY,
    DFLT_FETCH_K,
    DiscoveryResult,
    discover,
)
from irengine.select.evidence import MIN_COSINE
from irengine.select.floors import Floor, scale_of
from irengine.select.llm_selecting import SELECTION_PROMPT, make_llm_selector
from irengine.select.selection import (
    DFLT_GAP_RATIO,
    DFLT_MAX_K,
    DFLT_REL_THRESHOLD,
    STRATEGIES,
    Selection,
    Selector,
    abs_threshold,
    rel_threshold,
    score_gap,
    select,
    top_k,
)

__all__ = [
    "DFLT_DEDUP_BY",
    "DFLT_FETCH_K",
    "DFLT_GAP_RATIO",
    "DFLT_MAX_BODY_CHARS",
    "DFLT_MAX_K",
    "DFLT_REL_THRESHOLD",
    "DISCLOSURE_LEVELS",
    "MIN_COSINE",
    "POINTER_KEYS",
    "SELECTION_PROMPT",
    "STRATEGIES",
    "BodyLoader",
    "BundledFile",
    "Disclosure",
    "DiscoveryResult",
    "Floor",
    "ResourceStore",
    "Selection",
    "Selector",
    "abs_threshold",
    "disclose",
    "discover",
    "make_llm_selector",
    "rel_threshold",
    "scale_of",
    "score_gap",
    "select",
    "top_k",
]
