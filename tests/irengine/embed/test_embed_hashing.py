"""The light embedder: vector-exact feature hashing."""

from __future__ import annotations

import numpy as np
import pytest

from irengine.embed import DFLT_HASHING_DIM, EmbedderError, make_embedder, make_embedder_for_id


def nonzero(vector: np.ndarray) -> dict[int, float]:
    return {int(i): round(float(vector[i]), 6) for i in np.flatnonzero(vector)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello world", {62: 0.57735, 168: -0.57735, 391: 0.57735}),
        ("the the cat", {23: 0.412859, 130: 0.412859, 149: -0.412859, 279: -0.69903}),
        ("alpha beta alpha", {77: -0.69903, 278: -0.412859, 343: -0.412859, 417: 0.412859}),
        ("Hello,   WORLD!", {62: 0.57735, 168: -0.57735, 391: 0.57735}),
        ("", {}),
        ("?! …", {}),
    ],
)
def test_vectors_are_exact(text: str, expected: dict[int, float]) -> None:
    embedder, embedder_id = make_embedder("light")

    (vector,) = embedder([text])

    assert nonzero(vector) == pytest.approx(expected, abs=1e-6)
    assert vector.dtype == np.float32
    assert embedder_id == "hashing__dim512"


def test_similarities_of_the_reference_corpus() -> None:
    embedder, _ = make_embedder("light")
    texts = [
        "delta date alpha alpha",
        "alpha apple avocado almond",
        "beta banana blueberry blackberry alpha",
        "gamma grape guava greengage",
    ]

    scores = embedder(texts) @ embedder(["alpha"], input_type="query")[0]

    assert scores == pytest.approx([0.603667, 0.377964, 0.333333, 0.0], abs=1e-6)


def test_a_text_has_the_same_bits_in_any_company() -> None:
    embedder, _ = make_embedder("light")
    texts = ["one two three two", "", "nine ten", "안녕 세상", "x\ud800y"]

    together = embedder(texts)

    assert all(
        np.array_equal(embedder([t])[0], row) for t, row in zip(texts, together, strict=True)
    )


def test_a_full_feature_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_embedder("light")[0](["a b c d a"])
    monkeypatch.setattr("irengine.embed.hashing._CACHED_FEATURES", 3)

    after = make_embedder("light")[0](["a b c d a"])

    assert np.array_equal(before, after)


def test_no_texts_give_no_rows() -> None:
    assert make_embedder("light")[0]([]).shape == (0, DFLT_HASHING_DIM)


def test_the_width_is_in_the_id_and_reopens() -> None:
    reopened = make_embedder_for_id("hashing__dim64")

    assert reopened is not None
    assert reopened[1] == "hashing__dim64"
    assert reopened[0](["a b"]).shape == (1, 64)


@pytest.mark.parametrize("width", ["XYZ", "", "0", "-3", "1e3", "٣", "007", "999999999999"])
def test_a_malformed_width_is_an_error(width: str) -> None:
    with pytest.raises(EmbedderError, match="malformed"):
        make_embedder_for_id(f"hashing__dim{width}")
