"""Work beside the event loop: one thread a lane, one waiting request, the newest wins.

A thread for each key press would pile up: each runs to its end and none is painted. A lane has one
request running and room for one more; a newer one takes that room. What a request yields is
delivered at once, and its receiver paints it if it is newer than what is painted
(:class:`Newest`), not only if it is the very latest: a slow engine still shows something.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

__all__ = ["Answered", "Lane", "Lanes", "Newest", "Ticket", "Work"]

_REMEMBERED = 9
_JOIN_SECONDS = 1.0


class Ticket:
    """One request of a lane: its number, and whether somebody waits for a newer one."""

    def __init__(self, number: int, superseded: Callable[[], bool]) -> None:
        self.number = number
        self.superseded = superseded
        """Whether a newer request waits or the lane is being closed; ask it between steps."""


Work: TypeAlias = Callable[[Ticket], Iterator[Any]]
"""A generator function: each value it yields is delivered; it may end early when superseded."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A value, or the error, of a request."""

    lane: str
    number: int
    value: Any = None
    error: Exception | None = None
    seconds: float = 0.0
    """Since the request was taken up."""
    waited: float = 0.0
    """From being asked to being taken up."""


class Lane:
    """A thread that answers requests, one after the other, and drops those nobody waits for.

    The thread starts with the first request and is a daemon: closing never waits for long.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._condition = threading.Condition()
        self._waiting: tuple[int, float, Work, Callable[[Answered], None]] | None = None
        self._number = 0
        self._closed = False
        self._busy = False
        self._thread: threading.Thread | None = None
        self._recent: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def number(self) -> int:
        """The number of the newest request, 0 before the first."""
        return self._number

    @property
    def busy(self) -> bool:
        """Whether a request runs or waits."""
        return self._busy or self._waiting is not None

    @property
    def pace(self) -> float:
        """The median of the seconds from taking up a request to its first value, lately."""
        recent = list(self._recent)
        return median(recent) if recent else 0.0

    def ask(self, work: Work, deliver: Callable[[Answered], None]) -> int:
        """Let ``work`` run next, in the place of one that waits; return its number.

        ``deliver`` is called in the lane's thread: it should do no more than post a message.
        """
        with self._condition:
            if self._closed:
                return self._number
            self._number += 1
            self._waiting = (self._number, time.perf_counter(), work, deliver)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name=f"lane-{self.name}", daemon=True
                )
                self._thread.start()
            self._condition.notify()
            return self._number

    def close(self) -> None:
        """Take up no more requests, and wait a moment for the one that runs."""
        with self._condition:
            self._closed = True
            self._waiting = None
            self._condition.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        while True:
            with self._condition:
                self._busy = False
                while self._waiting is None and not self._closed:
                    self._condition.wait()
                if self._closed:
                    return
                request, self._waiting = self._waiting, None
                self._busy = True
            if request is not None:
                self._answer(*request)

    def _answer(
        self, number: int, asked: float, work: Work, deliver: Callable[[Answered], None]
    ) -> None:
        began = time.perf_counter()
        waited = began - asked
        first = True
        ticket = Ticket(number, lambda: self._closed or self._waiting is not None)
        try:
            for value in work(ticket):
                seconds = time.perf_counter() - began
                if first:
                    self._recent.append(seconds)
                    first = False
                if self._closed:
                    return
                deliver(Answered(self.name, number, value, None, seconds, waited))
        except Exception as error:  # noqa: BLE001 - whatever a thread raises is shown, not lost
            if not self._closed:
                seconds = time.perf_counter() - began
                deliver(Answered(self.name, number, None, error, seconds, waited))


class Newest:
    """Lets answers through in the order of their requests: none after a newer one."""

    def __init__(self) -> None:
        self.painted = 0
        self.at = float("-inf")

    def takes(self, number: int, now: float) -> bool:
        """Return whether to paint the answer to request ``number``, and remember that."""
        if number < self.painted:
            return False
        self.painted, self.at = number, now
        return True


class Lanes:
    """The lanes of an app, made when they are first used."""

    def __init__(self) -> None:
        self._lanes: dict[str, Lane] = {}

    def __getitem__(self, name: str) -> Lane:
        if name not in self._lanes:
            self._lanes[name] = Lane(name)
        return self._lanes[name]

    def close(self) -> None:
        """Close every lane."""
        for lane in self._lanes.values():
            lane.close()
