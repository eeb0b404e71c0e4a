"""The outline of a Markdown text: headings and code fences, with offsets.

A reading of CommonMark that needs one pass of one regular expression. ATX headings and one-line
setext headings count, unless they stand in a code fence, in an HTML comment or in the
frontmatter. A fence that is never closed runs to the end, as CommonMark says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Heading", "Outline", "first_heading", "headings", "outline"]

_TITLE_LIMIT = 200
_PATH_SEPARATOR = " > "

# Every line that can open or close something. A byte order mark may precede the first one.
_MARKER = re.compile(
    r"(?:^|\A\ufeff)(?P<indent>[ \t]*)"
    r"(?:(?P<atx>\#{1,6})(?=[ \t\r\n]|\Z)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<rule>=+|-+)[ \t]*\r?$"
    r"|(?P<comment><!--))",
    re.MULTILINE,
)
# Its first line must be `key: …` or a comment: a text may also open with a thematic break, and
# must not lose everything up to the next one.
_FRONTMATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?:\#.*|[\w\"'].*:.*)\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)"
)
# What cannot be the text of a setext heading: another block opens on that line.
_NOT_SETEXT = re.compile(r"\s{4}|\t|\s*(?:$|[-*+>|#]|\d{1,9}[.)]\s|`{3}|~{3}|<)")
_MARKUP = re.compile(r"[#*_`~<{\[]")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_ATTRIBUTES = re.compile(r"\s*\{[#.][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"(?<![\w\\])(\*{1,3}|_{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1(?!\w)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: ``level`` 1 to 6, plain ``title``, 1-based ``line``, ``start`` and ``end``.

    ``start`` and ``end`` are code-point offsets of the whole heading (for a setext heading both
    its lines), without the final line end. The title has no markup and may be empty.
    """

    level: int
    title: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings and code fences of a text, both in text order.

    ``fences`` are ``(start, end)`` code-point offsets: from the line of the opening fence to the
    end of the line of the closing one.
    """

    headings: tuple[Heading, ...] = ()
    fences: tuple[tuple[int, int], ...] = ()
    paths: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        paths: list[str] = []
        stack: list[Heading] = []
        for heading in self.headings:
            while stack and stack[-1].level >= heading.level:
                stack.pop()
            stack.append(heading)
            paths.append(_PATH_SEPARATOR.join(h.title for h in stack if h.title))
        object.__setattr__(self, "paths", tuple(paths))


def _plain(title: str) -> str:
    """Return a heading's text without inline markup, white space folded, at most 200 long."""
    title = title[: 4 * _TITLE_LIMIT]
    if _MARKUP.search(title):
        title = _without_markup(title)
    title = " ".join(title.split())
    return title if len(title) <= _TITLE_LIMIT else title[: _TITLE_LIMIT - 1].rstrip() + "…"


def _without_markup(title: str) -> str:
    title = _CLOSING_HASHES.sub("", title)
    title = _ATTRIBUTES.sub("", title)
    title = _LINK.sub(r"\1", _WIKI_LINK.sub(r"\1", title))
    title = _TAG.sub("", title)
    for _ in range(3):  # bold inside italics inside code
        title, changed = _EMPHASIS.subn(r"\2", title)
        if not changed:
            break
    return title


def outline(text: str) -> Outline:
    """Return the headings and code fences of ``text`` in one pass.

    A ``#`` in a code fence, in an HTML comment, indented by four or more, or without a following
    space is no heading. A line underlined with ``=`` or ``-`` is one when a blank line or a
    heading precedes it. A leading YAML frontmatter block is skipped.
    """
    found: list[Heading] = []
    fences: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None  # where the open fence starts, and its marker
    skip_to = front.end() if (front := _FRONTMATTER.match(text)) else 0
    line, counted = 1, 0
    block_end = -1  # of the latest heading or fence

    def add(level: int, title: str, start: int, end: int) -> None:
        nonlocal line, counted, block_end
        line += text.count("\n", counted, start)
        counted, block_end = start, end
        found.append(Heading(level, _plain(title), line, start, end))

    for match in _MARKER.finditer(text):
        start = match.start("indent")
        if start < skip_to:
            continue
        indent = len(match["indent"].expandtabs(4))
        end = _line_end(text, match.end())
        if match["fence"]:
            marker, info = match["fence"], match["info"]
            if opened is None:
                if not (marker[0] == "`" and "`" in info):
                    opened = (start, marker)
            elif marker.startswith(opened[1]) and not info.strip():
                fences.append((opened[0], end))
                opened, block_end = None, end
        elif opened is not None:
            continue
        elif match["comment"]:
            close = text.find("-->", match.end())
            skip_to = close + 3 if close >= 0 else skip_to
        elif indent >= 4:
            continue
        elif match["atx"]:
            add(len(match["atx"]), text[match.end() : end], start, end)
        elif title := _setext_title(text, start, block_end, skip_to):
            add(1 if match["rule"][0] == "=" else 2, title[1], title[0], end)
    if opened is not None:
        fences.append((opened[0], len(text)))
    return Outline(tuple(found), tuple(fences))


def _line_end(text: str, position: int) -> int:
    """Return the end of the line ``position`` is on, before its line end."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def _setext_title(text: str, rule: int, block_end: int, floor: int) -> tuple[int, str] | None:
    """Return ``(start, title)`` of the one-line paragraph above an underline, or ``None``.

    The paragraph starts at ``floor``, after a blank line, or after a heading or fence.
    """
    if rule <= floor:
        return None
    start = max(text.rfind("\n", 0, rule - 1) + 1, 1 if text.startswith("\ufeff") else 0)
    title = text[start : rule - 1]
    if start < floor or _NOT_SETEXT.match(title):
        return None
    above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
    if above.strip(" \t\r\ufeff") and start > floor and block_end < start - 2:
        return None
    return start, title


def headings(text: str) -> list[Heading]:
    """Return the headings of ``text`` in order.

    >>> [(h.level, h.title, h.line) for h in headings("# A\\n```\\n# no\\n```\\nB\\n")]
    [(1, 'A', 1)]
    """
    return list(outline(text).headings)


def first_heading(text: str) -> str | None:
    """Return the plain title of the first heading that has one, or ``None``.

    >>> first_heading("```sh\\n# not me\\n```\\n\\n## *Me* ##\\n")
    'Me'
    """
    return next((h.title for h in outline(text).headings if h.title), None)
