"""The precision stage: score the candidates of a search again, reading query and text together.

A reranker is any function ``(query, [{"text": passage, …}, …]) -> one number a passage``, higher
is better. Two come by name: ``"maxsim"``, late interaction on the token vectors of the default
model, and ``"cross-encoder"``, any cross-encoder of the extra ``models``.
"""

from irengine.rerank.late import (
    DFLT_MAXSIM_WEIGHT,
    MAXSIM,
    MaxSim,
    maxsim_reranker,
    maxsim_scores,
)
from irengine.rerank.passages import DFLT_RERANK_MAX_CHARS, RERANK_TEXTS, passage_texts
from irengine.rerank.resolving import (
    CROSS_ENCODER,
    DFLT_RERANK_MODEL,
    Rerank,
    check_rerank,
    resolve_reranker,
)
from irengine.rerank.tags import (
    ANONYMOUS,
    MAX_TAG_CHARS,
    calibration_key,
    is_anonymous,
    rerank_tag,
    spec_tag,
)

__all__ = [
    "ANONYMOUS",
    "CROSS_ENCODER",
    "DFLT_MAXSIM_WEIGHT",
    "DFLT_RERANK_MAX_CHARS",
    "DFLT_RERANK_MODEL",
    "MAXSIM",
    "MAX_TAG_CHARS",
    "MaxSim",
    "RERANK_TEXTS",
    "Rerank",
    "calibration_key",
    "check_rerank",
    "is_anonymous",
    "maxsim_reranker",
    "maxsim_scores",
    "passage_texts",
    "rerank_tag",
    "resolve_reranker",
    "spec_tag",
]
