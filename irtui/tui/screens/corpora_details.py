"""What Corpora says of one corpus, as lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.tui.jobs import Job
from irtui.tui.widgets.painting import Span

__all__ = [
    "bytes_said",
    "details",
    "left_out_lines",
    "policy_said",
    "preview_lines",
    "waits_said",
]

_DEFINE = "a adds it for good"
_UNITS = ("B", "kB", "MB", "GB", "TB")


def bytes_said(number: float) -> str:
    """Return a number of bytes as people say it."""
    unit = 0
    while number >= 1000 and unit + 1 < len(_UNITS):
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} {_UNITS[unit]}" if unit == 0 else f"{number:.1f} {_UNITS[unit]}"


def policy_said(policy: Mapping[str, Any]) -> str:
    """Return when a corpus is brought up to date, in words."""
    reindex = policy.get("reindex", {})
    on = reindex.get("on", "source-change")
    if on == "manual":
        return "only when asked"
    if on == "interval":
        zone = reindex.get("zone")
        where = f" ({zone})" if zone else " (this machine's clock)"
        if reindex.get("cron"):
            return f"at {reindex['cron']}{where}"
        every = reindex.get("every_hours")
        return f"every {every:g} h" if every else "whenever asked"
    return "when its files change"


def waits_said(report: Mapping[str, Any]) -> str:
    """Return how files differ from what is indexed of them, or ``""``; see ``irtui coverage``."""
    counts = (("new", "missing"), ("changed", "stale"), ("gone", "vanished"))
    return ", ".join(f"{len(report[key]):,} {word}" for word, key in counts if report.get(key))


def details(data: Mapping[str, Any], drift: str, job: Job | None) -> list[list[Span]]:
    """Return everything about a corpus: state, job, size, vectors, policy, its last build."""
    lines: list[list[Span]] = []
    if job is not None and job.active:
        lines.append([("running", f"▶ {job.title}: {job.says()}")])
        lines.append([("muted", f"  {job.tells()}"), ("title", "  c stops it")])
        lines.append([])
    elif job is not None and job.error is not None and job.state == "failed":
        lines.append([("failed", f"{job.title}: {job.error['message']}")])
        if job.error["hint"]:
            lines.append([("muted", "try: "), ("", job.error["hint"])])
        lines.append([])
    if data.get("problem"):
        lines += [[("failed", _text(data["problem"]))], []]
    facts: list[tuple[str, str]] = [
        ("kind", str(data.get("kind") or "made by try")),
        ("source", str(data.get("root") or "")),
        ("documents", f"{data['artifacts']:,}"),
        ("passages", f"{data['records']:,}"),
        ("files", drift),
        ("model", str(data.get("embedder_id") or data.get("embedder") or "")),
        ("updated", policy_said(data.get("policy", {})) if data.get("registered") else ""),
        ("generation", "" if data.get("generation") is None else str(data["generation"])),
        ("size", bytes_said(data["bytes"]) if data.get("bytes") is not None else ""),
        ("folder", str(data.get("folder") or "")),
    ]
    lines += [[("muted", f"{name:<11}"), ("", value)] for name, value in facts if value]
    if not data.get("registered"):
        lines.append([("due", f"only tried: nothing keeps it up to date; {_DEFINE}")])
    build = data.get("last_build")
    if isinstance(build, dict):
        lines += [[], *_build(build)]
    return lines


def _build(build: Mapping[str, Any]) -> list[list[Span]]:
    counts = " ".join(
        f"{mark}{build.get(key, 0):,}"
        for mark, key in (("+", "added"), ("~", "changed"), ("−", "removed"))
    )
    seconds = sum(build.get("seconds", {}).values())
    lines: list[list[Span]] = [
        [("heading", "Last build "), ("muted", str(build.get("started", ""))[:16])],
        [("", f"{build.get('outcome')}: {counts}"), ("muted", f" in {seconds:.1f} s")],
    ]
    errors = int(build.get("n_errors") or 0)
    skipped = sum(build.get("skipped", {}).values())
    if errors or skipped:
        role = "failed" if errors else "due"
        said = f"{errors:,} could not be read, {skipped:,} left out"
        lines.append([(role, said), ("title", "  l"), ("muted", " lists them")])
    lines += [[("muted", str(note.get("detail", "")))] for note in build.get("notes", [])[:5]]
    return lines


def left_out_lines(build: Mapping[str, Any]) -> list[list[Span]]:
    """Return what a build could not read, and what it left out, with the reasons."""
    lines: list[list[Span]] = []
    for title, key, role in (
        ("Could not be read", "errors", "failed"),
        ("Left out", "skipped_items", "due"),
    ):
        rows = build.get(key) or []
        if rows:
            lines += [[("heading", f"{title}: {len(rows):,}")]]
        for row in rows:
            told = row if isinstance(row, dict) else {"id": str(row)}
            what = told.get("detail") or told.get("message") or told.get("reason") or ""
            lines.append([(role, str(told.get("id", ""))), ("muted", f"  {what}")])
        if rows:
            lines.append([])
    for reason, count in (build.get("skipped") or {}).items():
        lines.append([("muted", f"{count:,} × {reason}")])
    return lines or [[("ok", "nothing was left out")]]


def preview_lines(told: Mapping[str, Any], width: int) -> list[list[Span]]:
    """Return what would be indexed of a folder."""
    files = told["files"]
    said = "1 file" if files == 1 else f"{files:,} files"
    head: Span = ("ok", said) if files else ("due", "no file would be indexed")
    lines: list[list[Span]] = [
        [head, ("muted", f" · {bytes_said(told['bytes'])} · {told['root']}")]
    ]
    kinds = "  ".join(f"{suffix} {count:,}" for suffix, count in told["types"][:8])
    if kinds:
        lines.append([("muted", "types: "), ("", kinds)])
    if told["excluded"]:
        reasons = "  ".join(f"{reason} {count:,}" for reason, count in told["excluded"][:5])
        lines.append([("muted", "left out: "), ("due", reasons)])
    room = 6
    lines += [[("muted", f"  {name}"[:width])] for name in told["names"][:room]]
    if files > room:
        lines.append([("muted", f"  … {files - room:,} more")])
    return lines


def _text(problem: Any) -> str:
    return str(problem.get("message", problem)) if isinstance(problem, dict) else str(problem)
