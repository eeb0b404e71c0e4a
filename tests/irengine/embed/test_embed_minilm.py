"""all-MiniLM-L6-v2 on onnxruntime: published figures, determinism, limits."""

from __future__ import annotations

import numpy as np
import pytest

from irengine.embed import MAX_TOKENS
from irengine.embed._running import token_ids
from irengine.embed.minilm import MiniLM, int8_saturates, wordpiece
from irengine.embed.weights import int8_tensors, read_int8

PUBLISHED = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
MIXED = [
    "short",
    "",
    "A sentence of medium length about the aerodynamics of a slender wing.",
    "word " * 400,
    "한국어 문장과 日本語の文",
    "nul \x00 and lone surrogate \ud800 end",
]


def pairs(vectors: np.ndarray) -> list[float]:
    cosines = vectors @ vectors.T
    return [float(cosines[0, 1]), float(cosines[0, 2]), float(cosines[1, 2])]


def test_full_precision_reproduces_the_published_cosines(fp32: MiniLM) -> None:
    assert pairs(fp32(PUBLISHED)) == pytest.approx([0.6660, 0.1046, 0.1411], abs=1e-4)


def test_full_precision_reproduces_a_published_vector(fp32: MiniLM) -> None:
    (vector,) = fp32(["This is an example sentence"])

    assert vector[:5] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793, 0.0374], abs=1e-4)


def test_int8_stays_close_to_the_published_cosines(int8: MiniLM) -> None:
    assert pairs(int8(PUBLISHED)) == pytest.approx([0.6660, 0.1046, 0.1411], abs=0.02)


def test_int8_stays_close_to_full_precision(int8: MiniLM, fp32: MiniLM) -> None:
    cosines = (int8(MIXED) * fp32(MIXED)).sum(axis=1)

    assert cosines.min() > 0.97


@pytest.mark.parametrize("model", ["int8", "fp32"])
def test_a_vector_depends_on_its_text_alone(model: str, request: pytest.FixtureRequest) -> None:
    embed = request.getfixturevalue(model)
    together = embed(MIXED)

    for text, row in zip(MIXED, together, strict=True):
        assert np.array_equal(embed([text])[0], row)
    assert np.array_equal(embed(MIXED[::-1])[::-1], together)


def test_rows_are_float32_of_unit_length(int8: MiniLM) -> None:
    vectors = int8(MIXED)

    assert vectors.shape == (len(MIXED), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_rows(int8: MiniLM) -> None:
    assert int8([]).shape == (0, 384)


def test_only_the_first_256_tokens_count(int8: MiniLM) -> None:
    text = " ".join(f"w{i}" for i in range(300))

    assert np.array_equal(int8([text])[0], int8([text + " and so on"])[0])
    ids = wordpiece(truncated=True).encode(text).ids
    assert len(ids) == MAX_TOKENS
    assert ids[0] == 101
    assert ids[-1] == 102


@pytest.mark.parametrize(
    "text",
    [
        "lorem ipsum dolor " * 2000,
        "x" * 20_000,
        " " * 20_000 + "at the end",
        "line\n" * 5000,
        "a\x1cb " * 6000,
    ],
)
def test_a_long_document_is_read_like_its_beginning(text: str) -> None:
    tokenizer = wordpiece(truncated=True)

    assert token_ids(tokenizer, text, MAX_TOKENS) == tokenizer.encode(text).ids


def test_halved_weights_lose_little(int8: MiniLM) -> None:
    halved = MiniLM("halved", "minilm-int8.onnx", int8_tensors(read_int8(), halve=True))

    cosines = (halved(MIXED) * int8(MIXED)).sum(axis=1)

    assert cosines.mean() > 0.97


def test_halved_weights_cannot_overflow_sixteen_bits() -> None:
    tensors = int8_tensors(read_int8(), halve=True)

    matrices = [t for k, t in tensors.items() if k.endswith(".q") and k != "words.q"]
    largest = max(int(np.abs(matrix.astype(int)).max()) for matrix in matrices)
    assert 2 * 255 * largest <= 2**15 - 1


def test_the_saturation_probe_answers() -> None:
    assert int8_saturates() in (True, False)


def test_another_name_shares_the_model(int8: MiniLM) -> None:
    other = int8.named("st__x")

    assert (other.model_id, int8.model_id) == ("st__x", "minilm-int8__8199be6f_g1_t256")
    assert np.array_equal(other(["a"]), int8(["a"]))
