"""How much of a hit is revealed, in five levels from its id to the whole document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.live import Live
from irtui.commands.runner import run

__all__ = ["REVEALED", "revealed"]

REVEALED = ("id", "snippet", "passage", "section", "document")
"""The names of the levels, least first."""


def revealed(
    live: Live, row: Mapping[str, Any], level: int, *, query: str = "", max_chars: int | None = None
) -> dict[str, Any]:
    """Return the text of a hit at a level.

    Args:
        live: the open corpora.
        row: the hit as a search hands it out.
        level: an index into :data:`REVEALED`; anything beyond its ends is its nearest end.
        query: what to mark.
        max_chars: cut the text after so many characters.

    Returns:
        ``level``, ``text``, ``spans`` (``[start, end)`` of matches), ``first`` (the number of the
        first line, ``None`` where the text has no lines of a file), ``truncated``,
        ``characters`` (before cutting).

    Raises:
        IrError: when the document is not there any more.
    """
    from irengine.text import match_spans
    from irtui.grammar import compile_query

    level = max(0, min(level, len(REVEALED) - 1))
    name = REVEALED[level]
    words = compile_query(query).text
    first: int | None = None
    if name == "document":
        told = live.read(
            str(row["source"]), str(row["artifact_id"]), query=query, max_chars=max_chars
        )
        return {
            "level": level,
            "text": told["text"],
            "spans": told["spans"],
            "first": told["from"],
            "truncated": told["truncated"],
            "characters": told["characters"],
        }
    if name == "id":
        facts = {"id": row["artifact_id"], "corpus": row["source"], "docid": row.get("docid")}
        facts |= dict(row.get("metadata") or {})
        lines = [
            str(row["title"]),
            "",
            *(f"{key}: {_value(value)}" for key, value in facts.items()),
        ]
        text = "\n".join(lines)
    elif name == "snippet":
        text = str(row["snippet"])
        return _told(level, text, [list(span) for span in row["spans"]], None, max_chars)
    elif name == "passage":
        text = str(row["text"])
        line = (row.get("metadata") or {}).get("line_start")
        first = line if isinstance(line, int) else None
    else:
        text = run(
            "expand",
            which=str(row["artifact_id"]),
            corpus=[str(row["source"])],
            part=int(row.get("surface_index") or 0),
            window=1,
        ).data["text"]
    spans = match_spans(text, words) if words.strip() and name != "id" else []
    return _told(level, text, [list(span) for span in spans], first, max_chars)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _told(
    level: int, text: str, spans: list[list[int]], first: int | None, max_chars: int | None
) -> dict[str, Any]:
    kept = text if max_chars is None else text[:max_chars]
    return {
        "level": level,
        "text": kept,
        "spans": [span for span in spans if span[1] <= len(kept)],
        "first": first,
        "truncated": len(kept) < len(text),
        "characters": len(text),
    }
