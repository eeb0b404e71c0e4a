"""Small corpora for the tests of searching and evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from irengine.index import Corpus, build
from irengine.sources import CorpusSource
from irengine.store import CorpusStore


@pytest.fixture
def corpus_of() -> Callable[..., Corpus]:
    """Return ``make({id: text}, name="t")``: a corpus of whole texts in memory."""

    def make(items: Mapping[str, Any], *, name: str = "t", **source: Any) -> Corpus:
        return build(
            CorpusSource.from_mapping(items, name=name, **source),
            store=CorpusStore.memory(),
            embedder="light",
        )

    return make
