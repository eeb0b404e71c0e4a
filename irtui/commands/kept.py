"""What a front end remembers between runs: history, saved searches, named sets, its layout.

One JSON file in the configuration folder, shared by the app, the prompt and the command line. It is
written whole and swapped into place; what another process changed since it was read stays. A file
that is damaged counts as empty and is kept beside the new one.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
from pathlib import Path
from typing import Any

__all__ = ["Kept", "chosen_theme", "kept_folder", "scratch_folder"]

_MOST_QUERIES = 500
_LOCK_SECONDS = 5.0


def kept_folder() -> Path:
    """Return the folder of settings: ``keys.toml``, ``themes/``, ``app.json``."""
    from irengine.config import config_dir

    return config_dir()


def scratch_folder() -> Path:
    """Return the folder of what is safe to delete."""
    from irengine.config import cache_dir

    return cache_dir()


def chosen_theme() -> str:
    """Return the name of the theme to use, ``""`` when none was chosen; ``NO_COLOR`` chooses."""
    if os.environ.get("NO_COLOR"):
        from irtui.theme import MONO

        return MONO
    kept = Kept().layout.get("theme")
    return kept if isinstance(kept, str) else ""


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
        self._take(self._read())

    def _take(self, told: dict[str, Any]) -> None:
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
        self._before = copy.deepcopy(self._told())

    def _told(self) -> dict[str, Any]:
        return {
            "history": self.history,
            "searches": self.searches,
            "sets": self.sets,
            "layout": self.layout,
        }

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
        """Write what changed here since it was read; return what is wrong, or ``""``.

        Changes of other processes are taken over.
        """
        from filelock import FileLock, Timeout

        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.file}.lock", timeout=_LOCK_SECONDS):
                return self._write(_merged(self._before, self._told(), self._read()))
        except (OSError, Timeout) as error:
            return f"{self.file} cannot be written: {getattr(error, 'strerror', '') or error}"

    def write_or_raise(self) -> None:
        """Write what changed, as :meth:`write` does.

        Raises:
            StoreError: when it cannot be written.
        """
        problem = self.write()
        if problem:
            from irengine.errors import StoreError

            raise StoreError(problem)

    def _write(self, told: dict[str, Any]) -> str:
        import tempfile

        name = ""
        try:
            handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=".app-", suffix=".json")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(told, out, ensure_ascii=True, indent=1)
            Path(name).replace(self.file)
        except OSError as error:
            with contextlib.suppress(OSError):
                Path(name).unlink(missing_ok=True)
            return f"{self.file} cannot be written: {error.strerror or error}"
        self._take(told)
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


def _merged(before: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return ``theirs`` with the changes that lead from ``before`` to ``mine``."""
    known = set(before["history"])
    new = [q for q in _list(theirs.get("history")) if isinstance(q, str) and q not in known]
    asked = [q for q in new if q not in mine["history"]] + mine["history"]
    merged: dict[str, Any] = {"history": asked[-_MOST_QUERIES:]}
    for part in ("searches", "sets", "layout"):
        was, now, there = before[part], mine[part], _dict(theirs.get(part))
        kept = {name: value for name, value in there.items() if name in now or name not in was}
        changed = {
            name: value for name, value in now.items() if name not in was or was[name] != value
        }
        merged[part] = {**kept, **changed}
    return merged


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
