"""Find the links in Markdown text: ``[[wikilinks]]``, ``[text](path)`` and definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["MAX_TARGET", "split_wikilink", "text_links", "wikilinks"]

MAX_TARGET = 1000
"""Characters of a link's target; longer ones are no links."""

_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+|\n[ \t]*\n")
_TOKEN = re.compile(
    r"""
    (?=[\\\[\]\n]) (?: \\[^\n]
    | \[\[ (?P<wiki>[^\[\]\n]{1,1000}) \]\]
    | (?P<open>\[)
    | \]\( [ \t]*(?:\n[ \t]*)?
      (?: <(?P<angle>[^<>\n]*)> | (?P<bare>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*) )
      (?= [ \t]*(?:\n[ \t]*)?\) | [ \t]+(?:\n[ \t]*)?["'(] | \n[ \t]*["'(] )
    | (?P<close>\])
    | (?P<break>\n[ \t]*\n) )
    """,
    re.VERBOSE,
)
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[[^\]\[\n^][^\]\[\n]*\]:[ \t]*(?:\n[ \t]*)?(?:<([^<>\n]*)>|([^\s<\[(]\S*))",
    re.MULTILINE,
)
_WIKI = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")


def text_links(text: str) -> Iterator[tuple[str, str]]:
    """Yield ``(kind, target)`` of each link in ``text``, as written, in order.

    The kind is ``"wiki"`` for ``[[target]]`` and ``![[target]]`` (the target with its heading and
    alias), ``"path"`` for the destination of ``[text](destination)``, of an image, and of
    ``[name]: destination`` (these last). Nothing in fenced code, code spans and HTML comments is
    a link, nor what a backslash stands before. Takes time linear in the text.
    """
    if "[[" not in text and "](" not in text and "]:" not in text:
        return
    text = _without_code(text)
    opened = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            opened += 1
        elif kind == "wiki":
            yield "wiki", token["wiki"]
        elif kind == "break":
            opened = 0
        elif kind is not None and opened:
            opened -= 1
            if kind != "close" and 0 < len(token[kind]) <= MAX_TARGET:
                yield "path", token[kind]
    if "]:" in text:
        for definition in _DEFINITION.finditer(text):
            target = definition[1] or definition[2]
            if target and len(target) <= MAX_TARGET:
                yield "path", target


def wikilinks(text: str) -> list[str]:
    """Return the inside of each ``[[wikilink]]`` in a line of metadata."""
    return _WIKI.findall(text)


def split_wikilink(inside: str) -> tuple[str, str]:
    r"""Return ``(target, heading)`` of what stands between ``[[`` and ``]]``.

    >>> split_wikilink(r"Bees#Hives\|the hives")
    ('Bees', 'Hives')
    """
    target = inside.partition("|")[0].removesuffix("\\")
    target, _, heading = target.partition("#")
    return target.strip(), heading.strip()


def _without_code(text: str) -> str:
    if "```" in text or "~~~" in text:
        text = _blanked(text, _fences(text))
    if "`" in text:
        text = _blanked(text, _code_spans(text))
    if "<!--" in text:
        text = _blanked(text, _comments(text))
    return text


def _blanked(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """Return ``text`` with a space in place of each span; spans ascend."""
    pieces, at = [], 0
    for start, stop in spans:
        pieces += [text[at:start], " "]
        at = stop
    return "".join(pieces) + text[at:]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield each block of fenced code; one that is not closed goes on to the end."""
    opener: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        ticks, rest = line[1], line[2]
        if opener is None:
            if ticks[0] == "~" or "`" not in rest:
                opener = line
        elif ticks.startswith(opener[1]) and not rest.strip():
            yield opener.start(), line.end()
            opener = None
    if opener is not None:
        yield opener.start(), len(text)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield each code span: two runs of as many backticks, with no blank line between."""
    paragraph: list[tuple[int, int, int]] = []
    for token in _TICKS.finditer(text):
        start, stop = token.span()
        if text[start] == "`":
            paragraph.append((start, stop, int(text[start - 1 : start] == "\\")))
        elif paragraph:
            yield from _paired(paragraph)
            paragraph = []
    yield from _paired(paragraph)


def _paired(runs: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Pair runs of backticks: an opener closes at the next run of its length."""
    closers: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):  # so that the nearest is last
        start, stop, _ = runs[number]
        closers.setdefault(stop - start, []).append(number)
    at = 0
    while at < len(runs):
        start, stop, escaped = runs[at]
        start += escaped  # a backslash takes one backtick out of an opening run
        waiting = closers.get(stop - start, [])
        while waiting and waiting[-1] <= at:
            waiting.pop()
        if stop > start and waiting:
            yield start, runs[waiting[-1]][1]
            at = waiting[-1]
        at += 1


def _comments(text: str) -> Iterator[tuple[int, int]]:
    at = text.find("<!--")
    while at >= 0:
        stop = text.find("-->", at + 4)
        if stop < 0:
            return
        yield at, stop + 3
        at = text.find("<!--", stop + 3)
