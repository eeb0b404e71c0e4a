"""What results and remarks look like on a stream: what it can show, in the colours of a theme."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TextIO

from irtui.render.look import Look, look_of

__all__ = ["styled_look"]


def styled_look(stream: TextIO, theme: str = "") -> Look:
    """Return what ``stream`` can show, in the colours of ``theme``, by default of the chosen one.

    A theme of ``#rrggbb`` colours is used where the terminal says that it has them or 256 others.
    Where it does not, where nothing was chosen, and for a theme that cannot be read, the styles
    are those of the terminal's own palette.
    """
    look = look_of(stream)
    if not look.color:
        return look
    from irtui.commands.kept import chosen_theme

    name = theme or chosen_theme()
    if not name:
        return look
    from irtui.theme import ThemeError, find_theme, shell_styles

    depth = _depth()
    try:
        found = find_theme(name)
    except ThemeError:
        return look  # irtui themes tells what is wrong; each line of output need not
    if not (found.ansi or depth):
        return look
    return replace(look, styles=shell_styles(found, depth=depth))


def _depth() -> int:
    """Return how many bits a colour of this terminal has beyond the sixteen of its palette."""
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return 24
    kind = os.environ.get("TERM", "")
    return 24 if kind.endswith("-direct") else 8 if "256" in kind or "kitty" in kind else 0
