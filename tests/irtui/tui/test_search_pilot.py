"""Live search as somebody uses it: typing, moving, narrowing, coming back."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from irtui.commands.live import Answer, Live
from irtui.tui.app import IrApp, Options
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.panes import Notice
from irtui.tui.widgets.preview import Preview

from .conftest import build_garden, drive, search_of, settled, type_text, until, write_garden
from .screens import text


def hits_of(app: IrApp) -> HitList:
    return search_of(app).query_one(HitList)


def titles(app: IrApp) -> list[str]:
    hits = hits_of(app)
    return [str(row["title"]) for row in hits.described(0, hits.row_count())]


async def search(app: IrApp, pilot: Any, query: str) -> None:
    """Type a query and wait until its last tier is painted."""
    await type_text(pilot, query)
    await settled(app, pilot, query)


@pytest.mark.usefixtures("garden")
class TestTyping:
    def test_hits_come_while_typing(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "frost")
            assert titles(app)[0] == "Late frost"
            assert "Late frost" in text(app)

        drive(script)

    def test_the_preview_shows_the_document_of_the_cursor(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "frost")
            preview = search_of(app).query_one(Preview)
            await until(pilot, lambda: preview.line_count() > 0)
            assert "Fleece over the bed" in text(app)

        drive(script)

    def test_arrows_move_through_the_hits_without_leaving_the_query(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "water")
            await pilot.press("down", "down", "up")
            assert hits_of(app).at == 1
            assert search_of(app).query_input.has_focus
            await pilot.press("x")
            assert search_of(app).query_now == "waterx"

        drive(script)

    def test_half_typed_syntax_is_no_error(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            for query in ('"rain barr', "tags:", "year:>=", "-", "(((", 'water "'):
                search_of(app).set_query(query)
                await settled(app, pilot, query)
                assert search_of(app)._problem is None, query

        drive(script)

    def test_an_empty_query_shows_what_can_be_done(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            assert "Type to search" in text(app)
            await search(app, pilot, "water")
            await pilot.press(*["backspace"] * 5)
            await until(pilot, lambda: "Type to search" in text(app))
            assert app.current_hit is None

        drive(script)

    def test_old_hits_stay_when_a_search_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from irengine.errors import StoreError

        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "water")
            before = titles(app)

            def broken(*_: Any, **__: Any) -> Answer:
                raise StoreError("the disk is on fire", hint="leave the house")

            monkeypatch.setattr(app.live, "answer", broken)
            await type_text(pilot, "s")
            await until(pilot, lambda: "the disk is on fire" in text(app))
            assert titles(app) == before
            assert "error: the disk is on fire" in search_of(app).query_one(StatusLine).message

        drive(script)


class Slow(Live):
    """An engine that answers when it is let, in the order in which it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Semaphore(0)
        self.asked: list[str] = []

    def answer(self, text: str, **options: Any) -> Answer:
        self.asked.append(text)
        assert self.gate.acquire(timeout=20)
        return super().answer(text, **options)


@pytest.mark.usefixtures("garden")
def test_a_slow_engine_is_asked_for_the_newest_only_and_painted_in_order() -> None:
    app = IrApp(Options(corpora=("garden",)))
    slow = app.live = Slow()
    painted: list[str] = []

    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.mode_now = "lexical"
        screen.listeners.append(lambda found: painted.append(found.answer.query if found else ""))
        await type_text(pilot, "w")
        await until(pilot, lambda: slow.asked == ["w"])
        await type_text(pilot, "ater")
        assert screen.query_now == "water"
        await until(pilot, lambda: screen.searching.query == "water")
        slow.gate.release()
        await until(pilot, lambda: painted == ["w"])
        await until(pilot, lambda: slow.asked == ["w", "water"])
        slow.gate.release()
        await until(pilot, lambda: painted == ["w", "water"])

    drive(script, app=app)


@pytest.mark.usefixtures("garden")
def test_hits_are_dim_when_the_next_take_long() -> None:
    app = IrApp(Options(corpora=("garden",)))
    slow = app.live = Slow()

    async def script(app: IrApp, pilot: Any) -> None:
        screen = search_of(app)
        screen.mode_now = "lexical"
        slow.gate.release()
        screen.set_query("water")
        await settled(app, pilot, "water")
        assert not hits_of(app).has_class("-waiting")
        screen.set_query("frost")
        await until(pilot, lambda: hits_of(app).has_class("-waiting"))
        assert titles(app)[0] == "Water"
        slow.gate.release()
        await settled(app, pilot, "frost")
        assert not hits_of(app).has_class("-waiting")

    drive(script, app=app)


class SlowReader(Live):
    """An engine that takes its time to read the best hits again."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Semaphore(0)

    def answer(self, text: str, **options: Any) -> Answer:
        if options["tier"] == "rerank":
            assert self.gate.acquire(timeout=20)
        return super().answer(text, **options)


@pytest.mark.usefixtures("garden")
def test_a_query_does_not_wait_while_the_hits_before_are_read_again() -> None:
    app = IrApp(Options(corpora=("garden",)))
    slow = app.live = SlowReader()

    async def script(app: IrApp, pilot: Any) -> None:
        searching = search_of(app).searching

        def again(query: str) -> bool:
            found = searching.found
            return found is not None and found.again and found.answer.query == query

        for query in ("water", "frost"):
            search_of(app).set_query(query)
            search_of(app).query_input.post_message(Input.Submitted(search_of(app).query_input, ""))
            await until(pilot, lambda query=query: again(query))
            await until(pilot, lambda: "reading the best again" in text(app))
        slow.gate.release(2)
        await settled(app, pilot, "frost")
        found = searching.found
        assert found is not None and found.answer.tier == "rerank"
        assert "reading the best again" not in text(app)

    drive(script, app=app)


@pytest.mark.usefixtures("garden")
class TestNarrowing:
    def test_clauses_are_chips_and_are_taken_away(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = search_of(app)
            screen.set_query("water tags:weather -frost")
            await settled(app, pilot, "water tags:weather -frost")
            assert " tags:weather × " in text(app) and " not frost ×" in text(app)
            assert titles(app) == ["Water"]
            await pilot.press("escape", "u")
            assert screen.query_now == "water tags:weather"
            await pilot.press("U")
            assert screen.query_now == "water"
            screen.set_query("water tags:weather")
            await pilot.click("ChipLine", offset=(3, 0))
            assert screen.query_now == "water"

        drive(script)

    def test_without_hits_each_condition_says_what_it_takes_away(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            query = "water tags:repairs year:2025"
            search_of(app).set_query(query)
            await until(pilot, lambda: "without tags:repairs: 1 hits" in text(app))
            notice = "\n".join(
                "".join(t for _, t in line) for line in search_of(app).query_one(Notice).lines
            )
            assert "without year:2025: 0 hits" in notice

        drive(script)

    def test_sorting_and_the_mode_are_chosen_by_key(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "water")
            await pilot.press("escape", "s")
            await pilot.pause()
            for _ in range(40):
                if app.screen.query_one("PlainRows").key_at_cursor == "-year":
                    break
                await pilot.press("down")
            await pilot.press("enter")
            await settled(app, pilot, "water sort:-year")
            years = [row["metadata"].get("year") for row in hits_of(app).described(0, 9)]
            known = [year for year in years if year is not None]
            assert known == sorted(known, reverse=True) and len(known) > 1
            await pilot.press("m")
            assert search_of(app).mode_now == "lexical"

        drive(script)


@pytest.mark.usefixtures("garden")
class TestGoingBack:
    def test_history_goes_back_and_forth(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            screen = search_of(app)
            app.kept.history.clear()
            for query in ("beans", "frost"):
                screen.set_query(query)
                await settled(app, pilot, query)
                screen.action_query()
                await pilot.press("enter")
            await pilot.press("left_square_bracket")
            assert screen.query_now == "beans" or screen.query_now == "frost"
            await pilot.press("left_square_bracket")
            assert screen.query_now == "beans"
            await pilot.press("right_square_bracket")
            assert screen.query_now == "frost"

        drive(script)

    def test_a_search_is_kept_by_name_and_found_after_a_restart(self) -> None:
        async def save(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "rain barrel")
            await pilot.press("escape", "b")
            await pilot.pause()
            await pilot.press(*["backspace"] * 12)
            await type_text(pilot, "wet")
            await pilot.press("enter")
            await until(pilot, lambda: "wet" in app.kept.searches)

        async def load(app: IrApp, pilot: Any) -> None:
            assert "wet: rain barrel" in text(app)
            await pilot.press("escape", "B")
            await pilot.pause()
            await pilot.press("enter")
            await settled(app, pilot, "rain barrel")

        drive(save)
        drive(load)

    def test_escape_leaves_step_by_step_and_never_the_app(self) -> None:
        async def script(app: IrApp, pilot: Any) -> None:
            await search(app, pilot, "water")
            await pilot.press("escape")
            assert hits_of(app).has_focus
            await pilot.press("enter")
            await pilot.pause()
            assert search_of(app).query_one(Preview).has_focus
            await pilot.press("escape")
            assert hits_of(app).has_focus
            await pilot.press("question_mark")
            await pilot.pause()
            assert "Keys" in text(app)
            await pilot.press("escape", "escape", "escape")
            assert app.screen is search_of(app) and app.return_code is None

        drive(script)


def test_a_new_generation_is_searched_quietly_and_the_cursor_stays(folders: Path) -> None:
    notes = write_garden(folders / "notes")
    build_garden("garden", notes)

    async def script(app: IrApp, pilot: Any) -> None:
        await search(app, pilot, "water")
        await pilot.press("escape", "down")
        key = hits_of(app).row_key(hits_of(app).at)
        (notes / "aqua.md").write_text("# Aqua\n\nWater water water everywhere, water.\n")
        build_garden("garden", notes)
        await until(pilot, lambda: "Aqua" in titles(app))
        assert hits_of(app).row_key(hits_of(app).at) == key

    drive(script)


def test_a_corpus_removed_under_the_app_is_said_and_nothing_breaks(folders: Path) -> None:
    build_garden("garden", write_garden(folders / "notes"))

    async def script(app: IrApp, pilot: Any) -> None:
        from irtui.commands.runner import run

        await search(app, pilot, "water")
        run("rm", name="garden", purge=True, yes=True)
        await until(pilot, lambda: "not readable" in text(app))
        await type_text(pilot, "s")
        await until(pilot, lambda: "there is no corpus named 'garden'" in text(app))

    drive(script)
