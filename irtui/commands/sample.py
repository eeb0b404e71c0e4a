"""The sample notes that come with the program, to try it without any files of one's own."""

from __future__ import annotations

from pathlib import Path

__all__ = ["sample_folder"]


def sample_folder() -> Path:
    """Return the folder of the sample notes."""
    return Path(__file__).resolve().parent.parent / "sample"
