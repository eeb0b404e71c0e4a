"""Sessions: command lines with pipes and names, for scripts, the prompt and the app's ``:`` line.

:func:`run_line` runs one line in a :class:`Session`. The engine is imported when a command runs,
and prompt_toolkit only where a prompt is drawn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irtui.shell.front import Captured, Front, captured_front
    from irtui.shell.running import run_line
    from irtui.shell.session import Session

_HOMES = {
    "Captured": "front",
    "Front": "front",
    "Session": "session",
    "captured_front": "front",
    "run_line": "running",
}

__all__ = ["Captured", "Front", "Session", "captured_front", "run_line"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
