"""Maintenance policies: validation, layering, and when work is due."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from irengine.errors import ParameterError, UnsupportedStorage
from irengine.policy import (
    GLOBAL_DEFAULT,
    MaintenancePolicy,
    ReindexPolicy,
    SynopsisPolicy,
    default_policy_for_kind,
    in_downtime,
    is_reindex_due,
    maintenance_spec,
    resolve_policy,
    resolve_storage,
)

NOON = datetime(2026, 3, 1, 12, 0)


class TestDefaults:
    @pytest.mark.parametrize("kind", ["skills", "packages", "reports", "files", "no such kind"])
    def test_most_kinds_follow_their_source(self, kind):
        assert default_policy_for_kind(kind) == GLOBAL_DEFAULT == MaintenancePolicy()
        assert GLOBAL_DEFAULT.reindex.on == "source-change"
        assert not GLOBAL_DEFAULT.synopsis.enabled

    @pytest.mark.parametrize("kind", ["records", "sessions", "tools"])
    def test_fetched_kinds_are_daily(self, kind):
        assert default_policy_for_kind(kind).reindex == ReindexPolicy("interval", 24)

    def test_sessions_have_a_nightly_window(self):
        synopsis = default_policy_for_kind("sessions").synopsis
        assert synopsis == SynopsisPolicy(False, "recent", 30, (2, 6))


class TestSerialisation:
    def test_round_trip(self):
        policy = MaintenancePolicy(
            ReindexPolicy("interval", 1.5), SynopsisPolicy(True, "all", 7, (22, 6))
        )
        assert MaintenancePolicy.from_dict(policy.to_dict()) == policy
        assert policy.to_dict()["synopsis"]["downtime_hours"] == [22, 6]

    def test_absent_values_are_left_out(self):
        assert ReindexPolicy().to_dict() == {"on": "source-change"}
        assert "downtime_hours" not in SynopsisPolicy().to_dict()

    def test_none_is_the_default(self):
        assert MaintenancePolicy.from_dict(None) == GLOBAL_DEFAULT
        assert ReindexPolicy.from_dict(None) == ReindexPolicy()
        assert SynopsisPolicy.from_dict(None) == SynopsisPolicy()


class TestValidation:
    @pytest.mark.parametrize(
        ("maintenance", "message"),
        [
            ({"reindex": {"on": "hourly"}}, "unknown reindex trigger 'hourly'"),
            ({"reindex": {"on": "interval", "every_hours": "6"}}, "every_hours must be a number"),
            ({"reindex": {"on": "interval", "every_hours": -1}}, "every_hours must be a number"),
            ({"reindex": {"on": "interval", "every_hours": True}}, "every_hours must be a number"),
            ({"synopsis": {"enabled": "no"}}, "enabled must be true or false"),
            ({"synopsis": {"scope": "some"}}, "unknown synopsis scope 'some'"),
            ({"synopsis": {"window_days": 0}}, "window_days"),
            ({"synopsis": {"downtime_hours": [2]}}, "two whole hours"),
            ({"synopsis": {"downtime_hours": [30, 40]}}, "two whole hours"),
            ({"synopsis": {"downtime_hours": [2, 2]}}, "never opens"),
            ({"reindx": {}}, "no setting 'reindx'"),
            ({"synopsis": {"enable": True}}, "no setting 'enable'"),
            ({"synopsis": True}, "must be an object"),
        ],
    )
    def test_what_cannot_work_is_refused(self, maintenance, message):
        with pytest.raises(ParameterError, match=message):
            GLOBAL_DEFAULT.merged(maintenance)

    def test_a_near_miss_is_named(self):
        with pytest.raises(ParameterError) as caught:
            GLOBAL_DEFAULT.merged({"reindx": {}})
        assert caught.value.hint == "did you mean reindex?"


class TestLayering:
    def test_entry_over_kind_over_global(self):
        entry = {"kind": "sessions", "maintenance": {"synopsis": {"enabled": True}}}
        policy = resolve_policy(entry)
        assert policy.reindex == ReindexPolicy("interval", 24)
        assert policy.synopsis == SynopsisPolicy(True, "recent", 30, (2, 6))

    def test_an_explicit_null_overrides(self):
        entry = {"kind": "sessions", "maintenance": {"synopsis": {"downtime_hours": None}}}
        assert resolve_policy(entry).synopsis.downtime_hours is None

    def test_no_entry_is_the_global_default(self):
        assert resolve_policy(None) == GLOBAL_DEFAULT

    def test_only_what_was_said_is_stored(self):
        said = {"synopsis": {"enabled": True, "downtime_hours": None}}
        assert maintenance_spec("sessions", said) == said
        assert maintenance_spec("sessions", {"synopsis": {"downtime_hours": (1, 2)}}) == {
            "synopsis": {"downtime_hours": [1, 2]}
        }

    def test_a_period_nobody_reads_is_refused(self):
        with pytest.raises(ParameterError, match="has no effect"):
            maintenance_spec("files", {"reindex": {"every_hours": 6}})
        assert maintenance_spec("records", {"reindex": {"every_hours": 6}})


class TestDue:
    def test_triggers_without_a_clock(self):
        assert is_reindex_due(MaintenancePolicy(), NOON, NOON)
        assert not is_reindex_due(ReindexPolicy("manual"), None, NOON)

    @pytest.mark.parametrize(("hours", "due"), [(23, False), (24, True), (25, True)])
    def test_the_end_of_the_period_is_included(self, hours, due):
        policy = ReindexPolicy("interval", 24)
        assert is_reindex_due(policy, NOON - timedelta(hours=hours), NOON) is due

    @pytest.mark.parametrize("every", [None, 0])
    def test_without_a_period_it_is_due(self, every):
        assert is_reindex_due(ReindexPolicy("interval", every), NOON, NOON)

    def test_never_maintained_is_due(self):
        assert is_reindex_due(ReindexPolicy("interval", 24), None, NOON)

    def test_naive_and_aware_times_compare(self):
        aware = NOON.astimezone(timezone.utc)
        assert not is_reindex_due(ReindexPolicy("interval", 1), aware, NOON)
        assert is_reindex_due(ReindexPolicy("interval", 1), aware, NOON + timedelta(hours=1))

    def test_a_clock_change_adds_no_hour(self):
        berlin = ZoneInfo("Europe/Berlin")
        before = datetime(2026, 3, 28, 12, 0, tzinfo=berlin)
        wall_clock_later = datetime(2026, 3, 29, 12, 0, tzinfo=berlin)  # 23 real hours
        assert not is_reindex_due(ReindexPolicy("interval", 24), before, wall_clock_later)


class TestDowntime:
    @pytest.mark.parametrize(
        ("window", "hour", "open_"),
        [
            (None, 12, True),
            ((2, 6), 2, True),
            ((2, 6), 5, True),
            ((2, 6), 6, False),
            ((22, 6), 23, True),
            ((22, 6), 0, True),
            ((22, 6), 6, False),
            ((22, 6), 12, False),
            ((0, 24), 23, True),
        ],
    )
    def test_window(self, window, hour, open_):
        policy = SynopsisPolicy(downtime_hours=window)
        assert in_downtime(policy, datetime(2026, 1, 1, hour, 59)) is open_
        assert in_downtime(MaintenancePolicy(synopsis=policy), datetime(2026, 1, 1, hour)) is open_


class TestStorage:
    def test_local_is_the_default(self):
        assert resolve_storage(None) == resolve_storage({}) == {"backend": "local"}

    def test_an_unavailable_backend(self):
        with pytest.raises(UnsupportedStorage, match="'ftp'") as caught:
            resolve_storage({"storage": {"backend": "ftp"}})
        assert isinstance(caught.value, NotImplementedError)

    @pytest.mark.parametrize("storage", ["local", {}, {"backend": 1}])
    def test_malformed(self, storage):
        with pytest.raises(ParameterError):
            resolve_storage({"storage": storage})
