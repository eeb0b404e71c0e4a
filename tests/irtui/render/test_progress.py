"""Progress for programs: JSON lines that say how far, how fast and how long still."""

import io
import json
from types import SimpleNamespace

import pytest

from irtui.render.progress import ProgressEvents, pace_text, progress_on


def event(done, total=100, phase="embed"):
    return SimpleNamespace(phase=phase, done=done, total=total)


def told(*steps):
    """Return what is written for ``(seconds, event)`` steps."""
    now = [0.0]
    stream = io.StringIO()
    events = ProgressEvents(stream, clock=lambda: now[0])
    for seconds, step in steps:
        now[0] = seconds
        events.update(step)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_rate_and_time_left_are_those_so_far():
    first, second = told((0.0, event(0)), (2.0, event(20)))
    assert (first["rate"], first["left"]) == (None, None)
    assert second == {
        "event": "progress",
        "phase": "embed",
        "done": 20,
        "total": 100,
        "rate": 10.0,
        "left": 8.0,
    }


def test_a_resumed_phase_counts_from_where_it_began():
    assert told((0.0, event(50)), (5.0, event(60)))[1]["rate"] == 2.0


def test_a_phase_that_starts_over_has_a_pace_of_its_own():
    lines = told((0.0, event(0)), (1.0, event(100)), (9.0, event(0)), (11.0, event(20)))
    assert [line["rate"] for line in lines] == [None, 100.0, None, 10.0]


@pytest.mark.parametrize(
    ("rate", "left", "text"),
    [
        (None, None, ""),
        (2.5, None, "2.5/s"),
        (12.0, 5.4, "12/s, 0:05 left"),
        (1234.5, 3723.0, "1,234/s, 1:02:03 left"),
    ],
)
def test_people_read_it_as_a_clock(rate, left, text):
    assert pace_text(rate, left) == text


def test_lines_are_not_more_than_one_can_follow_but_the_end_is_told():
    steps = [(n / 1000, event(n)) for n in range(101)]
    lines = told(*steps)
    assert [line["done"] for line in lines] == [0, 100]


def test_an_unknown_total_has_no_time_left():
    line = told((0.0, event(0, None)), (1.0, event(5, None)))[1]
    assert (line["rate"], line["left"], line["total"]) == (5.0, None, None)


def test_a_stream_that_is_closed_stops_nothing():
    stream = io.StringIO()
    stream.close()
    ProgressEvents(stream).update(event(1))


def test_without_a_terminal_nothing_is_drawn():
    stream = io.StringIO()
    for how in ("auto", "none"):
        with progress_on(stream, how) as shown:
            shown.update(event(1))
    assert stream.getvalue() == ""
