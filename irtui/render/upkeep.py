"""What keeps corpora current, for people: schedules, coverage, and what a watch did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtui.render.look import Line, Look
from irtui.render.tables import pairs, table

__all__ = ["coverage_view", "schedule_view", "served_view", "themes_view", "watched_view"]

_Data = Mapping[str, Any]
_SHOWN = 20


def themes_view(data: Sequence[_Data] | _Data, options: _Data, look: Look) -> list[Line]:
    """Return a line a theme, the one that is used marked."""
    del options
    told = [data] if isinstance(data, Mapping) else data
    rows = [
        (
            "*" if row["active"] else "",
            row["name"],
            row["origin"],
            row["problem"] or row["title"],
        )
        for row in told
    ]
    return table(("", "name", "from", "what it is"), rows, look) if rows else []


def schedule_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return what is scheduled, what is wrong with it, and how to operate it."""
    del look
    style = "bad" if data["problems"] else "good" if data["installed"] else ""
    lines: list[Line] = [[(style, options["headline"])]]
    lines += pairs(options["rows"])
    if data["detail"]:
        lines += [[("", text)] for text in data["detail"].rstrip("\n").split("\n")]
    if data["problems"]:
        lines += [[], [("bad", "Problems:")]]
        lines += [[("bad", "  - "), ("", problem)] for problem in data["problems"]]
    if options["menu"]:
        lines += [[], [("dim", "To operate it:")], *pairs(options["menu"])]
    return lines


def coverage_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return how much of each source is indexed, and what is not."""
    del look
    verbose = bool(options.get("verbose"))
    return [line for report in data for line in _coverage(report, verbose)]


def _coverage(report: _Data, verbose: bool) -> list[Line]:
    name: Line = [("title", report["name"]), ("", ": ")]
    if "error" in report:
        error = report["error"]
        hint = f" ({error['hint']})" if error["hint"] else ""
        return [[*name, ("bad", "not known"), ("", f": {error['message']}{hint}")]]
    whole = not (report["missing"] or report["stale"] or report["vanished"])
    blank = f"{report['blank']:,} of them blank, " if report["blank"] else ""
    share = f"{report['coverage_ratio']:.1%}"
    lines: list[Line] = [
        [
            *name,
            ("good" if whole else "warn", share),
            (
                "",
                f" indexed: {report['indexed']:,} of {report['should_index']:,}, "
                f"{blank}{report['on_disk']:,} on disk",
            ),
        ]
    ]
    for word in ("missing", "stale", "vanished", "kept"):
        lines += _listed(word, report[word], verbose)
    for rule, count in report["excluded"].items():
        lines.append([("dim", f"  {count:,} left out: "), ("", rule)])
    if verbose:
        lines += [
            [("dim", "  left out "), ("", item), ("dim", f"  {rule}")]
            for item, rule in report["excluded_items"].items()
        ]
    if report["note"]:
        lines.append([("warn", f"  {report['note']}")])
    return lines


def _listed(word: str, items: Sequence[str], verbose: bool) -> list[Line]:
    shown = items if verbose else items[:_SHOWN]
    style = "dim" if word == "kept" else "warn"
    lines: list[Line] = [[(style, f"  {word} "), ("", item)] for item in shown]
    if len(items) > len(shown):
        more = f"  and {len(items) - len(shown):,} more {word}: --verbose lists them"
        lines.append([("dim", more)])
    return lines


def watched_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return how much each corpus was kept up to date."""
    del options, look
    return [
        [
            ("title", row["name"]),
            ("", f": {row['updates']:,} updates, {row['added']:,} added, "),
            ("", f"{row['changed']:,} changed, {row['removed']:,} removed"),
        ]
        for row in data
    ]


def served_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return where the app was served."""
    del options, look
    return [[("", "served at "), ("title", data["url"])]]
