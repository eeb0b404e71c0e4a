"""Windows of the week to the minute, and when they open."""

from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import pytest

from irengine.errors import ParameterError
from irengine.policy import (
    MaintenancePolicy,
    ReindexPolicy,
    SynopsisPolicy,
    Window,
    in_downtime,
    maintenance_spec,
    next_downtime,
    resolve_policy,
)

BERLIN = ZoneInfo("Europe/Berlin")

# 2026-06-08 is a Monday.
MON, TUE, FRI, SAT, SUN = (f"2026-06-{day:02d}" for day in (8, 9, 12, 13, 14))


class TestWindows:
    @pytest.mark.parametrize(
        ("text", "wall", "inside"),
        [
            ("09:00-17:30", f"{MON}T08:59", False),
            ("09:00-17:30", f"{MON}T09:00", True),
            ("09:00-17:30", f"{MON}T17:29:59", True),
            ("09:00-17:30", f"{MON}T17:30", False),
            ("22:30-06:15", f"{MON}T22:29", False),
            ("22:30-06:15", f"{MON}T22:30", True),
            ("22:30-06:15", f"{TUE}T00:00", True),
            ("22:30-06:15", f"{TUE}T06:14", True),
            ("22:30-06:15", f"{TUE}T06:15", False),
            ("mon-fri 22:30-06:15", f"{FRI}T23:00", True),
            ("mon-fri 22:30-06:15", f"{SAT}T06:00", True),  # opened on Friday
            ("mon-fri 22:30-06:15", f"{SAT}T23:00", False),
            ("mon-fri 22:30-06:15", f"{MON}T06:00", False),  # would have opened on Sunday
            ("sat,sun 00:00-24:00", f"{SUN}T23:59", True),
            ("sat,sun 00:00-24:00", f"{MON}T00:00", False),
            ("fri-mon 1-2", f"{SUN}T01:30", True),
            ("fri-mon 1-2", f"{TUE}T01:30", False),
            ("20:00-00:00", f"{MON}T23:59", True),
            ("20:00-00:00", f"{TUE}T00:00", False),
        ],
    )
    def test_table(self, text, wall, inside):
        assert Window.parse(text).holds(datetime.fromisoformat(wall)) is inside
        policy = SynopsisPolicy(downtime_hours=(text,))
        assert in_downtime(policy, datetime.fromisoformat(wall)) is inside

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "9",
            "9-9",
            "25:00-26:00",
            "24:00-06:00",
            "09:60-10:00",
            "9:5-10:00",
            "someday 09:00-10:00",
            "mon-foo 09:00-10:00",
            "09:00-10:00 mon",
            "mon,,tue 09:00-10:00",
            "٠٩:٠٠-10:00",
            9,
            None,
        ],
    )
    def test_anything_else_is_refused(self, text):
        with pytest.raises(ParameterError):
            Window.parse(text)

    @pytest.mark.parametrize("text", ["22:30-06:15", "mon,tue 00:00-24:00"])
    def test_text_form_round_trips(self, text):
        assert str(Window.parse(text)) == text
        assert Window.parse(str(Window.parse("fri-mon 1-2"))) == Window(60, 120, (0, 4, 5, 6))


class TestZones:
    def test_the_clock_of_the_zone_decides(self):
        policy = SynopsisPolicy(downtime_hours="22:30-23:30", zone="Europe/Berlin")
        assert in_downtime(policy, datetime(2026, 6, 8, 20, 30, tzinfo=timezone.utc))  # summer
        assert not in_downtime(policy, datetime(2026, 1, 8, 20, 30, tzinfo=timezone.utc))
        assert in_downtime(policy, datetime(2026, 1, 8, 21, 30, tzinfo=timezone.utc))

    def test_the_zone_of_the_policy_beats_the_given_one(self):
        moment = datetime(2026, 6, 8, 20, 30, tzinfo=timezone.utc)
        policy = SynopsisPolicy(downtime_hours="20:30-21:00")
        assert in_downtime(policy, moment, timezone.utc)
        assert not in_downtime(policy, moment, BERLIN)
        pinned = SynopsisPolicy(downtime_hours="20:30-21:00", zone="UTC")
        assert in_downtime(pinned, moment, BERLIN)

    @pytest.mark.parametrize(
        ("now", "opens"),
        [
            ("2026-06-12T12:00+02:00", "2026-06-12T22:30+02:00"),
            ("2026-06-12T22:30+02:00", "2026-06-15T22:30+02:00"),
            ("2026-10-24T12:00+02:00", "2026-10-26T22:30+01:00"),
        ],
    )
    def test_when_it_opens_next(self, now, opens):
        policy = SynopsisPolicy(downtime_hours="mon-fri 22:30-06:15", zone="Europe/Berlin")
        found = next_downtime(policy, datetime.fromisoformat(now))
        assert found == datetime.fromisoformat(opens)

    def test_an_opening_the_clock_jumps_over_is_the_jump(self):
        policy = SynopsisPolicy(downtime_hours="02:15-04:00", zone="Europe/Berlin")
        found = next_downtime(policy, datetime(2026, 3, 28, 12, tzinfo=BERLIN))
        assert found == datetime(2026, 3, 29, 3, 0, tzinfo=BERLIN)

    def test_without_a_window_there_is_no_opening(self):
        assert next_downtime(SynopsisPolicy(), datetime(2026, 1, 1)) is None


class TestPolicies:
    def test_one_text_several_texts_or_two_hours(self):
        assert SynopsisPolicy(downtime_hours="1:30-2").downtime_hours == ("1:30-2",)
        several = SynopsisPolicy(downtime_hours=["sat 1-2", "sun 3-4"])
        assert [str(window) for window in several.windows] == ["sat 01:00-02:00", "sun 03:00-04:00"]
        assert [str(window) for window in SynopsisPolicy(downtime_hours=(22, 6)).windows] == [
            "22:00-06:00"
        ]

    def test_everything_round_trips(self):
        policy = MaintenancePolicy(
            ReindexPolicy("interval", None, "30 4 * * mon-fri", "Europe/Berlin"),
            SynopsisPolicy(True, "all", 7, ("mon-fri 22:30-06:15",), "UTC"),
        )
        assert MaintenancePolicy.from_dict(policy.to_dict()) == policy

    @pytest.mark.parametrize(
        ("maintenance", "message"),
        [
            ({"reindex": {"on": "interval", "cron": "0 25 * * *"}}, "not a cron expression"),
            ({"reindex": {"on": "interval", "every_hours": 1e9}}, "ten years"),
            ({"reindex": {"zone": "Mars"}}, "no time zone 'Mars'"),
            ({"reindex": {"zone": 1}}, "by its name"),
            ({"reindex": {"zone": "../../etc/passwd"}}, "no time zone"),
            ({"synopsis": {"zone": ""}}, "no time zone"),
            ({"synopsis": {"downtime_hours": []}}, "two whole hours"),
            ({"synopsis": {"downtime_hours": ["02:30", "06:15"]}}, "not a window"),
            ({"synopsis": {"downtime_hours": "mon 5-5"}}, "never opens"),
            ({"synopsis": {"downtime_hours": [1, "2-3"]}}, "two whole hours"),
        ],
    )
    def test_what_cannot_work_is_refused(self, maintenance, message):
        with pytest.raises(ParameterError, match=message):
            MaintenancePolicy.from_dict(maintenance)

    def test_cron_over_a_kind_with_a_period_keeps_the_trigger(self):
        said = {"reindex": {"cron": "0 4 * * *"}}
        policy = resolve_policy({"kind": "records", "maintenance": said})
        assert policy.reindex == ReindexPolicy("interval", 24, "0 4 * * *")
        assert maintenance_spec("records", said) == said

    def test_a_period_laid_over_a_cron_expression_replaces_it(self):
        base = MaintenancePolicy(ReindexPolicy("interval", cron="0 4 * * *"))
        assert base.merged({"reindex": {"every_hours": 6}}).reindex == ReindexPolicy("interval", 6)
        assert base.merged({"reindex": {"cron": None}}).reindex == ReindexPolicy("interval")

    def test_times_nobody_reads_are_refused(self):
        with pytest.raises(ParameterError, match="cron has no effect"):
            maintenance_spec("files", {"reindex": {"cron": "0 4 * * *"}})
        both = {"reindex": {"on": "interval", "cron": "0 4 * * *", "every_hours": 6}}
        with pytest.raises(ParameterError, match="every_hours has no effect beside cron"):
            maintenance_spec("files", both)
