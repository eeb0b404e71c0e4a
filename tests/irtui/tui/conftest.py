"""A small real corpus, and a way to drive the app."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from irtui.commands.runner import run
from irtui.tui.app import IrApp, Options
from irtui.tui.screens.search import SearchScreen

from .screens import text

GARDEN = {
    "beans.md": "---\ntitle: Beans\ntags: [vegetables]\nyear: 2024\n---\n\n# Beans\n\nRunner beans "
    "go into the ground in May. Five seeds around each pole.\n\n## Water\n\nThey want water once "
    "they flower; take it from the rain barrel, see [water](water.md).\n",
    "water.md": "---\ntitle: Water\ntags: [weather]\nyear: 2025\n---\n\n# Water\n\nTwo rain "
    "barrels stand under the gutter. Water in the morning, at the root.\n",
    "frost.md": "---\ntitle: Late frost\ntags: [weather]\nyear: 2026\n---\n\n# Late frost\n\n"
    "Fleece over the bed was enough in the night of frost. The plum blossom is gone.\n",
    "tools.md": "---\ntitle: Tools\ntags: [repairs]\nyear: 2023\n---\n\n# Tools\n\n"
    + "".join(f"{n}. The hoe, the spade and the fork are oiled.\n" for n in range(1, 41))
    + "\nThe whetstone sharpens a blade.\n",
    "plan.py": 'def water(bed):\n    """Water a bed."""\n    return "morning"  # at the root\n',
}

_FOLDERS = {"IR_DATA_DIR": "data", "IR_CONFIG_DIR": "config", "IR_CACHE_DIR": "cache"}


def write_garden(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in GARDEN.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def build_garden(name: str, folder: Path) -> None:
    pattern = r"\.(md|py)$"
    options: dict[str, Any] = {"root": str(folder), "pattern": pattern, "embedder": "light"}
    run("register", name=name, kind="files", replace=True, **options)
    run("build", names=[name])


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of its own for each test."""
    for variable, folder in _FOLDERS.items():
        monkeypatch.setenv(variable, str(tmp_path / folder))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def _built_garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("garden")
    with pytest.MonkeyPatch.context() as patch:
        for variable, folder in _FOLDERS.items():
            patch.setenv(variable, str(base / folder))
        build_garden("garden", write_garden(base / "notes"))
    return base


@pytest.fixture
def garden(folders: Path, _built_garden: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built corpus ``garden`` that a test only reads; settings are the test's own."""
    shutil.copytree(_built_garden / "config", folders / "config")
    monkeypatch.setenv("IR_DATA_DIR", str(_built_garden / "data"))
    return _built_garden


Script = Callable[[IrApp, Any], Awaitable[None]]


def drive(script: Script, *, size: tuple[int, int] = (120, 30), app: IrApp | None = None) -> IrApp:
    """Run the app without a terminal and let ``script(app, pilot)`` use it."""
    made = app or IrApp(Options(corpora=("garden",)))

    async def main() -> None:
        async with made.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: made.looked)
            await script(made, pilot)

    asyncio.run(main())
    return made


async def until(pilot: Any, condition: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Let the app go on until ``condition`` holds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        assert loop.time() < end, f"this never came true:\n{text(pilot.app)}"
        await pilot.pause(0.01)


def search_of(app: IrApp) -> SearchScreen:
    screen = app.mode_screen
    assert isinstance(screen, SearchScreen)
    return screen


async def settled(app: IrApp, pilot: Any, query: str) -> None:
    """Wait until the last tier of a query is painted."""
    searching = search_of(app).searching
    await until(
        pilot,
        lambda: (
            searching.found is not None
            and searching.found.answer.query == query
            and searching.found.last
        ),
    )


async def searched(app: IrApp, pilot: Any, query: str) -> SearchScreen:
    screen = search_of(app)
    screen.set_query(query)
    await settled(app, pilot, query)
    await pilot.press("escape")
    return screen


async def type_text(pilot: Any, text: str) -> None:
    for character in text:
        await pilot.press(_NAMES.get(character, character))


_NAMES = {
    " ": "space",
    ":": "colon",
    '"': "quotation_mark",
    "-": "minus",
    ">": "greater_than_sign",
    "=": "equals_sign",
    ".": "full_stop",
    "/": "slash",
}
