"""Terminals that take no UTF-8: what they cannot show becomes ASCII of the same width.

Python would write ``\\\\u25cf`` in the place of one cell, and every line after it would be crooked.
"""

from __future__ import annotations

import codecs
from typing import TextIO

from rich.cells import cell_len

__all__ = ["narrow", "plainer"]

_NAME = "irtui-plainer"
_ASCII = str.maketrans(
    {
        "●": "*", "○": "o", "◉": "@", "✓": "+", "✗": "x", "▶": ">", "▸": ">", "▹": ">", "▾": "v",
        "▴": "^", "‖": "=", "•": "*", "·": "-", "×": "x", "…": "~", "–": "-", "—": "-", "−": "-",
        "≈": "~", "≥": ">", "≤": "<", "→": ">", "←": "<", "↑": "^", "↓": "v", "↻": "@", "“": '"',
        "”": '"', "‘": "'", "’": "'", "━": "=", "╸": "-", "┄": ".", "─": "-", "│": "|", "├": "|",
        "└": "`", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "┌": "+", "┐": "+", "┘": "+", "▌": "|",
        "█": "#", "░": ".", "▁": "_", "▂": "_", "▃": "_", "▄": "=", "▅": "=", "▆": "#", "▇": "#",
    }
)  # fmt: skip


def plainer(text: str) -> str:
    """Return text that is as wide in ASCII alone; a character nobody can draw is a ``?``."""
    return "".join(
        each if each.isascii() else "?" * cell_len(each) for each in text.translate(_ASCII)
    )


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plainer(error.object[error.start : error.end]), error.end


def narrow(stream: TextIO | None) -> bool:
    """Let a stream that does not take all of Unicode write :func:`plainer`; return whether so."""
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
    reconfigure = getattr(stream, "reconfigure", None)
    if encoding.startswith("utf") or reconfigure is None:
        return False
    codecs.register_error(_NAME, _replaced)
    reconfigure(errors=_NAME)
    return True
