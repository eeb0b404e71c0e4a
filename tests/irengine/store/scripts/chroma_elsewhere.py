"""Write a corpus; say after each step whether this process has anything to do with Chroma."""

from __future__ import annotations

import sys

from _common import put

from irengine.store import CorpusStore, worker

store = CorpusStore.local(sys.argv[1])
with store.writing("no change") as batch:
    list(store.ledger_items())
    batch.commit()
print("idle processes after no change:", len(worker._parked))
with store.writing("a change") as batch:
    put(batch, "a", 1)
print("idle processes after a change:", len(worker._parked))
print("chromadb imported:", "chromadb" in sys.modules)
