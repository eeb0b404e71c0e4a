"""What commands other than search hand back, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtui.render.look import Line, Look
from irtui.render.tables import pairs, table

__all__ = [
    "builds_view",
    "commands_view",
    "completion_view",
    "corpora_view",
    "edited_view",
    "forgotten_view",
    "info_view",
    "registered_view",
    "removed_view",
    "tried_view",
    "verified_view",
]

_Data = Mapping[str, Any]


def builds_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return one line a build, and with ``verbose`` every item that was left out."""
    del look
    return [line for report in data for line in _build(report, options)]


def tried_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return what was indexed, and where it is kept."""
    del look
    lines = [*_build(data["report"], options)] if data["report"] else []
    return [[("title", data["path"])], *lines, [("dim", f"kept as {data['corpus']}")]]


def corpora_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return a table of corpora."""
    del options
    if not data:
        return []
    rows = [
        (
            row["name"],
            row["kind"] or "-",
            f"{row['artifacts']:,}" if row["built"] else "-",
            f"{row['records']:,}" if row["built"] else "-",
            row["embedder_id"] or row["embedder"] or "-",
            _state(row),
            row["root"] or "",
        )
        for row in data
    ]
    return table(("name", "kind", "items", "texts", "embedder", "state", "root"), rows, look)


def _state(row: _Data) -> str:
    return str(row["state"])


def info_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return everything about one corpus as name and value lines."""
    del options, look
    items = [("name", data["name"]), ("kind", data["kind"] or "-")]
    definition = data["definition"] or {}
    items += [(key, _said(value)) for key, value in (definition.get("params") or {}).items()]
    items += [(key, _said(definition[key])) for key in ("strategy", "storage") if key in definition]
    items.append(("registered", "yes" if data["registered"] else "no"))
    state = data["problem"] or (
        f"{data['artifacts']:,} items, {data['records']:,} texts" if data["built"] else "not built"
    )
    items.append(("built", state))
    items.append(("embedder", data["embedder_id"] or data["embedder"] or "-"))
    items += _upkeep(data)
    if data["built"]:
        items.append(("folder", f"{data['folder']} ({size_text(data['bytes'])})"))
        last = data["last_build"] or {}
        items.append(("last build", f"{last.get('started', '-')} {last.get('outcome', '')}"))
    if data.get("languages", {}).get("told"):
        told = ", ".join(f"{name} {count}" for name, count in data["languages"]["told"].items())
        items.append(("languages", f"{told} (of {data['languages']['sampled']} texts)"))
    return pairs(items)


def _when(upkeep: _Data) -> str:
    if upkeep["due"] and upkeep["reason"] == "source-change":
        return "looked at at each run (source-change)"  # whether it has changed is seen then
    if upkeep["due"]:
        return f"now: {upkeep['reason']}"
    return str(upkeep["next"] or upkeep["reason"])


def _zone(policy: _Data) -> str:
    return f" ({policy['zone']})" if "zone" in policy else ""


def _upkeep(data: _Data) -> list[tuple[str, str]]:
    """Return when a corpus is rebuilt, when synopses are written, and what is due."""
    reindex, synopsis = data["policy"]["reindex"], data["policy"]["synopsis"]
    when = reindex["on"]
    if "cron" in reindex:
        when += f", {reindex['cron']}{_zone(reindex)}"
    elif reindex.get("every_hours"):
        when += f", every {reindex['every_hours']:g} h"
    elif when == "interval":
        when += " without a period: at every run"
    windows = "on" if synopsis["enabled"] else "off"
    if synopsis["enabled"] and "downtime_hours" in synopsis:
        hours = synopsis["downtime_hours"]
        said = f"{hours[0]}-{hours[1]} h" if isinstance(hours[0], int) else ", ".join(hours)
        windows += f", {said}{_zone(synopsis)}"
    items = [("reindex", when), ("synopses", windows)]
    upkeep = data.get("maintenance")
    if upkeep:
        items.append(("due", _when(upkeep)))
        if upkeep.get("last_maintained"):
            items.append(("maintained", upkeep["last_maintained"]))
        if upkeep.get("error"):
            items.append(("last error", upkeep["error"]))
    return items


def registered_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return the definition that was stored."""
    del options, look
    head: Line = [("good", "registered "), ("title", data["name"]), ("", f" ({data['kind']})")]
    return [head, *pairs([(key, _said(value)) for key, value in data["params"].items()])]


def edited_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return what was changed, from what to what, and when maintenance comes to it."""
    del options, look
    if not data["changed"]:
        return [[("title", data["name"]), ("", f" ({data['kind']}): nothing changed")]]
    items = [
        (key, " → ".join("-" if value is None else _said(value) for value in told.values()))
        for key, told in data["changed"].items()
    ]
    if data["upkeep"]:
        items.append(("due", _when(data["upkeep"])))
    return [
        [("good", "changed "), ("title", data["name"]), ("", f" ({data['kind']})")],
        *pairs(items),
    ]


def removed_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return what was removed."""
    del options, look
    done = [word for word in ("unregistered", "purged") if data[word]] or ["nothing to remove"]
    return [[("title", data["name"]), ("", f": {', '.join(done)}")]]


def verified_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return the verdict, and each thing that does not agree."""
    del options, look
    verdict = ("good", "sound") if data["ok"] else ("bad", "not sound")
    lines: list[Line] = [[("title", data["name"]), ("", ": "), verdict]]
    lines += [
        [("bad", f"  {problem['where']}"), ("", f": {problem['message']}")]
        for problem in data["problems"]
    ]
    lines += [[("good", "  repaired"), ("", f": {step}")] for step in data["repaired"]]
    return lines


def forgotten_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return how much was erased."""
    del options, look
    return [[("title", data["name"]), ("", f": {data['forgotten']} forgotten")]]


def commands_view(data: Sequence[_Data], options: _Data, look: Look) -> list[Line]:
    """Return a table of commands."""
    del options
    return table(("command", "does"), [(row["name"], row["summary"]) for row in data], look)


def completion_view(data: _Data, options: _Data, look: Look) -> list[Line]:
    """Return a script as it is."""
    del options, look
    return [[("", line)] for line in data["script"].splitlines()]


def size_text(size: int) -> str:
    """Return a number of bytes for people.

    >>> size_text(512), size_text(3_500_000)
    ('512 B', '3.5 MB')
    """
    amount, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB"):  # noqa: B007 - the unit it stops at is used
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"


def _build(report: _Data, options: _Data) -> list[Line]:
    name: Line = [("title", report["name"]), ("", ": ")]
    if "error" in report:
        error = report["error"]
        hint = f" ({error['hint']})" if error["hint"] else ""
        return [[*name, ("bad", "failed"), ("", f": {error['message']}{hint}")]]
    parts = [f"{report[word]:,} {word}" for word in ("added", "changed", "removed", "unchanged")]
    if report["blank"]:
        parts.append(f"{report['blank']:,} of them blank")
    skipped = sum(report["skipped"].values())
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report["skipped"].items())
        parts.append(f"{skipped:,} skipped ({reasons})")
    if report["n_errors"]:
        parts.append(f"{report['n_errors']:,} failed")
    timing = f"{sum(report['seconds'].values()):.1f} s"
    if report["embedded"]:
        timing += f", {report['texts_per_second']:,.0f} texts/s"
    lines: list[Line] = [[*name, ("", ", ".join(parts)), ("dim", f" · {timing}")]]
    general = [note for note in report["notes"] if not note["id"]]
    lines += [_item("note", note) for note in general]
    if options.get("verbose"):
        lines += [_item("skipped", item) for item in report["skipped_items"]]
        lines += [_item("failed", item) for item in report["errors"]]
        lines += [_item("note", note) for note in report["notes"] if note["id"]]
    elif skipped or report["n_errors"] or len(report["notes"]) > len(general):
        lines.append([("dim", "  --verbose lists what was left out or looked odd")])
    return lines


def _item(word: str, item: _Data) -> Line:
    detail = f": {item['detail']}" if item["detail"] else ""
    style = "bad" if word == "failed" else "warn"
    return [
        ("", "  "),
        (style, word),
        ("", f" {item['id']} "),
        ("dim", f"{item['reason']}{detail}"),
    ]


def _said(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
