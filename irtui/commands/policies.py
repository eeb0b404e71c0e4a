"""When a corpus is looked after: the options that say it, and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.spec import Param, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = ["POLICY", "edited_policy", "period_notes", "said_policy", "upkeep"]

POLICY = (
    Param(
        "reindex_on",
        "when a rebuild is due",
        "choice",
        ("--reindex-on",),
        choices=("source-change", "interval", "manual"),
    ),
    Param("every_hours", "the period of interval (implies it)", "number", ("--every-hours",)),
    Param(
        "cron",
        "the times of interval (implies it): '30 4 * * mon-fri', @daily",
        flags=("--cron",),
        metavar="EXPR",
    ),
    Param("synopsis", "write synopses with a language model", "flag", ("--synopsis",)),
    Param(
        "downtime",
        "when synopses may be written: '22:30-06:15', 'sat,sun 00:00-24:00', or any; may be "
        "repeated",
        flags=("--downtime",),
        many=True,
        metavar="WINDOW",
    ),
    Param(
        "zone",
        "whose clock --cron and --downtime mean: Europe/Berlin, UTC (default: this machine's)",
        flags=("--zone",),
        metavar="NAME",
    ),
)
"""The options of ``register`` and ``edit`` about maintenance."""


def said_policy(
    *,
    reindex_on: str | None,
    every_hours: float | None,
    cron: str | None,
    synopsis: bool,
    downtime: list[str],
    zone: str | None,
) -> dict[str, Any] | None:
    """Return what the options say about maintenance, and nothing they do not say.

    Raises:
        UsageError: for options that have no effect together. Their values are checked by the
            engine.
    """
    if every_hours is not None and cron is not None:
        raise UsageError("--every-hours and --cron both say when: give one of them")
    if downtime and not synopsis:
        raise UsageError("--downtime is about synopses, and there are none", hint="add --synopsis")
    if zone is not None and cron is None and not downtime:
        raise UsageError("--zone is the clock of --cron and --downtime: give one of them")
    reindex: dict[str, Any] = {}
    if every_hours is not None:
        reindex = {"on": "interval", "every_hours": every_hours}
    if cron is not None:
        reindex = {"on": "interval", "cron": cron}
        if zone is not None:
            reindex["zone"] = zone
    if reindex_on is not None:
        reindex["on"] = reindex_on
    section: dict[str, Any] = {"enabled": True} if synopsis else {}
    if downtime:
        section["downtime_hours"] = None if downtime == ["any"] else downtime
        if zone is not None:
            section["zone"] = zone
    said = {"reindex": reindex, "synopsis": section}
    return {key: value for key, value in said.items() if value} or None


def edited_policy(
    entry: Mapping[str, Any],
    *,
    reindex_on: str | None,
    every_hours: float | None,
    cron: str | None,
    synopsis: bool,
    no_synopsis: bool,
    downtime: list[str],
    zone: str | None,
    forget: bool,
) -> dict[str, Any] | None:
    """Return all that an entry says about maintenance once the options are laid over it.

    ``None`` when they say nothing. A new cron expression keeps the zone of the one before; a zone
    alone is that of the expression and of the windows there are.

    Raises:
        UsageError: for options that have no effect, together or on this corpus.
    """
    from irengine.policy import resolve_policy

    if synopsis and no_synopsis:
        raise UsageError("--synopsis and --no-synopsis exclude each other")
    if no_synopsis and downtime:
        raise UsageError("--downtime is about synopses, and --no-synopsis says there are none")
    said: dict[str, Any] = {} if forget else dict(entry.get("maintenance") or {})
    now = resolve_policy({**entry, "maintenance": said})
    windows = now.synopsis.enabled and now.synopsis.downtime_hours is not None
    alone = zone is not None and cron is None and not downtime
    if alone and now.reindex.cron is None and not windows:
        raise UsageError(
            "--zone is the clock of --cron and --downtime, and this corpus has neither",
            hint="give one of them",
        )
    given = said_policy(
        reindex_on=reindex_on,
        every_hours=every_hours,
        cron=cron,
        synopsis=synopsis or (now.synopsis.enabled and not no_synopsis),
        downtime=downtime,
        zone=None if alone else zone,
    )
    timed = bool(given and given.get("reindex"))
    if not (timed or synopsis or no_synopsis or downtime or alone or forget):
        return None
    if timed and given is not None:
        kept = {"zone": now.reindex.zone} if cron is not None and now.reindex.zone else {}
        said["reindex"] = {**kept, **given["reindex"]}
    section = {**said.get("synopsis", {}), **(given or {}).get("synopsis", {})}
    if no_synopsis:
        section["enabled"] = False
    if alone and now.reindex.cron is not None and not timed:
        said["reindex"] = {**said.get("reindex", {}), "zone": zone}
    if alone and windows:
        section["zone"] = zone
    if synopsis or no_synopsis or downtime or (alone and windows):
        said["synopsis"] = section
    return said


def period_notes(entry: Mapping[str, Any]) -> list[str]:
    """Return the advice for an interval that has neither a period nor times."""
    from irengine.policy import resolve_policy

    reindex = resolve_policy(entry).reindex
    if reindex.on != "interval" or reindex.cron is not None or reindex.every_hours:
        return []
    return [
        "interval without a period is due at every run of irtui maintain; --every-hours or --cron "
        "says when"
    ]


def upkeep(name: str) -> dict[str, Any]:
    """Return whether work is due for a corpus, why, when next, and how the last run went.

    ``next`` is ISO text in UTC, ``None`` when work is due now, at each run, or never.
    """
    from irengine.errors import IrError
    from irengine.maintenance import MaintenanceState, maintain_corpus
    from irengine.store import CorpusStore

    try:
        found = maintain_corpus(name, dry_run=True)
        state = MaintenanceState.of(CorpusStore.local(name))
    except IrError as error:
        return {"due": None, "reason": error.message, "next": None}
    times = ("last_maintained", "last_attempt", "last_synopsis")
    return {
        "due": found.outcome == "would-run",
        "reason": found.reason.removeprefix("dry-run: "),
        "next": found.next,
        **{key: _said(getattr(state, key)) for key in times},
        "error": state.error,
    }


def _said(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")
