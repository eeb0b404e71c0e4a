"""What discover would commit to, and why it stops there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["marks_of", "reason_of"]

_REASONS = {
    "max_k": "as many as it may take",
    "single": "there is only one candidate",
    "exhausted": "there are no more candidates",
    "nonpositive_top": "the best has no positive score",
    "rel_threshold": "the next is too far below the best",
    "score_gap": "there is a gap before the next",
    "abs_threshold": "the next is below the floor",
}


def marks_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the key of each hit that is committed to, with the mark it gets."""
    return {
        f"{result.get('source') or ''}\0{result['artifact_id']}": f"◆{place}"
        for place, result in enumerate(data.get("results") or (), 1)
    }


def reason_of(data: Mapping[str, Any]) -> str:
    """Return in a sentence what is committed to and why not the next."""
    selection = data.get("selection") or data
    reason = str(selection.get("reason") or "")
    signals = selection.get("signals") or {}
    count = len(data.get("results") or ())
    if reason.startswith("abstain") or not count:
        why = reason.partition(":")[2].replace("_", " ") or "nothing fits well enough"
        return f"discover commits to nothing: {why}"
    said = f"discover commits to {count} (◆): {_REASONS.get(reason, reason.replace('_', ' '))}"
    if isinstance(signals.get("min_ratio"), (int, float)):
        said += f"; the last has {100 * signals['min_ratio']:.0f} % of the best"
    if isinstance(signals.get("min_score"), (int, float)):
        said += f"; floor {signals['min_score']:.3g}"
    return said
