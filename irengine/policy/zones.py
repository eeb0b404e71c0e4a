"""Wall clocks and moments: what a zone's clock shows when, and which moments it shows twice.

A zone of ``None`` is the local time of this machine, with its rules for summer time.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo

from irengine.checks import shown
from irengine.errors import ParameterError, ParameterTypeError

__all__ = ["jump_at", "moments_of", "shift_around", "utc", "wall_clock", "zone_named"]

_REACH = timedelta(days=2)  # no clock was ever changed by more than a day


def zone_named(name: str) -> tzinfo:
    """Return the zone of that name in the time-zone database.

    Raises:
        ParameterError: when there is none; names are ``Europe/Berlin``, ``UTC``.
    """
    from zoneinfo import ZoneInfo

    if not isinstance(name, str):
        raise ParameterError(f"a time zone is given by its name, not {name!r}")
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        raise ParameterError(
            f"there is no time zone {name!r}", hint="for example Europe/Berlin, or UTC"
        ) from error


def utc(moment: datetime) -> datetime:
    """Return ``moment`` in UTC; one without a zone is local time.

    Raises:
        ParameterTypeError: when it is no date with a time.
    """
    if not isinstance(moment, datetime):
        raise ParameterTypeError(f"a moment must be a datetime, not {shown(moment)}")
    return moment.astimezone(timezone.utc)


def wall_clock(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return what the clock of ``zone`` shows at ``moment``, without a zone."""
    return utc(moment).astimezone(zone).replace(tzinfo=None, fold=0)


def moments_of(wall: datetime, zone: tzinfo | None) -> list[datetime]:
    """Return when the clock of ``zone`` shows ``wall``, in UTC, earliest first.

    Twice where the clock is turned back over it, never where it jumps over it.
    """
    both = sorted({_moment(wall, zone, fold) for fold in (0, 1)})
    return [moment for moment in both if wall_clock(moment, zone) == wall]


def jump_at(wall: datetime, zone: tzinfo | None) -> datetime:
    """Return the moment at which the clock of ``zone`` jumps over ``wall``, in UTC."""
    before, after = sorted(_moment(wall, zone, fold) for fold in (0, 1))
    # The clock shows less than ``wall`` before the jump, more from it on: halve to the second.
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if wall_clock(middle, zone) < wall:
            before = middle
        else:
            after = middle
    return after


def shift_around(moment: datetime, zone: tzinfo | None) -> timedelta:
    """Return by how much the clock of ``zone`` is changed near ``moment``; mostly zero."""
    offsets = [(moment + reach).astimezone(zone).utcoffset() for reach in (-_REACH, _REACH)]
    before, after = (offset or timedelta(0) for offset in offsets)
    return abs(after - before)


def _moment(wall: datetime, zone: tzinfo | None, fold: int) -> datetime:
    if zone is None:
        return wall.replace(fold=fold).astimezone(timezone.utc)
    return wall.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc)
