"""When a corpus is rebuilt and whether synopses are written for it, as data.

Three layers, the later beating the earlier key by key: the global default, the default of the
corpus kind, and what a registry entry says. Only what the user said is stored, so a default
that changes reaches every corpus that did not override it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias

from irengine.errors import ParameterError, UnsupportedStorage, nearest

__all__ = [
    "DEFAULTS_BY_KIND",
    "GLOBAL_DEFAULT",
    "REINDEX_TRIGGERS",
    "STORAGE_BACKENDS",
    "SYNOPSIS_SCOPES",
    "MaintenancePolicy",
    "ReindexPolicy",
    "SynopsisPolicy",
    "default_policy_for_kind",
    "in_downtime",
    "is_reindex_due",
    "maintenance_spec",
    "resolve_policy",
    "resolve_storage",
]

REINDEX_TRIGGERS = ("source-change", "interval", "manual")
"""What makes a rebuild due: always worth looking, a period that has passed, or never."""

SYNOPSIS_SCOPES = ("recent", "all")
"""Which artifacts get a synopsis: those inside the time window, or every one."""

STORAGE_BACKENDS = ("local", "chroma", "chroma-cloud")
"""Where a corpus can be kept."""

_Sections: TypeAlias = Mapping[str, Any]


def _section(label: str, data: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return ``data`` as a dict after checking that it is a mapping of known keys."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise ParameterError(f"{label} must be an object, not {type(data).__name__}")
    for key in data:
        if key not in keys:
            raise ParameterError(
                f"{label} has no setting {key!r}",
                hint=nearest(str(key), keys) or f"settings: {', '.join(keys)}",
            )
    return dict(data)


def _choose(label: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"unknown {label} {value!r}", hint=f"choose {', '.join(choices)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _hours(window: Any) -> tuple[int, int]:
    pair = tuple(window) if isinstance(window, (list, tuple)) else ()
    if len(pair) != 2 or not all(_is_whole(hour) and 0 <= hour <= 24 for hour in pair):
        raise ParameterError(
            f"downtime_hours must be two whole hours from 0 to 24, not {window!r}",
            hint="for example [2, 6], or [22, 6] over midnight",
        )
    if pair[0] % 24 == pair[1] % 24 and pair != (0, 24):
        raise ParameterError(
            f"the downtime window {list(pair)} never opens", hint="use null for any time"
        )
    return pair


@dataclass(frozen=True, slots=True)
class ReindexPolicy:
    """When a corpus is (incrementally) rebuilt.

    ``every_hours`` is the period of the ``interval`` trigger; ``None`` or 0 makes it due
    whenever asked.

    Raises:
        ParameterError: for an unknown trigger or a period that is not a number of at least 0.
    """

    on: str = "source-change"
    every_hours: float | None = None

    def __post_init__(self) -> None:
        _choose("reindex trigger", self.on, REINDEX_TRIGGERS)
        if self.every_hours is not None and not (
            _is_number(self.every_hours) and 0 <= self.every_hours < float("inf")
        ):
            raise ParameterError(
                f"every_hours must be a number of hours, 0 or more, not {self.every_hours!r}"
            )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> ReindexPolicy:
        """Build a policy from its JSON form; what is absent takes the default."""
        return cls(**_section("reindex", data, ("on", "every_hours")))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``every_hours`` is left out when it is ``None``."""
        result: dict[str, Any] = {"on": self.on}
        if self.every_hours is not None:
            result["every_hours"] = self.every_hours
        return result


@dataclass(frozen=True, slots=True)
class SynopsisPolicy:
    """Whether and when synopses, which cost model calls, are attached.

    ``scope="recent"`` limits them to artifacts whose time lies within ``window_days``.
    ``downtime_hours`` is a ``(start, end)`` pair of whole local hours, the end excluded; it may
    pass midnight (``(22, 6)``). ``None`` means any time.

    Raises:
        ParameterError: for values of another type, an unknown scope, hours outside 0 to 24, or
            a window that never opens.
    """

    enabled: bool = False
    scope: str = "recent"
    window_days: int = 30
    downtime_hours: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise ParameterError(f"synopsis.enabled must be true or false, not {self.enabled!r}")
        _choose("synopsis scope", self.scope, SYNOPSIS_SCOPES)
        if not _is_whole(self.window_days) or self.window_days < 1:
            raise ParameterError(
                f"synopsis.window_days must be a whole number of days, 1 or more, "
                f"not {self.window_days!r}"
            )
        if self.downtime_hours is not None:
            object.__setattr__(self, "downtime_hours", _hours(self.downtime_hours))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> SynopsisPolicy:
        """Build a policy from its JSON form; what is absent takes the default."""
        names = ("enabled", "scope", "window_days", "downtime_hours")
        return cls(**_section("synopsis", data, names))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``downtime_hours`` is a list, left out when it is ``None``."""
        result: dict[str, Any] = {
            "enabled": self.enabled,
            "scope": self.scope,
            "window_days": self.window_days,
        }
        if self.downtime_hours is not None:
            result["downtime_hours"] = list(self.downtime_hours)
        return result


@dataclass(frozen=True, slots=True)
class MaintenancePolicy:
    """The background-work policy of one corpus."""

    reindex: ReindexPolicy = field(default_factory=ReindexPolicy)
    synopsis: SynopsisPolicy = field(default_factory=SynopsisPolicy)

    @classmethod
    def from_dict(cls, data: _Sections | None) -> MaintenancePolicy:
        """Build a policy from ``{"reindex": {…}, "synopsis": {…}}``; both may be absent."""
        return cls().merged(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of both sections."""
        return {"reindex": self.reindex.to_dict(), "synopsis": self.synopsis.to_dict()}

    def merged(self, override: _Sections | None) -> MaintenancePolicy:
        """Return this policy with ``override`` laid over it, key by key in each section.

        An explicit ``None`` overrides (``downtime_hours: None`` lifts the window of the kind).

        Raises:
            ParameterError: for an unknown section or key, or a value of the wrong kind.
        """
        sections = _section("maintenance", override, ("reindex", "synopsis"))
        reindex = _section("reindex", sections.get("reindex"), ("on", "every_hours"))
        names = ("enabled", "scope", "window_days", "downtime_hours")
        synopsis = _section("synopsis", sections.get("synopsis"), names)
        return MaintenancePolicy(
            ReindexPolicy(
                **{"on": self.reindex.on, "every_hours": self.reindex.every_hours, **reindex}
            ),
            SynopsisPolicy(**{name: getattr(self.synopsis, name) for name in names} | synopsis),
        )


GLOBAL_DEFAULT = MaintenancePolicy()
"""The policy of a kind without a default of its own."""

_DAILY = ReindexPolicy(on="interval", every_hours=24)
DEFAULTS_BY_KIND: Mapping[str, MaintenancePolicy] = {
    "skills": GLOBAL_DEFAULT,
    "packages": GLOBAL_DEFAULT,
    "reports": GLOBAL_DEFAULT,
    "files": GLOBAL_DEFAULT,
    "tools": MaintenancePolicy(_DAILY),
    "records": MaintenancePolicy(_DAILY),
    "sessions": MaintenancePolicy(_DAILY, SynopsisPolicy(downtime_hours=(2, 6))),
}
"""Kinds that ask a fetcher are looked at daily: asking may cost a call to somewhere else."""


def default_policy_for_kind(kind: str) -> MaintenancePolicy:
    """Return the default policy of ``kind``; the global one for a kind nobody knows."""
    return DEFAULTS_BY_KIND.get(kind, GLOBAL_DEFAULT)


def resolve_policy(entry: Mapping[str, Any] | None) -> MaintenancePolicy:
    """Return the policy in force for a registry entry: entry over kind over global."""
    entry = entry or {}
    return default_policy_for_kind(entry.get("kind", "")).merged(entry.get("maintenance"))


def maintenance_spec(kind: str, maintenance: Any) -> dict[str, Any]:
    """Return ``maintenance`` as it is stored: exactly what was said, proven to be valid.

    Accepts a :class:`MaintenancePolicy` (then every key is said) or a mapping. Nothing is
    filled in, and an explicit ``None`` is kept, so the kind's other defaults stay in force.

    Raises:
        ParameterError: for anything :meth:`MaintenancePolicy.merged` refuses, and for a period
            that no trigger would read.
    """
    if isinstance(maintenance, MaintenancePolicy):
        maintenance = maintenance.to_dict()
    policy = default_policy_for_kind(kind).merged(maintenance)
    said: dict[str, Any] = {
        section: {
            key: list(value) if isinstance(value, tuple) else value for key, value in keys.items()
        }
        for section, keys in maintenance.items()
        if keys is not None
    }
    if said.get("reindex", {}).get("every_hours") is not None and policy.reindex.on != "interval":
        raise ParameterError(
            f"every_hours has no effect while the reindex trigger is {policy.reindex.on!r}",
            hint='add "on": "interval"',
        )
    return said


def resolve_storage(entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the storage section of a registry entry, ``{"backend": "local"}`` by default.

    Raises:
        ParameterError: when it is no mapping or names no backend. The options of a backend are
            checked by the store.
        UnsupportedStorage: (also a ``NotImplementedError``) for another backend.
    """
    storage = (entry or {}).get("storage")
    if storage is None:
        return {"backend": "local"}
    if not isinstance(storage, Mapping) or not isinstance(storage.get("backend"), str):
        raise ParameterError(
            f"storage must be an object with a backend, not {storage!r}",
            hint='for example {"backend": "local"}',
        )
    backend = storage["backend"]
    if backend not in STORAGE_BACKENDS:
        raise UnsupportedStorage(
            f"the storage backend {backend!r} is not available",
            hint=f"available: {', '.join(STORAGE_BACKENDS)}",
        )
    return dict(storage)


def is_reindex_due(
    policy: MaintenancePolicy | ReindexPolicy, last_maintained: datetime | None, now: datetime
) -> bool:
    """Say whether a rebuild is due at ``now``.

    ``source-change`` is always due, ``manual`` never. ``interval`` is due when nothing was
    maintained yet, without a period, and from the moment the period has passed (inclusive).
    Elapsed time is real time: naive datetimes are read as local time, and both ends are
    compared in UTC, so a clock change adds or takes no hour.
    """
    reindex = policy.reindex if isinstance(policy, MaintenancePolicy) else policy
    if reindex.on != "interval":
        return reindex.on == "source-change"
    if not reindex.every_hours or last_maintained is None:
        return True
    elapsed = now.astimezone(timezone.utc) - last_maintained.astimezone(timezone.utc)
    return elapsed >= timedelta(hours=reindex.every_hours)


def in_downtime(policy: MaintenancePolicy | SynopsisPolicy, now: datetime) -> bool:
    """Say whether synopses may be written at ``now``: always, without a window.

    The hour of the local clock decides; ``now`` with a time zone is converted to it first.
    """
    synopsis = policy.synopsis if isinstance(policy, MaintenancePolicy) else policy
    if synopsis.downtime_hours is None:
        return True
    start, end = synopsis.downtime_hours
    hour = (now.astimezone() if now.tzinfo is not None else now).hour
    return start <= hour < end if start < end else hour >= start or hour < end
