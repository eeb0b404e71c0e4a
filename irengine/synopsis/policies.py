"""A maintenance policy applied: when synopses are written, and for artifacts of which age."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from irengine.base import POINTER_KEYS, Artifact
from irengine.checks import having, whole_number
from irengine.policy import SynopsisPolicy, in_downtime
from irengine.policy.zones import utc
from irengine.strategy import IndexingStrategy
from irengine.synopsis.predicates import ALWAYS, Predicate
from irengine.synopsis.wrapping import predicate_id, with_synopsis

__all__ = ["artifact_time", "make_recent_predicate", "with_synopsis_policy"]

_TIMES = (
    *("timestamp", "updated", "updated_at", "modified", "modified_at", "last_modified"),
    *("date", "created", "created_at"),
)
_MILLISECONDS = 1e11  # an epoch beyond the year 5138 in seconds is one in milliseconds


def with_synopsis_policy(
    strategy: IndexingStrategy,
    policy: SynopsisPolicy,
    *,
    now: datetime | None = None,
    **options: Any,
) -> IndexingStrategy:
    """Return ``strategy`` with synopses as ``policy`` has them at ``now`` (default: this moment).

    Disabled, or outside ``downtime_hours``, that is ``strategy`` itself: a build with it keeps
    the synopses there are and writes none. With ``scope="recent"`` only artifacts of the last
    ``window_days`` get one (see :func:`artifact_time`), and an artifact that grows older than
    that keeps the one it has. ``options`` are those of :func:`with_synopsis`; a predicate in
    ``when`` has to hold as well.
    """
    having("strategy", strategy, "decompose", "a strategy")
    having("policy", policy, "downtime_hours", "a policy of synopses")
    now = datetime.now(timezone.utc) if now is None else now
    if not policy.enabled or not in_downtime(policy, now):
        return strategy
    if policy.scope == "recent":
        recent = make_recent_predicate(window_days=policy.window_days, now=now)
        asked = options.pop("when", ALWAYS)
        asked_id = options.pop("when_id", None)
        options["when"] = recent
        if asked != ALWAYS:
            options["when"] = lambda artifact: recent(artifact) and asked(artifact)
            asked_id = asked_id or predicate_id(asked)
            options["when_id"] = f"{recent.when_id}&{asked_id}"  # type: ignore[attr-defined]
    return with_synopsis(strategy, **options)


def make_recent_predicate(*, window_days: int, now: datetime | None = None) -> Predicate:
    """Return a predicate that is true of artifacts at most ``window_days`` old, or of no age.

    Its ``when_id`` holds the window and not the moment: the passing of time makes nothing stale.

    Raises:
        ParameterError: for a window below one day.
    """
    window_days = whole_number("window_days", window_days, least=1)
    moment = utc(datetime.now(timezone.utc) if now is None else now)

    def recent(artifact: Artifact) -> bool:
        when = artifact_time(artifact)
        return when is None or moment - when <= timedelta(days=window_days)

    recent.when_id = f"recent:{window_days}"  # type: ignore[attr-defined]
    return recent


def artifact_time(artifact: Artifact) -> datetime | None:
    """Return when an artifact is from, in UTC; ``None`` when nothing tells.

    The first of the fields ``timestamp``, ``updated``, ``modified``, ``date``, ``created`` (and
    their usual variants) that holds a date, as ISO text or as seconds or milliseconds since 1970;
    in the metadata, then in the raw item. Without one, when the file it points at was written.
    """
    places = [artifact.metadata]
    if isinstance(artifact.raw, Mapping):
        places.append(artifact.raw)
    for value in _values(places, _TIMES):
        if (found := _moment(value)) is not None:
            return found
    for value in _values(places, POINTER_KEYS):
        if isinstance(value, str):
            try:
                return datetime.fromtimestamp(Path(value).stat().st_mtime, timezone.utc)
            except (OSError, ValueError, OverflowError):
                continue
    return None


def _values(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> Iterator[Any]:
    for place in places:
        for key in keys:
            if place.get(key):
                yield place[key]


def _moment(value: Any) -> datetime | None:
    """Return a date in UTC; one without a zone is local time."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, timezone.utc)
        text = value.isoformat() if hasattr(value, "isoformat") else str(value).strip()
        if text.endswith(("Z", "z")):
            text = text[:-1] + "+00:00"
        return datetime.fromisoformat(text).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None
