"""Fixtures of the embedder tests: the loaded models."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from irengine.embed.minilm import MiniLM, load_fp32, load_int8
from irengine.embed.weights import find_fp32
from irengine.errors import EmbedderUnavailable


@pytest.fixture(scope="session")
def int8() -> MiniLM:
    return load_int8()


@pytest.fixture(scope="session")
def fp32_weights() -> Path:
    """The official weights. Their absence fails the tests, unless it is declared."""
    try:
        return find_fp32()
    except EmbedderUnavailable as error:
        if os.environ.get("IR_TEST_WITHOUT_FP32"):
            pytest.skip(error.message)
        pytest.fail(f"{error} or set IR_TEST_WITHOUT_FP32=1", pytrace=False)


@pytest.fixture(scope="session")
def fp32(fp32_weights: Path) -> MiniLM:
    return load_fp32(str(fp32_weights))
