"""From spans of ``(role, text)`` to what a terminal shows: cleaned, cut, styled by the theme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip

from irtui.render.clean import clean_line

__all__ = ["PAINT_CSS", "ROLES", "Span", "content_of", "marked", "strip_of", "text_of"]

Span: TypeAlias = tuple[str, str]
"""A role of :data:`ROLES` (``""`` for plain text) and a text."""

_RULES = {
    "title": "color: $ir-title; text-style: bold;",
    "muted": "color: $ir-muted;",
    "match": "color: $ir-match; background: $ir-match-background; text-style: bold underline;",
    "cursor": "color: $ir-cursor; background: $ir-cursor-background; text-style: $ir-cursor-style;",
    "selected": "color: $ir-selected; text-style: bold;",
    "score": "color: $ir-score;",
    "heading": "color: $ir-heading; text-style: bold;",
    "code": "color: $ir-code;",
    "link": "color: $ir-link; text-style: underline;",
    "chip": "color: $ir-chip; background: $ir-chip-background;",
    "ok": "color: $ir-ok;",
    "due": "color: $ir-due;",
    "failed": "color: $ir-failed; text-style: bold;",
    "running": "color: $ir-running;",
    "strong": "text-style: bold;",
    "emphasis": "text-style: italic;",
}
ROLES = tuple(_RULES)
"""Every role there is."""

PAINT_CSS = "\n".join(f"&> .line--{role} {{ {rule} }}" for role, rule in _RULES.items())
"""Rules for a widget's style sheet; it names :data:`ROLES` as ``line--…`` component classes."""


def strip_of(
    spans: Iterable[Span],
    styles: Mapping[str, Style],
    width: int,
    *,
    line: int | None = None,
) -> Strip:
    """Return one line of exactly ``width`` cells: cleaned, cut, and filled.

    ``styles`` gives each role its whole style, ``""`` to plain text. With ``line`` the cells know
    their place in the text, which marking with the mouse needs.
    """
    segments: list[Segment] = []
    cells = at = 0
    for role, text in spans:
        text = clean_line(text)
        if cells >= width:  # nothing more can be seen, which the last cell is to say
            if text.strip() and segments:
                last = segments[-1]
                segments[-1] = Segment(_cut(last.text + "…", cell_len(last.text)), last.style)
                break
            continue
        length = len(text) if text.isascii() else cell_len(text)
        if cells + length > width:
            text = _cut(text, width - cells)
            length = width - cells
        if not text:
            continue
        style = styles[role]
        segments.append(Segment(text, style if line is None else _placed(style, at, line)))
        cells, at = cells + length, at + len(text)
    if cells < width:
        rest = styles[""] if line is None else _placed(styles[""], at, line)
        segments.append(Segment(" " * (width - cells), rest))
    return Strip(segments, width)


def _cut(text: str, width: int) -> str:
    """Return the beginning of a text that is too long, in ``width`` cells; its end says so."""
    if not width or cell_len(text.rstrip()) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…"


@lru_cache(16_384)
def _placed(style: Style, x: int, y: int) -> Style:
    """Return a style that knows where in its text it stands; making one is dear."""
    return style + Style.from_meta({"offset": (x, y)})


def content_of(spans: Iterable[Span], classes: dict[str, str] | None = None) -> Content:
    """Return the spans as content, for widgets that are no line views.

    ``classes`` gives styles of Textual to roles; without it they have the theme's colours.
    """
    return Content.assemble(
        *(
            (clean_line(text), (classes or _CONTENT_STYLES).get(role, ""))
            if role
            else clean_line(text)
            for role, text in spans
            if text
        )
    )


_CONTENT_STYLES = {
    "title": "bold $ir-title",
    "muted": "$ir-muted",
    "match": "bold underline $ir-match on $ir-match-background",
    "cursor": "bold $ir-cursor on $ir-cursor-background",
    "selected": "bold $ir-selected",
    "score": "$ir-score",
    "heading": "bold $ir-heading",
    "code": "$ir-code",
    "link": "underline $ir-link",
    "chip": "$ir-chip on $ir-chip-background",
    "ok": "$ir-ok",
    "due": "$ir-due",
    "failed": "bold $ir-failed",
    "running": "$ir-running",
    "strong": "bold",
    "emphasis": "italic",
}


def marked(text: str, spans: Iterable[Sequence[int]], role: str = "") -> list[Span]:
    """Return ``text`` as spans in ``role``, with the ranges ``spans`` of it as matches."""
    parts: list[Span] = []
    at = 0
    for start, end in sorted((int(pair[0]), int(pair[1])) for pair in spans):
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        parts += [(role, text[at:start]), ("match", text[start:end])]
        at = end
    parts.append((role, text[at:]))
    return [part for part in parts if part[1]]


def text_of(spans: Iterable[Span]) -> str:
    """Return the text of spans, cleaned."""
    return "".join(clean_line(text) for _, text in spans)
