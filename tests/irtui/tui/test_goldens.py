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
_CHANGING = (
    (re.compile(r"\d\d\d\d-\d\d-\d\dT\d\d:\d\d"), "2026-01-01T00:00"),
    (re.compile(r"\d+\.\d (s|kB|MB)\b"), r"N \1"),
    (re.compile(r"(source|folder) +/\S.*"), r"\1     FOLDER"),
    (re.compile(r"files  /\S*"), "files  FOLDER"),
)


async def searched(app: IrApp, pilot: Any, query: str) -> SearchScreen:
    screen = app.mode_screen
    assert isinstance(screen, SearchScreen)
    screen.set_query(query)
    await until(pilot, lambda: screen.searching.found is not None and screen.searching.found.last)
    await pilot.pause()
    return screen


def same_as_golden(app: IrApp, name: str) -> None:
    shown = _TIME.sub("N ms", text(app)).replace(str(Path.cwd()), "FOLDER") + "\n"
    for pattern, instead in _CHANGING:
        shown = pattern.sub(instead, shown)
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
            await until(pilot, lambda: size[0] < 140 or "○ 2024" in text(app))
            await pilot.pause(0.1)
            same_as_golden(app, f"search-{size[0]}x{size[1]}")

        drive(script, size=size)

    def test_help(self, size: tuple[int, int]) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await pilot.press("escape", "question_mark")
            await pilot.pause()
            same_as_golden(app, f"keys-{size[0]}x{size[1]}")

        drive(script, size=size)


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_other_modes(size: tuple[int, int]) -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        await searched(app, pilot, "runner beans")
        await pilot.press("escape", "e")
        wide = size[0] >= 100
        await until(pilot, lambda: "links to → Water" in text(app))
        await until(pilot, lambda: not wide or "link 1 out" in text(app))
        same_as_golden(app, f"graph-{size[0]}x{size[1]}")
        await pilot.press("2")
        await until(pilot, lambda: "● ready" in text(app) and not app.lanes["drift"].busy)
        await until(pilot, lambda: not wide or "Last build" in text(app))
        await until(pilot, lambda: size[0] < 60 or "up to date" in text(app))
        if size[0] < 140:  # the paths beside are longer or shorter each time
            same_as_golden(app, f"corpora-{size[0]}x{size[1]}")
        await pilot.press("4")
        await until(pilot, lambda: "✓ ok" in text(app) and "not set up" in text(app))
        await until(pilot, lambda: not wide or "100 % of 5" in text(app))
        await until(pilot, lambda: size[0] < 80 or "━━ 100 %" in text(app))
        same_as_golden(app, f"maintenance-{size[0]}x{size[1]}")

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
