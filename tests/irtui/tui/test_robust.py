"""What happens to the app: pastes, resizes, a killed build, a folder that cannot be written."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events

from irtui.commands.apart import Apart
from irtui.commands.runner import run
from irtui.tui.app import IrApp, Options
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.query import MOST
from tests.irengine.store.test_store_disk import fill_up, mounted

from .conftest import build_garden, drive, search_of, settled, until, write_garden
from .screens import text

__all__ = ["mounted"]


@pytest.mark.usefixtures("garden")
def test_a_paste_of_100_kb_is_cut_and_that_is_said() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.query_input.post_message(events.Paste("water " * 17_000 + "\nsecond line"))
        await until(pilot, lambda: len(screen.query_now) == MOST)
        assert "only the first line" in screen.query_one(StatusLine).message
        await settled(app, pilot, screen.query_now)
        screen.set_query("frost")
        await settled(app, pilot, "frost")
        screen.query_input.value = ""
        screen.query_input.post_message(events.Paste("\x1b[2J\x00frost\r\nx"))
        await until(pilot, lambda: "frost" in screen.query_now)
        assert "\x1b" not in text(app) and "\x00" not in screen.query_now

    drive(script)


@pytest.mark.usefixtures("garden")
def test_a_storm_of_sizes_leaves_every_mode_usable() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        search_of(app).set_query("water")
        await settled(app, pilot, "water")
        await pilot.press("escape")
        for key in ("2", "3", "4", "1"):
            await pilot.press(key)
            for width, height in ((200, 60), (1, 1), (59, 9), (100, 24)):
                await pilot.resize_terminal(width, height)
        await until(pilot, lambda: "water" in text(app) and "Water" in text(app))
        assert not app.crash

    drive(script)


def test_a_build_that_is_killed_is_said_and_what_it_had_stays(folders: Path) -> None:
    build_garden("garden", write_garden(folders / "notes"))
    for number in range(400):
        (folders / "notes" / f"more{number}.md").write_text(f"# More {number}\n\n" + "words " * 400)

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("escape", "2")
        await until(pilot, lambda: "ready" in text(app))
        await pilot.press("b")
        job = next(iter(app.jobs))
        await until(pilot, lambda: job.id in app.jobs._processes and bool(job.phase))
        os.kill(app.jobs._processes[job.id].pid, signal.SIGKILL)
        await until(pilot, lambda: not job.active)
        assert job.state == "failed" and job.error is not None
        assert "signal 9" in job.error["message"]
        await until(pilot, lambda: "signal 9" in text(app))
        await pilot.press("1")
        search_of(app).set_query("frost")
        await settled(app, pilot, "frost")
        assert "Late frost" in text(app)
        report = run("verify", name="garden")
        assert report.status == 0, report.data

    drive(script)


def test_an_engine_that_is_killed_comes_back_with_the_next_key(garden: Path) -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.set_query("frost")
        await settled(app, pilot, "frost")
        assert isinstance(app.live, Apart) and app.live._process is not None
        app.live._process._process.kill()
        app.live._process._process.wait()
        screen.set_query("water")
        await settled(app, pilot, "water")
        assert "Water" in text(app) and screen._problem is None

    drive(script, app=IrApp(Options(corpora=("garden",)), live=Apart()))


def test_settings_that_cannot_be_written_are_said_and_nothing_else_happens(
    garden: Path, folders: Path
) -> None:
    del garden
    (folders / "config" / "app.json").unlink(missing_ok=True)
    (folders / "config" / "app.json").mkdir()

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("escape", "T")
        await until(pilot, lambda: app.theme != "ir-dark")
        search_of(app).set_query("frost")
        await settled(app, pilot, "frost")
        assert "Late frost" in text(app)

    drive(script)


def test_a_folder_that_was_removed_under_the_terminal_is_no_obstacle(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders / "gone").mkdir()
    monkeypatch.chdir(folders / "gone")
    (folders / "gone").rmdir()
    monkeypatch.setenv("HOME", str(folders))
    app = IrApp(Options())
    os.chdir(folders)
    assert app.here == folders


def test_a_full_disk_is_said_and_everything_else_goes_on(
    folders: Path, monkeypatch: pytest.MonkeyPatch, mounted: Callable[[int], Path]
) -> None:
    disk = mounted(48)
    for variable in ("IR_DATA_DIR", "IR_CONFIG_DIR", "IR_CACHE_DIR"):
        monkeypatch.setenv(variable, str(disk / variable))
    notes = write_garden(folders / "notes")
    build_garden("garden", notes)
    before = run("info", name="garden").data
    for number in range(300):
        (notes / f"more{number}.md").write_text(f"# More {number}\n\n" + f"word{number} " * 300)
    fill_up(disk, 0)

    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.set_query("frost")
        await settled(app, pilot, "frost")
        await pilot.press("escape", "2", "b")
        await until(pilot, lambda: bool(list(app.jobs)))
        job = next(iter(app.jobs))
        await until(pilot, lambda: not job.active, seconds=60)
        assert job.state == "failed" and job.error is not None, job.result
        assert job.error["code"] == "disk-full" and job.error["hint"]
        await pilot.press("1")
        screen.set_query("whetstone")
        await settled(app, pilot, "whetstone")
        assert "Tools" in text(app)
        (disk / "ballast").unlink()
        await pilot.press("escape", "2", "b")
        await until(pilot, lambda: len(list(app.jobs)) == 2 and not app.jobs.active, seconds=60)
        assert list(app.jobs)[1].state == "done", list(app.jobs)[1].error

    drive(script)
    after = run("info", name="garden").data
    assert (before["artifacts"], after["artifacts"]) == (5, 305)
    report = run("verify", name="garden")
    assert report.status == 0, report.data
