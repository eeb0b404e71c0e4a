"""A build can be stopped inside one long document: while it is cut, and while it is embedded."""

from __future__ import annotations

import threading

import pytest

from irengine import CorpusSource, build
from irengine.cancelling import checkpoint, checkpoints, no_checkpoint
from irengine.embed import make_embedder
from irengine.errors import BuildCancelled
from irengine.index import CancelToken
from irengine.store import CorpusStore
from irengine.strategy import Chunked

LONG = "A sentence about zebras and lions. " * 3000


class AskedOften(CancelToken):
    """Is cancelled when it was asked a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def raise_if_cancelled(self) -> None:
        self.left -= 1
        self.cancelled = self.left < 0
        super().raise_if_cancelled()


def test_a_document_is_cut_no_further_when_cancelled():
    token = AskedOften(5)
    with checkpoints(token.raise_if_cancelled), pytest.raises(BuildCancelled):
        Chunked(chunk_size=100, overlap=0).decompose("a", LONG)
    assert token.left == -1
    assert len(Chunked(chunk_size=100, overlap=0).decompose("a", LONG).surfaces) > 500


def test_a_call_of_the_model_ends_at_the_next_text_when_cancelled():
    embedder, _ = make_embedder("default")
    token = AskedOften(3)
    texts = [f"text {number}" for number in range(64)]
    with checkpoints(token.raise_if_cancelled), pytest.raises(BuildCancelled):
        embedder(texts)
    assert embedder(texts[:1]).shape == (1, 384)


def test_a_build_is_cancelled_inside_its_only_document():
    token = AskedOften(50)
    source = CorpusSource.from_mapping(
        {"a": LONG}, name="notes", strategy=Chunked(chunk_size=100, overlap=0)
    )
    store = CorpusStore.memory()
    with pytest.raises(BuildCancelled):
        build(source, store=store, embedder="light", cancel=token)
    assert len(store) == 0
    assert build(source, store=store, embedder="light").report.added == 1


def test_what_is_asked_ends_with_the_block_and_is_of_one_thread_only():
    def refuse() -> None:
        raise BuildCancelled("the build was cancelled")

    elsewhere = []
    with checkpoints(refuse):
        with pytest.raises(BuildCancelled):
            checkpoint()
        thread = threading.Thread(target=lambda: elsewhere.append(checkpoint()))
        thread.start()
        thread.join()
    assert elsewhere == [no_checkpoint]
    assert checkpoint() is no_checkpoint
