"""Add one artifact to a corpus that may not exist yet."""

from __future__ import annotations

import sys

from _common import put

from irengine.store import CorpusStore

with CorpusStore.local(sys.argv[1]).writing("first", timeout=120) as batch:
    put(batch, f"by process {sys.argv[2]}", int(sys.argv[2]))
