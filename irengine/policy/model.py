"""The policies as values: what they hold, what is refused, and their JSON forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from irengine.checks import whole_number
from irengine.errors import ParameterError, nearest
from irengine.policy.cron import Cron
from irengine.policy.windows import Window
from irengine.policy.zones import zone_named

__all__ = [
    "REINDEX_TRIGGERS",
    "SYNOPSIS_SCOPES",
    "Downtime",
    "MaintenancePolicy",
    "ReindexPolicy",
    "SynopsisPolicy",
]

REINDEX_TRIGGERS = ("source-change", "interval", "manual")
"""What makes a rebuild due: always worth looking, a time that has come, or never."""

SYNOPSIS_SCOPES = ("recent", "all")
"""Which artifacts get a synopsis: those inside the time window, or every one."""

Downtime: TypeAlias = tuple[int, int] | tuple[str, ...]
"""Two whole hours, or windows as texts (see :class:`~irengine.policy.Window`)."""

_Sections: TypeAlias = Mapping[str, Any]

_MOST_HOURS = 87_600
"""Ten years: what lies beyond is a slip, and soon no date."""

_REINDEX = ("on", "every_hours", "cron", "zone")
_SYNOPSIS = ("enabled", "scope", "window_days", "downtime_hours", "zone")


@dataclass(frozen=True, slots=True)
class ReindexPolicy:
    """When a corpus is (incrementally) rebuilt.

    The ``interval`` trigger has a period, ``every_hours`` (``None`` or 0: due whenever asked), or
    the times of a ``cron`` expression (:class:`~irengine.policy.Cron`), which wins over the
    period. They are those of the clock in ``zone``, a name such as ``Europe/Berlin``; by default
    that of this machine.

    Raises:
        ParameterError: for an unknown trigger or zone, a period that is not a number of
            hours from 0 to ten years, or an expression that cannot be read.
    """

    on: str = "source-change"
    every_hours: float | None = None
    cron: str | None = None
    zone: str | None = None

    def __post_init__(self) -> None:
        _choose("reindex trigger", self.on, REINDEX_TRIGGERS)
        if self.every_hours is not None and not (
            _is_number(self.every_hours) and 0 <= self.every_hours <= _MOST_HOURS
        ):
            raise ParameterError(
                f"every_hours must be a number of hours, 0 to {_MOST_HOURS} (ten years), "
                f"not {self.every_hours!r}"
            )
        if self.cron is not None:
            Cron(self.cron)
        if self.zone is not None:
            zone_named(self.zone)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> ReindexPolicy:
        """Build a policy from its JSON form; what is absent takes the default."""
        return cls(**_section("reindex", data, _REINDEX))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; what is ``None`` is left out."""
        return _said(self, _REINDEX)


@dataclass(frozen=True, slots=True)
class SynopsisPolicy:
    """Whether and when synopses, which cost model calls, are attached.

    ``scope="recent"`` limits them to artifacts whose time lies within ``window_days``.
    ``downtime_hours`` says when they may be written; ``None`` means any time. It is a
    ``(start, end)`` pair of whole hours, the end excluded, which may pass midnight (``(22, 6)``);
    or one or several windows to the minute, as text: ``"mon-fri 22:30-06:15"``
    (:class:`~irengine.policy.Window`). The clock is that of ``zone``, by default that of this
    machine.

    Raises:
        ParameterError: for values of another type, an unknown scope or zone, hours outside 0 to
            24, or a window that never opens.
    """

    enabled: bool = False
    scope: str = "recent"
    window_days: int = 30
    downtime_hours: Downtime | None = None
    zone: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise ParameterError(f"synopsis.enabled must be true or false, not {self.enabled!r}")
        _choose("synopsis scope", self.scope, SYNOPSIS_SCOPES)
        whole_number("synopsis.window_days", self.window_days, least=1)
        if self.downtime_hours is not None:
            object.__setattr__(self, "downtime_hours", _downtime(self.downtime_hours))
        if self.zone is not None:
            zone_named(self.zone)

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows of ``downtime_hours``; none means any time."""
        downtime = self.downtime_hours
        if downtime is None:
            return ()
        if isinstance(downtime[0], int):
            start, end = (int(hour) * 60 for hour in downtime)
            return (Window(start % (24 * 60), end),)
        return tuple(Window.parse(str(text)) for text in downtime)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> SynopsisPolicy:
        """Build a policy from its JSON form; what is absent takes the default."""
        return cls(**_section("synopsis", data, _SYNOPSIS))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; what is ``None`` is left out, ``downtime_hours`` is a list."""
        return _said(self, _SYNOPSIS)


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

        An explicit ``None`` overrides (``downtime_hours: None`` lifts the window of the kind). A
        period takes the place of a cron expression, unless one is given with it.

        Raises:
            ParameterError: for an unknown section or key, or a value of the wrong kind.
        """
        sections = _section("maintenance", override, ("reindex", "synopsis"))
        reindex = _section("reindex", sections.get("reindex"), _REINDEX)
        synopsis = _section("synopsis", sections.get("synopsis"), _SYNOPSIS)
        if reindex.get("every_hours") is not None:
            reindex.setdefault("cron", None)
        return MaintenancePolicy(
            ReindexPolicy(**{name: getattr(self.reindex, name) for name in _REINDEX} | reindex),
            SynopsisPolicy(**{name: getattr(self.synopsis, name) for name in _SYNOPSIS} | synopsis),
        )


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


def _said(policy: ReindexPolicy | SynopsisPolicy, keys: tuple[str, ...]) -> dict[str, Any]:
    values = {key: getattr(policy, key) for key in keys}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value is not None
    }


def _choose(label: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"unknown {label} {value!r}", hint=f"choose {', '.join(choices)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _downtime(said: Any) -> Downtime:
    texts = (said,) if isinstance(said, str) else said
    if isinstance(texts, (list, tuple)) and texts and all(isinstance(t, str) for t in texts):
        for text in texts:
            Window.parse(text)
        return tuple(texts)
    pair = tuple(texts) if isinstance(texts, (list, tuple)) else ()
    if len(pair) != 2 or not all(_is_whole(hour) and 0 <= hour <= 24 for hour in pair):
        raise ParameterError(
            f"downtime_hours must be two whole hours from 0 to 24, or windows as text, "
            f"not {said!r}",
            hint='for example [2, 6], [22, 6] over midnight, or "mon-fri 22:30-06:15"',
        )
    if pair[0] % 24 == pair[1] % 24 and pair != (0, 24):
        raise ParameterError(
            f"the downtime window {list(pair)} never opens", hint="use null for any time"
        )
    return pair
