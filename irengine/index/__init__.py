"""Build a corpus from a source, incrementally, and open it again.

What building needs is imported when it is first used: a search opens a corpus and never builds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irengine.index.corpus import Corpus, LazyEmbedder, open_corpus
from irengine.index.report import BuildReport, CancelToken, ProgressEvent

if TYPE_CHECKING:
    from irengine.index.building import DFLT_BATCH_SIZE, STEP_RECORDS, STEP_SECONDS, build

__all__ = [
    "DFLT_BATCH_SIZE",
    "STEP_RECORDS",
    "STEP_SECONDS",
    "BuildReport",
    "CancelToken",
    "Corpus",
    "LazyEmbedder",
    "ProgressEvent",
    "build",
    "open_corpus",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from irengine.index import building

    return getattr(building, name)
