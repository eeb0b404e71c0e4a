"""Maintenance at a glance: what is due, when, what ran, what failed; and times of a cron line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from irtui.commands.live import Live

__all__ = ["STATES", "dashboard", "next_times", "run_lines"]

STATES = ("running", "failed", "overdue", "due", "never", "ok", "paused")
"""What a corpus may be, the most urgent first."""

_RUNS = 14
_LOOK_BACK = 4_000
_OVERDUE = timedelta(hours=1)


def dashboard(live: Live, now: datetime | None = None) -> list[dict[str, Any]]:
    """Return one row for each registered corpus, the most urgent first, then by name.

    A row has ``name``, ``kind``, ``state`` (see :data:`STATES`), ``reason``, ``last`` (the last
    success), ``tried``, ``next`` (when it will be due) and ``since`` (when it became due) as ISO
    text in UTC or ``None``, ``seconds`` (how long the last run took), ``error``, ``hint``,
    ``waiting`` (synopses), ``built``, ``artifacts``, ``texts``, ``running`` (``pid``, ``host``,
    ``started``, ``purpose`` of who is at it), ``policy`` and ``runs``: its last fourteen, oldest
    first, each ``outcome``, ``seconds``, ``at``, ``added``, ``changed``, ``removed``.
    """
    from irengine.errors import IrError
    from irengine.maintenance import lock_holder
    from irengine.maintenance.state import MaintenanceState
    from irengine.policy import due
    from irengine.registry import policy_for, registered
    from irengine.store import CorpusStore

    del live
    moment = datetime.now(timezone.utc) if now is None else now
    history = _history()
    rows = []
    for name, entry in registered().items():
        row: dict[str, Any] = {
            "name": name,
            "kind": entry.get("kind"),
            "runs": history.get(name, [])[-_RUNS:],
        }
        rows.append(row)
        try:
            policy = policy_for(name)
            store = CorpusStore.local(name)
            state = MaintenanceState.of(store)
            found = due(policy, state.last_maintained, state.last_attempt, moment)
            built = store.exists
            snapshot = store.snapshot() if built else None
        except IrError as error:
            row |= _unknown(error)
            continue
        holder = lock_holder(name)
        last_run = row["runs"][-1] if row["runs"] else {}
        row |= {
            "state": _state(found, state, holder, policy.reindex.on, built, moment),
            "reason": found.reason,
            "last": _iso(state.last_maintained),
            "tried": _iso(state.last_attempt),
            "since": _iso(found.since),
            "next": _iso(found.next or _named_next(policy.reindex, moment)),
            "seconds": state.seconds,
            "error": state.error,
            "hint": last_run.get("hint", "") if state.error else "",
            "waiting": state.waiting,
            "built": built,
            "artifacts": 0 if snapshot is None else snapshot.n_artifacts,
            "texts": 0 if snapshot is None else snapshot.count,
            "running": None
            if holder is None
            else {
                "pid": holder.pid,
                "host": holder.host,
                "started": holder.started,
                "purpose": holder.purpose,
            },
            "policy": policy.to_dict(),
        }
    rows.sort(key=lambda row: (STATES.index(row["state"]), row["name"]))
    return rows


def run_lines(live: Live, name: str, limit: int = 200) -> list[dict[str, Any]]:
    """Return the log of one corpus, newest first."""
    from irengine.maintenance import runs

    del live
    lines = [line for line in runs(_LOOK_BACK) if line.get("name") == name]
    return list(reversed(lines))[:limit]


def next_times(
    live: Live, changes: Mapping[str, Any], number: int = 5, now: datetime | None = None
) -> list[str]:
    """Return the next moments a cron expression names, in its zone, as people read them.

    Raises:
        IrError: for an expression or a zone there is not.
    """
    from irengine.policy import Cron
    from irengine.policy.zones import zone_named

    del live
    zone = zone_named(str(changes["zone"])) if changes.get("zone") else None
    cron = Cron(str(changes["cron"]))
    moment = datetime.now(timezone.utc) if now is None else now
    found = []
    for _ in range(number):
        moment = cron.next(moment, zone)
        found.append(f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M %Z}")
    return found


def _named_next(reindex: Any, now: datetime) -> datetime | None:
    """Return the next moment of a cron expression, also of a corpus that is due already."""
    from irengine.policy import Cron
    from irengine.policy.zones import zone_named

    if reindex.on != "interval" or reindex.cron is None:
        return None
    zone = zone_named(reindex.zone) if reindex.zone else None
    moment: datetime = Cron(reindex.cron).next(now, zone)
    return moment


def _history() -> dict[str, list[dict[str, Any]]]:
    from irengine.maintenance import runs

    found: dict[str, list[dict[str, Any]]] = {}
    for line in runs(_LOOK_BACK):
        if line.get("event") == "corpus" and isinstance(line.get("name"), str):
            told = {
                key: line.get(key)
                for key in ("outcome", "seconds", "added", "changed", "removed", "hint", "error")
            }
            found.setdefault(line["name"], []).append({**told, "at": line.get("time")})
    return found


def _state(found: Any, state: Any, holder: Any, on: str, built: bool, now: datetime) -> str:
    if holder is not None:
        return "running"
    if state.error:
        return "failed"
    if on == "manual":
        return "paused"
    if state.last_maintained is None and not built:
        return "never"
    if not found.due:
        return "ok"
    if on == "source-change":
        return "ok" if built else "due"
    late = found.since is not None and now - found.since > _OVERDUE
    return "overdue" if late else "due"


def _unknown(error: Any) -> dict[str, Any]:
    return {
        "state": "failed",
        "reason": "",
        "last": None,
        "tried": None,
        "since": None,
        "next": None,
        "seconds": 0.0,
        "error": error.message,
        "hint": error.hint,
        "waiting": False,
        "built": False,
        "artifacts": 0,
        "texts": 0,
        "running": None,
        "policy": {"reindex": {"on": "source-change"}, "synopsis": {}},
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(timezone.utc).isoformat()
