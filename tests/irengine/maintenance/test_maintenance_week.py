"""A week with an injected clock, over the beginning of summer time, gives exactly these runs."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from irengine.maintenance import maintain, runs

BERLIN = ZoneInfo("Europe/Berlin")  # on Sunday 29 March 2026, 02:00 is followed by 03:00
START = datetime(2026, 3, 26, 0, 0, tzinfo=BERLIN).astimezone(timezone.utc)
TICK = timedelta(minutes=30)
TICKS = 7 * 48


@pytest.fixture
def five(files, records):
    """Five corpora of different policies, all on the clock of Berlin."""
    files("live")
    records(
        "daily",
        maintenance={
            "synopsis": {
                "enabled": True,
                "scope": "all",
                "downtime_hours": "01:30-05:00",
                "zone": "Europe/Berlin",
            }
        },
    )
    records("nightly", maintenance={"reindex": {"cron": "30 2 * * *", "zone": "Europe/Berlin"}})
    records(
        "weekdays", maintenance={"reindex": {"cron": "0 4 * * mon-fri", "zone": "Europe/Berlin"}}
    )
    files("frozen", maintenance={"reindex": {"on": "manual"}})


def simulate(ticks):
    """Sweep at every tick; return the local times of the runs of each corpus."""
    options = {"synthesize": lambda artifact: f"About {artifact.id}.", "synthesizer_id": "about/1"}
    ran = {}
    for tick in ticks:
        now = START + tick * TICK
        for result in maintain(all=True, now=now, synopsis_options=options):
            assert result.outcome in ("done", "skipped"), result
            if result.ran:
                time = now.astimezone(BERLIN).strftime("%a %H:%M")
                ran.setdefault(result.name, []).append(time + " s" * result.synopsis)
    return ran


@pytest.mark.slow
def test_every_run_of_a_week(five, tracker):
    ran = simulate(range(TICKS))
    assert len(ran.pop("live")) == TICKS
    assert ran == {
        # Built at once, synopses when the window opens; then every 24 hours that really pass.
        "daily": ["Thu 00:00", "Thu 01:30 s", "Fri 01:30 s", "Sat 01:30 s", "Sun 01:30 s"]
        + ["Mon 02:30 s", "Tue 02:30 s", "Wed 02:30 s"],
        # Half past two does not exist on Sunday: the moment the clock jumps stands for it.
        "nightly": ["Thu 00:00", "Thu 02:30", "Fri 02:30", "Sat 02:30", "Sun 03:00", "Mon 02:30"]
        + ["Tue 02:30", "Wed 02:30"],
        "weekdays": ["Thu 00:00", "Thu 04:00", "Fri 04:00", "Mon 04:00", "Tue 04:00", "Wed 04:00"],
    }
    assert len(tracker.calls) == sum(len(times) for times in ran.values())
    assert sum(line["event"] == "run" for line in runs()) == TICKS


@pytest.mark.slow
def test_a_machine_that_sleeps_catches_up_once(five, tracker):
    """Asleep from Saturday noon to Monday 10:00: each missed corpus runs once, then as usual."""
    awake = [tick for tick in range(TICKS) if not 2 * 48 + 24 <= tick < 4 * 48 + 18]
    ran = simulate([tick for tick in awake if tick >= 48 + 40])  # from Friday 20:00 on
    del ran["live"]
    assert ran == {
        "daily": ["Fri 20:00", "Sat 01:30 s", "Mon 10:00", "Tue 01:30 s", "Wed 01:30 s"],
        "nightly": ["Fri 20:00", "Sat 02:30", "Mon 10:00", "Tue 02:30", "Wed 02:30"],
        "weekdays": ["Fri 20:00", "Mon 10:00", "Tue 04:00", "Wed 04:00"],
    }
    assert len(tracker.calls) == sum(len(times) for times in ran.values())
