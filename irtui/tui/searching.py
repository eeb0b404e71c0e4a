"""Live search: when to ask, what to ask first, and what is painted."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from irtui.commands.live import Answer
from irtui.tui.lanes import Answered, Ticket

if TYPE_CHECKING:
    from irtui.tui.screens.base import ModeScreen

__all__ = ["Found", "Searching", "debounce"]

_LEAST_ROWS = 8
_STEP = 20
_PAGE = 60
_LIMIT = 200
_QUICK, _FAIR = 0.04, 0.12
_SHORT_WAIT, _LONG_WAIT = 0.04, 0.09
_SLOW, _ENOUGH, _TRY_AGAIN = 0.2, 3, 20
_STALE_AFTER = 0.3
_PAINTED_LATELY = 0.25
_LET_PAINT = 0.03
"""Seconds between two tiers, for the loop to paint the first: both would want the interpreter."""


def debounce(pace: float) -> float:
    """Return how long to wait after a key, in seconds, for answers that lately took ``pace``.

    A fast engine is asked at once. Waiting longer than people need between keys would let a slow
    one show nothing while they type.
    """
    if pace < _QUICK:
        return 0.0
    return _SHORT_WAIT if pace <= _FAIR else _LONG_WAIT


@dataclass(frozen=True, slots=True)
class Found:
    """An answer with its first rows described.

    ``seconds`` holds how long each tier took; ``last`` is whether no better tier is to come;
    ``again`` whether the best hits are being read again.
    """

    answer: Answer
    rows: list[dict[str, Any]]
    seconds: dict[str, float]
    last: bool
    again: bool = False


class Searching:
    """Asks the search lane for a screen, and hands what comes to ``paint`` or ``fail``.

    ``seen()`` says how many rows are seen at once: so many are described before they are painted.
    ``waiting(bool)`` is told when what is shown is old by more than 0.3 s, and when not any more.
    """

    def __init__(
        self,
        screen: ModeScreen,
        *,
        paint: Callable[[Found], None],
        fail: Callable[[Exception], None],
        waiting: Callable[[bool], None],
        seen: Callable[[], int],
    ) -> None:
        self._screen = screen
        self._paint, self._fail, self._waiting = paint, fail, waiting
        self.seen = seen
        self._lexical: deque[float] = deque(maxlen=5)
        self._skipped = 0
        self._timer: Any = None
        self._stale_timer: Any = None
        self._limit = _LIMIT
        self.query = ""
        """What was asked last."""
        self.number = 0
        self.found: Found | None = None
        """What is shown."""

    def typed(self, text: str, *, mode: str) -> None:
        """Ask soon: the text has changed."""
        self._stop_timer()
        lane = self._screen.ir.lanes["search"]
        wait = debounce(lane.pace)
        if wait <= 0 or lane.busy:  # behind a running search nothing is gained by waiting
            self.ask(text, mode=mode)
        else:
            self._timer = self._screen.set_timer(wait, lambda: self.ask(text, mode=mode))

    def ask(self, text: str, *, mode: str, rerank: bool = False, limit: int | None = None) -> None:
        """Ask now."""
        self._stop_timer()
        self.query, self._limit = text, limit or _LIMIT
        names, most = list(self._screen.ir.searched), self._limit
        live, first = self._screen.ir.live, max(_LEAST_ROWS, self.seen())
        painted_at = self._screen.painted_at

        def work(ticket: Ticket) -> Iterator[Found]:
            seconds: dict[str, float] = {}
            before: Answer | None = None
            began = time.perf_counter()
            tiers = _tiers(text, mode)
            if len(tiers) > 1 and self._words_are_slow():
                tiers = tiers[1:]
            for place, tier in enumerate(tiers):
                if place:
                    time.sleep(_LET_PAINT)
                if place and ticket.superseded() and _lately(painted_at("search")):
                    return
                answer = live.answer(
                    text, names=names, tier=tier, mode=mode, limit=most, after=before
                )
                before = answer
                rows = answer.rows(0, first)
                if tier == "lexical":
                    self._lexical.append(time.perf_counter() - began)
                seconds[tier] = answer.seconds
                last = place == len(tiers) - 1
                again = last and rerank and tier != "lexical" and answer.count > 0
                yield Found(answer, rows, dict(seconds), last and not again, again)

        self.number = self._screen.ask("search", work, self._answered)
        if self._stale_timer is None:
            self._stale_timer = self._screen.set_timer(_STALE_AFTER, self._stale)

    def _words_are_slow(self) -> bool:
        """Return whether a search by words alone takes so long that it should be left out.

        It is tried again after a while: what made it slow may have passed.
        """
        if len(self._lexical) < _ENOUGH or median(self._lexical) < _SLOW:
            return False
        self._skipped += 1
        if self._skipped > _TRY_AGAIN:
            self._skipped = 0
            self._lexical.clear()
        return True

    def forget(self) -> None:
        """Show nothing: the query is empty."""
        self._stop_timer()
        self.query, self.found = "", None
        self.number = self._screen.ask("search", _nothing, lambda _: None)

    def describe(
        self, start: int, stop: int, then: Callable[[int, list[dict[str, Any]]], None]
    ) -> None:
        """Describe more rows of what is shown; near its end, rank more."""
        found = self.found
        if found is None:
            return
        answer = found.answer

        def work(ticket: Ticket) -> Iterator[Any]:
            at = start
            while at < min(stop + _PAGE // 2, answer.count):
                step = min(_STEP, answer.count - at)
                yield at, answer.rows(at, at + step)
                at += step
                if ticket.superseded():
                    return

        def told(answered: Answered) -> None:
            if getattr(answered.error, "code", "") == "hits-gone":
                self.ask(self.query, mode=answer.mode)
            elif answered.error is not None:
                self._fail(answered.error)
            elif self.found is not None and self.found.answer is answer:
                then(*answered.value)

        self._screen.ask("pages", work, told)

    def more(self, *, mode: str) -> bool:
        """Rank five times as many, when there are more than are ranked."""
        if self.found is None or not self.found.answer.more:
            return False
        self.ask(self.query, mode=mode, limit=self._limit * 5)
        return True

    def _answered(self, answered: Answered) -> None:
        newest = answered.number == self.number
        if newest:
            if self._stale_timer is not None:
                self._stale_timer.stop()
                self._stale_timer = None
            self._waiting(False)
        if answered.error is not None:
            if newest:
                self._fail(answered.error)
            return
        self.found = answered.value
        self._paint(answered.value)
        if answered.value.again and newest:
            self._read_again(answered.value)

    def _read_again(self, found: Found) -> None:
        """Let the best hits be read again, in a lane of its own: it may take seconds.

        A newer query does not wait for that, and is not painted over by it.
        """
        live, number, mode = self._screen.ir.live, self.number, found.answer.mode
        names, most = list(self._screen.ir.searched), self._limit
        first = max(_LEAST_ROWS, self.seen())

        def work(ticket: Ticket) -> Iterator[Found]:
            del ticket
            before = found.answer
            answer = live.answer(
                before.query, names=names, tier="rerank", mode=mode, limit=most, after=before
            )
            seconds = {**found.seconds, "rerank": answer.seconds}
            yield Found(answer, answer.rows(0, first), seconds, last=True)

        def told(answered: Answered) -> None:
            if number != self.number or self.found is not found:
                return
            if answered.error is not None:
                self._fail(answered.error)
            else:
                self.found = answered.value
                self._paint(answered.value)

        self._screen.ask("again", work, told)

    def _stale(self) -> None:
        self._stale_timer = None
        if self._screen.ir.lanes["search"].busy:
            self._waiting(True)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


def _tiers(text: str, mode: str) -> list[str]:
    """Return the tiers to ask, fastest first, for what the query or the app says of the mode."""
    from irtui.grammar import compile_query

    wanted = compile_query(text).mode or mode
    if wanted == "lexical":
        return ["lexical"]
    return ["hybrid"] if wanted == "dense" else ["lexical", "hybrid"]


def _lately(at: float) -> bool:
    return time.monotonic() - at < _PAINTED_LATELY


def _nothing(ticket: Ticket) -> Iterator[Any]:
    del ticket
    yield None
