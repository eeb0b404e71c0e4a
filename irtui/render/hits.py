"""Ranked answers for people."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from irtui.render.links import link_to
from irtui.render.look import Line, Look
from irtui.render.wrap import cells, fit, wrap

__all__ = ["BAR_CELLS", "hits_view", "score_bar", "shown_place"]

BAR_CELLS = 8
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SNIPPET_LINES = 3
_INDENT = "    "


def hits_view(
    data: Sequence[Mapping[str, Any]], options: Mapping[str, Any], look: Look
) -> list[Line]:
    """Return the answers: rank, score bar, title, ``path:line``, and the matching text."""
    best = max((hit["score"] for hit in data), default=0.0)
    lines: list[Line] = []
    for hit in data:
        if lines:
            lines.append([])
        lines += _hit(hit, best, options, look)
    return lines


def score_bar(score: float, best: float, *, unicode: bool = True) -> str:
    """Return a bar of eight cells: how ``score`` compares with the best one.

    >>> score_bar(1.0, 1.0), score_bar(0.5, 1.0, unicode=False)
    ('████████', '####----')
    """
    share = min(max(score / best, 0.0), 1.0) if best > 0 else 0.0
    if not unicode:
        full = round(share * BAR_CELLS)
        return "#" * full + "-" * (BAR_CELLS - full)
    full, part = divmod(round(share * BAR_CELLS * 8), 8)
    bar = "█" * full + (_EIGHTHS[part] if part else "")
    return bar.ljust(BAR_CELLS)


def _hit(hit: Mapping[str, Any], best: float, options: Mapping[str, Any], look: Look) -> list[Line]:
    head: Line = [("dim", f"{hit['rank']:>3} ")]
    if best > 0:  # without words to look for, nothing has a score
        head.append(("bar", score_bar(hit["score"], best, unicode=look.unicode)))
        head.append(("dim", f" {hit['score']:.4f} "))
    title = _title(hit)
    room = look.width - sum(cells(text) for _, text in head) if look.cuts else cells(title)
    style = link_to(hit["path"], hit["line"], "title")
    head.append((style, fit(title, room, ellipsis=look_ellipsis(look))))
    place: Line = [("", _INDENT), (link_to(hit["path"], hit["line"]), _place(hit))]
    if options.get("several"):
        place.append(("dim", f"  in {hit['source']}"))
    if hit.get("via"):
        place.append(("dim", f"  {hit['depth']} away, linked from {_node(hit['via'])}"))
    if hit["gone"]:
        place.append(("warn", "  gone (the file is gone)"))
    elif hit.get("changed"):
        place.append(("warn", "  stale (changed since it was indexed)"))
    return [head, place, *_body(hit, options, look)]


def _title(hit: Mapping[str, Any]) -> str:
    heading = hit["metadata"].get("heading")
    if not isinstance(heading, str) or not heading or heading == hit["title"]:
        return str(hit["title"])
    return f"{hit['title']} › {heading.removeprefix(hit['title'] + ' > ')}"


def _node(node: Any) -> str:
    return "/".join(node) if isinstance(node, (list, tuple)) else str(node)


def _place(hit: Mapping[str, Any]) -> str:
    """Return where a hit is: its place in a file, or its id."""
    path = hit["path"]
    return str(hit["artifact_id"]) if path is None else shown_place(path, hit["line"])


def shown_place(path: str, line: int | None = None) -> str:
    """Return ``path:line``, the path relative when it lies below the current folder."""
    try:
        shown = os.fspath(Path(path).relative_to(Path.cwd()))
    except (ValueError, OSError):
        shown = path
    return f"{shown}:{line}" if line else shown


def _body(hit: Mapping[str, Any], options: Mapping[str, Any], look: Look) -> list[Line]:
    width = look.width - len(_INDENT)
    if options.get("full"):
        lines = wrap(hit["text"], hit.get("text_spans", ()), width)
    else:
        lines = wrap(hit["snippet"].replace("\n", " "), hit["spans"], width, most=_SNIPPET_LINES)
    return [[("", _INDENT), *line] for line in lines]


def look_ellipsis(look: Look) -> str:
    """Return the ellipsis this stream can show."""
    return "…" if look.unicode else "..."
