"""No telemetry, no traces in the home folder, no heavy imports before they are needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from irengine.embed import quiet_telemetry

EMBED = """
from irengine.embed import call_embedder, make_embedder, tokenizer_offsets
for spec in ("default", "light"):
    embedder, _ = make_embedder(spec, cache=False)
    call_embedder(embedder, ["a text"], input_type="document")
tokenizer_offsets()("a text")
"""

IMPORT = """
import sys
import irengine.embed
heavy = {"numpy", "onnxruntime", "tokenizers", "sqlite3", "urllib.request", "concurrent.futures"}
print(sorted(heavy & set(sys.modules)))
"""


def run(code: str, home: Path) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_", "HF_", "CI"))}
    environment = {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    completed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert completed.stderr == ""
    return completed.stdout


def test_embedding_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    run(EMBED, tmp_path)

    assert list(tmp_path.rglob("*")) == []


def test_importing_the_package_loads_no_heavy_library(tmp_path: Path) -> None:
    assert run(IMPORT, tmp_path).strip() == "[]"


def test_quietness_respects_what_the_user_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "")
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY")

    quiet_telemetry()

    assert os.environ["TOKENIZERS_PARALLELISM"] == "true"
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
