"""Copying: the terminal's clipboard where it takes it, and always a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["copied"]

_MOST = 100_000
"""Bytes; terminals drop a longer escape sequence, some of them half of it."""


def copied(app: App[int], text: str, *, what: str = "") -> str:
    """Copy ``text`` and return what to say about it.

    The escape sequence for the clipboard has no answer, so the text is also kept in a file, whose
    name is said.
    """
    from irtui.commands.kept import scratch_folder
    from irtui.render.clean import clean

    text = clean(text)
    file = scratch_folder() / "clip.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        kept = f"; also in {file}"
    except OSError as error:
        kept = f"; not kept in a file: {error.strerror or error}"
    said = what or f"{len(text):,} characters"
    if len(text.encode("utf-8")) > _MOST:
        return f"{said}: too long for a terminal's clipboard{kept}"
    app.copy_to_clipboard(text)
    return f"copied {said}{kept}"
