"""The explanation of a score as a tree with bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.tui.widgets.painting import Span

__all__ = ["why_lines"]

_BAR = 12


def why_lines(data: Mapping[str, Any], *, width: int = 80) -> list[list[Span]]:
    """Return what ``irtui explain --json`` says as lines."""
    lines: list[list[Span]] = []
    rank, ranked = data.get("rank"), data.get("n_ranked") or 0
    if rank is None:
        return [[("due", "It is not in this ranking: nothing of it matched.")]]
    hit = data.get("hit") or {}
    score = float(hit.get("score") or 0.0)
    best = float(data.get("best_score") or 0.0)
    lines.append(
        [("title", f"rank {rank:,}"), ("", f" of {ranked:,} for "), ("match", str(data["query"]))]
    )
    lines.append(
        [
            ("", "score "),
            ("title", f"{score:.4g}"),
            ("", " "),
            *_bar(score, best),
            ("muted", f" best {best:.4g}"),
        ]
    )
    lines.append([])
    lines += _tree(dict(data.get("explanation") or {}), "", width)
    return lines


def _bar(value: float, most: float) -> list[Span]:
    share = 0.0 if most <= 0 else max(0.0, min(1.0, value / most))
    full = round(share * _BAR)
    return [("score", "█" * full), ("muted", "░" * (_BAR - full))]


def _tree(told: Mapping[str, Any], indent: str, width: int) -> list[list[Span]]:
    lines: list[list[Span]] = []
    entries = list(told.items())
    numbers = [abs(v) for _, v in entries if _is_number(v)]
    most = max(numbers, default=0.0)
    # A rank and a score are no parts of one whole; terms and shares are.
    inner = "rank" not in told and len(numbers) == len(entries) and bool(indent)
    for place, (name, value) in enumerate(entries):
        last = place == len(entries) - 1
        branch = f"{indent}{'└─' if last else '├─'} "
        deeper = f"{indent}{'   ' if last else '│  '}"
        head: list[Span] = [("muted", branch), ("heading", str(name))]
        if isinstance(value, Mapping):
            lines.append(head)
            lines += _tree(value, deeper, width)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            lines.append(head)
            named = {
                str(v.get("term", v.get("name", i))): _without_name(v) for i, v in enumerate(value)
            }
            lines += _tree(named, deeper, width)
        elif _is_number(value):
            bar = _bar(abs(value), most) if inner and most > 0 else []
            lines.append([*head, ("", f" {value:.4g} "), *bar])
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append([*head, ("", f" {text}")])
    return lines


def _without_name(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in value.items() if key not in ("term", "name")}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
