"""Open, read and commit nothing; say whether chromadb was imported."""

from __future__ import annotations

import sys

from irengine.store import CorpusStore

store = CorpusStore.local(sys.argv[1])
with store.writing("no change") as batch:
    assert len(store) == 1
    list(store.ledger_items())
    batch.commit()
print("chromadb imported:", "chromadb" in sys.modules)
