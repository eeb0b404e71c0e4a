"""What the app looks like at five sizes: text, without colours and without times.

Written anew by setting ``IRTUI_WRITE_GOLDENS=1``; the differences are to be looked at.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from irtui.tui.app import IrApp, Options
from irtui.tui.screens.search import SearchScreen
from irtui.tui.widgets.preview import Preview

from .conftest import drive, until
from .screens import text

GOLDEN = Path(__file__).parents[2] / "golden" / "tui"
SIZES = [(40, 10), (60, 16), (80, 24), (140, 42), (200, 60)]
_TIME = re.compile(r"\d+ ms")


async def searched(app: IrApp, pilot: Any, query: str) -> SearchScreen:
    screen = app.mode_screen
    assert isinstance(screen, SearchScreen)
    screen.set_query(query)
    await until(pilot, lambda: screen.searching.found is not None and screen.searching.found.last)
    await pilot.pause()
    return screen


def same_as_golden(app: IrApp, name: str) -> None:
    shown = _TIME.sub("N ms", text(app)).replace(str(Path.cwd()), "FOLDER") + "\n"
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("IRTUI_WRITE_GOLDENS"):
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
class TestSearch:
    def test_hits_and_preview(self, size: tuple[int, int]) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = await searched(app, pilot, "water tags:(weather|vegetables)")
            await pilot.press("escape")
            preview = screen.query_one(Preview)
            await pilot.press("space")
            await until(pilot, lambda: not preview.region.width or "Five seeds" in text(app))
            await pilot.pause(0.1)
            same_as_golden(app, f"search-{size[0]}x{size[1]}")

        drive(script, size=size)

    def test_help(self, size: tuple[int, int]) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("escape", "question_mark")
            await pilot.pause()
            same_as_golden(app, f"keys-{size[0]}x{size[1]}")

        drive(script, size=size)


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_first_run(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_CONFIG_DIR", "config")

    async def script(app: IrApp, pilot: Any) -> None:
        app.here = Path("notes")
        await pilot.pause()
        app.mode_screen.job_changed(0, ended=False)  # type: ignore[union-attr]
        await pilot.pause()
        same_as_golden(app, f"first-{size[0]}x{size[1]}")

    drive(script, size=size, app=IrApp(Options()))
