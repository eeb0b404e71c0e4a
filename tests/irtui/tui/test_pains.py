"""What terminal programs often get wrong; what has a test elsewhere is not repeated."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

import irtui.tui
from irtui.theme import DEFAULT, LIGHT
from irtui.tui.app import IrApp, Options
from irtui.tui.clipboard import copied
from irtui.tui.encoding import narrow, plainer
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.lines import RowList
from irtui.tui.widgets.painting import Span
from irtui.tui.widgets.preview import Preview

from .conftest import drive, search_of, settled, until
from .screens import text

SOURCES = sorted(Path(irtui.tui.__file__).parent.rglob("*.py"))


@pytest.mark.usefixtures("garden")
def test_what_is_marked_with_the_mouse_is_the_text_that_is_seen() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.set_query("frost")
        await settled(app, pilot, "frost")
        preview = screen.query_one(Preview)
        await until(pilot, lambda: preview.line_count() > 3)
        lines = [line.rstrip() for line in text(app).splitlines()]
        hits = screen.query_one(HitList)
        found = hits.get_selection(Selection(Offset(0, 0), Offset(200, 1)))
        assert found is not None and found[0].split("\n")[0].strip() in lines[hits.region.y]
        whole = preview.get_selection(Selection(None, None))
        assert whole is not None and "Fleece over the bed" in whole[0]

    drive(script)


@pytest.mark.usefixtures("folders")
def test_what_is_too_long_for_a_clipboard_is_kept_in_a_file_and_that_is_said(
    folders: Path,
) -> None:
    app = IrApp(Options())
    said = copied(app, "x" * 200_000, what="the page")
    file = folders / "cache" / "clip.txt"
    assert said == f"the page: too long for a terminal's clipboard; also in {file}"
    assert len(file.read_text()) == 200_000 and app.clipboard == ""


def test_the_first_screen_needs_no_engine_and_nothing_that_may_crash() -> None:
    code = (
        "import sys, irtui.tui.app, irtui.tui.screens.search, irtui.tui.screens.lines\n"
        "heavy = {'numpy', 'chromadb', 'onnxruntime', 'tree_sitter', 'prompt_toolkit'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    path = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=path)
    assert done.stdout == "[]\n", done.stderr


def test_no_worker_cancels_or_kills_another() -> None:
    """Textual's workers share a group by default, and an error in one ends the app."""
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "run_worker":
                given = {word.arg for word in node.keywords}
                assert {"group", "exit_on_error"} <= given, f"{file}:{node.lineno}"
            if isinstance(node, ast.ImportFrom) and node.module == "textual":
                assert "work" not in {name.name for name in node.names}, file


def test_nothing_sets_the_locale_and_no_text_is_markup() -> None:
    for file in SOURCES:
        source = file.read_text(encoding="utf-8")
        assert "setlocale" not in source, file
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Static":
                plain = any(word.arg == "markup" for word in node.keywords)
                content = all(isinstance(arg, ast.Call) for arg in node.args)
                assert plain or content, f"{file}:{node.lineno}"


@pytest.mark.usefixtures("folders")
def test_nothing_moves_by_itself() -> None:
    assert IrApp(Options()).animation_level == "none"


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize(
    ("colours", "theme", "used"),
    [
        ("0;15", "", LIGHT),
        ("15;0", "", DEFAULT),
        ("0;default", "", DEFAULT),
        ("", "", DEFAULT),
        ("0;15", "ir-contrast-dark", "ir-contrast-dark"),
    ],
)
def test_a_light_terminal_is_only_a_hint(
    colours: str, theme: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", colours)
    assert IrApp(Options(theme=theme)).theme == used


class Long(RowList):
    asked = 0

    def row_count(self) -> int:
        return 1_000_000

    def row_key(self, row: int) -> str:
        return str(row)

    def row_spans(self, row: int, line: int, width: int) -> list[Span]:
        self.asked += 1
        return [("", f"row {row}")]


@pytest.mark.usefixtures("folders")
def test_of_a_million_rows_only_what_is_seen_is_made() -> None:
    async def script(app: IrApp, pilot: Any) -> None:
        rows = Long()
        await app.screen.mount(rows)
        await until(pilot, lambda: "row 3" in text(app))
        rows.action_cursor_to(-1)
        await until(pilot, lambda: "row 999999" in text(app))
        assert rows.asked < 1_000

    drive(script, app=IrApp(Options()))


def test_a_terminal_without_utf_8_gets_ascii_of_the_same_width() -> None:
    shown = "╭─● ready ✓ 漢字 é …"
    assert plainer(shown) == "+-* ready + ???? ? ~"
    assert cell_len(plainer(shown)) == cell_len(shown)
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="iso-8859-1")
    assert narrow(stream)
    stream.write(shown)
    stream.flush()
    assert raw.getvalue() == "+-* ready + ???? é ~".encode("iso-8859-1")
    assert not narrow(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) and not narrow(None)
