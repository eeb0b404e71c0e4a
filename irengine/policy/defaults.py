"""Which policy and storage hold for a registry entry: entry over kind over global."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irengine.checks import mapping
from irengine.errors import ParameterError, UnsupportedStorage
from irengine.policy.model import MaintenancePolicy, ReindexPolicy, SynopsisPolicy

__all__ = [
    "DEFAULTS_BY_KIND",
    "GLOBAL_DEFAULT",
    "STORAGE_BACKENDS",
    "default_policy_for_kind",
    "maintenance_spec",
    "resolve_policy",
    "resolve_storage",
]

STORAGE_BACKENDS = ("local", "chroma", "chroma-cloud")
"""Where a corpus can be kept."""

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
    return DEFAULTS_BY_KIND.get(kind, GLOBAL_DEFAULT) if isinstance(kind, str) else GLOBAL_DEFAULT


def resolve_policy(entry: Mapping[str, Any] | None) -> MaintenancePolicy:
    """Return the policy in force for a registry entry: entry over kind over global.

    Raises:
        ParameterError: for anything but an entry (``policy_for`` takes a name), or an invalid one.
    """
    entry = _entry(entry)
    return default_policy_for_kind(entry.get("kind", "")).merged(entry.get("maintenance"))


def maintenance_spec(kind: str, maintenance: Any) -> dict[str, Any]:
    """Return ``maintenance`` as it is stored: exactly what was said, proven to be valid.

    Accepts a :class:`MaintenancePolicy` (then every key is said) or a mapping. Nothing is
    filled in, and an explicit ``None`` is kept, so the kind's other defaults stay in force.

    Raises:
        ParameterError: for anything :meth:`MaintenancePolicy.merged` refuses, and for a period or
            a cron expression that nothing would read.
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
    given = [k for k in ("every_hours", "cron") if said.get("reindex", {}).get(k) is not None]
    if given and policy.reindex.on != "interval":
        raise ParameterError(
            f"{given[0]} has no effect while the reindex trigger is {policy.reindex.on!r}",
            hint='add "on": "interval" (--reindex-on interval)',
        )
    if len(given) > 1:
        raise ParameterError("every_hours has no effect beside cron", hint="give one of the two")
    return said


def resolve_storage(entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the storage section of a registry entry, ``{"backend": "local"}`` by default.

    Raises:
        ParameterError: when it is no mapping or names no backend. The options of a backend are
            checked by the store.
        UnsupportedStorage: (also a ``NotImplementedError``) for another backend.
    """
    storage = _entry(entry).get("storage")
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


def _entry(entry: Any) -> Mapping[str, Any]:
    """Return a registry entry, an empty one for ``None``."""
    return {} if entry is None else mapping("a registry entry", entry, "as registered() has them")
