"""The figures of a test collection as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.render.look import Line, Look

__all__ = ["evaluated_view"]

_COLUMNS = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "map@100")


def evaluated_view(data: Mapping[str, Any], options: Mapping[str, Any], look: Look) -> list[Line]:
    """Return one line a variant, and below it the interval of its nDCG."""
    del options, look
    variants: Mapping[str, Any] = data["variants"]
    wide = max((len(name) for name in variants), default=0)
    lines: list[Line] = [
        [
            ("title", data["name"]),
            (
                "dim",
                f"  {data['documents']:,} documents, {data['queries']:,} queries, "
                f"{data['embedder_id'] or 'no vectors'}",
            ),
        ],
        [("dim", f"{'':{wide}}  " + "".join(f"{name:>11}" for name in _COLUMNS) + f"{'ms':>9}")],
    ]
    best = (
        {name: max(figures["metrics"][name] for figures in variants.values()) for name in _COLUMNS}
        if variants
        else {}
    )
    for variant, figures in variants.items():
        line: Line = [("", f"{variant:{wide}}  ")]
        for name in _COLUMNS:
            value = figures["metrics"][name]
            line.append(("match" if value == best[name] else "", f"{value:>11.3f}"))
        latency = figures["latency"]
        line.append(("dim", f"{latency['p50']:>9.1f}" if latency else f"{'':>9}"))
        low, high = figures["intervals"]["ndcg@10"]
        lines += [line, [("dim", f"{'':{wide}}  {f'{low:.3f}–{high:.3f}':>11}")]]
    return lines
