"""What the app shows, as plain text."""

from __future__ import annotations

from typing import Any

__all__ = ["text"]


def text(app: Any) -> str:
    """Return the screen as lines of text without trailing blanks."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join(strip.text.rstrip() for strip in strips)
