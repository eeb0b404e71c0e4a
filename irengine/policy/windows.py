"""Windows of the week, to the minute: ``mon-fri 22:30-06:15``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from irengine.checks import members, whole_number
from irengine.errors import ParameterError
from irengine.policy.zones import jump_at, moments_of, utc, wall_clock

__all__ = ["DAYS", "Window"]

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of the week as windows name them, in order."""

_DAY_MINUTES = 24 * 60
_CLOCK = r"\d{1,2}(?::\d{2})?"
_TEXT = re.compile(
    rf"(?:(?P<days>[a-z, -]*[a-z])\s+)?(?P<start>{_CLOCK})\s*-\s*(?P<end>{_CLOCK})", re.ASCII
)
_EXAMPLES = "for example '22:30-06:15', 'mon-fri 20:00-24:00', 'sat,sun 00:00-24:00'"


@dataclass(frozen=True, slots=True)
class Window:
    """A part of some days: from minute ``start`` of the day up to ``end``, which is excluded.

    With ``end`` before ``start`` it goes on past midnight, and belongs to the day on which it
    opened: ``fri 22:00-06:00`` holds Saturday at five. ``days`` are numbers from 0 (Monday).
    Times are those a clock shows: a window may be longer or shorter when it is changed.

    Raises:
        ParameterError: for minutes outside a day, no days, or a window that never opens.
    """

    start: int
    end: int
    days: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)

    def __post_init__(self) -> None:
        whole_number("the first minute of a window", self.start, least=0)
        whole_number("the last minute of a window", self.end, least=0)
        days = members("the days of a window", self.days, int, "numbers from 0 (Monday) to 6")
        if self.start >= _DAY_MINUTES or self.end > _DAY_MINUTES:
            raise ParameterError(
                "a window opens at 00:00 to 23:59 and closes at 00:00 to 24:00", hint=_EXAMPLES
            )
        if not days or not set(days) <= set(range(7)):
            raise ParameterError(
                f"the days of a window are numbers from 0 (Monday) to 6, not {self.days!r}"
            )
        if self.start == self.end:
            raise ParameterError(
                "a window that opens and closes at the same minute never opens",
                hint="the whole day is 00:00-24:00",
            )

    @classmethod
    def parse(cls, text: str) -> Window:
        """Read ``[days] HH[:MM]-HH[:MM]``; days are ``mon-fri``, ``sat,sun``, all by default.

        Raises:
            ParameterError: for any other text.
        """
        match = _TEXT.fullmatch(text.strip().lower()) if isinstance(text, str) else None
        if match is None:
            raise ParameterError(f"{text!r} is not a window of the day", hint=_EXAMPLES)
        days = _days(match["days"], text) if match["days"] else tuple(range(7))
        return cls(_minutes(match["start"], text), _minutes(match["end"], text), days)

    def holds(self, wall: datetime) -> bool:
        """Say whether a clock that shows ``wall`` is inside."""
        minute, day = wall.hour * 60 + wall.minute, wall.weekday()
        if self.start < self.end:
            return day in self.days and self.start <= minute < self.end
        opened_today = day in self.days and minute >= self.start
        return opened_today or ((day - 1) % 7 in self.days and minute < self.end)

    def opens_after(self, now: datetime, zone: tzinfo | None) -> datetime:
        """Return the first moment after ``now`` at which it opens, in UTC."""
        midnight = wall_clock(now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
        for ahead in range(-1, 9):
            wall = midnight + timedelta(days=ahead, minutes=self.start)
            if wall.weekday() in self.days:
                opens = (moments_of(wall, zone) or [jump_at(wall, zone)])[0]
                if opens > utc(now):
                    return opens
        raise AssertionError("every day of the week comes within eight days")

    def __str__(self) -> str:
        times = f"{_clock(self.start)}-{_clock(self.end)}"
        if len(self.days) == 7:
            return times
        return f"{','.join(DAYS[day] for day in self.days)} {times}"


def _minutes(clock: str, text: str) -> int:
    hour, _, minute = clock.partition(":")
    total = int(hour) * 60 + int(minute or 0)
    if int(minute or 0) > 59 or total > _DAY_MINUTES:
        raise ParameterError(f"{text!r}: there is no time {clock}", hint=_EXAMPLES)
    return total


def _days(said: str, text: str) -> tuple[int, ...]:
    chosen: set[int] = set()
    for part in said.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if first not in DAYS or (last or first) not in DAYS:
            raise ParameterError(f"{text!r}: {part!r} is no day", hint=f"days: {', '.join(DAYS)}")
        start, end = DAYS.index(first), DAYS.index(last or first)
        chosen.update((start + step) % 7 for step in range((end - start) % 7 + 1))
    return tuple(sorted(chosen))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
