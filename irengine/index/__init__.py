"""Build a corpus from a source, incrementally, and open it again."""

from irengine.index.building import DFLT_BATCH_SIZE, STEP_RECORDS, STEP_SECONDS, build
from irengine.index.corpus import Corpus, LazyEmbedder, open_corpus
from irengine.index.report import BuildReport, CancelToken, ProgressEvent
from irengine.strategy import strategy_id

_LazyEmbedder = LazyEmbedder
_strategy_id = strategy_id

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
