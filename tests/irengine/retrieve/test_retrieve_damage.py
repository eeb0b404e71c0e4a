"""One damaged channel is named by the search that needs it; the other goes on."""

from __future__ import annotations

import numpy as np
import pytest

from irengine import CorpusSource, build, open_corpus, search
from irengine.errors import CorpusDamaged
from irengine.store import CorpusStore

NOTES = {f"n{number}": f"note {number} about zebra and lion" for number in range(40)}


def test_search_goes_on_by_the_channel_that_is_whole():
    store = CorpusStore.local("notes")
    build(CorpusSource.from_mapping(NOTES, name="notes"), store=store, embedder="light")
    words = list(store.path.glob("seg-*/lex-tfs.npy"))
    vectors = list(store.path.glob("seg-*/vectors.npy"))
    kept = [path.read_bytes() for path in words]
    for path in words:
        np.save(path, np.load(path) + 1)
    assert search(open_corpus("notes"), "zebra", mode="dense")
    for mode in ("lexical", "hybrid"):
        with pytest.raises(CorpusDamaged, match="lex-tfs"):
            search(open_corpus("notes"), "zebra", mode=mode)
    for path, content in zip(words, kept, strict=True):
        path.write_bytes(content)
    for path in vectors:
        np.save(path, np.load(path) * 2)
    assert search(open_corpus("notes"), "zebra", mode="lexical")
    for mode in ("dense", "hybrid"):
        with pytest.raises(CorpusDamaged, match="vectors"):
            search(open_corpus("notes"), "zebra", mode=mode)
