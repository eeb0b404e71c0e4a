"""How often a job runs: as people write it, as cron writes it, as systemd writes it."""

from __future__ import annotations

import re

from irengine.errors import ScheduleError

__all__ = ["MOST_MINUTES", "calendar_expression", "cron_expression", "format_every", "parse_every"]

_UNITS = {"": 1, "m": 1, "h": 60, "d": 1440, "w": 10080}
_PART = re.compile(r"(\d+)\s*([mhdw])")
_PLAIN = re.compile(r"\+?(\d+)\s*([mhdw]?)")
_DIGITS = 12
MOST_MINUTES = 366 * 1440
"""A year: the longest interval between two runs."""

_EXAMPLES = "such as 15m, 6h, 1d or 1h30m"


def parse_every(every: str | int | None) -> int | None:
    """Return an interval in minutes; ``None`` stays ``None``, a bare number is minutes.

    Raises:
        ScheduleError: for anything else, for less than a minute, and for more than a year.

    >>> parse_every("15m"), parse_every("6h"), parse_every("1h30m"), parse_every(90)
    (15, 360, 90, 90)
    """
    if every is None:
        return None
    if isinstance(every, bool) or not isinstance(every, (str, int)):
        raise ScheduleError(f"{every!r:.80} is no interval", hint=_EXAMPLES, code="bad-interval")
    if isinstance(every, int):
        minutes = every
    else:
        text = every.strip().lower()
        plain = _PLAIN.fullmatch(text)
        parts = _PART.findall(text)
        if plain is not None:
            parts = [(plain[1], plain[2])]
        elif not parts or _PART.sub("", text).strip():
            raise ScheduleError(
                f"{every!r:.80} is no interval", hint=_EXAMPLES, code="bad-interval"
            )
        if any(len(number) > _DIGITS for number, _ in parts):
            raise _too_long()
        minutes = sum(int(number) * _UNITS[unit] for number, unit in parts)
    if minutes < 1:
        raise ScheduleError(f"{every!r} is less than a minute", hint=_EXAMPLES, code="bad-interval")
    if minutes > MOST_MINUTES:
        raise _too_long()
    return minutes


def _too_long() -> ScheduleError:
    return ScheduleError("the interval is more than a year", hint=_EXAMPLES, code="bad-interval")


def format_every(minutes: int | None) -> str:
    """Return an interval as :func:`parse_every` reads it; ``"unknown"`` for none.

    >>> format_every(45), format_every(90), format_every(1440), format_every(57600)
    ('45m', '1h30m', '24h', '40d')
    """
    if minutes is None or minutes < 1:
        return "unknown"
    days, rest = divmod(minutes, _UNITS["d"])
    if days > 1 and not rest:
        return f"{days}d"
    hours, rest = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{rest}m" if rest else "")


def cron_expression(minutes: int) -> str:
    """Return the cron expression of an interval that cron can keep.

    Raises:
        ScheduleError: for an interval that does not divide an hour, or a day, evenly: cron knows
            times of the day, not distances.

    >>> cron_expression(15), cron_expression(360), cron_expression(1440)
    ('*/15 * * * *', '0 */6 * * *', '0 0 * * *')
    """
    if 0 < minutes < 60 and 60 % minutes == 0:
        return f"*/{minutes} * * * *"
    if minutes == 60:
        return "0 * * * *"
    if minutes == 1440:
        return "0 0 * * *"
    if 60 < minutes < 1440 and minutes % 60 == 0 and 1440 % minutes == 0:
        return f"0 */{minutes // 60} * * *"
    raise ScheduleError(
        f"cron cannot run something every {format_every(minutes)}",
        hint="choose an interval that divides an hour or a day: 15m, 30m, 1h, 6h, 1d; or run it "
        "each day and give a corpus its own times: irtui edit NAME --every-hours or --cron",
    )


def calendar_expression(minutes: int) -> str | None:
    """Return an interval as systemd's ``OnCalendar`` has it; ``None`` when it does not divide.

    >>> calendar_expression(15), calendar_expression(360), calendar_expression(45)
    ('*-*-* *:00/15:00', '*-*-* 00/6:00:00', None)
    """
    if 0 < minutes < 60 and 60 % minutes == 0:
        return f"*-*-* *:00/{minutes}:00"
    if minutes % 60 == 0 and minutes <= 1440 and 1440 % minutes == 0:
        hours = minutes // 60
        return {1: "*-*-* *:00:00", 24: "*-*-* 00:00:00"}.get(hours, f"*-*-* 00/{hours}:00:00")
    return None
