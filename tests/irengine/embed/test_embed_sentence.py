"""Models of sentence-transformers, loaded from a local folder."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest

from irengine.embed import EmbedderUnavailable, make_embedder, make_embedder_for_id
from irengine.embed.minilm import MiniLM
from irengine.embed.sentence import find_tokenizer

pytestmark = [
    pytest.mark.models,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture
def folder(fp32_weights: Path) -> Path:
    pytest.importorskip("sentence_transformers")
    return fp32_weights.parent


def test_a_folder_loads_and_agrees_with_our_full_precision(folder: Path, fp32: MiniLM) -> None:
    texts = ["The weather is lovely today.", "He drove to the stadium.", "word " * 400]
    embedder, embedder_id = make_embedder(str(folder), cache=False)

    vectors = embedder(texts)

    assert embedder_id == f"st__{folder.resolve()}"
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(fp32(texts), abs=1e-5)
    assert embedder(texts[:1], input_type="query") == pytest.approx(vectors[:1], abs=1e-5)
    reopened = make_embedder_for_id(embedder_id, cache=False)
    assert reopened is not None
    assert np.array_equal(reopened[0](texts[:1]), embedder(texts[:1]))


def test_a_model_that_is_nowhere_is_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(EmbedderUnavailable, match="could not be loaded"):
        make_embedder(str(tmp_path))


def test_a_hub_out_of_reach_is_said_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setattr(
            "huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}"
        )
        monkeypatch.setattr("irengine.embed.sentence.getproxies", dict)
        with pytest.raises(EmbedderUnavailable, match="the hub cannot be reached"):
            make_embedder("nobody/nothing", cache=False)
        with pytest.raises(EmbedderUnavailable, match="the tokenizer of .* cannot be reached"):
            find_tokenizer("nobody/has-this-one")
