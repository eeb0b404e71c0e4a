"""Say that a file of a corpus is damaged, and which command mends that corpus."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from irengine.errors import CorpusDamaged

__all__ = ["beyond_repair", "corpus_name", "damaged"]

_SIGNS = ("corpus.json", "CURRENT.json", "LOCK")
_DEPTH = 3


def damaged(path: Path, message: str, *, meanwhile: str = "") -> CorpusDamaged:
    """Return the error for a damaged file below a corpus' folder.

    The hint names the corpus, and what works ``meanwhile``.
    """
    hint = f"irtui verify {shlex.quote(corpus_name(path))} --repair rebuilds it"
    return CorpusDamaged(message, hint=f"{hint}; {meanwhile}" if meanwhile else hint)


def beyond_repair(folder: Path, message: str) -> CorpusDamaged:
    """Return the error for a corpus that only its source can bring back."""
    name = shlex.quote(corpus_name(folder))
    return CorpusDamaged(
        message,
        hint=f"build it anew from its source: irtui rm {name} --purge, then register it again "
        f"and irtui build {name}",
    )


def corpus_name(path: Path) -> str:
    """Return the name of the corpus that ``path`` is in, its folder's name when none is legible."""
    folder = path
    for parent in (path, *path.parents)[: _DEPTH + 1]:
        if any((parent / sign).exists() for sign in _SIGNS):
            folder = parent
            break
    described = _read(folder / "corpus.json").get("name")
    settings = _read(folder / "CURRENT.json").get("config")
    published = settings.get("name") if isinstance(settings, dict) else None
    for name in (described, published):
        if isinstance(name, str) and name:
            return name
    return folder.name


def _read(path: Path) -> dict[str, Any]:
    """Return a JSON object as far as it is one: this runs while an error is being explained."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
