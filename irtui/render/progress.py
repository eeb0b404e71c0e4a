"""Progress of a running command: live bars on a terminal, JSON lines for programs, or nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["ProgressEvents", "ProgressLine", "Shown", "pace_text", "progress_on"]

_EVERY = 0.2  # seconds between two lines of one phase


class Shown(Protocol):
    """What shows the progress of a command while it runs."""

    def update(self, event: Any) -> None:
        """Take a ``ProgressEvent(phase, done, total)``."""

    def quietly(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Return ``say`` so that it does not write into what is being drawn."""

    def __enter__(self) -> Shown: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def progress_on(stream: TextIO, how: str, quiet: bool = False) -> Shown:
    """Return what shows progress on ``stream``: ``how`` is ``auto``, ``jsonl`` or ``none``."""
    if how == "jsonl":
        return ProgressEvents(stream)
    return ProgressLine(stream, wanted=how == "auto" and not quiet)


class _Pace:
    """How fast each phase goes: items a second since it began, and the seconds left at that rate.

    A phase that counts from the start again (as the next corpus of a build does) has begun anew.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began: dict[str, tuple[float, int]] = {}
        self._last: dict[str, int] = {}

    def of(self, event: Any) -> tuple[float | None, float | None]:
        """Return rate and time left after ``event``, each ``None`` while it is not known."""
        now = self._clock()
        if event.done < self._last.get(event.phase, 0):
            del self._began[event.phase]
        self._last[event.phase] = event.done
        began, first = self._began.setdefault(event.phase, (now, event.done))
        if now <= began or event.done <= first:
            return None, None
        rate = (event.done - first) / (now - began)
        left = None if event.total is None else max(event.total - event.done, 0) / rate
        return rate, left


class ProgressEvents:
    """Writes progress as JSON lines, at most five a second and phase, and the end of each.

    ``rate`` is items a second, ``left`` the seconds that remain at that rate; both are ``null``
    while they are not known.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._pace = _Pace(clock)
        self._told: dict[str, float] = {}

    def update(self, event: Any) -> None:
        """Write the event, unless one of its phase was written a moment ago."""
        from irtui.render.jsonout import to_json

        rate, left = self._pace.of(event)
        now = self._clock()
        finished = event.total is not None and event.done >= event.total
        told_at = self._told.get(event.phase)
        if not finished and told_at is not None and now - told_at < _EVERY:
            return
        self._told[event.phase] = now
        told = {
            "event": "progress",
            "phase": event.phase,
            "done": event.done,
            "total": event.total,
            "rate": None if rate is None else round(rate, 3),
            "left": None if left is None else round(left, 1),
        }
        try:
            self._stream.write(to_json(told, indent=None, ascii_only=True) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            return  # nobody follows any more; the work goes on

    def quietly(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Return ``say``: lines do not disturb lines."""
        return say

    def __enter__(self) -> ProgressEvents:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class ProgressLine:
    """Shows progress events of the engine, one bar a phase with its rate and the time left.

    The bars are gone when the command ends.

    Nothing is imported or drawn before the first event, nor when the stream is no terminal, is
    dumb, or ``IRTUI_PLAIN`` is set.
    """

    def __init__(self, stream: TextIO, *, wanted: bool = True) -> None:
        self._stream = stream
        terminal = os.environ.get("TERM", "") not in ("", "dumb", "unknown")
        self._live = wanted and stream.isatty() and terminal and not os.environ.get("IRTUI_PLAIN")
        self._pace = _Pace(time.monotonic)
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def update(self, event: Any) -> None:
        """Draw a ``ProgressEvent(phase, done, total)``."""
        if not self._live:
            return
        if self._progress is None:
            self._progress = self._start()
        if event.phase not in self._tasks:
            task = self._progress.add_task(event.phase, total=event.total, pace="")
            self._tasks[event.phase] = task
        self._progress.update(
            self._tasks[event.phase],
            completed=event.done,
            total=event.total,
            pace=pace_text(*self._pace.of(event)),
        )

    def quietly(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Return ``say`` so that it does not write into a bar being drawn."""

        def stopped(text: str) -> None:
            self._stop()
            say(text)

        return stopped

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        progress = Progress(
            TextColumn("{task.description:<7}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[pace]}", markup=False, style="dim"),
            console=Console(file=self._stream, markup=False, highlight=False),
            transient=True,
        )
        progress.start()
        return progress

    def _stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
        self._progress = None
        self._tasks = {}


def pace_text(rate: float | None, left: float | None) -> str:
    """Return a rate and the time left for people.

    >>> pace_text(1234.5, 75), pace_text(0.5, None), pace_text(None, None)
    ('1,234/s, 1:15 left', '0.5/s', '')
    """
    if rate is None:
        return ""
    said = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    if left is None:
        return said
    minutes, seconds = divmod(round(left), 60)
    hours, minutes = divmod(minutes, 60)
    time_left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{said}, {time_left} left"
