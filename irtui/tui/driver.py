"""Coming back on a terminal after the process was stopped without having left it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["taking_up"]


def taking_up(driver: type[Driver]) -> type[Driver]:
    """Return a driver that can be stopped and continued from outside.

    ``SIGSTOP`` cannot be caught: unlike after ``ctrl+z``, the reading thread still runs and the
    terminal is still the app's when ``SIGCONT`` comes. Starting once more on top of that would
    leave two readers, of which only one ends, and forget how the terminal was before.
    """
    if not hasattr(driver, "_sigcont_application"):
        return driver  # no such signals on this system, or no terminal

    class Steady(driver):  # type: ignore[misc, valid-type]
        """Leaves the terminal before it starts anew, when it was not left."""

        def _sigcont_application(self, *given: Any) -> None:
            if self._auto_restart and not self._must_signal_resume:
                if _in_background(self.fileno):
                    os.kill(os.getpid(), signal.SIGSTOP)
                    return
                self.suspend_application_mode()
                self._must_signal_resume: bool = True
            super()._sigcont_application(*given)

    return Steady


def _in_background(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:  # it controls nothing
        return False
