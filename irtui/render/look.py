"""Styled text, and the one place where it becomes terminal output.

Renderers build lines of ``(style, text)`` spans and know nothing of escape codes. Only
:func:`paint` turns them into text, and it cleans every span: nothing of a document reaches a
terminal unchecked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO, TypeAlias

from irtui.render.clean import clean_line
from irtui.render.links import Link, linked

__all__ = ["PLAIN", "Line", "Look", "Span", "look_of", "paint"]

Span: TypeAlias = tuple[str, str]
"""A style name (``""`` for none) and a text."""

Line: TypeAlias = list[Span]

PLAIN: Mapping[str, str] = {
    "title": "1",
    "match": "1;7",
    "dim": "2",
    "bar": "36",
    "good": "32",
    "warn": "33",
    "bad": "31",
}
"""Parameters of SGR by style where no theme was chosen: the terminal's own palette."""

_ASCII = {ord("…"): "...", ord("›"): ">", ord("·"): "-"}
"""What our own glyphs become where they cannot be shown."""

_DUMB = ("", "dumb", "unknown")


@dataclass(frozen=True, slots=True)
class Look:
    """What an output stream can show, and the parameters of SGR by style.

    ``cuts`` says that what is wider than the stream is cut: programs are to see all of it.
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    links: bool = False
    styles: Mapping[str, str] = field(default_factory=lambda: PLAIN)
    cuts: bool = True


def look_of(stream: TextIO) -> Look:
    """Return what ``stream`` can show.

    Colours and links need a terminal that is not dumb and no ``NO_COLOR``; ``COLUMNS`` beats the
    terminal's own width; else on a stream that is no terminal text is wrapped at 100 columns, and
    the cells of tables and titles are not cut.
    """
    terminal = stream.isatty()
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in _DUMB
    links = color and os.environ.get("TERM") != "linux"  # the console would show their escapes
    asked = _asked_width()
    width, unicode = asked or _width(stream, terminal), _speaks_unicode(stream)
    return Look(width, color, unicode, links, cuts=terminal or bool(asked))


def paint(lines: Iterable[Sequence[Span]], look: Look) -> str:
    """Return the lines as text with line ends, cleaned, styled when ``look`` has colours."""
    return "".join(
        "".join(_span(style, text, look) for style, text in line).rstrip(" ") + "\n"
        for line in lines
    )


def _span(style: str, text: str, look: Look) -> str:
    text = clean_line(text)
    if not look.unicode:
        text = text.translate(_ASCII)
    code = look.styles.get(style)
    shown = f"\x1b[{code}m{text}\x1b[0m" if look.color and code and text else text
    return linked(shown, style.uri) if look.links and isinstance(style, Link) and text else shown


def _asked_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return max(20, int(columns)) if columns.isdigit() and int(columns) > 0 else 0


def _width(stream: TextIO, terminal: bool) -> int:
    if not terminal:
        return 100
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns or 80)
    except (OSError, ValueError):
        return 80


def _speaks_unicode(stream: TextIO) -> bool:
    try:
        "▇…·".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
