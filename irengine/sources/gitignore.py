"""The pattern language of ``.gitignore`` files, compiled to one regular expression a file.

Matches a path exactly, the way a walk asks: folder by folder, from the top. That something inside
an ignored folder is ignored too follows from not entering it, so patterns never match through a
folder, and what git does with negations comes out as it does in git.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

__all__ = ["IgnorePatterns"]

_NEVER = "(?!)"  # what git takes for a pattern that matches nothing
_MAX_DEEP = 6  # more "/**/" than this is an attack on the matcher
_NAMED_CLASS = re.compile(r"\[:([a-z]+):\]")
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
        # Patterns without a slash look at the name alone, the others at the whole path.
        names: list[tuple[str, int]] = []
        paths: list[tuple[str, int]] = []
        self._ignores: list[bool] = []
        self._lines: list[str] = []
        marks = itertools.count()
        for line in lines:
            pattern, negated = _stripped(line)
            if not pattern:
                if negated:
                    self.broken.append(line)
                continue
            expression = _translated(pattern, marks)
            try:
                re.compile(expression)
            except re.error:
                self.broken.append(line)
                continue
            group = paths if "/" in pattern[:-1] else names
            group.append((expression, len(self._ignores)))
            self._ignores.append(not negated)
            self._lines.append(line.rstrip("\r\n"))
        self._names = _LastMatch(names) if names else None
        self._paths = _LastMatch(paths) if paths else None

    def __bool__(self) -> bool:
        return bool(self._ignores)

    def verdict(self, path: str) -> bool | None:
        """Return whether ``path`` is ignored; ``None`` when no pattern matches it.

        ``path`` is relative to the folder of the file; that of a folder ends in ``/``.
        """
        last = self._last(path)
        return self._ignores[last] if last >= 0 else None

    def deciding(self, path: str) -> str | None:
        """Return the line that decides on ``path``; ``None`` when none matches it."""
        last = self._last(path)
        return self._lines[last] if last >= 0 else None

    def _last(self, path: str) -> int:
        last = -1
        if self._paths is not None:
            last = self._paths.number(path)
        if self._names is not None:
            last = max(last, self._names.number(path[path.rfind("/", 0, -1) + 1 :]))
        return last


class _LastMatch:
    """Numbered expressions as one: which of those that match has the highest number."""

    def __init__(self, expressions: list[tuple[str, int]]) -> None:
        # The first alternative that matches wins, so the last comes first.
        parts = (f"(?P<p{number}>{text})" for text, number in reversed(expressions))
        self._regex = re.compile("|".join(parts))

    def number(self, text: str) -> int:
        """Return the highest number that matches the whole ``text``; -1 for none."""
        match = self._regex.fullmatch(text)
        return -1 if match is None or match.lastgroup is None else int(match.lastgroup[1:])


def _stripped(line: str) -> tuple[str, bool]:
    """Return the pattern of a line and whether it is negated; ``""`` for a comment or a blank."""
    line = line.rstrip("\r\n")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    if line.startswith("#"):
        return "", False
    if line.startswith("!"):
        return line[1:], True
    return line, False


def _translated(pattern: str, marks: Iterator[int]) -> str:
    """Return the regular expression of one pattern; ``marks`` number its inner groups."""
    only_folders = pattern.endswith("/")
    pattern = pattern[:-1] if only_folders else pattern
    end = "/" if only_folders else "/?"
    if "/" not in pattern:
        return _name(pattern, marks) + end
    # "/**/**/" says no more than "/**/".
    pattern = re.sub(r"/\*\*(?=(?:/\*\*)+(?:/|$))", "", pattern).removeprefix("/")
    start = ""
    while pattern.startswith("**/"):
        start, pattern = "(?:.+/)?", pattern[3:]
    if pattern == "**":
        return f"{start}.+{'/' if only_folders else ''}"
    if pattern.endswith("/**"):  # everything inside, not the folder itself
        pattern, end = pattern[:-3], "/.*[^/]/" if only_folders else "/.+"
    runs = pattern.split("/**/")
    if len(runs) > _MAX_DEEP:
        return _NEVER
    named = ("/".join(_name(name, marks) for name in run.split("/")) for run in runs)
    return start + "(?:/|/.+/)".join(named) + end


def _name(pattern: str, marks: Iterator[int]) -> str:
    """Return the regular expression of the pattern of one name, between slashes.

    Of a name with several stars each but the last takes the first place where what follows it
    fits, and keeps it: the shortest is always right, and nothing is tried twice.
    """
    chunks = [""]
    position = 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
        elif char == "?":
            chunks[-1] += "[^/]"
        elif char == "[":
            found = _bracket(pattern, position)
            if found is None:
                return _NEVER
            chunks[-1] += found[0]
            position = found[1]
        elif char == "\\":
            if position == len(pattern):
                return _NEVER
            chunks[-1] += re.escape(pattern[position])
            position += 1
        else:
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    numbered = ((chunk, next(marks)) for chunk in middle)
    fixed = "".join(f"(?=(?P<s{n}>[^/]*?{chunk}))(?P=s{n})" for chunk, n in numbered)
    # A name is never empty: "a/*" is not the folder "a/" itself.
    return f"{first or '(?=[^/])'}{fixed}[^/]*{last}"


def _bracket(pattern: str, position: int) -> tuple[str, int] | None:
    """Return the character class that opens before ``position``, and where it ends.

    ``None`` for one that is never closed.
    """
    negated = pattern.startswith(("!", "^"), position)
    position += negated
    body = ""
    while position < len(pattern) and not (body and pattern[position] == "]"):
        named = _NAMED_CLASS.match(pattern, position)
        if named:
            if named[1] not in _CLASSES:
                return None
            body += _CLASSES[named[1]]
            position = named.end()
            continue
        char = pattern[position]
        position += 1
        if char == "\\":
            if position == len(pattern):
                return None
            char = "\\" + pattern[position]
            position += 1
        elif char == "-" and not body or not (char.isalnum() or char == "-"):
            char = "\\" + char
        body += char
    if position == len(pattern):
        return None
    return f"(?!/)[{'^' if negated else ''}{body}]", position + 1
