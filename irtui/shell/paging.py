"""Results longer than the screen go through a pager."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

__all__ = ["paged"]


def paged(write: Callable[..., Any], wanted: Callable[[], bool]) -> Callable[..., Any]:
    """Return ``write`` so that a long text is shown page by page while ``wanted()``.

    The pager is ``$IRTUI_PAGER``, else ``$PAGER``, else ``less``; where none is found or it fails
    to start, the text is simply written.
    """

    def show(text: str, *, raw: bool = False) -> None:
        size = shutil.get_terminal_size()
        if raw or not wanted() or _lines(text, size.columns) < size.lines:
            write(text, raw=raw)
            return
        command = os.environ.get("IRTUI_PAGER") or os.environ.get("PAGER") or "less"
        if shutil.which(command.split()[0] if command.split() else "") is None:
            write(text)
            return
        # -R shows our colours, -F leaves at once when all fits, -X keeps it on the screen.
        env = {"LESS": "-RFX", "LESSCHARSET": "utf-8", **os.environ}
        with subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, env=env) as running:
            try:
                running.communicate(text.encode("utf-8", "replace"))
            except KeyboardInterrupt:  # the pager has it as well
                running.wait()

    return show


def _lines(text: str, columns: int) -> int:
    """Return about how many lines of the screen a text takes."""
    width = max(columns, 1)
    return sum(1 + max(len(line) - 1, 0) // width for line in text.split("\n"))
