"""What somebody meets who knows nothing but what the screen says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from irtui.commands.runner import run
from irtui.tui.app import IrApp, Options
from irtui.tui.jobs import Job
from irtui.tui.screens.form import Form
from irtui.tui.screens.help import TextScreen
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.hits import HitList

from .conftest import drive, search_of, searched, until, write_garden
from .screens import text


@pytest.mark.usefixtures("garden")
def test_the_hints_name_keys_that_work_where_one_types() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        search = search_of(app)
        app.jobs._jobs[1] = Job(1, ("try", "notes"), "index notes")
        search.refresh_bars()
        await pilot.pause()
        assert "(f9)" in text(app) and "f1 explains" in text(app)
        assert "enter to the hits" in text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "(J)" in text(app)
        app.jobs._jobs.clear()

    drive(script)


@pytest.mark.usefixtures("garden")
def test_keys_typed_after_the_one_that_leaves_do_nothing() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "runner beans")
        app.exit(0)
        assert await app.run_action("mode('graph')")
        assert app.current_mode == "search"

    drive(script)


@pytest.mark.parametrize("size", [(40, 10), (60, 16), (80, 24)], ids=str)
@pytest.mark.usefixtures("garden")
def test_a_box_always_says_how_it_is_closed(size: tuple[int, int]) -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "water")
        await pilot.press("space")
        for key in ("t", "J", "question_mark", "f1", "w", "2", "a"):
            if key == "2":
                await pilot.press(key)
                continue
            await pilot.press(key)
            await until(pilot, lambda: "esc closes" in text(app))
            await pilot.press("escape")
            await until(pilot, lambda: "esc closes" not in text(app))

    drive(script, size=size)


@pytest.mark.usefixtures("garden")
def test_what_does_not_fit_the_second_column_of_a_text_hangs_below_it() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        app.push_screen(TextScreen("Text", "in:corpus        " + "search there " * 9))
        await until(pilot, lambda: "search there" in text(app))
        shown = [line for line in text(app).splitlines() if "search there" in line]
        columns = {line.index("search there") for line in shown}
        assert len(shown) > 1 and len(columns) == 1

    drive(script, size=(80, 24))


@pytest.mark.usefixtures("garden")
def test_a_session_that_only_reads_says_how_long_it_keeps_a_search() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "water")
        await pilot.press("b", "enter")
        await until(pilot, lambda: "kept as water" in text(app))
        assert "until this session ends" in text(app)
        assert not app.kept.file.exists()
        await pilot.press("B")
        await until(pilot, lambda: "water: water" in text(app))

    drive(script, app=IrApp(Options(corpora=("garden",), read_only=True)))


def test_a_folder_that_was_tried_is_offered_to_be_kept(folders: Path) -> None:
    notes = write_garden(folders / "notes")
    run("try", path=str(notes), embedder="light", query=[])
    row = run("ls").data[0]
    assert row["root"] == str(notes) and row["kind"] is None

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("escape", "2")
        await until(pilot, lambda: "only tried" in text(app))
        assert "4 docs" in text(app) and "when its files change" not in text(app)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Form))
        form = app.screen
        assert form.query_one("#field-root", Field).value == str(notes)
        await until(pilot, lambda: "4 files" in text(app))
        assert "folder (needed)" in text(app) and "model for meaning" in text(app)

    drive(script, app=IrApp(Options(corpora=(row["name"],))))


def test_nothing_that_needs_hits_is_offered_before_there_is_a_corpus(folders: Path) -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        del pilot
        search = search_of(app)
        assert search.allowed("search.select") and search.allowed("search.preview")
        assert not search.allowed("search.add_path") and not search.allowed("search.sample")

    drive(script, app=IrApp(Options()))


@pytest.mark.parametrize("theme", ["ir-mono", "ir-ansi"])
@pytest.mark.usefixtures("garden")
def test_the_cursor_of_the_palette_is_seen_without_colours(theme: str) -> None:
    def underlined(app: IrApp) -> str:
        strips = app.screen._compositor.render_strips(app.size)
        parts = [part for row in strips for part in row if part.style and part.style.underline]
        return "".join(part.text for part in parts)

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "app: back" in underlined(app), seconds=15)

    drive(script, app=IrApp(Options(corpora=("garden",), theme=theme)))


@pytest.mark.usefixtures("garden")
def test_the_keymap_of_vim_works_in_lists(folders: Path) -> None:
    (folders / "config" / "keys.toml").write_text('keymap = "vim"\n')

    async def script(app: IrApp, pilot: Any) -> None:
        search = await searched(app, pilot, "water bed")
        hits = search.query_one(HitList)
        await pilot.press("j", "j")
        assert hits.at == 2
        await pilot.press("k", "G")
        assert hits.at == hits.row_count() - 1
        await pilot.press("ctrl+b")
        assert hits.at == 0
        await pilot.press("ctrl+f", "g", "i")
        assert hits.at == 0 and search.query_input.has_focus

    drive(script)


@pytest.mark.usefixtures("garden")
def test_enter_in_the_query_goes_to_the_hits() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        search = search_of(app)
        search.set_query("water")
        await pilot.press("enter")
        assert search.query_one(HitList).has_focus

    drive(script)
