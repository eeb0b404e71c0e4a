"""What every test stands on: private folders, and the real collections when they are there."""

from __future__ import annotations

import contextlib
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def private_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> Path:
    """Give each test its own data, config and cache folder; none exists beforehand."""
    base = tmp_path_factory.mktemp("ir")
    for kind in ("data", "config", "cache"):
        monkeypatch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))
    return base


@pytest.fixture(autouse=True)
def no_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test ask the language model of whoever runs it."""
    for name in ("BASE_URL", "MODEL", "API_KEY"):
        monkeypatch.delenv(f"IR_LLM_{name}", raising=False)
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)


@pytest.fixture
def without_privileges() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Return a context in which root may not read everything."""

    @contextlib.contextmanager
    def lowered() -> Iterator[None]:
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(user)

    return lowered


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
