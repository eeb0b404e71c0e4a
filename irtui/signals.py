"""Ctrl-C and SIGTERM: the first asks running work to stop, the second stops it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Interrupts", "Terminated"]


class Terminated(BaseException):
    """SIGTERM arrived while nothing could be cancelled in an orderly way."""


class Interrupts:
    """Signal handlers for the time of one command.

    While something is watched, the first signal cancels it and the command ends at the next safe
    point; without, and at the second signal, ``KeyboardInterrupt`` or :class:`Terminated` is
    raised where the program is. ``stopping`` is called at the first of these signals, and
    ``abandon`` with the exit status at the second, before anything is raised: cleaning up after
    an exception can take as long as stopping in good order.
    """

    def __init__(
        self,
        stopping: Callable[[], None] | None = None,
        abandon: Callable[[int], None] | None = None,
    ) -> None:
        self.terminated = False
        self._stopping = stopping
        self._abandon = abandon
        self._cancelled = False
        self._cancel: Callable[[], None] | None = None
        self._before: dict[int, Any] = {}

    def watch(self, cancel: Callable[[], None] | None) -> None:
        """Call ``cancel`` at the next signal; ``None`` ends that."""
        self._cancel = cancel

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.terminated = self.terminated or number == signal.SIGTERM
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            self._cancelled = True
            cancel()
            if self._stopping is not None:
                self._stopping()
            return
        if self._cancelled and self._abandon is not None:
            self._abandon(128 + number)
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
