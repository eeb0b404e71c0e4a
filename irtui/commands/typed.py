"""What a line for commands needs of the process that has the corpora open.

Functions to be called through :meth:`irtui.commands.live.Live.call`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.catalog import Catalog, read_catalog
from irtui.commands.context import Context
from irtui.commands.live import Live
from irtui.commands.runner import run
from irtui.commands.spec import Result

__all__ = ["catalog_of", "noted"]


def noted(live: Live, command: str, params: Mapping[str, Any]) -> tuple[Result, list[str]]:
    """Run a command of an entered line; return its result and the remarks it made on the way.

    Raises:
        UsageError, IrError: as the command does.
    """
    del live
    notes: list[str] = []
    result = run(command, Context(note=notes.append, finished=True), **params)
    return result, notes


def catalog_of(live: Live) -> Catalog:
    """Return what can be named: corpora, fields, values and artifacts."""
    del live
    return read_catalog()
