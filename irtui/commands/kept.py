"""What a front end remembers between runs: history, saved searches, named sets, its layout.

One JSON file in the configuration folder, written whole and swapped into place. A file that is
damaged counts as empty and is kept beside the new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["Kept", "kept_folder", "scratch_folder"]

_MOST_QUERIES = 500


def kept_folder() -> Path:
    """Return the folder of settings: ``keys.toml``, ``themes/``, ``app.json``."""
    from irengine.config import config_dir

    return config_dir()


def scratch_folder() -> Path:
    """Return the folder of what is safe to delete."""
    from irengine.config import cache_dir

    return cache_dir()


class Kept:
    """The remembered state. Reading never fails and makes nothing; writing says what is wrong.

    Attributes:
        history: queries, oldest first, each once, at most 500.
        searches: saved searches by name.
        sets: named sets: lists of picked hits as JSON data, by name.
        layout: settings of the screen by name.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = kept_folder() / "app.json" if file is None else file
        told = self._read()
        self.history: list[str] = [q for q in _list(told.get("history")) if isinstance(q, str)]
        self.searches: dict[str, str] = {
            name: query
            for name, query in _dict(told.get("searches")).items()
            if isinstance(query, str)
        }
        self.sets: dict[str, list[dict[str, Any]]] = {
            name: [item for item in items if isinstance(item, dict) and "key" in item]
            for name, items in _dict(told.get("sets")).items()
            if isinstance(items, list)
        }
        self.layout: dict[str, Any] = _dict(told.get("layout"))

    def asked(self, query: str) -> None:
        """Take a query into the history; one that begins with a blank is not kept."""
        if not query.strip() or query[0].isspace():
            return
        text = query.strip()
        if text in self.history:
            self.history.remove(text)
        self.history.append(text)
        del self.history[:-_MOST_QUERIES]

    def write(self) -> str:
        """Write the file; return what is wrong, or ``""``."""
        told = {
            "history": self.history,
            "searches": self.searches,
            "sets": self.sets,
            "layout": self.layout,
        }
        name = ""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=".app-", suffix=".json")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(told, out, ensure_ascii=True, indent=1)
            Path(name).replace(self.file)
        except OSError as error:
            with contextlib.suppress(OSError):
                Path(name).unlink(missing_ok=True)
            return f"{self.file} cannot be written: {error.strerror or error}"
        return ""

    def _read(self) -> dict[str, Any]:
        try:
            return _dict(json.loads(self.file.read_text(encoding="utf-8")))
        except OSError:
            return {}
        except (ValueError, RecursionError):
            with contextlib.suppress(OSError):
                self.file.replace(self.file.with_suffix(".damaged.json"))
            return {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
