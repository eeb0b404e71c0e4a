"""Intervals, and the text of a job for each scheduler."""

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from irengine.errors import ScheduleError
from irengine.schedule import (
    ScheduleSpec,
    cron_expression,
    cron_line,
    crontab_with_line,
    crontab_without_line,
    format_every,
    parse_every,
    plist_bytes,
    plist_dict,
    service_text,
    timer_text,
)
from irengine.schedule.spec import current_env

LABEL = "org.irengine.maintain"
ODD = "/opt/my 100% 'new' \"py\" $HOME;rm/python"


def spec(**changes):
    values = {"python": "/usr/bin/python3", "log_path": "/tmp/log", "env": (("A", "b"),)}
    return ScheduleSpec(**{**values, **changes})


class TestIntervals:
    @pytest.mark.parametrize(
        ("said", "minutes"),
        [
            (None, None),
            (90, 90),
            ("15", 15),
            (" 15M ", 15),
            ("+05 m", 5),
            ("6h", 360),
            ("1d", 1440),
            ("1w", 10080),
            ("1h30m", 90),
            ("1h 30m", 90),
        ],
    )
    def test_are_read(self, said, minutes):
        assert parse_every(said) == minutes

    @pytest.mark.parametrize(
        "said", ["", "0", 0, -5, "1.5h", "5s", "h", "m5", "5m x", True, 1.5, "1h30", "-1h"]
    )
    def test_are_refused(self, said):
        with pytest.raises(ScheduleError):
            parse_every(said)

    @pytest.mark.parametrize(
        "said", ["367d", 10**30, pytest.param(10**5000, id="huge"), "9" * 500, "9" * 13 + "m"]
    )
    def test_of_more_than_a_year_are_refused(self, said):
        with pytest.raises(ScheduleError, match="more than a year"):
            parse_every(said)

    @pytest.mark.parametrize("minutes", [1, 45, 60, 90, 1440, 1501, 2880])
    def test_are_written_as_they_are_read(self, minutes):
        assert parse_every(format_every(minutes)) == minutes

    def test_that_are_not_known_are_said_so(self):
        assert format_every(None) == format_every(0) == "unknown"

    @pytest.mark.parametrize(
        ("minutes", "expression"),
        [
            (1, "*/1 * * * *"),
            (15, "*/15 * * * *"),
            (60, "0 * * * *"),
            (360, "0 */6 * * *"),
            (1440, "0 0 * * *"),
        ],
    )
    def test_as_cron_has_them(self, minutes, expression):
        assert cron_expression(minutes) == expression

    @pytest.mark.parametrize("minutes", [7, 45, 50, 300, 2880])
    def test_cron_cannot_keep_are_refused_with_some_it_can(self, minutes):
        with pytest.raises(ScheduleError, match=r"15m.*6h"):
            cron_expression(minutes)

    def test_cron_cannot_keep_are_said_in_days_when_they_are_days(self):
        with pytest.raises(ScheduleError, match="every 40d "):
            cron_expression(parse_every("40d"))


class TestASpec:
    def test_refuses_what_would_be_a_second_entry(self):
        for broken in (
            {"python": "/usr/bin/python\n* * * * * evil"},
            {"log_path": "/tmp/a\rb"},
            {"args": ("-m", "x\ny")},
            {"env": (("A", "b\nc"),)},
            {"env": (("A\nB", "c"),)},
            {"label": "a\nb"},
        ):
            with pytest.raises(ScheduleError):
                spec(**broken)

    @pytest.mark.parametrize(
        "broken",
        [
            {"every_minutes": 0},
            {"every_minutes": 1.5},
            {"every_minutes": True},
            {"every_minutes": 367 * 1440},
            {"python": "python3"},
            {"log_path": "log"},
            {"label": ""},
            {"label": "a b"},
            {"label": "-x"},
            {"env": (("1A", "x"),)},
        ],
    )
    def test_refuses_what_makes_no_sense(self, broken):
        with pytest.raises(ScheduleError):
            spec(**broken)

    def test_takes_its_variables_from_where_it_is_made(self, monkeypatch):
        monkeypatch.setenv("PP", "/projects")
        monkeypatch.setenv("PTH_FILEPATH", "")
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        env = ScheduleSpec().env_dict
        assert env["PP"] == "/projects"
        assert {"HOME", "PATH", "IR_DATA_DIR"} <= set(env)
        assert not {"PTH_FILEPATH", "OPENAI_API_KEY"} & set(env)
        assert list(env) == sorted(env)

    def test_shortens_an_endless_path(self, monkeypatch, tmp_path):
        folders = [tmp_path / f"folder-with-a-long-name-{n}" for n in range(40)]
        for folder in folders:
            folder.mkdir()
        monkeypatch.setenv("PATH", ":".join([*map(str, folders), *map(str, folders), "/none"]))
        path = current_env()["PATH"]
        assert len(path) <= 450
        assert path.split(":")[0] == str(folders[0])
        assert path.endswith("/usr/local/bin:/usr/bin:/bin")


class TestACronLine:
    def test_is_one_line_with_everything_in_it(self):
        line = cron_line(spec(every_minutes=15))
        assert line.startswith("*/15 * * * * /usr/bin/env A=b IR_SCHEDULE_LOG=/tmp/log ")
        assert " /usr/bin/python3 -u -m irtui --maintain --due >> /tmp/log 2>&1" in line
        assert line.endswith("# org.irengine.maintain every=15")
        assert "\n" not in line

    def test_escapes_every_percent_sign(self):
        line = cron_line(spec(python="/opt/100%/py", log_path="/tmp/5%"))
        assert line.count("%") == line.count("\\%") > 3

    def test_reaches_the_shell_as_it_was_meant(self, tmp_path):
        folder = tmp_path / "my 100% 'new' \"py\" $HOME;x"
        folder.mkdir()
        program = folder / "python"
        program.write_text('#!/bin/sh\necho "$TOLD|$*"\nexit 3\n')
        program.chmod(0o755)
        log = folder / "the log"
        job = spec(python=str(program), log_path=str(log), env=(("TOLD", "a 'b' $c 5%"),))
        command = cron_line(job).split(None, 5)[5].replace("\\%", "%")  # as cron does
        subprocess.run(["/bin/sh", "-c", command], check=True)
        first, last = log.read_text().splitlines()
        assert first == "a 'b' $c 5%|-u -m irtui --maintain --due"
        assert last.startswith("exit 3 20")

    def test_is_refused_where_crons_would_differ(self):
        with pytest.raises(ScheduleError, match="backslash"):
            cron_line(spec(python="/opt/a\\%b"))

    def test_is_refused_when_it_is_longer_than_cron_takes(self):
        with pytest.raises(ScheduleError, match="more than cron takes"):
            cron_line(spec(env=(("A", "x" * 1000),)))


class TestEditingACrontab:
    def test_leaves_every_other_line_byte_for_byte(self):
        others = (
            "# org.irengine.maintain every=60 is my note\n"
            "MAILTO=me\n\n\n"
            "0 1 * * * backup # org.irengine.maintain\n"
            "0 2 * * * tidy # before org.irengine.maintain every=60 runs\n"
            "0 3 * * * x # org.irengine.maintain2 every=60\n"
            "0 4 * * * y # my.org.irengine.maintain every=60\n"
            "5 * * * * odd\x0b\x1c\u2028text\r\n"
            "6 * * * * \udcff\n"
        )
        with_ours = crontab_with_line(others, spec())
        assert with_ours == others + cron_line(spec()) + "\n"
        assert crontab_without_line(with_ours) == others

    def test_of_a_shorter_label_is_not_of_ours(self):
        ours = cron_line(spec()) + "\n"
        assert crontab_without_line(ours, "org.irengine") == ours

    def test_replaces_what_is_ours(self):
        once = crontab_with_line("a\n", spec(every_minutes=15))
        twice = crontab_with_line(once + "b", spec(every_minutes=30))
        assert twice == "a\nb\n" + cron_line(spec(every_minutes=30)) + "\n"

    def test_without_ours_changes_nothing(self):
        for text in ("", "\n\n", "a", "a\r\nb", "\n a\n\n"):
            assert crontab_without_line(text) == text


class TestAPropertyList:
    def test_says_what_runs_and_when(self):
        data = plistlib.loads(plist_bytes(spec(every_minutes=45, python=ODD)))
        assert data == plist_dict(spec(every_minutes=45, python=ODD))
        assert data["StartInterval"] == 2700
        assert data["ProgramArguments"][0] == ODD
        assert data["EnvironmentVariables"]["A"] == "b"
        assert data["StandardOutPath"] == data["StandardErrorPath"] == "/tmp/log"
        assert (data["RunAtLoad"], data["ProcessType"]) == (False, "Standard")


class TestSystemdUnits:
    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
    @pytest.mark.parametrize("minutes", [1, 15, 45, 60, 360, 1440, 10080])
    def test_are_accepted_by_systemd(self, tmp_path, minutes):
        folder = tmp_path / "my 100% 'new' $HOME;x"
        folder.mkdir()
        program = folder / "python"
        program.symlink_to("/bin/true")
        job = spec(
            every_minutes=minutes, python=str(program), env=(("A", "b \"c\" 'd' 5% $e \\f"),)
        )
        (tmp_path / "job.service").write_text(service_text(job))
        (tmp_path / "job.timer").write_text(timer_text(job))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"]
            + [str(tmp_path / name) for name in ("job.service", "job.timer")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

    @pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
    def test_name_the_times_they_mean(self):
        done = subprocess.run(
            ["systemd-analyze", "calendar", "--iterations=3", "--base-time=2026-01-01 00:01 UTC"]
            + ["*-*-* 00/6:00:00"],
            capture_output=True,
            text=True,
            env={"TZ": "UTC", "PATH": "/usr/bin:/bin"},
            check=True,
        )
        assert [hour in done.stdout for hour in ("06:00:00", "12:00:00", "18:00:00")] == [True] * 3

    def test_catch_up_where_they_name_times(self):
        assert "Persistent=true" in timer_text(spec(every_minutes=60))
        assert "OnUnitActiveSec=45min" in timer_text(spec(every_minutes=45))


def test_quoting_survives_a_shell_and_back():
    line = cron_line(spec(python=ODD))
    words = shlex.split(line.split(None, 5)[5].replace("\\%", "%"))
    assert words[3] == ODD
    assert Path(words[3]).is_absolute()
