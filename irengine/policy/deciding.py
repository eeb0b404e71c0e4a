"""Whether work is due: pure functions of a policy, what was done when, the time and the zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from irengine.checks import shown
from irengine.errors import ParameterTypeError
from irengine.policy.cron import Cron
from irengine.policy.model import MaintenancePolicy, ReindexPolicy, SynopsisPolicy
from irengine.policy.zones import utc, wall_clock, zone_named

__all__ = [
    "CLOCK_SLACK",
    "RETRY_AFTER",
    "Due",
    "due",
    "in_downtime",
    "is_reindex_due",
    "next_downtime",
    "synopsis_due",
]

CLOCK_SLACK = timedelta(minutes=5)
"""How far in the future a success may lie before the clock counts as having been set back."""

RETRY_AFTER = timedelta(minutes=5)
"""How long failed work waits before a sweep tries it again."""


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a rebuild is due, why, and when the next one will be.

    ``since`` is the moment it became due, where there is one; ``next`` the moment it will be due,
    for work that is not due now and has a time. Both are in UTC. It is true when due.
    """

    due: bool
    reason: str
    since: datetime | None = None
    next: datetime | None = None

    def __bool__(self) -> bool:
        return self.due


def due(
    policy: MaintenancePolicy | ReindexPolicy,
    last_success: datetime | None,
    last_attempt: datetime | None,
    now: datetime,
    zone: tzinfo | None = None,
) -> Due:
    """Decide whether a rebuild is due at ``now``.

    ``source-change`` is always due, ``manual`` never. ``interval`` is due when nothing succeeded
    yet; from the moment the period has passed since the last success (inclusive), in real time;
    or, with a cron expression, when it named a moment after the last success. However many were
    missed, that is one rebuild. After an attempt that failed, :data:`RETRY_AFTER` has to pass.

    A last success more than :data:`CLOCK_SLACK` after ``now`` says that the clock was set back;
    nothing is known then, and the rebuild is due. ``zone`` is the clock of a policy that names
    none, ``None`` that of this machine. Datetimes without a zone are local time.
    """
    reindex = policy.reindex if isinstance(policy, MaintenancePolicy) else policy
    if not isinstance(reindex, ReindexPolicy):
        raise ParameterTypeError(f"policy must be a policy of reindexing, not {shown(policy)}")
    if reindex.on != "interval":
        return Due(reindex.on == "source-change", reindex.on)
    now = utc(now)
    last = None if last_success is None else utc(last_success)
    decided = _by_time(reindex, last, now, zone)
    if decided and last_attempt is not None:
        tried = utc(last_attempt)
        again = tried + RETRY_AFTER
        if (last is None or tried > last) and tried <= now < again:
            return Due(False, "failed just now", decided.since, again)
    return decided


def _by_time(
    reindex: ReindexPolicy, last: datetime | None, now: datetime, zone: tzinfo | None
) -> Due:
    if last is None:
        return Due(True, "never maintained")
    if last > now + CLOCK_SLACK:
        return Due(True, "the clock was set back")
    last = min(last, now)
    if reindex.cron is not None:
        cron, zone = Cron(reindex.cron), _zone_of(reindex.zone, zone)
        named = cron.last(now, zone)
        if named > last:
            return Due(True, f"cron {reindex.cron}", named)
        return Due(False, f"cron {reindex.cron}", None, cron.next(now, zone))
    if not reindex.every_hours:
        return Due(True, "interval without a period")
    ready = last + timedelta(hours=reindex.every_hours)
    reason = f"every {reindex.every_hours:g} h"
    return Due(True, reason, ready) if ready <= now else Due(False, reason, None, ready)


def is_reindex_due(
    policy: MaintenancePolicy | ReindexPolicy, last_maintained: datetime | None, now: datetime
) -> bool:
    """Say whether a rebuild is due at ``now`` (see :func:`due`), whatever was attempted."""
    return due(policy, last_maintained, None, now).due


def in_downtime(
    policy: MaintenancePolicy | SynopsisPolicy, now: datetime, zone: tzinfo | None = None
) -> bool:
    """Say whether synopses may be written at ``now``: always, without a window.

    The clock of the policy's zone decides, else that of ``zone``, else that of this machine;
    ``now`` without a zone is local time.
    """
    synopsis = _synopsis_of(policy)
    windows = synopsis.windows
    if not windows:
        return True
    wall = wall_clock(now, _zone_of(synopsis.zone, zone))
    return any(window.holds(wall) for window in windows)


def next_downtime(
    policy: MaintenancePolicy | SynopsisPolicy, now: datetime, zone: tzinfo | None = None
) -> datetime | None:
    """Return when a window opens next after ``now``, in UTC; ``None`` without a window."""
    synopsis = _synopsis_of(policy)
    where = _zone_of(synopsis.zone, zone)
    return min((window.opens_after(now, where) for window in synopsis.windows), default=None)


def synopsis_due(
    policy: MaintenancePolicy,
    last_synopsis: datetime | None,
    last_success: datetime | None,
    waiting: bool,
    now: datetime,
    zone: tzinfo | None = None,
) -> bool:
    """Say whether synopses are to be written at ``now`` although no rebuild is due.

    They are when a window is open and the corpus was rebuilt outside of one since they were last
    written (or none were yet), or when some could not be written then (``waiting``) and
    :data:`RETRY_AFTER` has passed. Never under ``manual``: writing them reads the source anew.
    """
    if not policy.synopsis.enabled or policy.reindex.on == "manual":
        return False
    if not in_downtime(policy, now, zone):
        return False
    if last_synopsis is None:
        return True
    written = utc(last_synopsis)
    if waiting and not utc(now) - RETRY_AFTER < written <= utc(now):
        return True
    return last_success is not None and utc(last_success) > written


def _synopsis_of(policy: MaintenancePolicy | SynopsisPolicy) -> SynopsisPolicy:
    synopsis = policy.synopsis if isinstance(policy, MaintenancePolicy) else policy
    if not isinstance(synopsis, SynopsisPolicy):
        raise ParameterTypeError(f"policy must be a policy of synopses, not {shown(policy)}")
    return synopsis


def _zone_of(name: str | None, otherwise: tzinfo | None) -> tzinfo | None:
    return otherwise if name is None else zone_named(name)
