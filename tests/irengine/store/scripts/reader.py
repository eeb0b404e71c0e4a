"""Read as fast as possible until standard input closes; every generation seen must be whole."""

from __future__ import annotations

import sys
import threading

from _common import NAME, versions

from irengine.store import CorpusStore

closed = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
store = CorpusStore.local(NAME)
checks, seen = 0, set()
while not closed.is_set():
    try:
        versions(store)
    except FileNotFoundError:
        # Two generations passed between reading rows and ledger: the next look is at the newest.
        store._backend.reader.forget()
        continue
    seen.add(store.snapshot().generation)
    checks += 1
    if checks == 1:
        print("ready", flush=True)
print(checks, len(seen), *sorted(seen)[-1:], flush=True)
