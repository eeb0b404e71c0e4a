"""YAML frontmatter: the fields at the head of a note, and the body below them.

Forgiving on purpose: one bad line costs that line, never the other fields and never the body.
The block is composed to a node graph and converted here, because a YAML loader would drop
duplicate keys silently, fail as a whole, build Python objects of alias bombs, and read ``NO`` as
a boolean and ``12:30`` as 750.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

__all__ = ["Frontmatter", "split_frontmatter"]

_MAX_BLOCK = 256_000
_MAX_NODES = 5_000
_MAX_DEPTH = 16
_MAX_TEXT = 4_000
_MAX_INTEGER = 2**63

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
# "key:" at the start of a line, quoted or plain.
_KEY_LINE = re.compile(
    r"""(?:(?:"[^"\n]+"|'[^'\n]+')\s*|-?[^\s#\-:{}\[\],&*!|>'"%@`][^:\n]*):(?:\s|$)"""
)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})"
    r"(?:\.([0-9]{1,6})[0-9]*)?)?[ \t]*(?:([Zz])|([-+])([0-9]{1,2})(?::?([0-9]{2}))?)?"
)
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))

_TAG_KEYS = frozenset(("tags", "tag"))
_LIST_KEYS = _TAG_KEYS | {"aliases", "alias", "keywords"}


@dataclass(slots=True)
class Frontmatter:
    """The fields of a note and what is below them.

    ``fields`` are JSON values: text, finite numbers, booleans, lists, mappings; dates and times
    in ISO 8601; absent values left out. ``line_offset`` is the number of lines above ``body``.
    ``notes`` are ``(reason, sentence)`` pairs on what was odd, with line numbers of the file.
    """

    body: str
    fields: dict[str, Any] = field(default_factory=dict)
    line_offset: int = 0
    notes: list[tuple[str, str]] = field(default_factory=list)


def split_frontmatter(text: str) -> Frontmatter:
    """Split the frontmatter off ``text``, which has ``\\n`` line ends and no byte order mark.

    A block opens with ``---`` on the very first line and closes with ``---`` or ``...``, at the
    end of the file too. Prose between two rules is no frontmatter. ``tags``, ``aliases`` and
    ``keywords`` always become lists of text: at commas, tags also at white space, without ``#``.
    """
    opened = _OPEN.match(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    if opened is None or closed is None:
        return Frontmatter(text)
    block = text[opened.end() : closed.start()]
    result = Frontmatter(text[closed.end() :], line_offset=text.count("\n", 0, closed.end()))
    if len(block) > _MAX_BLOCK:
        result.notes.append(("frontmatter-too-large", "the frontmatter is too large to be read"))
        return result
    fields = _parse(block, result.notes)
    if fields is None:
        return Frontmatter(text)
    for key, value in fields.items():
        if key in _LIST_KEYS:
            value = _as_list(key, value)
        if value is not None:
            result.fields[key] = value
    return result


def _parse(block: str, notes: list[tuple[str, str]]) -> dict[str, Any] | None:
    """Return the fields of a block, or ``None`` when it is prose."""
    import yaml

    try:
        node = _compose(block)
    except yaml.YAMLError as error:
        if not any(_KEY_LINE.match(line) for line in block.splitlines()):
            return None
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 2})" if mark is not None else ""
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        notes.append(("invalid-yaml", f"the frontmatter is not valid YAML: {problem}{line}"))
        return _by_entry(block, notes)
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        return None
    return _Converter(notes, first_line=2).mapping(node)


def _compose(text: str) -> yaml.Node | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=loader)
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error
    return node


def _by_entry(block: str, notes: list[tuple[str, str]]) -> dict[str, Any]:
    """Read a broken block one top-level entry at a time, keeping what can be read."""
    import yaml

    fields: dict[str, Any] = {}
    for line, entry in _entries(block):
        node = None
        for attempt in (entry, entry.expandtabs(2)):
            try:
                node = _compose(attempt)
                break
            except yaml.YAMLError:
                continue
        if isinstance(node, yaml.MappingNode):
            found = _Converter(notes, first_line=line).mapping(node)
        else:
            found = _plainly(entry)
            if not found:
                key = entry.split(":", 1)[0].strip()
                notes.append(("invalid-yaml", f"{key!r} (line {line}) cannot be read"))
        for key, value in found.items():
            if key in fields:
                notes.append(("duplicate-key", f"the key {key!r} comes again on line {line}"))
            fields[key] = value
    return fields


def _entries(block: str) -> Iterator[tuple[int, str]]:
    """Yield ``(line of the file, text)`` of each top-level entry: its line and what hangs on it."""
    start, lines = 0, list[str]()
    for number, line in enumerate(block.splitlines(), 2):
        if _KEY_LINE.match(line):
            if lines:
                yield start, "\n".join(lines)
            start, lines = number, [line]
        elif lines:
            lines.append(line)
    if lines:
        yield start, "\n".join(lines)


def _plainly(entry: str) -> dict[str, Any]:
    """Read ``key: any text`` or a ``key:`` with ``- items``, taking the text as it stands."""
    first, *rest = [line for line in entry.splitlines() if line.strip()]
    key, _, value = first.partition(":")
    key, value = key.strip().strip("'\""), value.strip()
    items = [line.strip() for line in rest if not line.strip().startswith("#")]
    if value and not items:
        return {key: value[:_MAX_TEXT]}
    if items and not value and all(item.startswith("-") for item in items):
        texts = [item[1:].strip().strip("'\"") for item in items]
        return {key: [text[:_MAX_TEXT] for text in texts[:_MAX_NODES] if text]}
    return {}


class _Converter:
    """Turns nodes into JSON values, a bounded number of them, and notes duplicate keys."""

    def __init__(self, notes: list[tuple[str, str]], *, first_line: int) -> None:
        self.notes = notes
        self.first_line = first_line
        self.budget = _MAX_NODES

    def mapping(self, node: yaml.MappingNode, depth: int = 0) -> dict[str, Any]:
        """Return a mapping without its empty values; the last of duplicate keys wins."""
        import yaml

        result: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + self.first_line
            if not isinstance(key_node, yaml.ScalarNode):
                self.notes.append(("invalid-yaml", f"a key on line {line} is no text"))
                continue
            key = str(key_node.value).strip()[:_MAX_TEXT]
            if not key or key == "<<":
                continue
            if key in lines:
                self.notes.append(
                    ("duplicate-key", f"the key {key!r} is on lines {lines[key]} and {line}")
                )
            lines[key] = line
            try:
                value = self.value(value_node, depth + 1)
            except _TooMuch:
                self.notes.append(
                    ("frontmatter-too-large", f"the value of {key!r} (line {line}) is too large")
                )
                value = None
                if depth:
                    raise
            if value is None:
                result.pop(key, None)
            else:
                result[key] = value
        return result

    def value(self, node: yaml.Node, depth: int) -> Any:
        import yaml

        self.budget -= 1
        if self.budget < 0 or depth > _MAX_DEPTH:
            raise _TooMuch
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth) or (None if node.value else {})
        if isinstance(node, yaml.SequenceNode):
            items = [self.value(item, depth + 1) for item in node.value]
            return [item for item in items if item is not None]
        if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:binary":
            return None
        text = str(node.value)
        if node.style not in (None, ""):
            return text.rstrip("\n")[:_MAX_TEXT]
        return _dated(text) if node.tag == "tag:yaml.org,2002:str" else _scalar(text)


class _TooMuch(Exception):  # noqa: N818 - it never leaves this module
    """More nodes or levels than any frontmatter written by hand has."""


def _scalar(text: str) -> Any:
    """Return the value of a plain scalar by the YAML 1.2 core schema, dates as ISO 8601."""
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text) and len(text) < 20:
        number = int(text)
        return number if -_MAX_INTEGER <= number < _MAX_INTEGER else text
    if _FLOAT.fullmatch(text):
        real = float(text)
        return real if math.isfinite(real) else text
    return _dated(text)


def _dated(text: str) -> str:
    """Return a date or time in ISO 8601, any other text as it is."""
    try:
        return _moment(text) or text[:_MAX_TEXT]
    except ValueError:  # the 31st of June
        return text[:_MAX_TEXT]


def _moment(text: str) -> str | None:
    """Return a YAML date or time in ISO 8601, or ``None`` for other text."""
    if _DATE.fullmatch(text):
        return date(*map(int, text.split("-"))).isoformat()
    found = _DATETIME.fullmatch(text)
    if found is None:
        return None
    day, hour, minute, second, fraction, zulu, sign, zone_hours, zone_minutes = found.groups()
    year, month, of_month = map(int, day.split("-"))
    micro = int((fraction or "0").ljust(6, "0"))
    moment = datetime(year, month, of_month, int(hour), int(minute), int(second or 0), micro)
    zone = ""
    if zulu:
        zone = "+00:00"
    elif sign:
        zone = f"{sign}{int(zone_hours):02d}:{int(zone_minutes or 0):02d}"
    return moment.isoformat() + zone


def _as_list(key: str, value: Any) -> Any:
    """Return tags, aliases and keywords as a list of text, however they were written."""
    if isinstance(value, dict):
        return value
    items = value if isinstance(value, list) else [value]
    if isinstance(value, str):
        between = r"[,\s]+" if key in _TAG_KEYS else r"\s*,\s*"
        items = re.split(between, value)
    texts = [item if isinstance(item, (list, dict)) else str(item).strip() for item in items]
    if key in _TAG_KEYS:
        texts = [text.lstrip("#") if isinstance(text, str) else text for text in texts]
    return [text for text in texts if text != ""]
