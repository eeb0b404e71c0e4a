"""What somebody stumbles over who uses the app for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.widgets import Input

from irtui.tui.app import IrApp, Options
from irtui.tui.screens.asking import TextQuestion
from irtui.tui.screens.form import Form

from .conftest import drive, until
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
