"""Selected hits as markdown, JSON lines or paths; a hit as a citation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from irtui.tui.selection import LEVELS, Picked

__all__ = ["FORMATS", "citation", "exported", "json_line", "unwritable"]

FORMATS = {
    "md": "markdown: titles, where they are, their texts",
    "jsonl": "JSON lines: everything, with where it came from",
    "paths": "paths, one a line",
}


def unwritable(name: str) -> str:
    """Return why no new file of that name can be written, or ``""``."""
    file = Path(name.strip() or ".").expanduser()
    if file.is_dir():
        return "this is a folder; add a name"
    if not file.parent.is_dir():
        return f"there is no folder {file.parent}"
    return f"{file} is there already" if file.exists() else ""


def citation(row: Mapping[str, Any]) -> str:
    """Return one line that says where a hit is: title, file and line, docid."""
    where = str(row.get("path") or f"{row['source']}/{row['artifact_id']}")
    if row.get("line"):
        where += f":{row['line']}"
    docid = f" {row['docid']}" if row.get("docid") else ""
    return f"{_one_line(row['title'])} ({where}){docid}"


def json_line(row: Mapping[str, Any]) -> str:
    """Return a hit as one line of JSON."""
    return json.dumps(dict(row), ensure_ascii=False, sort_keys=True, default=str)


def exported(items: Iterable[tuple[Picked, str]], form: str) -> str:
    """Return picked hits with their texts in one of :data:`FORMATS`, in their order.

    Raises:
        ValueError: for a format there is not.
    """
    pairs = list(items)
    if form == "md":
        return _markdown(pairs)
    if form == "jsonl":
        return "".join(f"{_line(item, text)}\n" for item, text in pairs)
    if form == "paths":
        paths = dict.fromkeys(
            str(item.row.get("path") or f"{item.row['source']}/{item.row['artifact_id']}")
            for item, _ in pairs
        )
        return "".join(f"{path}\n" for path in paths)
    raise ValueError(f"the format must be one of {', '.join(FORMATS)}, not {form!r}")


def _line(item: Picked, text: str) -> str:
    told = {
        "key": item.key.replace("\0", "/"),
        "query": item.query,
        "mode": item.mode,
        "rank": item.rank,
        "score": item.score,
        "at": item.at,
        "level": LEVELS[item.level],
        "text": text,
        "hit": dict(item.row),
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True, default=str)


def _markdown(pairs: Sequence[tuple[Picked, str]]) -> str:
    parts = []
    for item, text in pairs:
        fence = "```"
        while fence in text:
            fence += "`"
        parts.append(
            f"## {_one_line(item.title)}\n\n{citation(item.row)}  \n"
            f"found by “{_one_line(item.query)}” ({item.mode}, rank {item.rank}, "
            f"score {item.score:.4g}), as {LEVELS[item.level]}\n\n"
            f"{fence}\n{text.rstrip()}\n{fence}\n"
        )
    return "\n".join(parts)


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())
