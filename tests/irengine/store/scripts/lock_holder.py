"""Commit one artifact, hold the writer's lock until standard input closes, then maybe delete."""

from __future__ import annotations

import sys

from _common import put

from irengine.store import CorpusStore

store = CorpusStore.local(sys.argv[1])
with store.writing("held for a test") as batch:
    put(batch, "held", 0)
    batch.commit()
    print("locked", flush=True)
    sys.stdin.readline()
if sys.argv[2:] == ["delete"]:
    store.delete(timeout=30)
