"""Opening a file in the user's editor at a line, with the app out of the way."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["editor_command", "open_in_editor"]

_COLON = frozenset(
    ("code", "code-insiders", "codium", "cursor", "subl", "zed", "hx", "helix", "micro")
)
_PLUS = frozenset(
    (
        "vi",
        "vim",
        "nvim",
        "view",
        "nano",
        "emacs",
        "emacsclient",
        "kak",
        "joe",
        "ne",
        "mg",
        "less",
        "pico",
    )
)
_CODES = frozenset(("code", "code-insiders", "codium", "cursor"))


def editor_command(path: str, line: int, *, editor: str = "") -> list[str]:
    """Return the command that opens ``path`` at ``line``; empty when there is no editor.

    ``editor`` is a command line; by default ``$VISUAL``, ``$EDITOR``, or what is installed. An
    editor nobody knows gets the file without a line.
    """
    chosen = editor or os.environ.get("VISUAL", "") or os.environ.get("EDITOR", "")
    if not chosen:
        chosen = next((name for name in ("nano", "vim", "vi", "less") if shutil.which(name)), "")
    try:
        words = shlex.split(chosen)
    except ValueError:
        words = [chosen]
    if not words:
        return []
    name = PurePath(words[0]).name
    if name in _CODES:
        return [*words, "--wait", "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*words, f"{path}:{line}"]
    if name in _PLUS:
        return [*words, f"+{line}", path]
    return [*words, path]


def open_in_editor(app: App[int], path: str, line: int) -> str:
    """Suspend the app while the editor runs; return what went wrong, or ``""``."""
    command = editor_command(path, line)
    if not command:
        return "no editor: set EDITOR"
    try:
        with app.suspend():
            status = subprocess.run(command, check=False).returncode
    except SuspendNotSupported:
        return "the app cannot step aside here; copy the path with Y"
    except OSError as error:
        return f"{command[0]}: {error.strerror or error}"
    finally:
        app.refresh(layout=True)
    return "" if status == 0 else f"{command[0]} ended with status {status}"
