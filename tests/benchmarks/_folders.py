"""Folders of its own for a benchmark, and trees of notes to index."""

from __future__ import annotations

import os
from pathlib import Path


def own_folders(base: Path) -> None:
    """Let this process and those it starts keep data, settings and caches below ``base``."""
    for kind in ("data", "config", "cache"):
        os.environ[f"IR_{kind.upper()}_DIR"] = str(base / kind)


def write_notes(root: Path, count: int) -> None:
    """Write ``count`` short notes, a hundred in a folder."""
    for number in range(count):
        folder = root / f"d{number // 100:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"# Note {number}\n\nAbout {number * 7 % 1000} bees.\n"
        (folder / f"n{number}.md").write_text(text)
