"""Hostile text in every place: shown as text, nothing obeyed, nothing crashes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment

from irtui.tui.app import IrApp, Options
from irtui.tui.exporting import FORMATS, citation, exported
from irtui.tui.screens.asking import Choice, TextQuestion
from irtui.tui.screens.corpora import CorporaScreen
from irtui.tui.screens.corpora_details import left_out_lines
from irtui.tui.screens.facet_picker import RangePicker, ValuePicker
from irtui.tui.screens.form import Blank, Form
from irtui.tui.screens.graph import GraphScreen
from irtui.tui.screens.help import TextScreen
from irtui.tui.screens.maintenance import MaintenanceScreen
from irtui.tui.screens.search import SearchScreen
from irtui.tui.screens.tray import TrayScreen
from irtui.tui.selection import Picked
from irtui.tui.widgets.facets import FacetList
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.preview import Preview
from irtui.tui.widgets.tree import GraphTree

from .conftest import build_garden, drive, until
from .screens import text

HOSTILE = {
    "markup": "[/] [/b] x [red]a[/red] [@click=app.bell]press[/] [link='http://x]",
    "escapes": "\x1b]0;owned\x07 \x1b[2J \x9b31m \x1b]52;c;aGk=\x1b\\ zebra",
    "bidi": "\u202egnp.exe\u202c \u2066zebra\u2069",
    "nul": "a\x00b zebra \x08\x0b\x0c\r end",
    "wide": "漢字かな交じり文 e\u0301e\u0301 👩\u200d👩\u200d👧 ﷽ zebra",
    "long": "zebra " + "x" * 200_000,
}
FORBIDDEN = [chr(c) for c in range(0x20) if c != 0x0A] + [chr(c) for c in range(0x7F, 0xA0)]
FORBIDDEN += ["\u202e", "\u2066"]


def painted(app: IrApp) -> list[Segment]:
    strips = app.screen._compositor.render_strips(app.size)
    return [segment for strip in strips for segment in strip]


def nothing_is_obeyed(app: IrApp) -> None:
    segments = painted(app)
    shown = "".join(segment.text for segment in segments)
    assert [c for c in FORBIDDEN if c in shown] == []
    links = [s.style.link for s in segments if s.style is not None and s.style.link]
    assert links == []
    clicks = [s.text for s in segments if s.style is not None and "@click" in s.style.meta]
    assert clicks == []


def hostile_row(value: str, name: str) -> dict[str, Any]:
    return {
        "key": f"garden\0{name}",
        "rank": 1,
        "artifact_id": value,
        "surface_index": 0,
        "surface_kind": "chunk",
        "source": value,
        "title": value,
        "docid": value[:8],
        "path": value,
        "line": 3,
        "score": 1.0,
        "text": value,
        "snippet": value,
        "spans": [[0, 3]],
        "metadata": {value: value, "list": [value]},
        "file": "unknown",
        "gone": False,
        "changed": False,
    }


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("name", HOSTILE)
def test_every_widget_shows_it_as_text(name: str) -> None:
    value = HOSTILE[name]

    async def script(app: IrApp, pilot: Any) -> None:
        screen = app.mode_screen
        assert isinstance(screen, SearchScreen)
        row = hostile_row(value, name)
        hits = screen.query_one(HitList)
        screen.remove_class("-notice")
        hits.show_hits([row["key"]], [row], keep=None, several=True)
        hits.committed = {row["key"]: "◆1"}
        item = Picked(row["key"], row, value, "hybrid", 1, 1.0, 0.0)
        app.tray.add([item])
        screen._shown_query = value
        for level in range(4):
            screen._level = level
            screen._ask_preview()
            await pilot.pause(0.05)
            nothing_is_obeyed(app)
        app.say(value, "failed")
        screen._fail(ValueError(value))
        app.searched = [value]
        app.corpora_state = {value: {"problem": {"message": value, "hint": value, "code": value}}}
        screen.refresh_bars()
        await pilot.pause()
        nothing_is_obeyed(app)
        for dialog in (
            Choice(value, {"a": value}),
            TextQuestion(value, value=value, check=lambda _: value),
            TextScreen(value, value),
            TextScreen("title", [[("match", value)]]),
            TrayScreen(screen),
        ):
            app.push_screen(dialog)
            await pilot.pause(0.05)
            nothing_is_obeyed(app)
            await pilot.press("escape")
        screen._show_empty()
        await pilot.pause()
        nothing_is_obeyed(app)
        screen.set_query(value[:3000])
        await pilot.pause(0.2)
        nothing_is_obeyed(app)

    drive(script)


def test_hostile_documents_are_found_and_read(folders: Path) -> None:
    notes = folders / "notes"
    notes.mkdir()
    for name, value in HOSTILE.items():
        (notes / f"{name} [b]{name}.md").write_text(f"# {value}\n\n{value}\n", encoding="utf-8")
    build_garden("garden", notes)

    async def script(app: IrApp, pilot: Any) -> None:
        screen = app.mode_screen
        assert isinstance(screen, SearchScreen)
        screen.set_query("zebra")
        hits, preview = screen.query_one(HitList), screen.query_one(Preview)
        await until(
            pilot, lambda: screen.searching.found is not None and screen.searching.found.last
        )
        assert hits.row_count() >= 4
        await pilot.press("escape")
        for _ in range(hits.row_count()):
            key = hits.row_key(hits.at)
            await until(pilot, lambda key=key: bool(preview.shown) and preview.shown[0] == key)
            await pilot.pause()
            nothing_is_obeyed(app)
            await pilot.press("down")
        assert "zebra" in text(app)

    drive(script)


@pytest.mark.usefixtures("folders")
def test_the_other_modes_show_it_as_text() -> None:
    value = " ".join(HOSTILE[name] for name in HOSTILE if name != "long") + "x" * 2_000
    facet: dict[str, Any] = {"field": value, "kind": "values", "distinct": 9, "chosen": True}
    facet["values"] = [{"value": value, "count": 1, "chosen": True}]
    bins = [{"label": value, "low": value, "high": value, "count": 2}]
    node: dict[str, Any] = {
        "key": value, "node": value, "title": value, "depth": 0, "parent": "", "type": "",
        "way": value[:1], "weight": 1.0, "what": "node", "open": True, "edges": 1,
    }  # fmt: skip
    rows = [node, {**node, "key": "b", "parent": value, "depth": 1, "type": value, "edges": 3}]
    corpus = {
        "name": value, "kind": value, "root": value, "built": True, "artifacts": 1, "records": 1,
        "state": "ready", "embedder": value, "embedder_id": value, "generation": 1,
        "problem": {"message": value},
        "policy": {"reindex": {"on": "interval", "cron": value, "zone": value}},
        "last_build": {"errors": [{"id": value, "detail": value}], "n_errors": 1, "notes": []},
    }  # fmt: skip
    upkeep = {
        **corpus, "state": "failed", "reason": value, "last": None, "tried": None, "since": None,
        "next": None, "seconds": 1.0, "error": value, "hint": value, "waiting": True,
        "texts": 1, "running": None, "runs": [],
    }  # fmt: skip

    async def script(app: IrApp, pilot: Any) -> None:
        screen = app.mode_screen
        assert isinstance(screen, SearchScreen)
        screen.add_class("-show-facets")
        facets = screen.query_one(FacetList)
        facets.show_panel({"facets": [facet, {**facet, "bins": bins}], "hidden": [value]})
        await pilot.pause()
        nothing_is_obeyed(app)
        dialogs = (
            ValuePicker(facet, lambda _: None),
            RangePicker({**facet, "bins": bins}),
            Form(value, [Blank("a", value, value, value, needed=True)], send=lambda *_: None,
                 check=lambda _: value),
            TextScreen("t", left_out_lines(corpus["last_build"])),  # type: ignore[arg-type]
        )  # fmt: skip
        for dialog in dialogs:
            app.push_screen(dialog)
            await pilot.pause(0.05)
            if isinstance(dialog, Form):
                dialog.tell([[("failed", value)]])
                dialog.refuse(value)
                await pilot.pause()
            nothing_is_obeyed(app)
            await pilot.press("escape")
        app.go("graph")
        await pilot.pause()
        graph = app.mode_screen
        assert isinstance(graph, GraphScreen)
        graph.remove_class("-notice")
        graph.corpus, graph.crumbs, graph.place = value, [value, "b"], 1
        graph.titles = {value: value, "b": value}
        graph.query_one(GraphTree).show_tree(rows, keep=None)
        graph._tell_crumbs()
        await pilot.pause(0.15)
        nothing_is_obeyed(app)
        app.go("corpora")
        await pilot.pause(0.1)
        corpora = app.mode_screen
        assert isinstance(corpora, CorporaScreen)
        await until(pilot, lambda: not app.lanes["corpora"].busy)
        await pilot.pause(0.1)
        corpora.remove_class("-notice")
        corpora.rows, corpora.known = {value: corpus}, {value: corpus}
        corpora.files = {value: {"error": value}}
        corpora.paint()
        await pilot.pause(0.15)
        nothing_is_obeyed(app)
        app.go("maintenance")
        await pilot.pause(0.1)
        upkeeping = app.mode_screen
        assert isinstance(upkeeping, MaintenanceScreen)
        await until(pilot, lambda: not app.lanes["maintenance"].busy)
        await pilot.pause(0.1)
        upkeeping.remove_class("-notice")
        upkeeping.rows = {value: upkeep}
        upkeeping._log = {value: [{"time": value, "outcome": value, "reason": value}]}
        upkeeping.paint()
        await pilot.pause(0.1)
        nothing_is_obeyed(app)

    drive(script, size=(140, 36), app=IrApp(Options()))


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_exported_keeps_one_item_one_item(form: str) -> None:
    rows = [hostile_row(value.replace("\n", " "), name) for name, value in HOSTILE.items()]
    items = [Picked(row["key"], row, "q\nq", "hybrid", 1, 1.0, 0.0) for row in rows]
    told = exported([(item, "```\ninside\n```") for item in items], form)
    if form == "md":
        assert told.count("\n## ") + told.startswith("## ") == len(items)
        assert "````\n```\ninside" in told
    if form == "jsonl":
        assert told.count("\n") == len(items)
    assert "\n" not in citation(rows[0])
