"""Commit small random steps until killed; print the generation after each commit."""

from __future__ import annotations

import random
import sys

from _common import NAME, put

from irengine.store import CorpusStore

dice = random.Random(int(sys.argv[1]))
store = CorpusStore.local(NAME)
while True:
    with store.writing("endless", timeout=60) as batch:
        print("locked", flush=True)
        for _ in range(dice.randint(1, 4)):
            for _ in range(dice.randint(1, 12)):
                put(batch, f"a{dice.randrange(60)}", dice.randrange(1000))
            batch.remove(f"a{dice.randrange(60)}")
            print(batch.commit().generation, flush=True)
