"""The renderer of every view name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from irtui.render.look import Line, Look, paint
from irtui.render.shapes import Shape, row_of, rows_of
from irtui.render.tables import cell_text, table

__all__ = ["lines_of", "show", "show_fields"]

_HOMES = {
    "hits": "hits",
    "answers": (
        "discovery disclosed shown got got_several passage explained facets similar path links"
    ),
    "reports": (
        "builds tried corpora info registered edited removed verified forgotten commands completion"
    ),
    "maintained": "maintained",
    "evaluated": "evaluated",
    "upkeep": "schedule coverage served watched themes",
}
"""The modules, and the views in each: ``NAME_view(data, options, look)``.

A module is imported when a view of it is shown.
"""

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def lines_of(view: str, data: Any, options: Mapping[str, Any], look: Look) -> list[Line]:
    """Return ``data`` as styled lines for people, fitted to ``look``.

    Raises:
        KeyError: for a view there is not.
    """
    module = importlib.import_module(f"irtui.render.{_HOME_OF[view]}")
    render: Callable[[Any, Mapping[str, Any], Look], Any] = getattr(module, f"{view}_view")
    return cast("list[Line]", render(data, options, look))


def show(view: str, data: Any, options: Mapping[str, Any], look: Look) -> str:
    """Return ``data`` as text for people, cleaned and fitted to ``look``."""
    return paint(lines_of(view, data, options, look), look)


def show_fields(data: Any, shape: Shape, fields: Sequence[str], look: Look) -> str:
    """Return the named fields of each row as a table for people."""
    rows = [row_of(row, fields, shape) for row in rows_of(data, shape)]
    cells = [[cell_text(value) for value in row.values()] for row in rows]
    return paint(table(fields, cells, look), look) if rows else ""
