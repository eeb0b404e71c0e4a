"""What makes an engine slow, run in its process by ``bench_typing.py``."""

from __future__ import annotations

import time

from irtui.commands.live import Live


def asleep(live: Live, seconds: float) -> None:
    """Sleep."""
    del live
    time.sleep(seconds)


def busy(live: Live, seconds: float) -> None:
    """Compute in Python, holding the interpreter lock."""
    del live
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
