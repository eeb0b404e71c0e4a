"""A schedule as text for people."""

from __future__ import annotations

from irengine.schedule.backends import BACKENDS
from irengine.schedule.intervals import format_every
from irengine.schedule.spec import ScheduleStatus

__all__ = ["headline", "menu", "render", "rows"]

_HEADLINES = {
    "installed": "Scheduled: irtui --maintain runs every {every}.",
    "updated": "Changed: irtui --maintain now runs every {every}.",
    "restarted": "Restarted: irtui --maintain runs every {every}.",
    "unchanged": "Already scheduled: irtui --maintain runs every {every}.",
    "reported": "irtui --maintain is scheduled every {every}.",
    "would-install": "Would be installed, every {every}:",
    "removed": "Removed: nothing is scheduled any more.",
}
_MENU = (
    ("irtui schedule --status", "how it is"),
    ("irtui schedule --every 6h", "change how often it runs"),
    ("irtui schedule --restart", "install it anew, with the present interpreter"),
    ("irtui schedule --remove", "take it away"),
    ("irtui --maintain --due", "run what is due now"),
)


def headline(status: ScheduleStatus) -> str:
    """Return one sentence: what was done, or how it is."""
    if not status.installed and status.action in ("reported", "unchanged"):
        return "Nothing is scheduled. irtui schedule --install sets up background maintenance."
    return _HEADLINES[status.action].format(every=format_every(status.every_minutes))


def rows(status: ScheduleStatus) -> list[tuple[str, str]]:
    """Return the names and values of what is known of an installed job."""
    if not status.installed:
        return []
    kind = BACKENDS.get(status.backend)
    told: list[tuple[str, str | None]] = [
        ("backend", status.backend),
        ("every", format_every(status.every_minutes)),
        ("definition", status.definition),
        ("runs", " ".join(status.command) if status.command and status.backend != "cron" else None),
        ("log", status.log_path),
    ]
    if kind is not None and kind.reports_loaded and status.loaded is not None:
        told.append(("loaded", "yes" if status.loaded else "no"))
    ended = "" if status.last_exit is None else f" (exit status {status.last_exit})"
    told += [
        ("last run", f"{status.last_run}{ended}" if status.last_run else "never, as far as known"),
        ("next run", status.next_run),
        ("last log line", status.last_log_line),
    ]
    return [(name, value) for name, value in told if value is not None]


def menu(status: ScheduleStatus) -> list[tuple[str, str]]:
    """Return the commands that operate an installed job, with what each does."""
    return list(_MENU) if status.installed else []


def render(status: ScheduleStatus) -> str:
    """Return the whole as plain text."""
    lines = [headline(status)]
    told = rows(status)
    width = max((len(name) for name, _ in told), default=0)
    lines += [f"  {name:<{width}}  {value}" for name, value in told]
    if status.detail:
        lines += ["", status.detail]
    if status.problems:
        lines += ["", "Problems:", *(f"  - {problem}" for problem in status.problems)]
    if operate := menu(status):
        width = max(len(words) for words, _ in operate)
        lines += ["", "To operate it:", *(f"  {words:<{width}}  {does}" for words, does in operate)]
    return "\n".join(lines)
