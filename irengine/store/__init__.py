"""Where corpora are kept: published generations beside a Chroma copy. See ``layout``."""

from irengine.store.batch import Batch
from irengine.store.chroma import check_storage
from irengine.store.columns import Columns
from irengine.store.corpus_store import CorpusStore, built_names
from irengine.store.records import stored_records
from irengine.store.rows import Row
from irengine.store.segment import Segment
from irengine.store.snapshot import Snapshot

__all__ = [
    "Batch",
    "Columns",
    "CorpusStore",
    "Row",
    "Segment",
    "Snapshot",
    "built_names",
    "check_storage",
    "stored_records",
]
