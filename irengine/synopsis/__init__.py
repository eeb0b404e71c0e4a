"""Synopses: one written summary per artifact, indexed beside the texts it sums up.

``with_synopsis(strategy)`` wraps any strategy; who writes is a *synthesizer* (a function of the
artifact, by default a language model), and a *predicate* may say for which artifacts. Writing
costs, so builds keep what is written as long as neither the artifact nor the writer changed, and
an artifact whose synopsis could not be written is noted and tried again by the next build.
"""

from __future__ import annotations

from irengine.synopsis.policies import artifact_time, make_recent_predicate, with_synopsis_policy
from irengine.synopsis.predicates import (
    ALWAYS,
    DFLT_THIN_DESCRIPTION_CHARS,
    Predicate,
    make_thin_description_predicate,
    thin_description_predicate,
)
from irengine.synopsis.synthesizers import (
    SYNOPSIS_PROMPT,
    TOPICAL_SYNOPSIS_PROMPT,
    MissingSynopsis,
    Synthesizer,
    make_llm_synthesizer,
)
from irengine.synopsis.wrapping import SYNOPSIS_KIND, Written, with_synopsis

__all__ = [
    "ALWAYS",
    "DFLT_THIN_DESCRIPTION_CHARS",
    "SYNOPSIS_KIND",
    "SYNOPSIS_PROMPT",
    "TOPICAL_SYNOPSIS_PROMPT",
    "MissingSynopsis",
    "Predicate",
    "Synthesizer",
    "Written",
    "artifact_time",
    "make_llm_synthesizer",
    "make_recent_predicate",
    "make_thin_description_predicate",
    "thin_description_predicate",
    "with_synopsis",
    "with_synopsis_policy",
]
