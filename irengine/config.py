"""Where things live, and how a corpus name becomes a folder name.

Every function reads the environment when it is called and returns a path without
creating it: looking never leaves a trace. Writers make the folders they write to.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path

from irengine.errors import InvalidName, StoreError

__all__ = [
    "APP_NAME",
    "cache_dir",
    "config_dir",
    "corpora_dir",
    "corpus_dir",
    "data_dir",
    "embeddings_cache_dir",
    "exclude_path",
    "excluded_patterns",
    "registry_path",
    "safe_name",
]

APP_NAME = "irengine"
"""The folder name used below the platform's config, data and cache roots."""

_MAX_SLUG = 60
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{d}{i}" for d in ("com", "lpt") for i in range(1, 10)]
)


def config_dir() -> Path:
    """Return the configuration folder: ``$IR_CONFIG_DIR``, else the platform's own."""
    return _directory("IR_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """Return the folder that holds corpora: ``$IR_DATA_DIR``, else the platform's own.

    Raises:
        StoreError: when a file is in its place, or in that of a folder it is in.
    """
    return _no_file(_directory("IR_DATA_DIR", "user_data_path"))


def cache_dir() -> Path:
    """Return the folder of things safe to delete: ``$IR_CACHE_DIR``, else the platform's own."""
    return _directory("IR_CACHE_DIR", "user_cache_path")


def _directory(variable: str, platform_function: str) -> Path:
    override = os.environ.get(variable, "")
    if override:
        return Path(override).expanduser()
    import platformdirs

    path: Path = getattr(platformdirs, platform_function)(APP_NAME, appauthor=False)
    return path


def _no_file(path: Path) -> Path:
    """Return ``path`` unless a file is where the folder would be: nothing could be kept there."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except NotADirectoryError:
        is_folder = False
    except OSError:  # not there yet; what is closed is said by whoever opens it
        return path
    if not is_folder:
        raise StoreError(
            f"indexes cannot be kept in {path}: there is a file where a folder has to be",
            hint="set IR_DATA_DIR to a folder, or move the file away",
        )
    return path


def safe_name(name: str) -> str:
    """Return the folder name of ``name``: unique for each name, safe on every file system.

    A plain lower-case name (letters, digits, ``-``, ``_``, inner dots, up to 60 characters)
    is its own slug; anything else gets a readable stem and eight hex digits of its SHA-256, so
    that ``a/b``, ``a_b`` and ``A_B`` never share a folder. Names are compared after NFC.

    Raises:
        InvalidName: for an empty or blank name, ``.``, ``..`` (also as a part of a path, as in
            ``../x``), or control characters.

    >>> safe_name("notes")
    'notes'
    >>> safe_name("a/b").startswith("a_b~")
    True
    """
    if not isinstance(name, str):
        raise InvalidName(f"a corpus name must be text, not {type(name).__name__}")
    name = unicodedata.normalize("NFC", name)
    if not name.strip() or name.strip(".") == "":
        raise InvalidName(
            f"{name!r} cannot be a corpus name", hint="use at least one letter or digit"
        )
    if {".", ".."} & set(re.split(r"[/\\]", name)):
        raise InvalidName(
            f"{name!r} cannot be a corpus name: it is a path that leads elsewhere",
            hint="a name is no place; it may hold / but no part of it may be . or ..",
        )
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        raise InvalidName(f"the corpus name {name!r} holds control characters")
    if (
        len(name) <= _MAX_SLUG
        and _PLAIN.fullmatch(name)
        and name.split(".")[0] not in _WINDOWS_DEVICES
    ):
        return name
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._").lower()[:_MAX_SLUG] or "corpus"
    import hashlib

    return f"{stem}~{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def corpora_dir() -> Path:
    """Return the folder below which each corpus has its own folder."""
    return _no_file(data_dir() / "corpora")


def corpus_dir(name: str) -> Path:
    """Return the folder of the corpus ``name`` (see :func:`safe_name`)."""
    return corpora_dir() / safe_name(name)


def embeddings_cache_dir(model_id: str) -> Path:
    """Return the folder that caches document embeddings of ``model_id``."""
    return cache_dir() / "embeddings" / safe_name(model_id)


def registry_path() -> Path:
    """Return the registry file."""
    return config_dir() / "corpora.json"


def exclude_path() -> Path:
    """Return the file of package-exclusion patterns."""
    return config_dir() / "exclude"


def excluded_patterns() -> list[str]:
    """Return the patterns of :func:`exclude_path`; ``[]`` when there is no such file.

    One ``fnmatch`` pattern a line, UTF-8. Blank lines and comments are dropped; a comment
    starts at a ``#`` at the beginning of the line or after white space.
    """
    try:
        text = exclude_path().read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]
