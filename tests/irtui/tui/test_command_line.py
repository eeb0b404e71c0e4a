"""The ``:`` line: commands, and lines with pipes and names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from irtui.tui.app import IrApp, Options

from .conftest import drive, searched, type_text, until
from .screens import text


@pytest.mark.usefixtures("garden")
class TestCommandLine:
    def _after(self, line: str, shown: str, **options: Any) -> IrApp:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            await pilot.press("colon")
            app.screen.query_one(Input).value = line
            await pilot.press("enter")
            await until(pilot, lambda: shown in text(app))

        return drive(script, app=IrApp(Options(corpora=("garden",), **options)))

    def test_a_command_that_reads_shows_what_the_command_line_shows(self) -> None:
        self._after("get frost.md", "Fleece over the bed")

    def test_the_row_of_the_cursor_has_a_name(self) -> None:
        self._after("links $_", "links $_")

    def test_what_is_wrong_stays_in_the_line(self) -> None:
        self._after("serch frost", "search")

    def test_a_command_that_fails_says_what_to_do(self) -> None:
        self._after("get nothing-like-this", "search finds ids")

    def test_a_session_that_only_reads_refuses_to_write(self) -> None:
        app = self._after("build garden", "only reads", read_only=True)
        assert list(app.jobs) == []

    def test_lines_with_pipes_and_names_share_a_session(self, tmp_path: Path) -> None:
        target = tmp_path / "found.json"

        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            for line, shown in (
                ("found = search frost -n 3", "$found has 3 rows"),
                ("$found | head 1 | ids", "frost.md"),
                (f"$found | json > {target}", "done: "),
                ("$1 | ids", "frost.md"),
                ("select $2", "1 selected, 1 in all"),
                ("search root | where rank = 1 | ! tr a-z A-Z", "MORNING"),
                ("vars", "$found"),
                ("set format json", "done: "),
                ("ls | fields name", '"name": "garden"'),
                ("set format people", "done: "),
                ("search frost | nosuch", "nosuch"),
                ("x = build garden", "runs as a job"),
            ):
                await pilot.press("colon")
                app.screen.query_one(Input).value = line
                await pilot.press("enter")
                await until(pilot, lambda shown=shown: shown in text(app))
                await pilot.press("escape")
                await pilot.pause()
            await until(pilot, lambda: target.exists() and target.stat().st_size > 0)

        app = drive(script, app=IrApp(Options(corpora=("garden",))))
        assert len(json.loads(target.read_text())) == 3
        assert [(item.query, item.rank) for item in app.tray] == [("frost", 2)]

    @pytest.mark.parametrize(
        "line",
        ["search frost | json > {}", "search frost | ! cat > {}", "save {}", "source {}", "rm {}"],
    )
    def test_a_session_that_only_reads_writes_nothing_by_lines(
        self, line: str, tmp_path: Path
    ) -> None:
        target = tmp_path / "file"
        self._after(line.format(target), "only reads", read_only=True)
        assert not target.exists()

    def test_a_program_after_an_exclamation_mark_ends_with_ctrl_c(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            app.lines.run(app, "search frost | ! sleep 60")
            captured = app.lines._captured
            await until(pilot, lambda: captured is not None and captured._process is not None)
            await pilot.press("ctrl+c")
            await until(pilot, lambda: not app.lines.running)

        drive(script)

    def test_lines_complete_names_and_come_back(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await searched(app, pilot, "frost")
            await pilot.press("colon")
            await until(pilot, lambda: app.lines.catalog.is_read)
            field = app.screen.query_one(Input)
            for typed, whole in (("disc", "discover "), ("info ga", "info garden")):
                field.value = typed
                field.cursor_position = len(typed)
                await until(pilot, lambda whole=whole: field._suggestion.startswith(whole.strip()))
                await pilot.press("tab")
                assert field.value.strip() == whole.strip()
            await pilot.press("enter")
            await until(pilot, lambda: "info garden" in text(app) and "y copies all" in text(app))
            await pilot.press("colon")
            await until(pilot, lambda: bool(app.screen.query(Input)))
            await pilot.press("up")
            assert app.screen.query_one(Input).value == "info garden"

        drive(script)

    def test_help_about_a_command(self) -> None:
        self._after("help expand", "usage: expand")

    def test_quit(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("escape", "colon")
            await type_text(pilot, "q")
            await pilot.press("enter")
            await pilot.pause()

        assert drive(script).return_code == 0
