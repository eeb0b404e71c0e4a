"""The renderer of every view name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irtui.render import answers, evaluated, maintained, reports, upkeep
from irtui.render.hits import hits_view
from irtui.render.look import Line, Look, paint
from irtui.render.shapes import Shape, row_of, rows_of
from irtui.render.tables import cell_text, table

__all__ = ["VIEWS", "show", "show_fields"]

VIEWS: Mapping[str, Callable[[Any, Mapping[str, Any], Look], list[Line]]] = {
    "hits": hits_view,
    "discovery": answers.discovery_view,
    "disclosed": answers.disclosed_view,
    "shown": answers.shown_view,
    "got": answers.got_view,
    "got_several": answers.got_several_view,
    "passage": answers.passage_view,
    "explained": answers.explained_view,
    "facets": answers.facets_view,
    "similar": answers.similar_view,
    "path": answers.path_view,
    "links": answers.links_view,
    "builds": reports.builds_view,
    "tried": reports.tried_view,
    "corpora": reports.corpora_view,
    "info": reports.info_view,
    "registered": reports.registered_view,
    "removed": reports.removed_view,
    "verified": reports.verified_view,
    "forgotten": reports.forgotten_view,
    "maintained": maintained.maintained_view,
    "evaluated": evaluated.evaluated_view,
    "commands": reports.commands_view,
    "completion": reports.completion_view,
    "schedule": upkeep.schedule_view,
    "coverage": upkeep.coverage_view,
    "served": upkeep.served_view,
    "watched": upkeep.watched_view,
    "themes": upkeep.themes_view,
}


def show(view: str, data: Any, options: Mapping[str, Any], look: Look) -> str:
    """Return ``data`` as text for people, cleaned and fitted to ``look``."""
    return paint(VIEWS[view](data, options, look), look)


def show_fields(data: Any, shape: Shape, fields: Sequence[str], look: Look) -> str:
    """Return the named fields of each row as a table for people."""
    rows = [row_of(row, fields, shape) for row in rows_of(data, shape)]
    cells = [[cell_text(value) for value in row.values()] for row in rows]
    return paint(table(fields, cells, look), look) if rows else ""
