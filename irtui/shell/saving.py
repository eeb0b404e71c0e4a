"""Selections kept under a name, for later sessions and for the app."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from irengine.errors import nearest
from irtui import exit_codes
from irtui.commands.kept import Kept
from irtui.commands.spec import UsageError
from irtui.shell.front import Front
from irtui.shell.session import Session, key_of, source_of

__all__ = ["load", "picked_data", "save", "unsave"]

_PASSAGE, _DOCUMENT = 2, 4
"""How much the app reveals of what has a text, and of what has none."""


def save(session: Session, words: list[str], front: Front) -> int:
    """Keep the selection under a name, or list what is kept."""
    kept = Kept()
    if not words:
        rows = [(name, f"{len(items)} selected") for name, items in sorted(kept.sets.items())]
        if not rows:
            front.remarks.note("nothing is kept yet; :save NAME keeps $sel")
        front.write_pairs(rows)
        return exit_codes.OK
    name = _one(":save", words)
    rows_now = session.selection.rows
    if not rows_now:
        raise UsageError("nothing is selected", hint="select $1 $3 takes rows of the last listing")
    at = time.time()
    kept.sets[name] = [
        picked_data(row, rank, query=session.query, mode=session.mode or "hybrid", at=at)
        for rank, row in enumerate(rows_now, 1)
    ]
    kept.write_or_raise()
    session.changed = True
    front.remarks.note(f"{len(rows_now)} kept as {name}; :load {name} takes them back")
    return exit_codes.OK


def load(session: Session, words: list[str], front: Front) -> int:
    """Add what is kept under a name to the selection."""
    items = _named(Kept(), _one(":load", words))
    rows = [item["row"] for item in items if isinstance(item.get("row"), dict)]
    added = session.select(rows)
    front.remarks.note(f"{added} selected, {len(session.selection.rows)} in all")
    return exit_codes.OK


def unsave(session: Session, words: list[str], front: Front) -> int:
    """Keep a selection no longer; what is selected now stays selected."""
    kept, name = Kept(), _one(":unsave", words)
    items = _named(kept, name)
    del kept.sets[name]
    kept.write_or_raise()
    session.changed = True
    front.remarks.note(f"{name} is kept no longer ({len(items)} selected)")
    return exit_codes.OK


def picked_data(
    row: Mapping[str, Any], place: int, *, query: str, mode: str, at: float
) -> dict[str, Any]:
    """Return a row of a result as the app keeps what is selected.

    Args:
        row: what was selected: an artifact of a corpus.
        place: the rank of a row that says none.
        query, mode: what was asked last.
        at: when, in seconds since 1970.

    Raises:
        UsageError: for a row that is no artifact of a corpus.
    """
    source, artifact = source_of(row), row.get("artifact_id")
    if source is None or not isinstance(artifact, str):
        raise UsageError(
            f"{key_of(row) or 'a row'} is not in a corpus, so it cannot be kept",
            hint="drop it first; :save keeps what search, discover or similar found",
        )
    text = next((row[name] for name in ("text", "passage", "body") if row.get(name)), "")
    key = f"{source}\0{artifact}"
    shown = {
        "title": artifact,
        "snippet": str(row.get("summary") or text[:300]),
        "spans": [],
        "surface_index": 0,
        "metadata": {},
        **{name: value for name, value in row.items() if value is not None},
        "text": text,
        "key": key,
    }
    score = row.get("score")
    return {
        "key": key,
        "row": shown,
        "query": query,
        "mode": mode,
        "rank": row["rank"] if isinstance(row.get("rank"), int) else place,
        "score": float(score) if isinstance(score, (int, float)) else 0.0,
        "at": at,
        "level": _PASSAGE if text else _DOCUMENT,
        "tokens": -(-len(text.encode("utf-8", "replace")) // 4),
    }


def _one(usage: str, words: list[str]) -> str:
    if len(words) != 1 or not words[0].strip():
        raise UsageError(f"{usage} needs one name", hint=":save lists them")
    return words[0].strip()


def _named(kept: Kept, name: str) -> list[dict[str, Any]]:
    if name not in kept.sets:
        hint = nearest(name, kept.sets) or f"kept: {', '.join(sorted(kept.sets)) or 'nothing'}"
        raise UsageError(f"nothing is kept as {name!r}", hint=hint)
    return kept.sets[name]
