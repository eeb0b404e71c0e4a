"""Corpora that are cheap to maintain, and a fetcher that counts its calls."""

import importlib
from pathlib import Path

import pytest

from irengine.registry import register

MODULE = """
import datetime

calls, failing = [], []

def fetch():
    calls.append("fetch")
    if failing:
        raise OSError("the tracker does not answer")
    return [{"id": "a", "text": "bees dance"}, {"id": "b", "text": "whales sing"}]
"""


@pytest.fixture
def tracker(tmp_path, monkeypatch):
    """A module with a ``fetch`` that counts its ``calls`` and fails while ``failing`` is filled."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "tracker_of_tests.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    module = importlib.import_module("tracker_of_tests")
    module = importlib.reload(module)
    module.calls.clear()
    return module


@pytest.fixture
def folder(tmp_path):
    """Return a function that makes a folder of notes."""

    def make(name: str, count: int = 2) -> Path:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        for number in range(count):
            (root / f"n{number}.md").write_text(f"# Note {number}\n\nabout {name} {number}\n")
        return root

    return make


@pytest.fixture
def files(folder):
    """Return a function that registers a corpus of files and gives its folder."""

    def make(name: str, count: int = 2, **options) -> Path:
        root = folder(name, count)
        register(name, "files", root=str(root), embedder="light", **options)
        return root

    return make


@pytest.fixture
def records(tracker):
    """Return a function that registers a corpus of records."""

    def make(name: str, **options) -> None:
        options = {"embedder": "light", **options}
        register(name, "records", fetcher="tracker_of_tests:fetch", **options)

    return make
