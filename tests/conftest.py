"""What every test stands on: private folders, and the real collections when they are there."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def private_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> Path:
    """Give each test its own data, config and cache folder; none exists beforehand."""
    base = tmp_path_factory.mktemp("ir")
    for kind in ("data", "config", "cache"):
        monkeypatch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))
    return base


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of the real collections where no collections are given."""
    if os.environ.get("IR_TEST_DATA"):
        return
    without = [item for item in items if item.get_closest_marker("data")]
    if without:
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if not item.get_closest_marker("data")]


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that unpacks a named collection once and gives its folder."""
    unpacked: dict[str, Path] = {}

    def unpack(name: str) -> Path:
        if name not in unpacked:
            target = tmp_path_factory.mktemp(name)
            archive = Path(os.environ["IR_TEST_DATA"]) / f"{name}.tar.xz"
            with tarfile.open(archive) as tar:
                tar.extractall(target, filter="data")
            children = list(target.iterdir())
            only_folder = len(children) == 1 and children[0].is_dir()
            unpacked[name] = children[0] if only_folder else target
        return unpacked[name]

    return unpack
