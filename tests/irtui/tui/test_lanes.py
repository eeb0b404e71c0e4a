"""Lanes: one request runs, one waits, the newest wins, nothing is lost silently."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from irtui.tui.lanes import Answered, Lane, Newest, Ticket

WAIT = 10


class Heard:
    """Collects what a lane delivers, and waits for it."""

    def __init__(self) -> None:
        self.answers: list[Answered] = []
        self._more = threading.Condition()

    def __call__(self, answered: Answered) -> None:
        with self._more:
            self.answers.append(answered)
            self._more.notify_all()

    def until(self, count: int) -> list[Answered]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.answers) >= count, WAIT)
        return self.answers


@pytest.fixture
def lane() -> Iterator[Lane]:
    made = Lane("test")
    yield made
    made.close()


def saying(*values: Any) -> Any:
    def work(ticket: Ticket) -> Iterator[Any]:
        del ticket
        yield from values

    return work


def test_each_value_a_request_yields_is_delivered_in_order(lane: Lane) -> None:
    heard = Heard()
    number = lane.ask(saying("words", "meaning"), heard)
    assert [(a.number, a.value) for a in heard.until(2)] == [(number, "words"), (number, "meaning")]


def test_of_requests_that_wait_only_the_newest_runs(lane: Lane) -> None:
    heard, go, began = Heard(), threading.Event(), threading.Event()

    def slow(ticket: Ticket) -> Iterator[Any]:
        began.set()
        assert go.wait(WAIT)
        yield "first", ticket.superseded()

    lane.ask(slow, heard)
    assert began.wait(WAIT)
    for word in ("second", "third", "fourth"):
        lane.ask(saying(word), heard)
    go.set()
    assert [a.value for a in heard.until(2)] == [("first", True), "fourth"]
    assert [a.number for a in heard.answers] == [1, 4]


def test_a_request_may_end_early_when_a_newer_one_waits(lane: Lane) -> None:
    heard, newer = Heard(), threading.Event()

    def tiers(ticket: Ticket) -> Iterator[Any]:
        yield "words"
        assert newer.wait(WAIT)
        if ticket.superseded():
            return
        yield "meaning"

    lane.ask(tiers, heard)
    heard.until(1)
    lane.ask(saying("newer"), heard)
    newer.set()
    assert [a.value for a in heard.until(2)] == ["words", "newer"]


def test_an_error_is_delivered_and_the_lane_goes_on(lane: Lane) -> None:
    heard = Heard()

    def broken(ticket: Ticket) -> Iterator[Any]:
        del ticket
        raise ValueError("no")
        yield

    lane.ask(broken, heard)
    error = heard.until(1)[0].error
    assert isinstance(error, ValueError) and str(error) == "no"
    lane.ask(saying("still here"), heard)
    assert heard.until(2)[1].value == "still here"


def test_the_pace_is_the_time_to_the_first_value(lane: Lane) -> None:
    heard = Heard()
    assert lane.pace == 0.0
    lane.ask(saying(1), heard)
    heard.until(1)
    assert 0.0 < lane.pace < WAIT


def test_a_closed_lane_takes_nothing_up(lane: Lane) -> None:
    heard = Heard()
    lane.ask(saying(1), heard)
    heard.until(1)
    lane.close()
    assert lane.ask(saying(2), heard) == 1
    assert [a.value for a in heard.answers] == [1]


def test_an_answer_older_than_what_is_painted_is_not_painted() -> None:
    newest = Newest()
    taken = [newest.takes(number, float(number)) for number in (1, 3, 2, 3, 4)]
    assert taken == [True, True, False, True, True]
    assert (newest.painted, newest.at) == (4, 4.0)
