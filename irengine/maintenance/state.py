"""What is remembered of the maintenance of a corpus, beside its index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from irengine.checks import having, mapping
from irengine.policy.zones import utc
from irengine.store import CorpusStore

__all__ = ["MaintenanceState"]


@dataclass(frozen=True, slots=True)
class MaintenanceState:
    """When work last succeeded, was attempted, and wrote synopses; all of it at its beginning.

    ``last_turn`` is when a run last began to work on it, even if it came to no end.
    ``waiting`` says that synopses could not be written. ``error`` is that of the last attempt,
    ``None`` when it succeeded. A time that cannot be read counts as never.
    """

    last_maintained: datetime | None = None
    last_attempt: datetime | None = None
    last_synopsis: datetime | None = None
    synopsis_enabled: bool = False
    waiting: bool = False
    seconds: float = 0.0
    error: str | None = None
    last_turn: datetime | None = None

    @classmethod
    def of(cls, store: CorpusStore) -> MaintenanceState:
        """Read the state kept beside a corpus; the default for one never maintained."""
        having("store", store, "get_maintenance_state", "a store of a corpus")
        return cls.from_dict(store.get_maintenance_state())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MaintenanceState:
        """Read the JSON form; whatever is missing or malformed takes its default."""
        mapping("a maintenance state", data, "as to_dict() gives it")
        seconds, error = data.get("seconds"), data.get("error")
        return cls(
            _time(data.get("last_maintained")),
            _time(data.get("last_attempt")),
            _time(data.get("last_synopsis")),
            data.get("synopsis_enabled") is True,
            data.get("waiting") is True,
            float(seconds) if isinstance(seconds, (int, float)) else 0.0,
            error if isinstance(error, str) else None,
            _time(data.get("last_turn")),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, times as ISO text in UTC."""
        times = {
            "last_maintained": self.last_maintained,
            "last_attempt": self.last_attempt,
            "last_synopsis": self.last_synopsis,
            "last_turn": self.last_turn,
        }
        return {
            **{key: utc(time).isoformat() for key, time in times.items() if time is not None},
            "synopsis_enabled": self.synopsis_enabled,
            "waiting": self.waiting,
            "seconds": round(self.seconds, 3),
            "error": self.error,
        }

    def keep(self, store: CorpusStore) -> None:
        """Write the state beside the corpus, unless there is nothing of it to be beside."""
        if store.path is not None and not store.path.is_dir():
            return
        store.set_maintenance_state({**store.get_maintenance_state(), **self.to_dict()})


def _time(said: Any) -> datetime | None:
    try:
        return utc(datetime.fromisoformat(said))
    except (TypeError, ValueError, OverflowError, OSError):
        return None
