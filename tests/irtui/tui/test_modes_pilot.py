"""Facets, Graph, Corpora and Maintenance as somebody uses them: with keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from irtui.commands.runner import run
from irtui.tui.app import IrApp, Options
from irtui.tui.screens.corpora import CorporaScreen
from irtui.tui.screens.facet_picker import RangePicker, ValuePicker, range_problem
from irtui.tui.screens.form import Form
from irtui.tui.screens.graph import GraphScreen
from irtui.tui.screens.help import TextScreen
from irtui.tui.screens.maintenance import MaintenanceScreen
from irtui.tui.screens.search import SearchScreen
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.facets import FacetList, bars
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.tree import GraphTree

from .conftest import build_garden, drive, type_text, until, write_garden
from .screens import text


def mode(app: IrApp, kind: type) -> Any:
    screen = app.mode_screen
    assert isinstance(screen, kind)
    return screen


async def asked(app: IrApp, pilot: Any, query: str) -> SearchScreen:
    screen: SearchScreen = mode(app, SearchScreen)
    screen.set_query(query)
    await until(
        pilot,
        lambda: (
            screen.searching.found is not None
            and screen.searching.found.answer.query == query
            and screen.searching.found.last
        ),
    )
    return screen


@pytest.mark.usefixtures("garden")
class TestFacets:
    def test_narrowing_by_a_value_keeps_its_siblings_and_edits_the_query(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await asked(app, pilot, "water")
            await pilot.press("escape", "f")
            facets = screen.query_one(FacetList)
            await until(pilot, lambda: "○ weather" in text(app))
            assert "○ vegetables" in text(app)
            while "tags\0value\0weather" not in facets.row_key(facets.at):
                await pilot.press("down")
            await pilot.press("space")
            assert screen.query_now == "water tags:weather"
            await until(pilot, lambda: "◉ weather" in text(app))
            assert "○ vegetables" in text(app)
            await pilot.press("x")
            assert screen.query_now == "water"
            await pilot.press("f")
            assert not facets.has_focus

        drive(script, size=(140, 36))

    def test_a_range_is_chosen_from_bars(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await asked(app, pilot, "water bed")
            await pilot.press("escape")
            screen.pick_facet("year")
            await until(pilot, lambda: isinstance(app.screen, RangePicker))
            await pilot.press("space", "down", "enter")
            assert screen.query_now == "water bed year:2024..2025"
            screen.pick_facet("year")
            await until(pilot, lambda: isinstance(app.screen, RangePicker))
            await pilot.press("t", *["backspace"] * 12)
            await type_text(pilot, "x")
            assert "write 2019..2023" in text(app)
            await pilot.press("backspace")
            await type_text(pilot, "2025..")
            await pilot.press("enter")
            await until(pilot, lambda: screen.query_now.endswith("year:2025.."))

        drive(script)

    def test_many_values_are_found_by_typing(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await asked(app, pilot, "water")
            screen.pick_facet("title")
            await until(pilot, lambda: isinstance(app.screen, ValuePicker))
            await type_text(pilot, "bea")
            assert "Beans" in text(app) and "Late frost" not in text(app).split("Beans")[1][:200]
            await pilot.press("enter", "escape")
            assert screen.query_now == "water title:Beans"

        drive(script)


@pytest.mark.parametrize(
    ("typed", "fine"),
    [
        ("2019..2023", True),
        ("2019..", True),
        ("..2024-06", True),
        ("7", True),
        ("2024-05", True),
        ("", False),
        ("a b", False),
        ("word", False),
        ("2024-13..", False),
        ("2023..2019", False),
    ],
)
def test_a_typed_range_is_checked(typed: str, fine: bool) -> None:
    assert (range_problem(typed) == "") is fine


def test_bars_are_one_cell_each() -> None:
    assert bars([0, 1, 8]) == " ▁█" and bars([]) == ""


@pytest.mark.usefixtures("garden")
class TestGraph:
    def test_a_hit_its_links_and_back(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await asked(app, pilot, "runner beans")
            await pilot.press("escape", "e")
            await until(pilot, lambda: "links to → Water" in text(app))
            screen: GraphScreen = mode(app, GraphScreen)
            tree = screen.query_one(GraphTree)
            assert tree.row is not None and tree.row["key"] == "beans.md"
            await until(pilot, lambda: "link 1 out" in text(app))
            await pilot.press("down", "space")
            await until(pilot, lambda: "garden\0water.md" in app.tray)
            await pilot.press("enter")
            await until(pilot, lambda: "linked from ← Beans" in text(app))
            assert "Beans ▸ Water" in text(app)
            await pilot.press("d")
            await until(pilot, lambda: "1 lead to Water" in text(app))
            await pilot.press("escape", "left_square_bracket")
            await until(pilot, lambda: "links to → Water" in text(app))
            await pilot.press("g", "p", "down", "p")
            await until(pilot, lambda: "The way, 1 step" in text(app))
            await pilot.press("escape", "h", "h")
            assert tree.at == 0

        drive(script)

    def test_controls_and_finding_a_node(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f7")
            await until(pilot, lambda: "No document to begin with" in text(app))
            await pilot.press("slash")
            await type_text(pilot, "frost")
            await pilot.press("enter")
            await until(pilot, lambda: "nothing leads on from here" in text(app))
            await pilot.press("t")
            await type_text(pilot, "sim")
            await pilot.press("enter", "escape")
            await until(pilot, lambda: "similar ~" in text(app))
            await pilot.press("plus", "r", "b", "m")
            screen: GraphScreen = mode(app, GraphScreen)
            assert (screen.view.depth, screen.view.direction) == (2, "out")
            assert (screen.view.budget, screen.view.least) == (500, 0.3)
            await pilot.press("slash")
            await type_text(pilot, "nobody")
            await pilot.press("enter")
            await until(pilot, lambda: "error: " in screen.query_one(StatusLine).message)

        drive(script)


class TestCorpora:
    def test_a_folder_is_looked_at_added_built_and_removed(self, folders: Path) -> None:
        write_garden(folders / "notes")

        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("2")
            await until(pilot, lambda: "No corpus yet" in text(app))
            await pilot.press("a")
            await until(pilot, lambda: isinstance(app.screen, Form))
            form = app.screen
            form.query(Field).first().value = str(folders / "notes")
            await until(pilot, lambda: "4 files" in text(app))
            form.query_one("#field-embedder", Field).value = "light"
            form.query_one("#field-pattern", Field).value = "("
            await pilot.press("ctrl+y")
            await until(pilot, lambda: text(app).count("unterminated") == 2)  # the look, the answer
            assert app.screen is form
            form.query_one("#field-pattern", Field).value = ""
            await pilot.press("ctrl+y")
            screen: CorporaScreen = mode(app, CorporaScreen)
            await until(pilot, lambda: "notes" in screen.rows and screen.rows["notes"]["built"])
            await until(pilot, lambda: not app.jobs.active)
            await until(pilot, lambda: "up to date" in text(app))
            (folders / "notes" / "new.md").write_text("# New\n")
            await pilot.press("r")
            await until(pilot, lambda: "1 new" in text(app))
            await pilot.press("d")
            await until(pilot, lambda: "Remove notes?" in text(app))
            await pilot.press("down", "enter")
            await until(pilot, lambda: "Type notes to delete" in text(app))
            await type_text(pilot, "nots")
            await pilot.press("enter")
            assert "type notes to delete" in text(app)
            await pilot.press("backspace")
            await type_text(pilot, "es")
            await pilot.press("enter")
            await until(pilot, lambda: "No corpus yet" in text(app))
            assert (folders / "notes" / "beans.md").exists()

        drive(script, size=(140, 36), app=IrApp(Options()))

    def test_a_folder_that_is_gone_is_told_in_the_list_and_in_the_line(self, folders: Path) -> None:
        build_garden("garden", write_garden(folders / "notes"))
        (folders / "notes").rename(folders / "elsewhere")

        async def script(app: IrApp, pilot: Any) -> None:
            await until(pilot, lambda: "garden ! source missing" in text(app))
            await pilot.press("2")
            await until(pilot, lambda: "! source missing" in text(app))
            assert "ready" not in text(app)

        drive(script, app=IrApp(Options(corpora=("garden",))))

    @pytest.mark.usefixtures("garden")
    def test_a_definition_is_written_to_a_file_or_copied(self, folders: Path) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f6")
            await until(pilot, lambda: "● ready" in text(app))
            await pilot.press("x", "enter")
            await until(pilot, lambda: "Write to" in text(app))
            await pilot.press("enter")
            file = folders / "garden.sh"
            await until(pilot, lambda: file.exists() and "written to" in text(app))
            assert file.read_text().startswith("irtui register garden files --root ")
            await pilot.press("x", "down", "down", "down", "enter")
            await until(pilot, lambda: "Write to" in text(app))
            await pilot.press("ctrl+u", "enter")
            await until(pilot, lambda: "copied the list" in text(app))
            assert '"name": "garden"' in app.clipboard

        drive(script, app=IrApp(Options(corpora=("garden",))))

    @pytest.mark.usefixtures("garden")
    def test_what_only_reads_refuses_to_write(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f6")
            await until(pilot, lambda: "● ready" in text(app))
            screen: CorporaScreen = mode(app, CorporaScreen)
            for key in ("a", "n", "b", "R", "d", "e"):
                await pilot.press(key)
                assert app.screen is screen, key
                assert "--read-only" in screen.query_one(StatusLine).message
            await pilot.press("l")
            await until(pilot, lambda: isinstance(app.screen, TextScreen))
            assert not list(app.jobs)

        drive(script, app=IrApp(Options(corpora=("garden",), read_only=True)))


class TestMaintenance:
    def test_times_are_changed_with_the_next_ones_shown_and_it_is_run(self, folders: Path) -> None:
        build_garden("garden", write_garden(folders / "notes"))

        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f8")
            await until(pilot, lambda: "when its files" in text(app))
            screen: MaintenanceScreen = mode(app, MaintenanceScreen)
            assert "not set up" in text(app)
            await pilot.press("e", "down", "enter")
            await until(pilot, lambda: isinstance(app.screen, Form))
            field = app.screen.query(Field).first()
            field.value = "61 * * * *"
            await until(pilot, lambda: "is not a cron expression" in text(app))
            field.value = "30 4 * * mon"
            await until(pilot, lambda: text(app).count("Mon 20") == 5)
            await pilot.press("ctrl+y")
            await until(pilot, lambda: "• due" in text(app))
            await pilot.press("n")
            await until(pilot, lambda: "would be built" in text(app))
            await pilot.press("escape", "r")
            await until(pilot, lambda: len(list(app.jobs)) == 1 and not app.jobs.active)
            assert list(app.jobs)[0].state == "done", list(app.jobs)[0].error
            await until(pilot, lambda: screen.rows["garden"]["state"] == "ok")
            await until(pilot, lambda: "100 % of 5" in text(app) and "done" in text(app))
            assert text(app).count("━━━━━━━━ 100 %") == 2  # in the row, and beside it
            await pilot.press("p")
            await until(pilot, lambda: "‖ paused" in text(app))
            await pilot.press("p")
            await until(pilot, lambda: "✓ ok" in text(app))
            assert "maintain --all -c garden" in screen.equivalent_command()

        drive(script, size=(140, 30))

    @pytest.mark.usefixtures("folders")
    def test_nothing_to_look_after(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("f8")
            await until(pilot, lambda: "Nothing to look after" in text(app))
            await pilot.press("r")
            assert "nothing is registered" in text(app)

        drive(script, app=IrApp(Options()))


@pytest.mark.usefixtures("folders")
def test_a_failed_run_is_shown_with_its_error(folders: Path) -> None:
    build_garden("garden", write_garden(folders / "notes"))
    for file in (folders / "notes").iterdir():
        file.unlink()
    (folders / "notes").rmdir()
    run("maintain", all=True)

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("f8")
        await until(pilot, lambda: "✗ failed" in text(app))
        assert mode(app, MaintenanceScreen).error_text()

    drive(script)
