"""Cron expressions: the last and the next moment one names, whatever the clocks do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from irengine.errors import ParameterError
from irengine.policy.zones import jump_at, moments_of, shift_around, utc, wall_clock

__all__ = ["Cron"]

_WORDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_EXAMPLES = "minute hour day month weekday: '30 4 * * mon-fri', '0 */6 * * *', or @daily"

_AT_START = (
    "missed times are made up for at the next run, so @daily will do; or let a crontab of your own "
    "run irtui --maintain --all at @reboot"
)


@dataclass(frozen=True, slots=True)
class Cron:
    """The times a cron expression of five fields names on the clock of a zone.

    Days and weekdays are names (``mon-fri``) or numbers (0 and 7 are Sunday); when both the day
    of the month and the weekday are restricted, either will do, as cron has it. ``L`` is the last
    day of a month.

    Where the clock jumps ahead, times it jumps over count as the moment of the jump, once. Where
    it is turned back, times that come twice count the first time. An expression whose hour is
    ``*`` or ``*/n`` follows the hours that pass instead: what is jumped over is left out, and what
    comes twice counts twice.

    Raises:
        ParameterError: for anything else, and for a date that never comes (30 February).
    """

    expression: str

    def __post_init__(self) -> None:
        if not isinstance(self.expression, str):
            raise ParameterError(
                f"a cron expression is text, not {self.expression!r}", hint=_EXAMPLES
            )
        if why := _fault(self.expression):
            at_start = self.expression.strip().lower() == "@reboot"
            raise ParameterError(
                f"{self.expression!r} is not a cron expression: {why}",
                hint=_AT_START if at_start else _EXAMPLES,
            )

    def last(self, now: datetime, zone: tzinfo | None = None) -> datetime:
        """Return the latest moment at or before ``now`` that is named, in UTC."""
        shift = shift_around(now, zone)
        start = wall_clock(now, zone) + shift + timedelta(seconds=1)
        return self._nearest(start, zone, "get_prev", lambda moment: moment <= utc(now), shift, max)

    def next(self, now: datetime, zone: tzinfo | None = None) -> datetime:
        """Return the earliest moment after ``now`` that is named, in UTC."""
        shift = shift_around(now, zone)
        start = wall_clock(now, zone) - shift - timedelta(seconds=1)
        return self._nearest(start, zone, "get_next", lambda moment: moment > utc(now), shift, min)

    def _nearest(
        self,
        start: datetime,
        zone: tzinfo | None,
        direction: str,
        wanted: Callable[[datetime], bool],
        shift: timedelta,
        best: Callable[[list[datetime]], datetime],
    ) -> datetime:
        """Return the best wanted moment; near a clock change the next wall time may be nearer."""
        found: list[datetime] = []
        first = start
        for wall in _walls(_fields(self.expression), start, direction):
            if found and abs(wall - first) > shift:
                break
            moments = [moment for moment in self._moments(wall, zone) if wanted(moment)]
            if moments and not found:
                first = wall
            found += moments
        return best(found)

    def _moments(self, wall: datetime, zone: tzinfo | None) -> list[datetime]:
        moments = moments_of(wall, zone)
        if _fields(self.expression).split()[1].startswith("*"):
            return moments
        return moments[:1] or [jump_at(wall, zone)]


@functools.lru_cache(maxsize=256)
def _fault(expression: str) -> str:
    """Return what is wrong with an expression, ``""`` when nothing is."""
    from croniter import CroniterError  # type: ignore[import-untyped]

    fields = _fields(expression)
    if fields.lower() == "@reboot":
        return "a start of the machine is no time of the clock"
    if fields.startswith("@"):
        return f"the words there are: {', '.join(_WORDS)}"
    if len(fields.split()) != 5:
        return "it needs five fields"
    if any(field.lower().startswith(("h", "r")) or "?" in field for field in fields.split()):
        return "it has to name its times"
    try:
        next(_walls(fields, datetime(2000, 1, 1), "get_next"))
    except (CroniterError, ValueError, KeyError, AttributeError) as error:
        return str(error)
    return ""


def _fields(expression: str) -> str:
    said = expression.strip()
    return _WORDS.get(said.lower(), said)


def _walls(fields: str, start: datetime, direction: str) -> Iterator[datetime]:
    """Yield the wall times before or after ``start``, nearest first; zones play no part."""
    from croniter import croniter

    steps: Any = croniter(fields, start, ret_type=datetime)
    while True:
        yield getattr(steps, direction)()
