"""The command layer: every ability of the engine as one typed command, for every front end."""

from __future__ import annotations

from irtui.commands.runner import run, run_command

__all__ = ["run", "run_command"]
