"""The job of the operating system that runs ``irtui --maintain --due`` now and then.

launchd, cron and systemd's user timers are the places it can be in (:data:`BACKENDS`). The job
that is installed is never lost: a new one is written, looked at, and only then takes its place.
"""

from irengine.errors import ScheduleError
from irengine.schedule.backends import BACKENDS, Backend, resolve_backend
from irengine.schedule.cron import cron_line, cron_marker, crontab_with_line, crontab_without_line
from irengine.schedule.intervals import cron_expression, format_every, parse_every
from irengine.schedule.joblog import rotate_own
from irengine.schedule.launchd import plist_bytes, plist_dict
from irengine.schedule.operations import ensure, install, remove, restart, status
from irengine.schedule.rendering import render
from irengine.schedule.spec import (
    DFLT_EVERY_MINUTES,
    DFLT_LABEL,
    INHERITED_ENV_VARS,
    LOAD_BEARING_ENV_VARS,
    ScheduleSpec,
    ScheduleStatus,
)
from irengine.schedule.systemd import service_text, timer_text

__all__ = [
    "BACKENDS",
    "DFLT_EVERY_MINUTES",
    "DFLT_LABEL",
    "INHERITED_ENV_VARS",
    "LOAD_BEARING_ENV_VARS",
    "Backend",
    "ScheduleError",
    "ScheduleSpec",
    "ScheduleStatus",
    "cron_expression",
    "cron_line",
    "cron_marker",
    "crontab_with_line",
    "crontab_without_line",
    "ensure",
    "format_every",
    "install",
    "parse_every",
    "plist_bytes",
    "plist_dict",
    "remove",
    "render",
    "resolve_backend",
    "restart",
    "rotate_own",
    "service_text",
    "status",
    "timer_text",
]
