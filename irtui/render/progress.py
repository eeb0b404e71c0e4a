"""Progress of a running command: a live bar on a terminal, silence elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["ProgressLine"]


class ProgressLine:
    """Shows progress events of the engine, one bar a phase, gone when the command ends.

    Nothing is imported or drawn before the first event, nor when the stream is no terminal, is
    dumb, or ``IRTUI_PLAIN`` is set.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        terminal = os.environ.get("TERM", "") not in ("", "dumb", "unknown")
        self._live = stream.isatty() and terminal and not os.environ.get("IRTUI_PLAIN")
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def update(self, event: Any) -> None:
        """Draw a ``ProgressEvent(phase, done, total)``."""
        if not self._live:
            return
        if self._progress is None:
            self._progress = self._start()
        if event.phase not in self._tasks:
            self._tasks[event.phase] = self._progress.add_task(event.phase, total=event.total)
        self._progress.update(self._tasks[event.phase], completed=event.done, total=event.total)

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
