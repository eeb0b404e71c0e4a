"""Installing, changing, restarting and removing a job; and that a working job is never lost."""

import plistlib
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from irengine import schedule
from irengine.errors import ScheduleError
from irengine.schedule import BACKENDS, ScheduleSpec, resolve_backend
from irengine.schedule.joblog import read_tail, rotate, rotate_own

OTHERS = "MAILTO=me\n\n0 1 * * * backup # org.irengine.maintain\n"


def problem(told, words):
    """Return the one problem that has ``words`` in it."""
    (found,) = [one for one in told.problems if words in one]
    return found


class TestChoosing:
    def test_takes_the_first_that_is_there(self, cron):
        assert resolve_backend().name == "cron"

    def test_of_an_unknown_one_names_those_there_are(self, cron):
        with pytest.raises(ScheduleError, match="launchd, cron, systemd"):
            resolve_backend("task")

    def test_of_one_that_is_not_there_says_so(self, cron):
        with pytest.raises(ScheduleError, match="not available"):
            resolve_backend("launchd")
        assert resolve_backend("launchd", require_available=False).name == "launchd"

    def test_without_any_reports_and_refuses(self, bare):
        told = schedule.status()
        assert (told.installed, told.backend) == (False, "unsupported")
        for change in (schedule.ensure, schedule.install, schedule.remove):
            with pytest.raises(ScheduleError, match="none of launchd"):
                change()

    def test_one_that_is_added_can_be_used(self, bare, monkeypatch):
        class Box:
            name, reports_loaded, held = "box", False, []

            @staticmethod
            def available():
                return True

            def preview(self, spec):
                return f"box of {spec.every_minutes}"

            def status(self, label):
                return schedule.ScheduleStatus(bool(self.held), "box", label)

            def install(self, spec):
                self.held.append(spec)
                return "box"

            def remove(self, label):
                return bool(self.held and self.held.pop())

        monkeypatch.setitem(BACKENDS, "box", Box)
        assert schedule.install("5m", dry_run=True).detail == "box of 5"
        assert schedule.install("5m").backend == "box"
        assert schedule.remove().action == "removed"


@pytest.mark.parametrize("backend", ["cron", "launchd", "systemd"])
class TestEveryScheduler:
    @pytest.fixture
    def machine(self, request, backend):
        return request.getfixturevalue(backend)

    def test_goes_through_the_life_of_a_job(self, machine, backend):
        assert not schedule.status().installed
        told = schedule.install("30m")
        assert (told.action, told.installed, told.backend) == ("installed", True, backend)
        assert (told.every_minutes, told.python) == (30, sys.executable)
        assert told.command[-2:] == ("--maintain", "--due")
        assert told.problems == ()
        assert schedule.ensure().action == "unchanged"
        assert schedule.ensure("30m").action == "unchanged"
        assert schedule.ensure("1h").action == "updated"
        assert schedule.status().every_minutes == 60
        assert schedule.install().every_minutes == 60
        assert schedule.restart().action == "restarted"
        assert schedule.remove().action == "removed"
        assert schedule.remove().action == "unchanged"
        assert not schedule.status().installed

    def test_keeps_what_the_job_has(self, machine, backend, monkeypatch):
        monkeypatch.setenv("PP", "/projects of 100%")
        monkeypatch.setenv("IR_CACHE_DIR", str(machine.base / "first"))
        schedule.install()
        monkeypatch.setenv("PP", "/other")
        monkeypatch.setenv("IR_CACHE_DIR", str(machine.base / "second"))
        for told in (schedule.ensure("15m"), schedule.install("20m"), schedule.restart()):
            assert told.env["PP"] == "/projects of 100%"
            assert told.log_path == str(machine.base / "first" / "maintain.log")
        schedule.remove()
        assert schedule.install().env["PP"] == "/other"

    def test_takes_everything_anew_when_told_so(self, machine, backend, monkeypatch):
        monkeypatch.setenv("PP", "/one")
        schedule.install("15m")
        monkeypatch.setenv("PP", "/two")
        told = schedule.install(inherit=False)
        assert (told.env["PP"], told.every_minutes) == ("/two", 60)

    def test_keeps_the_working_job_when_a_new_one_is_refused(self, machine, backend):
        schedule.install("30m")
        before = schedule.status()
        machine.refuse({"cron": "every=15$", "launchd": ">900<", "systemd": "00/15"}[backend])
        with pytest.raises(ScheduleError, match="not changed"):
            schedule.install("15m")
        assert schedule.status() == before
        assert before.loaded in (True, None)

    def test_leaves_nothing_when_the_first_is_refused(self, machine, backend):
        machine.refuse({"cron": "every=15$", "launchd": ">900<", "systemd": "00/15"}[backend])
        with pytest.raises(ScheduleError):
            schedule.install("15m")
        assert not schedule.status().installed

    def test_shows_what_it_would_do_and_does_nothing(self, machine, backend):
        told = schedule.install("15m", dry_run=True)
        assert (told.action, told.installed, told.changed) == ("would-install", False, False)
        assert "irtui" in told.detail
        assert not schedule.status().installed

    def test_reads_odd_paths_back(self, machine, backend):
        odd = machine.base / "my 100% 'new' \"py\" $HOME;x"
        odd.mkdir()
        (odd / "python").symlink_to(sys.executable)
        told = schedule.install(python=str(odd / "python"))
        assert told.python == str(odd / "python")

    def test_refuses_an_interpreter_that_does_not_exist(self, machine, backend):
        schedule.install("30m")
        with pytest.raises(ScheduleError, match="does not exist"):
            schedule.install("15m", python="/no/such/python")
        assert schedule.status().every_minutes == 30

    @pytest.mark.parametrize("dry_run", [False, True])
    def test_refuses_what_is_no_interpreter_with_irtui(self, machine, backend, dry_run):
        plain = machine.base / "notes.txt"
        plain.write_text("not a program")
        for python, why in (
            (str(machine.base / "none"), "does not exist"),
            (str(plain), "cannot be run"),
            ("/bin/true", "does not find irtui"),
        ):
            with pytest.raises(ScheduleError, match=why) as caught:
                schedule.install(python=python, dry_run=dry_run)
            assert sys.executable in caught.value.hint
        assert not schedule.status().installed

    def test_pins_the_running_interpreter_at_a_restart(self, machine, backend):
        other = machine.base / "python"
        other.symlink_to(sys.executable)
        schedule.install(python=str(other))
        other.unlink()
        assert problem(schedule.status(), f"{other} does not exist")
        told = schedule.restart()
        assert (told.python, told.problems) == (sys.executable, ())

    def test_needs_something_to_restart(self, machine, backend):
        with pytest.raises(ScheduleError, match="irtui schedule"):
            schedule.restart()

    def test_flags_missing_and_different_variables(self, machine, backend, monkeypatch):
        monkeypatch.setenv("PTH_FILEPATH", "/one.pth")
        schedule.install()
        monkeypatch.setenv("PP", "/projects")
        monkeypatch.setenv("PTH_FILEPATH", "/two.pth")
        monkeypatch.delenv("IR_CACHE_DIR")
        told = schedule.status()
        assert "missing in the job" in problem(told, "PP is set here")
        assert problem(told, "PTH_FILEPATH is /one.pth in the job and /two.pth here")
        assert problem(told, "IR_CACHE_DIR is ")

    def test_flags_an_interpreter_without_irtui(self, machine, backend):
        emptied = machine.base / "python"
        emptied.symlink_to(sys.executable)
        schedule.install(python=str(emptied))
        emptied.unlink()
        emptied.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        emptied.chmod(0o755)
        assert problem(schedule.status(), "does not find irtui")

    def test_says_it_in_json_and_in_words(self, machine, backend):
        told = schedule.install("30m")
        assert told.to_dict()["changed"] is True
        text = schedule.render(schedule.status())
        for words in ("--status", "--every", "--restart", "--remove", "irtui --maintain", "30m"):
            assert words in text
        assert ("loaded" in text) == (backend != "cron")
        assert "To operate it:" not in schedule.render(schedule.remove())
        assert "Nothing is scheduled" in schedule.render(schedule.status())


class TestCron:
    def test_never_touches_another_line(self, cron):
        cron.crontab = OTHERS
        schedule.install("30m")
        schedule.install("15m")
        assert cron.crontab.startswith(OTHERS)
        assert cron.crontab.count("\n") == OTHERS.count("\n") + 1
        schedule.remove()
        assert cron.crontab == OTHERS

    def test_does_not_write_what_it_could_not_read(self, cron):
        cron.crontab = OTHERS
        cron.refuse("x", file="unreadable")
        for change in (schedule.install, schedule.status, schedule.remove):
            with pytest.raises(ScheduleError, match="permission denied"):
                change()
        assert cron.crontab == OTHERS

    def test_puts_back_what_was_torn(self, cron):
        cron.crontab = OTHERS
        cron.refuse("every=15$", file="tear")
        with pytest.raises(ScheduleError, match="not what was written"):
            schedule.install("15m")
        assert cron.crontab == OTHERS

    def test_reads_a_broken_line_without_failing(self, cron):
        cron.crontab = "0 * * * * /usr/bin/env A='b python # org.irengine.maintain every=60\n"
        told = schedule.status()
        assert (told.installed, told.every_minutes, told.python) == (True, 60, None)
        assert problem(told, "cannot be read")

    def test_flags_several_lines_and_makes_them_one(self, cron):
        schedule.install("30m")
        cron.crontab += cron.crontab
        assert problem(schedule.status(), "several lines")
        schedule.install()
        assert cron.crontab.count("\n") == 1

    @pytest.mark.parametrize(
        ("ended", "words"),
        [
            ("boom\nexit 1 {}", "failed (exit status 1): boom"),
            ("env: no such file\nexit 127 {}", "could not be started (exit status 127): env"),
        ],
    )
    def test_flags_a_failing_run(self, cron, ended, words):
        told = schedule.install("30m")
        now = datetime.now(timezone.utc)
        Path(told.log_path).write_text(ended.format(f"{now:%Y-%m-%dT%H:%M:%SZ}") + "\n")
        told = schedule.status()
        assert problem(told, words)
        assert told.last_run == now.isoformat(timespec="seconds")
        assert told.next_run > told.last_run

    @pytest.mark.parametrize("code", [0, 4, 5])
    def test_takes_work_left_for_the_next_run_as_no_failure(self, cron, code):
        told = schedule.install("30m")
        now = datetime.now(timezone.utc)
        Path(told.log_path).write_text(f"done\nexit {code} {now:%Y-%m-%dT%H:%M:%SZ}\n")
        told = schedule.status()
        assert (told.last_exit, told.last_log_line, told.problems) == (code, "done", ())

    def test_flags_a_job_that_does_not_run(self, cron):
        told = schedule.install("30m")
        now = datetime.now(timezone.utc)
        later = now + timedelta(hours=2)
        assert problem(schedule.status(now=later), "has never run")
        Path(told.log_path).write_text(f"exit 0 {now:%Y-%m-%dT%H:%M:%SZ}\n")
        assert schedule.status(now=now + timedelta(minutes=50)).problems == ()
        assert problem(schedule.status(now=later), "has not run since")

    def test_flags_a_log_that_cannot_be_written(self, cron):
        told = schedule.install()
        log = Path(told.log_path)
        log.unlink()
        log.parent.rmdir()
        assert problem(schedule.status(), "does not exist")


class TestLaunchd:
    def test_tells_an_exit_from_a_signal(self, launchd):
        schedule.install()
        (launchd.state / "exit").write_text("256")
        assert problem(schedule.status(), "exit status 1")
        (launchd.state / "exit").write_text("9")
        assert problem(schedule.status(), "signal 9")

    def test_flags_a_job_that_is_not_loaded(self, launchd):
        schedule.install()
        (launchd.state / "loaded").unlink()
        told = schedule.status()
        assert told.loaded is False
        assert problem(told, "has not taken the job in")
        assert schedule.restart().loaded is True

    def test_reads_a_broken_file_without_failing(self, launchd):
        path = Path(schedule.install().definition)
        path.write_bytes(b"<plist>")
        told = schedule.status()
        assert (told.installed, len(told.problems)) == (True, 1)
        assert schedule.install("15m").every_minutes == 15

    def test_puts_the_very_file_back(self, launchd):
        path = Path(schedule.install("30m").definition)
        data = {**plistlib.loads(path.read_bytes()), "Nice": 5}
        path.write_bytes(plistlib.dumps(data))
        launchd.refuse(">900<")
        with pytest.raises(ScheduleError):
            schedule.install("15m")
        assert plistlib.loads(path.read_bytes()) == data
        assert plistlib.loads((launchd.state / "loaded").read_bytes()) == data


class TestSystemd:
    def test_says_how_the_last_run_ended(self, systemd):
        schedule.install()
        ended = int((datetime.now(timezone.utc) - timedelta(minutes=10)).timestamp())
        (systemd.state / "shown").write_text(
            f"ExecMainStatus=1\nExecMainCode=1\nExecMainExitTimestamp=@{ended}\n"
            f"NextElapseUSecRealtime=@{ended + 3600}\n"
        )
        told = schedule.status()
        assert problem(told, "exit status 1")
        assert datetime.fromisoformat(told.last_run).timestamp() == ended
        assert datetime.fromisoformat(told.next_run).timestamp() == ended + 3600

    def test_has_not_failed_before_it_ran(self, systemd):
        schedule.install()
        (systemd.state / "shown").write_text("ExecMainStatus=0\nExecMainExitTimestamp=\n")
        told = schedule.status()
        assert (told.last_run, told.last_exit, told.problems) == (None, None, ())

    def test_flags_that_it_ends_with_the_session(self, systemd):
        (systemd.state / "linger").write_text("no\n")
        assert problem(schedule.install(), "enable-linger")


def test_a_job_moves_from_one_scheduler_to_another(cron, systemd_too):
    schedule.install("15m")
    systemd_too()
    told = schedule.install(backend="systemd")
    assert (told.backend, told.action, told.every_minutes) == ("systemd", "updated", 15)
    assert told.detail == "moved from cron"
    assert cron.crontab == ""
    assert schedule.status().backend == "systemd"


class TestTheLog:
    def test_is_rotated_while_it_is_written_to(self, tmp_path):
        log = tmp_path / "log"
        with log.open("ab", buffering=0) as writer:
            for number in range(5):
                writer.write(b"%d" % number * 100)
                assert rotate(log, most=50, kept=3)
                assert not rotate(log, most=50, kept=3)
            writer.write(b"end")
        assert log.read_bytes() == b"end"
        kept = sorted(path.name for path in tmp_path.iterdir())
        assert kept == ["log", "log.1", "log.2", "log.3"]
        assert (tmp_path / "log.3").read_bytes() == b"2" * 100

    def test_of_a_job_is_the_one_its_environment_names(self, tmp_path):
        log = tmp_path / "log"
        log.write_bytes(b"x" * 1_500_000)
        assert not rotate_own({})
        assert rotate_own({"IR_SCHEDULE_LOG": str(log)})
        assert log.stat().st_size == 0
        assert not rotate_own({"IR_SCHEDULE_LOG": str(tmp_path / "none")})

    def test_shows_the_end_of_the_run_before_while_one_goes_on(self, tmp_path):
        log = tmp_path / "log"
        log.write_text("one\nexit 3 2026-01-02T03:04:05Z\nworking\n\n")
        tail = read_tail(str(log))
        assert (tail.last_line, tail.last_exit) == ("working", 3)
        assert tail.ended == "2026-01-02T03:04:05+00:00"

    def test_that_is_odd_is_read_all_the_same(self, tmp_path):
        log = tmp_path / "log"
        log.write_bytes(b"\xff" * 9000 + b"\n" + b"y" * 300)
        assert read_tail(str(log)).last_line == "y" * 200
        assert read_tail(str(tmp_path)).last_line is None
        assert read_tail(None).written is None


def test_looking_does_not_wait_for_whoever_changes_it(cron, private_folders):
    import filelock

    schedule.install()
    with filelock.FileLock(str(private_folders / "config" / "schedule.lock")):
        assert schedule.status().installed


def test_the_default_job_runs_what_is_due():
    assert ScheduleSpec().args == ("-u", "-m", "irtui", "--maintain", "--due")
