"""Folders for the tests of sources, and what a scope says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from irengine.sources import FileScope


@pytest.fixture
def tree() -> Callable[..., Path]:
    """Return ``make(root, *names, text=…)``: files below ``root``, which is returned."""

    def make(root: Path, *names: str, text: str = "some text") -> Path:
        for name in names:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return make


@pytest.fixture
def ids() -> Callable[..., list[str]]:
    """Return ``list_of(root, **options)``: the ids a folder lists."""
    return lambda root, **options: list(FileScope(root, **options))


@pytest.fixture
def reasons() -> Callable[[FileScope], dict[str, str]]:
    """Return ``of(scope)``: why each item it skipped was."""
    return lambda scope: {item.id: item.reason for item in scope.skipped}
