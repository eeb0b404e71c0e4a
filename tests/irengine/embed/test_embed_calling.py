"""Calling an embedder: batches, checks, unit rows, progress, cancelling."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from irengine.embed import EmbedderError, call_embedder, make_embedder
from irengine.errors import BuildCancelled


def lengths(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


def test_rows_come_back_in_order_with_unit_length() -> None:
    vectors = call_embedder(lengths, ["aaa", "", "a"], input_type="document", batch_size=2)

    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[3, 1], [0, 1], [1, 1]]) / [[10**0.5], [1], [2**0.5]])


def test_zero_rows_stay_zero() -> None:
    assert not call_embedder(lambda t: np.zeros((1, 3)), ["x"], input_type="query").any()


def test_batching_does_not_change_vectors() -> None:
    embedder, _ = make_embedder("light")
    texts = [f"text number {i}" for i in range(10)]

    once = call_embedder(embedder, texts, input_type="document")

    assert np.array_equal(call_embedder(embedder, texts, input_type="document", batch_size=3), once)


@pytest.mark.parametrize(
    ("embedder", "expected"),
    [
        (lambda texts, *, input_type: [[1.0, 0.0 if input_type == "query" else 1.0]], True),
        (lambda texts, input_type="document": [[1.0, 0.0 if input_type == "query" else 1.0]], True),
        (lambda texts, **options: [[1.0, 0.0 if options.get("input_type") else 1.0]], True),
        (lambda texts: [[1.0, 1.0]], False),
    ],
)
def test_the_input_type_reaches_those_who_take_it(embedder: object, expected: bool) -> None:
    (row,) = call_embedder(embedder, ["x"], input_type="query")

    assert (row[1] == 0) is np.bool_(expected)


def test_what_an_embedder_raises_is_the_cause_of_the_failure() -> None:
    calls = []

    def broken(texts: Sequence[str], *, input_type: str) -> None:
        calls.append(input_type)
        raise TypeError("its own")

    with pytest.raises(EmbedderError, match="the embedder broken failed: TypeError: its own") as e:
        call_embedder(broken, ["x"], input_type="query")
    assert isinstance(e.value.__cause__, TypeError)
    assert calls == ["query"]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ([[1.0]], "shape"),
        ([1.0, 2.0], "shape"),
        ([[], []], "shape"),
        ([[1.0], [1.0, 2.0]], "equally long"),
        ([["a"], ["b"]], "numbers"),
        (None, "numbers|shape"),
        ([[1.0], [float("nan")]], "finite"),
        ([[1.0], [float("inf")]], "finite"),
    ],
)
def test_a_wrong_output_is_an_error(output: object, problem: str) -> None:
    with pytest.raises(EmbedderError, match=problem):
        call_embedder(lambda texts: output, ["a", "b"], input_type="document")


def test_a_width_that_changes_between_batches_is_an_error() -> None:
    with pytest.raises(EmbedderError, match="1-dimensional vectors and then 2-"):
        call_embedder(
            lambda texts: [[1.0] * len(texts[0])], ["a", "bb"], input_type="document", batch_size=1
        )


def test_no_texts_call_nobody() -> None:
    def never(texts: Sequence[str]) -> None:
        raise AssertionError

    assert call_embedder(never, [], input_type="document").shape == (0, 0)
    assert call_embedder(make_embedder("light")[0], [], input_type="document").shape == (0, 512)


def test_progress_is_told_after_each_batch() -> None:
    seen = []

    call_embedder(
        lengths,
        list("abcde"),
        input_type="document",
        batch_size=2,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert seen == [(2, 5), (4, 5), (5, 5)]


def test_cancelling_stops_between_batches() -> None:
    token = SimpleNamespace(cancelled=False)
    embedded = []

    def embedder(texts: Sequence[str]) -> list[list[float]]:
        embedded.extend(texts)
        token.cancelled = len(embedded) >= 4
        return lengths(texts)

    with pytest.raises(BuildCancelled, match="after 4 of 6"):
        call_embedder(embedder, list("abcdef"), input_type="document", batch_size=2, cancel=token)
    assert embedded == list("abcd")
