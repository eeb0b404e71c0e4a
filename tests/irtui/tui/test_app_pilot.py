"""The shell around the modes: going to them, the palette, help, jobs, themes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from irtui.theme import DEFAULT, MONO
from irtui.tui.app import IrApp, Options
from irtui.tui.modes import MODES
from irtui.tui.screens.listing import PlainRows
from irtui.tui.screens.search import SearchScreen
from irtui.tui.selection import LEVELS
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.hits import HitList

from .conftest import (
    build_garden,
    drive,
    searched,
    type_text,
    until,
    write_garden,
)
from .screens import text


def message(app: IrApp) -> str:
    assert app.mode_screen is not None
    return app.mode_screen.query_one(StatusLine).message


@pytest.mark.usefixtures("garden")
class TestShell:
    def test_digits_and_function_keys_go_to_modes_and_back(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water")
            for keys in ("1234", ("f5", "f6", "f7", "f8")):
                for key, mode in zip(keys, MODES, strict=True):
                    await pilot.press(key)
                    await until(pilot, lambda mode=mode: app.current_mode == mode)
            await pilot.press("1")
            await pilot.pause()
            assert app.mode_screen is screen and screen.query_now == "water"

        drive(script)

    def test_leaving_makes_nothing_only_to_stop_it(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.pause()

        assert "lines" not in vars(drive(script))

    def test_a_click_on_a_mode_goes_there(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.click("TopBar", offset=(app.size.width - 3, 0))
            await until(pilot, lambda: app.current_mode == "maintenance")

        drive(script)

    def test_letters_are_typed_while_a_field_has_the_focus(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await type_text(pilot, "q1J:")
            screen = app.mode_screen
            assert isinstance(screen, SearchScreen)
            assert screen.query_now == "q1J:" and app.current_mode == "search"

        drive(script)

    def test_the_palette_finds_actions_and_themes(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "water")
            await pilot.press("ctrl+p")
            await type_text(pilot, "theme: ir-light")
            await until(pilot, lambda: "The" in text(app) or "Light" in text(app))
            await pilot.pause(0.3)
            await pilot.press("enter")
            await until(pilot, lambda: app.theme == "ir-light")

        drive(script)

    def test_the_jump_overlay_goes_to_a_pane(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water")
            await pilot.press("apostrophe")
            await pilot.pause()
            letter = "asd"[[pane.id for pane in screen.panes()].index("preview")]
            await pilot.press(letter)
            await pilot.pause()
            assert screen.focused is not None and screen.focused.id == "preview"

        drive(script)

    def test_help_is_narrowed_by_typing(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "water")
            await pilot.press("question_mark")
            await pilot.pause()
            assert (
                "search.select" in text(app) and "app.quit" not in text(app).split("foot")[-1][:0]
            )
            await type_text(pilot, "leave the app")
            await pilot.pause()
            shown = text(app)
            assert "app.quit" in shown and "search.select" not in shown

        drive(script)

    def test_f1_reads_about_the_mode(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f1")
            await until(pilot, lambda: "Query language" in text(app))

        drive(script)

    def test_zoom_gives_a_pane_the_screen_and_escape_gives_it_back(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water")
            before = screen.query_one(HitList).size.width
            await pilot.press("z")
            await pilot.pause()
            assert screen.query_one(HitList).size.width > before
            await pilot.press("escape")
            await pilot.pause()
            assert screen.query_one(HitList).size.width == before

        drive(script)


@pytest.mark.usefixtures("garden")
class TestSelection:
    def test_what_is_selected_outlives_queries_with_where_it_came_from(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            await pilot.press("space")
            await searched(app, pilot, "whetstone")
            await pilot.press("space")
            told = [(item.title, item.query, item.rank, LEVELS[item.level]) for item in app.tray]
            assert told == [
                ("Late frost", "frost", 1, "passage"),
                ("Tools", "whetstone", 1, "passage"),
            ]
            assert "Selection 2" in text(app)

        drive(script)

    def test_ranges_all_and_the_other_way_round(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water")
            hits = screen.query_one(HitList)
            keys = [hits.row_key(row) for row in range(hits.row_count())]
            await pilot.press("V", "down", "V")
            assert [item.key for item in app.tray] == keys[:2]
            await pilot.press("I")
            assert {item.key for item in app.tray} == set(keys[2:])
            await pilot.press("a")
            assert {item.key for item in app.tray} == set(keys)

        drive(script)

    def test_the_tray_reorders_reveals_and_puts_back(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "water")
            await pilot.press("space", "space")
            first, second = (item.key for item in app.tray)
            await pilot.press("t")
            await pilot.pause()
            await pilot.press("J")
            assert [item.key for item in app.tray] == [second, first]
            before = app.tray.get(first)
            assert before is not None
            await pilot.press("l", "l")
            await until(pilot, lambda: LEVELS[app.tray.get(first).level] == "document")  # type: ignore[union-attr]
            await until(pilot, lambda: app.tray.get(first).tokens > before.tokens)  # type: ignore[union-attr]
            await pilot.press("x")
            assert [item.key for item in app.tray] == [second]

        drive(script)

    def test_a_budget_that_is_exceeded_is_said_and_nothing_is_cut(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            app.tray.budget = 30
            await searched(app, pilot, "whetstone")
            await pilot.press("space")
            assert "reveal less" in message(app)
            assert "over the budget" in text(app)
            assert app.tray.tokens > 30

        drive(script)

    def test_levels_go_from_the_id_to_the_document(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "flower")
            seen = []
            await pilot.press("0")
            for level in LEVELS:
                await until(pilot, lambda level=level: f"  {level} ≈" in text(app))
                seen.append(text(app))
                await pilot.press("l")
            assert "docid:" in seen[0] and "docid:" not in seen[1]
            assert "Five seeds" in seen[4]
            assert screen.level_of("garden\0beans.md") == 4

        drive(script)

    def test_sets_are_kept_and_taken_back(self, garden: Path) -> None:
        async def keep(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "water")
            await pilot.press("space", "S")
            await pilot.pause()
            await type_text(pilot, "wet")
            await pilot.press("enter")
            await until(pilot, lambda: "wet" in app.kept.sets)

        async def load(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            await pilot.press("L")
            await pilot.pause()
            await pilot.press("enter")
            await until(pilot, lambda: len(app.tray) == 1)
            assert next(iter(app.tray)).query == "water"

        drive(keep)
        drive(load)

    @pytest.mark.parametrize("form", ["md", "jsonl", "paths"])
    def test_export(self, garden: Path, tmp_path: Path, form: str) -> None:
        file = tmp_path / "out.txt"

        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "frost")
            await pilot.press("space")
            screen._export(form, str(file))
            await until(pilot, lambda: "written to" in message(app))

        drive(script)
        told = file.read_text(encoding="utf-8")
        if form == "jsonl":
            line = json.loads(told)
            assert (line["query"], line["rank"], line["level"]) == ("frost", 1, "passage")
            assert "Fleece" in line["text"]
        elif form == "paths":
            assert told == f"{garden / 'notes' / 'frost.md'}\n"
        else:
            assert told.startswith("## Late frost\n") and "Fleece" in told

    def test_discover_says_what_it_would_commit_to(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "fleece frost night")
            await pilot.press("D")
            await until(pilot, lambda: "discover commits to" in message(app))
            assert screen.query_one(HitList).committed == {"garden\0frost.md": "◆1"}

        drive(script)

    def test_a_score_is_explained(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "whetstone")
            await pilot.press("w")
            await until(pilot, lambda: "terms" in text(app))
            assert "rank 1" in text(app)

        drive(script)


@pytest.mark.usefixtures("garden")
class TestCopying:
    def test_what_is_copied_is_also_in_a_file_that_is_named(self, tmp_path: Path) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            await pilot.press("y")
            assert app.clipboard == "frost.md"
            assert str(tmp_path / "cache" / "clip.txt") in message(app)

        drive(script)
        assert (tmp_path / "cache" / "clip.txt").read_text() == "frost.md"

    def test_the_command_line_of_a_search_gives_the_same_hits(self) -> None:
        import shlex

        from irtui.commands.arguments import parse_arguments
        from irtui.commands.output import split_output
        from irtui.commands.registry import lookup
        from irtui.commands.runner import run

        found: dict[str, Any] = {}

        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water -frost tags:(weather|vegetables)")
            hits = screen.query_one(HitList)
            found["ids"] = [row["artifact_id"] for row in hits.described(0, 10)]
            found["line"] = screen.equivalent_command()

        drive(script)
        words = shlex.split(found["line"])
        command = lookup(words[1])
        arguments, _ = split_output(command, parse_arguments(command, words[2:]))
        assert [row["artifact_id"] for row in run(words[1], **arguments).data] == found["ids"]
        assert len(found["ids"]) > 1


class TestThemes:
    def test_the_theme_is_kept(self, garden: Path) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            assert app.theme == DEFAULT
            app.use_theme("ir-light")
            await pilot.pause()

        async def again(app: IrApp, pilot: Any) -> None:
            assert app.theme == "ir-light"

        drive(script)
        drive(again)

    def test_no_color_asks_for_the_theme_without(
        self, garden: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")

        async def script(app: IrApp, pilot: Any) -> None:
            assert app.theme == MONO
            await searched(app, pilot, "frost")
            strips = app.screen._compositor.render_strips(app.size)
            styles = [segment.style for strip in strips for segment in strip if segment.style]
            colours = {style.color.name for style in styles if style.color is not None}
            colours |= {style.bgcolor.name for style in styles if style.bgcolor is not None}
            assert colours <= {"default"}

        drive(script)

    def test_a_theme_file_is_followed_while_it_is_edited(self, garden: Path) -> None:
        import os

        from irtui.commands.kept import kept_folder
        from irtui.theme import find_theme

        async def script(app: IrApp, pilot: Any) -> None:
            folder = kept_folder() / "themes"
            folder.mkdir()
            source = find_theme(DEFAULT).path
            assert source is not None
            text_before = source.read_text(encoding="utf-8")
            file = folder / "mine.toml"
            file.write_text(text_before.replace('accent = "#e6b673"', 'accent = "#ffffff"'))
            app._follow_themes()
            await pilot.pause()
            assert app.get_css_variables()["accent"] == "#ffffff".upper()
            file.write_text("name =")
            os.utime(file, (1, 1))
            app._follow_themes()
            await pilot.pause()
            assert "mine.toml" in message(app)

        drive(script)


def test_a_job_is_followed_and_its_corpus_searched(folders: Path) -> None:
    notes = write_garden(folders / "notes")

    async def script(app: IrApp, pilot: Any) -> None:
        screen = app.mode_screen
        assert isinstance(screen, SearchScreen)
        assert "Nothing is indexed yet" in text(app)
        app.here = notes
        await pilot.press("A")
        await until(pilot, lambda: bool(app.jobs.active))
        await pilot.press("escape", "J")
        await pilot.pause()
        assert "index notes" in text(app)
        await until(pilot, lambda: not app.jobs.active, seconds=60)
        await pilot.press("escape")
        await until(pilot, lambda: "Type to search" in text(app))
        assert next(iter(app.jobs)).state == "done"
        await pilot.press("slash")
        await until(pilot, lambda: screen.query_input.has_focus)
        await type_text(pilot, "frost")
        await until(pilot, lambda: "Late frost" in text(app))

    drive(script, app=IrApp(Options()))


@pytest.fixture
def endless(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A garden that ``irtui watch`` never begins to watch: only a signal ends it."""
    build_garden("garden", write_garden(folders / "notes"))
    waiting = "import sys, time\nif 'watch' in sys.orig_argv:\n    time.sleep(600)\n"
    (folders / "sitecustomize.py").write_text(waiting)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folders), *sys.path]))


@pytest.mark.usefixtures("endless")
def test_a_job_that_is_only_being_started_can_be_stopped() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        job = app.jobs.start(["watch", "garden"], title="watch garden")
        assert app.jobs.cancel(job)
        await until(pilot, lambda: not job.active, seconds=30)
        assert job.state == "cancelled"

    drive(script)


@pytest.mark.usefixtures("endless")
def test_leaving_while_a_job_runs_asks() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        job = app.jobs.start(["watch", "garden"], title="watch garden")
        await pilot.press("escape", "q")
        await until(pilot, lambda: "still running: watch garden" in text(app))
        assert app.screen.query_one(PlainRows).key_at_cursor == "stop"
        await pilot.press("enter")
        await until(pilot, lambda: not job.active, seconds=30)
        assert job.state == "cancelled"

    assert drive(script).return_code == 0
