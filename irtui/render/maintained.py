"""What maintenance hands back, for people: one line a corpus. Needs no user-interface package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtui.render.look import Line, Look

__all__ = ["maintained_line", "maintained_view"]

_Data = Mapping[str, Any]

_STYLES = {"done": "good", "failed": "bad", "locked": "warn", "left": "warn"}


def maintained_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return one line a corpus."""
    del options, look
    return [maintained_line(result) for result in data]


def maintained_line(result: _Data) -> Line:
    """Return a corpus' name, what became of it, and its counts."""
    outcome = result["outcome"]
    head: Line = [("title", result["name"]), ("", ": "), (_STYLES.get(outcome, "dim"), outcome)]
    if outcome == "failed":
        hint = f" ({result['hint']})" if result["hint"] else ""
        return [*head, ("", f": {result['reason'].removeprefix('error: ')}{hint}")]
    if outcome != "done":
        following = f", next {_minute(result['next'])}" if result["next"] else ""
        reason = result["reason"].removeprefix("locked: ").removeprefix("dry-run: ")
        left = ""
        if result["remaining"]:
            done = result["added"] + result["changed"]
            left = f"; {done:,} done now, {result['remaining']:,} remain"
        return [*head, ("", f": {reason}{left}{following}")]
    counts = [f"{result[word]:,} {word}" for word in ("added", "changed", "removed", "unchanged")]
    if result["skipped"]:
        counts.append(f"{result['skipped']:,} skipped")
    if result["item_errors"]:
        counts.append(f"{result['item_errors']:,} unreadable")
    if result["synopsis"]:
        counts.append("synopses wait for a model" if result["waiting"] else "synopses written")
    return [*head, ("", f": {', '.join(counts)}"), ("dim", f" · {result['seconds']:.1f} s")]


def _minute(moment: str) -> str:
    return f"{moment[:10]} {moment[11:16]} UTC"
