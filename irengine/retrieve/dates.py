"""ISO 8601 dates in metadata: parsed strictly, compared at the precision both sides have."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import NamedTuple

__all__ = ["Moment", "compare_moments", "parse_moment"]

_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r" ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?)?",
    re.ASCII,
)


class Moment(NamedTuple):
    """A month, a day, or an instant.

    ``day`` is ``(year, month)`` or ``(year, month, day)`` as written; ``instant`` is set, in UTC,
    when a time of day was given (a time without an offset is taken as UTC).
    """

    day: tuple[int, ...]
    instant: datetime | None


def parse_moment(text: str) -> Moment | None:
    """Parse ``2026-01``, ``2026-01-05`` or ``2026-01-05T10:00[:00[.5]][Z|+02:00]``, else ``None``.

    >>> parse_moment("2026-01-05").day
    (2026, 1, 5)
    >>> parse_moment("2026-02-30") is None
    True
    """
    # The cheap look first: columns hold far more ordinary words than dates.
    if len(text) < 7 or text[4] != "-" or (match := _ISO.fullmatch(text)) is None:
        return None
    year, month = int(match["year"]), int(match["month"])
    try:
        if match["day"] is None:
            date(year, month, 1)
            return Moment((year, month), None)
        day = (year, month, int(match["day"]))
        if match["hour"] is None:
            date(*day)
            return Moment(day, None)
        time_of_day = (int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
        micros = int((match["fraction"] or "0").ljust(6, "0")[:6])
        zone = timezone(_offset(match["zone"]))
        local = datetime(*day, *time_of_day, micros, tzinfo=zone)
        return Moment(day, local.astimezone(timezone.utc))
    except (ValueError, OverflowError):  # a 30 February, an hour 25, an offset of 99 hours
        return None


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone in "Zz":
        return timedelta(0)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if zone[0] == "-" else offset


def compare_moments(left: Moment, right: Moment) -> int:
    """Return -1, 0 or 1.

    Two instants compare as instants. As soon as one side is only a day (or a month), both compare
    as calendar days (months), each as written: ``$lte 2026-01-05`` keeps all of that day.
    """
    if left.instant is not None and right.instant is not None:
        return int(left.instant > right.instant) - int(left.instant < right.instant)
    shared = min(len(left.day), len(right.day))
    ours, theirs = left.day[:shared], right.day[:shared]
    return int(ours > theirs) - int(ours < theirs)
