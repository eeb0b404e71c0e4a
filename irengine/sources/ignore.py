"""What a walk leaves out: ignore files with git's rules, and the caller's own exclusions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irengine.errors import ParameterError, ParameterTypeError
from irengine.sources.gitignore import IgnorePatterns

__all__ = [
    "DFLT_EXCLUDE_DIRS",
    "IGNORE_FILES",
    "IgnoreRules",
    "ancestor_rules",
    "enter",
    "exclusion",
]

DFLT_EXCLUDE_DIRS = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        "site-packages",
        ".tox",
        "build",
        "dist",
        ".ipynb_checkpoints",
        ".obsidian",
    ]
)
"""Folder names no walk enters unless told to: vendored, generated or private to a tool."""

IGNORE_FILES = (".gitignore", ".ignore", ".irignore")
"""The ignore files that are read, weakest first within one folder; no other name ever is."""

_MAX_IGNORE_BYTES = 1_000_000
_MAX_CLIMB = 64


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in a folder: its own ignore files, then those of the folders above.

    ``above`` is the number of leading characters of an id that the folder's own prefix takes;
    ``lead`` is put before an id when the ignore file lies above the root. As in git, the deepest
    file that says anything about a path decides, and nothing inside an ignored folder comes back.
    """

    patterns: IgnorePatterns
    above: int = 0
    lead: str = ""
    outer: IgnoreRules | None = None

    def ignored(self, item: str) -> bool:
        """Return whether ``item``, an id relative to the root (folders end in ``/``), is out."""
        rules: IgnoreRules | None = self
        while rules is not None:
            verdict = rules.patterns.verdict(rules.lead + item[rules.above :])
            if verdict is not None:
                return verdict
            rules = rules.outer
        return False


def enter(
    folder: str, prefix: str, names: Iterable[str], outer: IgnoreRules | None
) -> IgnoreRules | None:
    """Return the rules inside ``folder``, whose ids start with ``prefix``.

    ``names`` are the ignore files it holds, weakest first.
    """
    lines: list[str] = []
    for name in names:
        lines += _lines(Path(folder) / name)
    patterns = IgnorePatterns(lines)
    return IgnoreRules(patterns, len(prefix), "", outer) if patterns else outer


def ancestor_rules(root: Path, ignore_files: Sequence[str]) -> IgnoreRules | None:
    """Return the rules that the git repository around ``root`` sets for it from above.

    An ignore file that would hide ``root`` as a whole is passed over: whoever names a folder
    wants it. Outside a repository nothing above the root is read.
    """
    above: list[Path] = []
    for folder in (root, *root.parents)[:_MAX_CLIMB]:
        above.append(folder)
        if _exists(folder / ".git"):
            break
    else:
        return None
    rules: IgnoreRules | None = None
    for folder in reversed(above[1:]):
        patterns = IgnorePatterns(line for name in ignore_files for line in _lines(folder / name))
        if not patterns:
            continue
        lead = _nfc(root.relative_to(folder).as_posix()) + "/"
        parts = lead.split("/")[:-1]
        steps = ["/".join(parts[: n + 1]) + "/" for n in range(len(parts))]
        if not any(patterns.verdict(step) for step in steps):
            rules = IgnoreRules(patterns, 0, lead, rules)
    return rules


def exclusion(exclude: Any) -> Callable[[str], bool] | None:
    """Return a predicate over ids (folders end in ``/``) from what a caller may exclude by.

    Args:
        exclude: a pattern in ``.gitignore`` syntax or an iterable of them, a compiled regular
            expression (searched), or a callable; ``None`` excludes nothing.
    """
    if exclude is None:
        return None
    if isinstance(exclude, re.Pattern):
        return lambda item: exclude.search(item) is not None
    if callable(exclude):
        return lambda item: bool(exclude(item))
    patterns = [exclude] if isinstance(exclude, str) else exclude
    if not isinstance(patterns, Iterable) or isinstance(patterns, (bytes, bytearray)):
        raise ParameterTypeError(f"exclude must be patterns, not {type(exclude).__name__}")
    patterns = list(patterns)
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise ParameterTypeError(f"an exclusion must be text, not {type(pattern).__name__}")
    compiled = IgnorePatterns(_nfc(pattern) for pattern in patterns)
    if compiled.broken:
        raise ParameterError(
            f"{compiled.broken[0]!r} is no exclusion pattern",
            hint="write it as in a .gitignore file",
        )
    return (lambda item: bool(compiled.verdict(item))) if compiled else None


def _lines(path: Path) -> list[str]:
    """Return the lines of an ignore file; none when it cannot be read or is absurdly large."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_IGNORE_BYTES:
            return []
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return []
    return _nfc(text).split("\n")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
