"""Cron expressions: what is one, and which moments it names across clock changes."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from irengine.errors import ParameterError
from irengine.policy import Cron
from irengine.policy.zones import utc, zone_named

BERLIN = ZoneInfo("Europe/Berlin")  # 2026: ahead on 29 March at 02:00, back on 25 October at 03:00
SYDNEY = ZoneInfo("Australia/Sydney")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # half an hour of summer time
UTC = timezone.utc


def at(text, zone=BERLIN):
    """A moment, in UTC, from local ISO text; with a ``B`` the second time the clock shows it."""
    second = text.endswith("B")
    moment = datetime.fromisoformat(text.removesuffix("B").removesuffix("A"))
    return utc(moment.replace(tzinfo=zone, fold=int(second)))


def named(expression, start, end, zone=BERLIN):
    """Every moment an expression names after ``start`` up to ``end``."""
    cron, found = Cron(expression), []
    moment = cron.next(start, zone)
    while moment <= utc(end):
        found.append(moment)
        moment = cron.next(moment, zone)
    return found


class TestExpressions:
    @pytest.mark.parametrize(
        "expression",
        [
            "0 4 * * *",
            "*/15 * * * *",
            "30 4 * * mon-fri",
            "0 0 1,15 * sun",
            "0 0 L * *",
            "0 0 29 2 *",
            "@daily",
            "  @Hourly ",
        ],
    )
    def test_five_fields_or_a_word(self, expression):
        assert Cron(expression).next(at("2026-01-01T00:00"), BERLIN)

    @pytest.mark.parametrize(
        "expression",
        [
            "",
            "4",
            "0 4 * *",
            "0 4 * * * *",
            "60 * * * *",
            "0 24 * * *",
            "0 4 * * moonday",
            "0 0 30 2 *",
            "H 4 * * *",
            "R 4 * * *",
            "@reboot",
            "@sometimes",
            "a b c d e",
            4,
            None,
        ],
    )
    def test_anything_else_is_refused(self, expression):
        with pytest.raises(ParameterError):
            Cron(expression)

    @pytest.mark.parametrize(
        ("expression", "said"), [("@reboot", "irtui --maintain"), ("@sometimes", "@hourly, @daily")]
    )
    def test_the_error_says_what_a_word_that_is_none_could_be(self, expression, said):
        with pytest.raises(ParameterError) as caught:
            Cron(expression)
        assert said in str(caught.value)

    def test_the_error_shows_what_one_looks_like(self):
        with pytest.raises(ParameterError) as caught:
            Cron("every day")
        assert "'every day' is not a cron expression" in str(caught.value)
        assert "30 4 * * mon-fri" in caught.value.hint

    def test_an_unknown_zone(self):
        with pytest.raises(ParameterError, match="there is no time zone 'Berlin/Europe'"):
            zone_named("Berlin/Europe")


class TestOrdinaryDays:
    @pytest.mark.parametrize(
        ("expression", "now", "last", "following"),
        [
            ("0 4 * * *", "2026-06-10T03:59", "2026-06-09T04:00", "2026-06-10T04:00"),
            ("0 4 * * *", "2026-06-10T04:00", "2026-06-10T04:00", "2026-06-11T04:00"),
            ("30 4 * * mon-fri", "2026-06-14T12:00", "2026-06-12T04:30", "2026-06-15T04:30"),
            ("0 0 31 * *", "2026-06-30T12:00", "2026-05-31T00:00", "2026-07-31T00:00"),
            ("0 0 L * *", "2026-02-28T12:00", "2026-02-28T00:00", "2026-03-31T00:00"),
            ("0 0 L * *", "2028-02-28T12:00", "2028-01-31T00:00", "2028-02-29T00:00"),
            ("0 0 29 2 *", "2026-06-01T00:00", "2024-02-29T00:00", "2028-02-29T00:00"),
            ("0 12 1 * *", "2027-01-01T11:59", "2026-12-01T12:00", "2027-01-01T12:00"),
            ("0 0 13 * fri", "2026-06-10T00:00", "2026-06-05T00:00", "2026-06-12T00:00"),
            ("0 0 * * 7", "2026-06-10T00:00", "2026-06-07T00:00", "2026-06-14T00:00"),
        ],
    )
    def test_last_and_next(self, expression, now, last, following):
        assert Cron(expression).last(at(now), BERLIN) == at(last)
        assert Cron(expression).next(at(now), BERLIN) == at(following)

    def test_seconds_do_not_round(self):
        cron = Cron("0 4 * * *")
        assert cron.last(at("2026-06-10T03:59:59.999999"), BERLIN) == at("2026-06-09T04:00")
        assert cron.next(at("2026-06-10T04:00:00.000001"), BERLIN) == at("2026-06-11T04:00")

    def test_the_zone_decides(self):
        now = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
        assert Cron("0 4 * * *").last(now, SYDNEY) == at("2026-06-10T04:00", SYDNEY)
        assert Cron("0 4 * * *").last(now, UTC) == datetime(2026, 6, 10, 4, 0, tzinfo=UTC)

    def test_without_a_zone_it_is_the_clock_of_this_machine(self):
        now = datetime(2026, 6, 10, 12, 0)
        assert Cron("0 4 * * *").last(now) == datetime(2026, 6, 10, 4, 0).astimezone()


class TestTheClockJumpsAhead:
    """Berlin, 29 March 2026: 02:00 to 02:59 do not exist."""

    def test_a_fixed_time_jumped_over_is_the_moment_of_the_jump(self):
        day = named("30 2 * * *", at("2026-03-28T12:00"), at("2026-03-30T12:00"))
        assert day == [at("2026-03-29T03:00"), at("2026-03-30T02:30")]

    def test_several_fixed_times_jumped_over_count_once(self):
        day = named("0,20,40 2 * * *", at("2026-03-28T12:00"), at("2026-03-29T12:00"))
        assert day == [at("2026-03-29T03:00")]

    def test_every_hour_goes_by_the_hours_that_pass(self):
        night = named("0 * * * *", at("2026-03-29T00:30"), at("2026-03-29T04:30"))
        assert night == [at(f"2026-03-29T{hour}:00") for hour in ("01", "03", "04")]
        assert night[1] - night[0] == timedelta(hours=1)

    def test_half_an_hour(self):
        """Lord Howe, 4 October 2026: 02:00 to 02:29 do not exist."""
        start, end = at("2026-10-03T12:00", LORD_HOWE), at("2026-10-04T12:00", LORD_HOWE)
        assert named("15 2 * * *", start, end, LORD_HOWE) == [at("2026-10-04T02:30", LORD_HOWE)]

    def test_a_whole_day(self):
        """Samoa left out 30 December 2011."""
        apia = ZoneInfo("Pacific/Apia")
        days = named("0 4 * * *", at("2011-12-29T00:00", apia), at("2011-12-31T12:00", apia), apia)
        assert days == [
            at("2011-12-29T04:00", apia),
            at("2011-12-31T00:00", apia),
            at("2011-12-31T04:00", apia),
        ]


class TestTheClockIsTurnedBack:
    """Berlin, 25 October 2026: 02:00 to 02:59 come twice."""

    def test_a_fixed_time_that_comes_twice_counts_the_first_time(self):
        day = named("30 2 * * *", at("2026-10-24T12:00"), at("2026-10-26T12:00"))
        assert day == [at("2026-10-25T02:30A"), at("2026-10-26T02:30")]

    def test_every_quarter_goes_by_the_hours_that_pass(self):
        night = named("*/15 * * * *", at("2026-10-25T01:50"), at("2026-10-25T03:00"))
        assert night[0] == at("2026-10-25T02:00A")
        assert night[4] == at("2026-10-25T02:00B")
        assert night[-1] == at("2026-10-25T03:00")
        assert {b - a for a, b in zip(night, night[1:], strict=False)} == {timedelta(minutes=15)}

    @pytest.mark.parametrize(
        ("expression", "now", "last"),
        [
            ("30 2 * * *", "2026-10-25T02:10B", "2026-10-25T02:30A"),
            ("30 2 * * *", "2026-10-25T02:40B", "2026-10-25T02:30A"),
            ("30 * * * *", "2026-10-25T02:10B", "2026-10-25T02:30A"),
            ("30 * * * *", "2026-10-25T02:40B", "2026-10-25T02:30B"),
            ("0 2,3 * * *", "2026-10-25T02:59B", "2026-10-25T02:00A"),
        ],
    )
    def test_the_last_one(self, expression, now, last):
        assert Cron(expression).last(at(now), BERLIN) == at(last)


@pytest.mark.parametrize("expression", ["30 2 * * *", "*/20 * * * *", "0 1-3 * * *", "5 */2 * * *"])
@pytest.mark.parametrize("day", ["2026-03-28T20:00", "2026-10-24T20:00"])
def test_last_is_the_greatest_of_next_throughout_a_changing_day(expression, day):
    cron, moments = Cron(expression), named(expression, at(day), at(day) + timedelta(hours=30))
    assert moments == sorted(set(moments))
    for minute in range(0, 10 * 60, 5):
        now = moments[0] + timedelta(minutes=minute)
        assert cron.last(now, BERLIN) == max(m for m in moments if m <= now), now
