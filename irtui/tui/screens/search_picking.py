"""Selecting hits, revealing them, reading them; a part of the screen of Search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irtui.commands.levels import revealed
from irtui.tui.documents import Laid
from irtui.tui.lanes import Answered, Ticket
from irtui.tui.pages import page_of
from irtui.tui.screens.asking import Choice, TextQuestion
from irtui.tui.screens.base import ModeScreen
from irtui.tui.selection import LEVELS, PASSAGE, Picked, tokens_in
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.painting import Span
from irtui.tui.widgets.preview import Preview
from irtui.tui.widgets.query import QueryInput
from irtui.tui.widgets.strips import PaneTitle

if TYPE_CHECKING:
    from irtui.commands.kept import Kept
    from irtui.tui.searching import Searching

__all__ = ["SearchPicking"]

_DOCUMENT = len(LEVELS) - 1
_MOST_CHARS = 300_000
_KEPT_PAGES = 48
_SETTLE = 0.03
_LAST = "selected last"
_MOST_KEPT = 200
_TYPING = 0.12


class SearchPicking(ModeScreen):
    """Selection and disclosure of the mode Search."""

    searching: Searching
    mode_now: str
    _shown_query: str

    def begin_picking(self) -> None:
        """Begin with nothing selected and whole documents in the preview."""
        self._level = _DOCUMENT
        self._pages: OrderedDict[Any, tuple[Laid, dict[str, Any]]] = OrderedDict()
        self._preview_timer: Any = None

    @property
    def kept(self) -> Kept:
        """What is remembered between runs."""
        return self.ir.kept

    @property
    def query_now(self) -> str:
        """The text of the query."""
        return self.query_one(QueryInput).value

    def seconds_now(self) -> float:
        """Return the time of day in seconds since 1970."""
        raise NotImplementedError

    # --- the preview ----------------------------------------------------------------------------

    def show_preview(self) -> None:
        """Show the hit of the cursor, as soon as the cursor rests for a moment."""
        if self._preview_timer is not None:
            self._preview_timer.stop()
        # While somebody types, the next key is likely to bring another first hit.
        wait = _TYPING if self.query_one(QueryInput).has_focus else _SETTLE
        self._preview_timer = self.set_timer(wait, self._ask_preview)

    def level_of(self, key: str) -> int:
        """Return how much of a hit is revealed: a selected one has its own level."""
        picked = self.ir.tray.get(key)
        return self._level if picked is None else picked.level

    def _ask_preview(self) -> None:
        self._preview_timer = None
        hit = self.query_one(HitList).hit
        pane = self.query_one(Preview)
        if hit is None:
            if not self.query_one(HitList).row_count():
                pane.show_document(Laid((), (), ()), of=None, number=None)
                self.query_one("#preview-title", PaneTitle).tell([])
            return
        if not pane.display or not pane.region.width:
            return
        width, query, level = pane.text_width, self._shown_query, self.level_of(hit["key"])
        generation = self.ir.corpora_state.get(hit["source"], {}).get("generation")
        page = (hit["key"], hit["surface_index"], level, query, width, generation)
        known = self._pages.get(page)
        if known is not None:
            self._pages.move_to_end(page)
            self._show_page(hit, *known)
            return
        live = self.ir.live

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.query_one("#preview-title", PaneTitle).tell([("failed", str(answered.error))])
                return
            laid, facts = answered.value
            self._pages[page] = (laid, facts)
            while len(self._pages) > _KEPT_PAGES:
                self._pages.popitem(last=False)
            now = self.query_one(HitList).hit
            if now is not None and now["key"] == hit["key"]:
                self._show_page(hit, laid, facts)

        self.ask_once(
            "preview",
            lambda: live.call(page_of, hit, level, query=query, width=width, max_chars=_MOST_CHARS),
            told,
        )

    def _show_page(self, hit: Mapping[str, Any], laid: Laid, facts: Mapping[str, Any]) -> None:
        whole = facts["level"] == _DOCUMENT
        number = hit.get("line") if whole else None
        identity = (hit["key"], hit["surface_index"], facts["level"], self._shown_query)
        self.query_one(Preview).show_document(laid, of=identity, number=number)
        spans: list[Span] = [("title", str(hit["title"])), ("muted", f"  {LEVELS[facts['level']]}")]
        spans.append(("muted", f" ≈{facts['tokens']:,} tokens"))
        if hit.get("gone"):
            spans.append(("failed", " file gone, as indexed"))
        elif hit.get("changed"):
            spans.append(("due", " file changed since"))
        if facts["truncated"]:
            spans.append(("due", f" first {_MOST_CHARS:,} characters; o opens all"))
        if laid.matches:
            many = len(laid.matches)
            said = "line matches" if many == 1 else "lines match"
            spans.append(("muted", f" · {many:,} {said} (n)"))
        self.query_one("#preview-title", PaneTitle).tell(spans)

    def action_preview(self) -> None:
        """Show the preview, or hide it."""
        wide = self.has_class("-three") or self.has_class("-wide")
        if wide:
            self.toggle_class("-hide-preview")
        else:
            self.toggle_class("-show-preview")
        self.call_after_refresh(self.show_preview)

    def action_read(self) -> None:
        """Go to the preview; where there is room for one pane it takes the place of the list."""
        if self.query_one(HitList).hit is None:
            return
        self.remove_class("-hide-preview")
        if not (self.has_class("-three") or self.has_class("-wide")):
            self.add_class("-show-preview")
        self.call_after_refresh(self._focus_preview)

    def _focus_preview(self) -> None:
        self.query_one(Preview).focus()
        self.show_preview()

    def step_back(self) -> bool:
        """Leave a range, the preview, or the query; return whether there was anything to leave."""
        hits = self.query_one(HitList)
        if hits.range_from is not None:
            hits.range_from = None
            hits.refresh()
        elif self.has_class("-show-facets"):
            self.remove_class("-show-facets")
            hits.focus()
        elif self.has_class("-show-preview"):
            self.remove_class("-show-preview")
            hits.focus()
        elif self.focused is not hits and hits.row_count():
            hits.focus()
        elif self.focused is not None and self.focused.id == "query":
            self.set_focus(None)
        else:
            return False
        return True

    def action_reveal(self, by: int) -> None:
        """Reveal more or less of the hit; what is selected remembers its level."""
        hit = self.query_one(HitList).hit
        if hit is None:
            return
        level = max(0, min(_DOCUMENT, self.level_of(hit["key"]) + by))
        if self.ir.tray.get(hit["key"]) is not None:
            self.reveal_picked(hit["key"], level)
        else:
            self._level = level
        self.show_preview()

    def reveal_picked(self, key: str, level: int) -> None:
        """Reveal a selected hit at a level, once its size is known."""
        picked = self.ir.tray.get(key)
        if picked is None:
            return
        live, row = self.ir.live, picked.row
        self.ir.tray.reveal(key, level, picked.tokens)

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
            else:
                self.ir.tray.reveal(key, level, int(answered.value))
                self._say_budget()

        self.ask_once(
            f"level {key}", lambda: tokens_in(live.call(revealed, row, level)["text"]), told
        )

    def _say_budget(self) -> None:
        tray = self.ir.tray
        if tray.tokens > tray.budget:
            self.say(
                f"≈{tray.tokens:,} of {tray.budget:,} tokens: reveal less of the selection (t, h)",
                "due",
            )

    # --- selecting ------------------------------------------------------------------------------

    def _picked(self, row: Mapping[str, Any]) -> Picked:
        found = self.searching.found
        return Picked(
            key=row["key"],
            row=dict(row),
            query=self._shown_query,
            mode=found.answer.mode if found is not None else self.mode_now,
            rank=int(row["rank"]),
            score=float(row["score"]),
            at=self.seconds_now(),
            level=PASSAGE,
            tokens=tokens_in(str(row["text"])),
        )

    def action_select(self) -> None:
        """Select the hit, or put it back; the cursor goes on."""
        hits = self.query_one(HitList)
        if hits.range_from is not None:
            self.action_range()
            return
        if hits.hit is not None:
            self.ir.tray.toggle([self._picked(hits.hit)])
            hits.action_cursor(1)
            self._say_budget()

    def action_range(self) -> None:
        """Begin a range at the cursor; the second time, select all of it."""
        hits = self.query_one(HitList)
        if hits.range_from is None:
            hits.range_from = hits.at
            self.say("a range begins here: move, then V or space selects it, esc leaves it")
        else:
            low, high = sorted((hits.range_from, hits.at))
            hits.range_from = None
            self._describe_then(low, high + 1, self._select_rows)
        hits.refresh()

    def action_select_all(self) -> None:
        """Select all hits that are ranked."""
        self._describe_then(0, self.query_one(HitList).row_count(), self._select_rows)

    def action_invert(self) -> None:
        """Turn the selection of the hits that are ranked around."""
        count = self.query_one(HitList).row_count()
        self._describe_then(
            0, count, lambda rows: self.ir.tray.toggle([self._picked(row) for row in rows])
        )

    def _select_rows(self, rows: list[dict[str, Any]]) -> None:
        new = self.ir.tray.add([self._picked(row) for row in rows])
        self.say(f"{new} more selected, {len(self.ir.tray)} in all", "ok")
        self._say_budget()

    def _describe_then(self, start: int, stop: int, then: Any) -> None:
        """Describe rows nobody has seen yet, then hand all of them on."""
        hits, found = self.query_one(HitList), self.searching.found
        if found is None or stop <= start:
            return
        known = hits.described(start, stop)
        if len(known) == stop - start:
            then(known)
            return
        answer = found.answer

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
            else:
                then(answered.value)

        self.ask_once("describe", lambda: answer.rows(start, stop), told)

    # --- the tray, named sets, export -----------------------------------------------------------

    def action_tray(self) -> None:
        """Show what is selected."""
        from irtui.tui.screens.tray import TrayScreen

        self.app.push_screen(TrayScreen(self))

    def action_save_set(self) -> None:
        """Keep the selection under a name."""
        tray = self.ir.tray
        if not tray:
            self.say("nothing is selected; space selects a hit")
            return

        def named(name: str | None) -> None:
            if name and name.strip():
                self.kept.sets[name.strip()] = [asdict(item) for item in tray]
                self.ir.keep(f"{len(tray)} kept as {name.strip()}; L takes them back")

        self.app.push_screen(TextQuestion("Keep the selection as"), named)

    def keep_selected(self) -> None:
        """Keep the selection under the name of the last one, unless that is a lot to read back."""
        items = [asdict(item) for item in self.ir.tray]
        if 0 < len(items) <= _MOST_KEPT and self.kept.sets.get(_LAST) != items:
            self.kept.sets[_LAST] = items
            self.ir.keep()

    def action_load_set(self) -> None:
        """Take a kept selection back."""
        sets = self.kept.sets
        if not sets:
            self.say("no set is kept yet; S keeps the selection")
            return

        def chosen(name: str | None) -> None:
            if name:
                items = [Picked(**item) for item in sets[name]]
                new = self.ir.tray.add(items)
                self.say(f"{new} of {len(items)} added to the selection", "ok")

        answers = {name: f"{name} ({len(items)})" for name, items in sorted(sets.items())}
        self.app.push_screen(Choice("Kept selections", answers), chosen)

    def action_export(self) -> None:
        """Write the selection to a file."""
        from irtui.tui.exporting import FORMATS, unwritable

        if self.ir.refuses("writing a file"):
            return
        if not self.ir.tray:
            self.say("nothing is selected; space selects a hit")
            return

        def chosen(form: str | None) -> None:
            if form:
                suffix = {"paths": "txt"}.get(form, form)
                question = TextQuestion(
                    "Write to",
                    value=str(self.ir.here / f"selection.{suffix}"),
                    check=unwritable,
                    path=True,
                )
                self.app.push_screen(question, lambda name: self._export(form, name))

        self.app.push_screen(Choice("Export the selection as", FORMATS), chosen)

    def _export(self, form: str, name: str | None) -> None:
        if not name:
            return
        items, live = list(self.ir.tray), self.ir.live
        file = Path(name).expanduser()

        def work(ticket: Ticket) -> Iterator[Any]:
            from irtui.tui.exporting import exported

            del ticket
            told = [(item, live.call(revealed, item.row, item.level)["text"]) for item in items]
            file.write_text(exported(told, form), encoding="utf-8", errors="backslashreplace")
            yield len(told)

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(f"{file}: {answered.error}", "failed")
            else:
                self.say(f"{answered.value} written to {file}", "ok")

        self.ask("export", work, told)
