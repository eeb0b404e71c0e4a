"""Real processes for the tests of the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irtui.cli import main

NOTES = {
    "bees.md": "---\ntitle: All about bees\ntags: [insects]\n---\n\n# Bees\n\nBees dance to tell "
    "their sisters where flowers are.\n\n## Winter\n\nIn winter they keep each other warm.\n",
    "whales.md": "# Whales\n\nWhales sing across whole oceans.\n",
    "sub/cloud.md": "# Cloud\n\nDEC-0054 approved: we rotate the signing keys every month.\n",
    "hostile.md": "# \x1b]0;owned\x07Hostile\n\nA zebra \x1b[2J\u202egnp.exe\x9b31m runs.\n",
    "plain.txt": "A plain note about gardening.\n",
    "skipped.py": "print('not a note')\n",
}


class Irtui:
    """Runs ``python -m irtui`` with folders of its own."""

    def __init__(self, base: Path) -> None:
        self.base = base
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        self.env = {
            **kept,
            "IR_DATA_DIR": str(base / "data"),
            "IR_CONFIG_DIR": str(base / "config"),
            "IR_CACHE_DIR": str(base / "cache"),
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "irtui", *words]

    def __call__(
        self, *words: str, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            env={**self.env, "PYTHONPATH": os.pathsep.join(sys.path), **env},
            cwd=cwd or self.base,
            timeout=120,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.env, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=self.base,
        )

    def json(self, *words: str, status: int = 0) -> Any:
        done = self(*words, "--json")
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)


def write_notes(folder: Path) -> Path:
    for name, text in NOTES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def keep_in(base: Path, patch: pytest.MonkeyPatch) -> None:
    """Work in the folder ``base``, with the data, settings and cache that it holds."""
    for kind in ("data", "config", "cache"):
        patch.setenv(f"IR_{kind.upper()}_DIR", str(base / kind))
    patch.chdir(base)


@pytest.fixture(scope="session")
def build_in() -> Callable[..., None]:
    """Return ``build_in(base, name, …)``: index folders of ``base`` under their own names."""

    def build(base: Path, *names: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            keep_in(base, patch)
            for name in names:
                assert main(["register", name, "files", "--root", name, "-e", "light"]) == 0
            assert main(["build"]) == 0

    return build


@pytest.fixture
def work_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Return a function after which this test works in a folder; see :func:`keep_in`."""
    return lambda base: keep_in(base, monkeypatch)


@pytest.fixture
def run_here(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command in this process: ``(status, stdout, stderr)``."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


@pytest.fixture(scope="session")
def irtui_in() -> Callable[[Path], Irtui]:
    """Return what makes an environment in a folder."""
    return Irtui


@pytest.fixture
def irtui(tmp_path: Path) -> Irtui:
    return Irtui(tmp_path)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "notes")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Irtui:
    """An environment with two built corpora, one registered only; for tests that only read."""
    base = tmp_path_factory.mktemp("built")
    run = Irtui(base)
    write_notes(base / "notes")
    (base / "papers").mkdir()
    (base / "papers" / "zebra.md").write_text("# Zebras\n\nA zebra has stripes.\n")
    (base / "empty").mkdir()
    register: Callable[..., Any] = run
    for name in ("notes", "papers", "empty"):
        done = register("register", name, "files", "--root", name, "--embedder", "light")
        assert done.returncode == 0, done.stderr
    done = run("build", "notes", "papers")
    assert done.returncode == 0, done.stderr
    return run
