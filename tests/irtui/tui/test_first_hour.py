"""What somebody stumbles over who uses the app for the first time."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from irtui.commands.runner import run
from irtui.tui.app import IrApp, Options
from irtui.tui.screens.asking import TextQuestion
from irtui.tui.screens.form import Form
from irtui.tui.screens.help import _paragraphs
from irtui.tui.screens.maintenance_lines import row_spans
from irtui.tui.widgets.preview import Preview
from irtui.tui.widgets.tree import GraphTree

from .conftest import drive, searched, until, write_garden
from .screens import text


def test_tab_completes_a_path_as_a_shell_does(folders: Path) -> None:
    for name in ("notes/a long one", "notes/a longer one", "other", ".hidden"):
        (folders / "deep" / name).mkdir(parents=True)
    (folders / "deep" / "notes.txt").touch()
    start = str(folders / "deep")

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, TextQuestion))
        field = app.screen.query_one(Input)
        assert "tab completes" in text(app)
        field.value = f"{start}/n"
        await pilot.press("tab")
        assert field.value == f"{start}/notes" and field.cursor_position == len(field.value)
        await pilot.press("tab")
        await until(pilot, lambda: "notes/  notes.txt" in text(app))
        await pilot.press("slash", "tab")
        assert field.value == f"{start}/notes/a long"
        await pilot.press("escape", "2", "a")
        await until(pilot, lambda: isinstance(app.screen, Form))
        folder = app.screen.query_one("#field-root", Input)
        folder.value = f"{start}/n"
        await pilot.press("tab")
        assert folder.value == f"{start}/notes/" and folder.has_focus
        folder.value = f"{start}/nothing such"
        await pilot.press("tab")
        assert app.screen.query_one("#field-name", Input).has_focus

    drive(script, app=IrApp(Options()))


@pytest.mark.usefixtures("garden")
def test_what_is_said_of_a_search_can_be_taken_at_its_word() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await until(pilot, lambda: "narrow with tags:x  year:>=2020" in text(app))
        search = await searched(app, pilot, "beans tags:vegetables mode:lexical limit:1")
        assert "1 hit ·" in text(app)
        await searched(app, pilot, "beans mode:dense")
        assert "5 hits · meaning " in text(app)
        assert "enter read" in text(app) and "t selection" in text(app)
        search.set_query("")
        await until(pilot, lambda: "narrow with tags:x" in text(app))

    drive(script)


@pytest.mark.usefixtures("garden")
def test_a_preview_that_gets_another_width_is_wrapped_anew() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        search = await searched(app, pilot, "water")
        preview = search.query_one(Preview)

        def fits() -> bool:
            return any(page[4] == preview.text_width for page in search._pages)

        await until(pilot, fits)
        before = preview.text_width
        await pilot.press("f")
        await until(pilot, lambda: preview.text_width < before and fits())
        search._pages.clear()
        await pilot.press("escape")
        await until(pilot, lambda: preview.text_width == before and fits())
        await pilot.press("enter")
        await until(pilot, lambda: "esc back  z zoom" in text(app))

    drive(script)


@pytest.mark.usefixtures("garden")
def test_back_in_the_graph_the_cursor_is_on_the_node_one_came_from() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "runner beans")
        await pilot.press("escape", "e")
        await until(pilot, lambda: "links to → Water" in text(app))
        tree = app.screen.query_one(GraphTree)
        begun = tree.rows[0]["key"]
        tree.at = next(at for at, row in enumerate(tree.rows) if row["title"] == "Water")
        await pilot.press("enter")
        await until(pilot, lambda: tree.rows[0]["title"] == "Water")
        assert "enter open  [ back  l unfold  h fold" in text(app)
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: tree.rows[0]["key"] == begun)
        assert tree.row is not None and tree.row["title"] == "Water"

    drive(script)


def test_a_topic_is_wrapped_by_paragraphs_not_by_the_lines_of_its_source() -> None:
    told = "one two\nthree\n\n# Head\nkey    what it does\nfour\nfive"
    lines = ["".join(said for _, said in line) for line in _paragraphs(told, 40)]
    assert lines == ["one two three", "", "Head", "key    what it does", "four five"]


def test_what_is_due_is_not_called_next_while_nothing_runs_by_itself() -> None:
    row = {"name": "notes", "state": "ok", "last": None, "runs": [], "error": "", "running": None}
    row |= {"next": "2026-12-04T03:00:00+00:00", "policy": {}}
    now = datetime(2026, 12, 3, 7, tzinfo=timezone.utc)
    said = "".join(part for _, part in row_spans(row, None, now=now, name_width=5, room=60))
    assert "no run yet" in said and "due in 20 h" in said and "next" not in said


@pytest.mark.usefixtures("garden")
def test_a_selection_is_there_again_in_the_next_session() -> None:
    async def first(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "water")
        await pilot.press("space")

    async def second(app: IrApp, pilot: Any) -> None:
        await until(pilot, lambda: "selected last (1)" in text(app))
        await pilot.press("escape", "L", "enter")
        await until(pilot, lambda: len(app.tray) == 1)

    drive(first)
    drive(second)


@pytest.mark.usefixtures("garden")
def test_the_log_and_the_details_can_be_hidden_where_they_stand_beside() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("escape")
        for mode, pane in (("4", "#log-pane"), ("2", "#info-pane")):
            await pilot.press(mode)
            await until(pilot, lambda pane=pane: app.screen.query_one(pane).display)
            await pilot.press("v")
            await until(pilot, lambda pane=pane: not app.screen.query_one(pane).display)

    drive(script)


def test_what_was_tried_and_is_added_is_searched_once_it_is_built(folders: Path) -> None:
    notes = write_garden(folders / "notes")
    run("try", path=str(notes), embedder="light", query=[])
    name = str(run("ls").data[0]["name"])

    async def script(app: IrApp, pilot: Any) -> None:
        await pilot.press("escape", "2")
        await until(pilot, lambda: "only tried" in text(app))
        await pilot.press("a")
        await until(pilot, lambda: "4 files" in text(app))
        app.screen.query_one("#field-embedder", Input).value = "light"
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.searched == ["notes"])

    drive(script, app=IrApp(Options(corpora=(name,))))
