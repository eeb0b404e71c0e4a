"""The pattern language of ``.gitignore`` files, compiled to one regular expression a file.

Matches a path exactly, the way a walk asks: folder by folder, from the top. That something inside
an ignored folder is ignored too follows from not entering it, so patterns never match through a
folder, and what git does with negations comes out as it does in git.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["IgnorePatterns"]

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class IgnorePatterns:
    """The patterns of one ``.gitignore`` file; the last one that matches decides.

    ``broken`` holds the lines that are no pattern; like git, the others work without them.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.broken: list[str] = []
        self._ignores: list[bool] = []
        parts: list[str] = []
        for line in lines:
            pattern, negated = _stripped(line)
            if not pattern:
                if negated:
                    self.broken.append(line)
                continue
            expression = _translated(pattern)
            try:
                re.compile(expression)
            except re.error:
                self.broken.append(line)
                continue
            parts.append(f"({expression})")
            self._ignores.append(not negated)
        # The first alternative that matches wins, so the last pattern comes first.
        self._ignores.reverse()
        self._regex = re.compile("|".join(reversed(parts))) if parts else None

    def __bool__(self) -> bool:
        return self._regex is not None

    def verdict(self, path: str) -> bool | None:
        """Return whether ``path`` is ignored; ``None`` when no pattern matches it.

        ``path`` is relative to the folder of the file; that of a folder ends in ``/``.
        """
        match = None if self._regex is None else self._regex.fullmatch(path)
        if match is None or match.lastindex is None:
            return None
        return self._ignores[match.lastindex - 1]


def _stripped(line: str) -> tuple[str, bool]:
    """Return the pattern of a line and whether it is negated; ``""`` for a comment or a blank."""
    line = line.rstrip("\r\n")
    while line.endswith((" ", "\t")) and not line.endswith("\\" + line[-1]):
        line = line[:-1]
    if line.startswith("#"):
        return "", False
    if line.startswith("!"):
        return line[1:], True
    return line, False


def _translated(pattern: str) -> str:
    """Return the regular expression of one pattern."""
    only_folders = pattern.endswith("/")
    pattern = pattern[:-1] if only_folders else pattern
    anchored = "/" in pattern
    pattern = re.sub(r"/\*\*(?=(?:/\*\*)+(?:/|$))", "", pattern).removeprefix("/")
    start = "" if anchored else "(?:.+/)?"
    end = "/" if only_folders else "/?"
    while anchored and pattern.startswith("**/"):
        start, pattern = "(?:.+/)?", pattern[3:]
    if anchored and pattern == "**":
        return start + "(?:.+)" + ("/" if only_folders else "")
    if pattern.endswith("/**"):  # everything inside, not the folder itself
        pattern, end = pattern[:-3], "/.*[^/]/" if only_folders else "/.+"
    return start + "(?:/|/.+/)".join(map(_segments, pattern.split("/**/"))) + end


def _segments(pattern: str) -> str:
    """Return the regular expression of a pattern without any special ``**``."""
    out: list[str] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "*":
            while position < len(pattern) and pattern[position] == "*":
                position += 1
            # A name is never empty: "a/*" is not the folder "a/" itself.
            whole = not out or out[-1] == "/"
            out.append("(?=[^/])[^/]*" if whole else "[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "[":
            found = _bracket(pattern, position)
            if found is None:
                return r"(?!)"  # git: an unclosed bracket matches nothing
            out.append(found[0])
            position = found[1]
        elif char == "\\":
            if position == len(pattern):
                return r"(?!)"
            out.append(re.escape(pattern[position]))
            position += 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _bracket(pattern: str, position: int) -> tuple[str, int] | None:
    """Return the character class that opens before ``position`` and where it ends."""
    negated = pattern[position : position + 1] in ("!", "^") and bool(pattern[position:])
    position += negated
    body = ""
    first = True
    while position < len(pattern) and (first or pattern[position] != "]"):
        first = False
        named = re.compile(r"\[:([a-z]+):\]").match(pattern, position)
        if named:
            if named[1] not in _CLASSES:
                return None
            body += _CLASSES[named[1]]
            position = named.end()
            continue
        char = pattern[position]
        if char == "\\":
            position += 1
            if position == len(pattern):
                return None
            char = pattern[position]
        position += 1
        body += char if char == "-" and body else "\\" + char if not char.isalnum() else char
    if position >= len(pattern):
        return None
    return f"(?!/)[{'^' if negated else ''}{body}]", position + 1
