"""The one due function: what is due when, across clock changes, failures and missed runs."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from irengine.policy import (
    RETRY_AFTER,
    MaintenancePolicy,
    ReindexPolicy,
    SynopsisPolicy,
    due,
    synopsis_due,
)

BERLIN = ZoneInfo("Europe/Berlin")
DAILY = ReindexPolicy("interval", 24)
AT_FOUR = ReindexPolicy("interval", cron="0 4 * * *")
AT_HALF_PAST_TWO = ReindexPolicy("interval", cron="30 2 * * *")
MONTH_END = ReindexPolicy("interval", cron="0 4 L * *")
THE_31ST = ReindexPolicy("interval", cron="0 4 31 * *")
WEEKDAYS = ReindexPolicy("interval", cron="0 4 * * mon-fri")


def at(text, *, fold=0):
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold)


@pytest.mark.parametrize(
    ("policy", "last_success", "last_attempt", "now", "expected"),
    [
        # Without a clock
        (ReindexPolicy(), "2026-06-10T12:00", "2026-06-10T12:00", "2026-06-10T12:00", True),
        (ReindexPolicy("manual"), None, None, "2026-06-10T12:00", False),
        # Never done
        (DAILY, None, None, "2026-06-10T12:00", True),
        (AT_FOUR, None, None, "2026-06-10T12:00", True),
        # A period is real time: summer time begins on 29 March, ends on 25 October
        (DAILY, "2026-06-09T12:00", None, "2026-06-10T11:59", False),
        (DAILY, "2026-06-09T12:00", None, "2026-06-10T12:00", True),
        (DAILY, "2026-03-28T12:00", None, "2026-03-29T12:30", False),
        (DAILY, "2026-03-28T12:00", None, "2026-03-29T13:00", True),
        (DAILY, "2026-10-24T12:00", None, "2026-10-25T11:00", True),
        # A cron expression is the time on the clock
        (AT_FOUR, "2026-06-10T04:00", None, "2026-06-11T03:59", False),
        (AT_FOUR, "2026-06-10T04:00", None, "2026-06-11T04:00", True),
        (AT_FOUR, "2026-03-28T04:00", None, "2026-03-29T03:59", False),
        (AT_FOUR, "2026-03-28T04:00", None, "2026-03-29T04:00", True),
        (AT_FOUR, "2026-10-24T04:00", None, "2026-10-25T03:59", False),
        (AT_FOUR, "2026-10-24T04:00", None, "2026-10-25T04:00", True),
        (AT_HALF_PAST_TWO, "2026-03-28T02:30", None, "2026-03-29T01:59", False),
        (AT_HALF_PAST_TWO, "2026-03-28T02:30", None, "2026-03-29T03:00", True),
        (AT_HALF_PAST_TWO, "2026-03-29T03:00", None, "2026-03-29T23:00", False),
        (AT_HALF_PAST_TWO, "2026-10-25T02:31", None, "2026-10-25T03:30", False),
        # Month ends
        (MONTH_END, "2026-01-31T04:00", None, "2026-02-28T03:59", False),
        (MONTH_END, "2026-01-31T04:00", None, "2026-02-28T04:00", True),
        (MONTH_END, "2028-01-31T04:00", None, "2028-02-28T04:00", False),
        (THE_31ST, "2026-03-31T04:00", None, "2026-05-30T23:59", False),
        (THE_31ST, "2026-03-31T04:00", None, "2026-05-31T04:00", True),
        # Weekdays: nothing from Saturday to Monday morning
        (WEEKDAYS, "2026-06-12T04:00", None, "2026-06-15T03:59", False),
        (WEEKDAYS, "2026-06-12T04:00", None, "2026-06-15T04:00", True),
        # Missed: due at any later time, and after one success no more
        (AT_FOUR, "2026-06-01T04:00", None, "2026-06-10T17:23", True),
        (AT_FOUR, "2026-06-10T17:23", None, "2026-06-10T17:24", False),
        (DAILY, "2026-06-01T04:00", None, "2026-06-10T17:23", True),
        (DAILY, "2026-06-10T17:23", None, "2026-06-11T04:00", False),
        # The clock was set back: by little it waits, by more nothing is known
        (DAILY, "2026-06-10T12:04", None, "2026-06-10T12:00", False),
        (DAILY, "2026-06-10T13:00", None, "2026-06-10T12:00", True),
        (AT_FOUR, "2026-06-10T04:02", None, "2026-06-10T03:59", False),
        (AT_FOUR, "2027-06-10T04:00", None, "2026-06-10T12:00", True),
        # A failed attempt is repeated, not at once
        (DAILY, "2026-06-01T12:00", "2026-06-10T12:00", "2026-06-10T12:04", False),
        (DAILY, "2026-06-01T12:00", "2026-06-10T12:00", "2026-06-10T12:05", True),
        (DAILY, None, "2026-06-10T12:00", "2026-06-10T12:04", False),
        (AT_FOUR, "2026-06-09T04:00", "2026-06-10T04:00", "2026-06-10T04:01", False),
        (AT_FOUR, "2026-06-09T04:00", "2026-06-10T04:00", "2026-06-10T05:00", True),
        (DAILY, None, "2026-06-10T13:00", "2026-06-10T12:00", True),  # an attempt in the future
        (DAILY, "2026-06-09T12:00", "2026-06-09T12:00", "2026-06-10T12:00", True),
        # Looking at a source that follows changes costs little: no waiting
        (ReindexPolicy(), None, "2026-06-10T12:00", "2026-06-10T12:01", True),
    ],
)
def test_table(policy, last_success, last_attempt, now, expected):
    found = due(policy, at(last_success), at(last_attempt), at(now), BERLIN)
    assert found.due is expected
    assert bool(found) is expected
    whole = MaintenancePolicy(policy)
    assert due(whole, at(last_success), at(last_attempt), at(now), BERLIN) == found


def test_a_time_that_comes_twice_is_due_once():
    done = at("2026-10-25T02:31", fold=0)
    assert not due(AT_HALF_PAST_TWO, done, None, at("2026-10-25T02:31", fold=1), BERLIN)


def test_what_is_due_next():
    asked = at("2026-03-28T12:00")
    assert due(DAILY, asked, None, asked, BERLIN).next == at("2026-03-29T13:00")
    assert due(AT_FOUR, asked, None, asked, BERLIN).next == at("2026-03-29T04:00")
    assert due(ReindexPolicy(), asked, None, asked, BERLIN).next is None
    failed = due(DAILY, None, asked, asked, BERLIN)
    assert failed.next == asked + RETRY_AFTER


def test_since_when_it_is_due():
    assert due(AT_FOUR, at("2026-06-01T04:00"), None, at("2026-06-10T17:23"), BERLIN).since == at(
        "2026-06-10T04:00"
    )
    assert due(DAILY, at("2026-06-01T04:00"), None, at("2026-06-10T17:23"), BERLIN).since == at(
        "2026-06-02T04:00"
    )


def test_the_zone_of_the_policy_beats_the_given_one():
    tokyo = ReindexPolicy("interval", cron="0 4 * * *", zone="Asia/Tokyo")
    last = datetime(2026, 6, 9, 19, 0, tzinfo=timezone.utc)  # 04:00 in Tokyo
    assert not due(tokyo, last, None, last + timedelta(hours=23), BERLIN)
    assert due(tokyo, last, None, last + timedelta(hours=24), BERLIN)


def test_one_run_a_day_whatever_the_clock_does_all_year():
    """Asked every two hours for a year, a daily time is due 365 times."""
    now, end = at("2026-01-01T00:00"), at("2027-01-01T00:00")
    last, runs, step = at("2025-12-31T04:00"), [], timedelta(hours=2)
    now = now.astimezone(timezone.utc)
    while now < end:
        if due(AT_HALF_PAST_TWO, last, last, now, BERLIN):
            last = now
            runs.append(now.astimezone(BERLIN).date())
        now += step
    assert len(runs) == len(set(runs)) == 365


class TestSynopses:
    POLICY = MaintenancePolicy(DAILY, SynopsisPolicy(True, downtime_hours=(2, 6)))

    @pytest.mark.parametrize(
        ("last_synopsis", "last_success", "waiting", "now", "expected"),
        [
            (None, "2026-06-10T12:00", False, "2026-06-10T13:00", False),  # no window open
            (None, "2026-06-10T12:00", False, "2026-06-11T02:00", True),
            (None, None, False, "2026-06-11T02:00", True),
            ("2026-06-10T03:00", "2026-06-10T03:00", False, "2026-06-11T02:00", False),
            ("2026-06-10T03:00", "2026-06-10T12:00", False, "2026-06-11T02:00", True),
            ("2026-06-11T02:00", "2026-06-11T02:00", True, "2026-06-11T02:04", False),
            ("2026-06-11T02:00", "2026-06-11T02:00", True, "2026-06-11T02:05", True),
        ],
    )
    def test_table(self, last_synopsis, last_success, waiting, now, expected):
        found = synopsis_due(
            self.POLICY, at(last_synopsis), at(last_success), waiting, at(now), BERLIN
        )
        assert found is expected

    def test_never_when_off_or_manual(self):
        off = MaintenancePolicy(DAILY, SynopsisPolicy())
        manual = MaintenancePolicy(ReindexPolicy("manual"), SynopsisPolicy(True))
        for policy in (off, manual):
            assert not synopsis_due(policy, None, None, True, at("2026-06-11T02:00"), BERLIN)
