"""What Maintenance says of a corpus: one row, and everything about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from irtui.render.clean import clean_line
from irtui.tui.jobs import Job
from irtui.tui.screens.corpora_details import policy_said, waits_said
from irtui.tui.widgets.facets import bars
from irtui.tui.widgets.painting import Span

__all__ = ["about_lines", "row_spans", "schedule_spans", "when"]

_LOOKS = {
    "running": ("running", "▶"),
    "failed": ("failed", "✗"),
    "overdue": ("failed", "!"),
    "due": ("due", "•"),
    "never": ("due", "○"),
    "ok": ("ok", "✓"),
    "paused": ("muted", "‖"),
}
_RUNS = 14
_BAR = 8
_WIDE, _WIDER = 64, 84
"""Cells a row needs to show what is indexed, and its last runs as well."""


def when(text: str | None, now: datetime) -> str:
    """Return a moment as people say it: how far away, then the day and the time here."""
    if not text:
        return ""
    moment = datetime.fromisoformat(text).astimezone(now.tzinfo)
    seconds = (moment - now).total_seconds()
    far = abs(seconds)
    for size, word in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if far >= size:
            said = f"{far / size:.0f} {word}"
            break
    else:
        said = f"{far:.0f} s"
    return f"in {said} · {moment:%a %H:%M}" if seconds >= 0 else f"{said} ago"


def row_spans(
    row: Mapping[str, Any],
    job: Job | None,
    *,
    now: datetime,
    name_width: int,
    room: int,
    files: Mapping[str, Any] | None = None,
) -> list[Span]:
    """Return one corpus: its state in a word, what is indexed, last and next times, its error.

    ``files`` compares its files with its index, as ``irtui coverage`` does.
    """
    state = "running" if job is not None else row["state"]
    role, mark = _LOOKS[state]
    name = clean_line(str(row["name"]))
    spans: list[Span] = [
        ("", " "),
        (role, f"{mark} {state:<8}"),
        ("title", f"{name:<{name_width}.{name_width}} "),
    ]
    if job is not None:
        spans.append(("running", job.says()))
        return spans
    last = when(row["last"], now) or "no run yet"
    spans.append(("muted", f"{last:<11}"))
    if room >= _WIDE:
        bar, share = _coverage(files)
        spans.append(("score", f"{bar:<{_BAR}} "))
        spans.append(("due" if share not in ("", "100 %") else "muted", f"{share:<6}"))
    if room >= _WIDER:
        spans.append(("score", f"{sparkline(row['runs']):<{_RUNS}} "))
    if row["error"]:
        spans.append(("failed", str(row["error"])))
    elif row["running"] is not None:
        holder = row["running"]
        spans.append(("running", f"process {holder['pid']} on {holder['host']}"))
    elif row["next"]:
        spans.append(("", f"due {when(row['next'], now)}"))
    elif state == "paused":
        spans.append(("muted", "only when asked: p lets it go on"))
    else:
        spans.append(("muted", policy_said(row["policy"])))
    return spans


def sparkline(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the last runs as bars: as high as they took long, ✗ where they failed."""
    heights = bars([max(1, round(10 * float(run.get("seconds") or 0))) for run in runs])
    return "".join(
        "✗" if run.get("outcome") == "failed" else bar
        for run, bar in zip(runs, heights, strict=True)
    )


def about_lines(
    row: Mapping[str, Any],
    job: Job | None,
    log: Sequence[Mapping[str, Any]],
    files: Mapping[str, Any] | None = None,
) -> list[list[Span]]:
    """Return the state, the times, the size, and the log of a corpus, newest first.

    ``files`` compares its files with its index, as ``irtui coverage`` does.
    """
    now = datetime.now().astimezone()
    lines: list[list[Span]] = []
    if job is not None:
        lines += [[("running", f"▶ {job.title}: {job.says()}"), ("title", "  c stops it")], []]
    if row["error"]:
        lines.append([("failed", str(row["error"]))])
        if row["hint"]:
            lines.append([("muted", "try: "), ("", str(row["hint"]))])
        lines.append([])
    facts = [
        ("updated", policy_said(row["policy"])),
        ("because", str(row["reason"])),
        ("last", _both(row["last"], now)),
        ("tried", _both(row["tried"], now) if row["tried"] != row["last"] else ""),
        ("due since", _both(row["since"], now)),
        ("due next", _both(row["next"], _clock_of(row["policy"], now))),
        ("took", f"{row['seconds']:.1f} s" if row["seconds"] else ""),
        ("holds", f"{row['artifacts']:,} documents, {row['texts']:,} passages"),
        ("files", _files_said(files)),
        ("synopses", "wait for their hours" if row["waiting"] else ""),
    ]
    lines += [[("muted", f"{name:<10}"), ("", value)] for name, value in facts if value]
    lines += [[], [("heading", "Runs")]]
    for line in log:
        outcome = str(line.get("outcome", ""))
        role = "failed" if outcome == "failed" else "due" if outcome in ("left", "locked") else "ok"
        counts = " ".join(
            f"{mark}{line.get(key) or 0}"
            for mark, key in (("+", "added"), ("~", "changed"), ("−", "removed"))
        )
        at = _day(line.get("time"), now)
        lines.append(
            [
                ("muted", f"{at} "),
                (role, f"{outcome:<7}"),
                ("", f"{counts} "),
                ("muted", f"{float(line.get('seconds') or 0):.1f} s {line.get('reason', '')}"),
            ]
        )
        if line.get("error"):
            lines.append([("failed", f"  {line['error']}")])
    if not log:
        lines.append([("muted", "none yet: r runs it")])
    return lines


def schedule_spans(data: Mapping[str, Any]) -> list[Span]:
    """Return in one line whether the operating system runs maintenance, and when."""
    problems = data.get("problems") or []
    if not data.get("installed"):
        return [
            ("due", "not set up: nothing runs by itself; "),
            ("title", "i"),
            ("due", " sets it up"),
        ]
    every = data.get("every_minutes")
    often = f" every {every:g} min" if isinstance(every, (int, float)) else ""
    spans: list[Span] = [("ok", f"{data.get('backend') or 'the system'} runs it{often}")]
    now = datetime.now().astimezone()
    for word, key in (("last", "last_run"), ("next", "next_run")):
        if data.get(key):
            spans.append(("muted", f" · {word} {_moment(data[key], now)}"))
    if data.get("last_exit"):
        spans.append(("failed", f" ! its last run ended with {data['last_exit']}"))
    if problems:
        first = problems[0]
        told = first.get("message", first) if isinstance(first, Mapping) else first
        spans.append(("failed", f" ! {told}"))
    return spans


def _moment(text: Any, now: datetime) -> str:
    try:
        return when(str(text), now)
    except ValueError:
        return str(text)


def _clock_of(policy: Mapping[str, Any], now: datetime) -> datetime:
    """Return ``now`` on the clock a policy names."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    zone = policy.get("reindex", {}).get("zone")
    try:
        return now.astimezone(ZoneInfo(zone)) if zone else now
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return now


def _coverage(files: Mapping[str, Any] | None) -> tuple[str, str]:
    """Return how much of what is on disk is indexed, as a bar and in words."""
    if not files or "should_index" not in files:
        return "", ""
    share = float(files["coverage_ratio"])
    full = int(_BAR * share)  # a full bar is all of it
    return "━" * full + "┄" * (_BAR - full), f"{int(100 * share)} %"


def _files_said(files: Mapping[str, Any] | None) -> str:
    """Return how much of what is on disk is indexed, and what waits."""
    bar, share = _coverage(files)
    if files is None or not bar:
        return ""
    waits = waits_said(files) or "nothing waits"
    return f"{bar} {share} of {files['should_index']:,} · {waits}"


def _both(text: str | None, now: datetime) -> str:
    if not text:
        return ""
    moment = datetime.fromisoformat(text).astimezone(now.tzinfo)
    return f"{moment:%Y-%m-%d %H:%M %Z} ({when(text, now).partition(' · ')[0]})"


def _day(text: Any, now: datetime) -> str:
    try:
        return f"{datetime.fromisoformat(str(text)).astimezone(now.tzinfo):%m-%d %H:%M}"
    except ValueError:
        return "     "
