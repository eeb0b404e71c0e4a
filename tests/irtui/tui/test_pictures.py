"""What the app looks like in colour: pictures of a few screens in some of the themes.

Written anew by ``pytest --snapshot-update``; the pictures are to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from irtui.tui.app import IrApp, Options
from irtui.tui.widgets.bars import StatusLine

from .conftest import search_of, settled, until
from .screens import text

QUERY = "water tags:(weather|vegetables)"


def picture_of(snap_compare: Any, theme: str, script: Callable[[IrApp, Any], Any]) -> None:
    """Compare the screen after ``script``; how long things took is left out."""
    app = IrApp(Options(corpora=("garden",), theme=theme))

    async def before(pilot: Any) -> None:
        await until(pilot, lambda: app.looked)
        await script(app, pilot)
        for line in app.screen.query(StatusLine):
            line.counts([])
        await pilot.pause()

    assert snap_compare(app, terminal_size=(140, 42), run_before=before)


async def search(app: IrApp, pilot: Any) -> None:
    search_of(app).set_query(QUERY)
    await settled(app, pilot, QUERY)
    await pilot.press("escape", "space")
    await until(pilot, lambda: "Five seeds" in text(app) and "○ 2024" in text(app))


async def walk(app: IrApp, pilot: Any) -> None:
    search_of(app).set_query("runner beans")
    await settled(app, pilot, "runner beans")
    await pilot.press("escape", "e")
    await until(pilot, lambda: "links to → Water" in text(app) and "link 1 out" in text(app))


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("theme", ["ir-dark", "ir-light", "ir-contrast-dark", "ir-mono"])
def test_hits_facets_and_preview(theme: str, snap_compare: Any) -> None:
    picture_of(snap_compare, theme, search)


@pytest.mark.usefixtures("garden")
def test_a_walk_over_links(snap_compare: Any) -> None:
    picture_of(snap_compare, "ir-dark", walk)
