"""What the preview shows of a hit, made where the corpora are open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from irtui.commands.levels import revealed
from irtui.commands.live import Live
from irtui.tui.documents import Laid, kind_of, lay_out
from irtui.tui.selection import PASSAGE, tokens_in

__all__ = ["page_of"]


def page_of(
    live: Live, hit: Mapping[str, Any], level: int, *, query: str, width: int, max_chars: int
) -> tuple[Laid, dict[str, Any]]:
    """Return a hit at a level as lines of ``width`` cells, and the facts of it without its text.

    The facts are those of :func:`irtui.commands.levels.revealed`, and ``tokens``: about how many.
    """
    told = revealed(live, hit, level, query=query, max_chars=max_chars)
    laid = lay_out(
        told["text"],
        told["spans"],
        width=width,
        kind=kind_of(hit.get("path"), hit["artifact_id"]) if level >= PASSAGE else "plain",
        name=Path(hit.get("path") or hit["artifact_id"]).name,
        first=told["first"] or 1,
    )
    return laid, {**told, "text": "", "tokens": tokens_in(told["text"])}
