"""When a run has to end: someone says so, or its time is up."""

from __future__ import annotations

import math
import time
from typing import Any

from irengine.checks import having
from irengine.errors import BuildCancelled, ParameterError
from irengine.index import CancelToken

__all__ = ["Limits", "Pace", "checked_seconds"]


class Limits(CancelToken):
    """A token that is cancelled when another one is, or when the time is up.

    ``seconds`` counts from now on the monotonic clock; ``None`` is no limit.
    """

    def __init__(self, outer: CancelToken | None = None, seconds: float | None = None) -> None:
        if outer is not None:
            having("cancel", outer, "cancelled", "a CancelToken")
        self._outer = CancelToken() if outer is None else outer
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def cancelled(self) -> bool:
        """Whether to stop at the next safe point."""
        return self.stopped or self.out_of_time

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self._outer.cancelled = value

    @property
    def stopped(self) -> bool:
        """Whether someone asked to stop."""
        return self._outer.cancelled

    @property
    def bounded(self) -> bool:
        """Whether the time can be up at all."""
        return self._deadline < math.inf

    @property
    def out_of_time(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._deadline

    def raise_if_cancelled(self) -> None:
        """Raise :class:`BuildCancelled`, of code ``budget`` when it is only the time."""
        if self.stopped:
            super().raise_if_cancelled()
        if self.out_of_time:
            raise BuildCancelled(
                "the time given is up",
                hint="what was committed stays; the next run goes on",
                code="budget",
            )


class Pace(CancelToken):
    """The limits of one build, whose time is never up before it has achieved something.

    Else a run of little time would end at the same point each time. A stop is heeded at once.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._some = False

    @property
    def cancelled(self) -> bool:
        """Whether to stop at the next safe point."""
        return self._limits.stopped or (self._some and self._limits.out_of_time)

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self._limits.cancelled = value

    @property
    def hurried(self) -> bool:
        """Whether the time is up, so that little is enough."""
        return self._limits.out_of_time

    def achieved(self) -> None:
        """Heed the time from now on."""
        self._some = True

    def raise_if_cancelled(self) -> None:
        """Raise :class:`BuildCancelled` as the limits do."""
        if self.cancelled:
            self._limits.raise_if_cancelled()


def checked_seconds(label: str, value: Any) -> float:
    """Return a number of seconds.

    Raises:
        ParameterError: for anything but a finite number of at least 0.
    """
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not 0 <= value < math.inf:
        raise ParameterError(f"{label} must be a number of seconds, 0 or more, not {value!r}")
    return float(value)
