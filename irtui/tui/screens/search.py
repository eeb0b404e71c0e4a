"""The mode Search: a query, its hits as they come, a preview, the tray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from irtui.commands.live import problem_data
from irtui.tui import querytext
from irtui.tui.keys import bindings
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.search_actions import SearchActions
from irtui.tui.screens.search_empty import empty_lines, indexing_lines, nothing_lines
from irtui.tui.screens.search_facets import SearchFacets
from irtui.tui.screens.search_topic import TOPIC
from irtui.tui.searching import Found, Searching
from irtui.tui.widgets.bars import StatusLine
from irtui.tui.widgets.facets import FacetList
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.painting import Span
from irtui.tui.widgets.panes import Notice, error_lines
from irtui.tui.widgets.preview import Preview
from irtui.tui.widgets.query import ChipLine, QueryInput
from irtui.tui.widgets.strips import PaneTitle, TrayStrip

__all__ = ["SearchScreen"]

_RANKED_BY = {"lexical": "words", "dense": "meaning", "hybrid": "both"}
_FIRST_KEYS = ("search.add_here", "search.add_path", "search.sample")


class SearchScreen(SearchActions, SearchFacets, ModeScreen):
    """Live search."""

    MODE: ClassVar[str] = "search"
    SCOPES: ClassVar[tuple[str, ...]] = ("search",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("search"))
    FIRST_FOCUS: ClassVar[str] = "#query"
    TOPIC: ClassVar[str] = TOPIC
    DEFAULT_CSS = """
    SearchScreen #columns { height: 1fr; }
    SearchScreen #hits-pane { width: 1fr; height: 100%; }
    SearchScreen #preview-pane { width: 1fr; height: 100%; background: $surface; display: none; }
    SearchScreen.-three #preview-pane, SearchScreen.-wide #preview-pane { display: block; }
    SearchScreen.-hide-preview #preview-pane { display: none; }
    SearchScreen.-two.-show-preview #preview-pane { display: block; }
    SearchScreen.-one.-show-preview #preview-pane { display: block; }
    SearchScreen.-one.-show-preview #hits-pane { display: none; }
    SearchScreen #facets-pane { width: 32; height: 100%; display: none; }
    SearchScreen.-wide #facets-pane, SearchScreen.-show-facets #facets-pane { display: block; }
    SearchScreen.-hide-facets #facets-pane, SearchScreen.-first #facets-pane { display: none; }
    SearchScreen.-two.-show-facets #preview-pane { display: none; }
    SearchScreen.-one.-show-facets #preview-pane { display: none; }
    SearchScreen.-one.-show-facets #hits-pane { display: none; }
    SearchScreen.-one.-show-facets #facets-pane { width: 1fr; }
    SearchScreen #facets { height: 1fr; }
    SearchScreen #hits { height: 1fr; }
    SearchScreen #preview { height: 1fr; }
    SearchScreen #notice { display: none; }
    SearchScreen.-notice #notice { display: block; }
    SearchScreen.-notice #hits { display: none; }
    SearchScreen.-first #preview-pane, SearchScreen.-first #hits-title,
    SearchScreen.-first ChipLine { display: none; }
    SearchScreen #hits.-waiting { text-style: dim; }
    SearchScreen.-short ChipLine, SearchScreen.-tiny ChipLine { display: none; }
    SearchScreen.-short PaneTitle, SearchScreen.-tiny PaneTitle { display: none; }
    SearchScreen.-tiny TrayStrip { display: none; }
    """

    def compose_body(self) -> ComposeResult:
        """Query above, hits and preview below, the tray last."""
        with Vertical():
            yield QueryInput(self.ir.options.query)
            yield ChipLine()
            with Horizontal(id="columns"):
                with Vertical(id="facets-pane"):
                    yield PaneTitle("Narrow", id="facets-title")
                    yield FacetList(id="facets")
                with Vertical(id="hits-pane"):
                    yield PaneTitle("Hits", id="hits-title")
                    yield HitList(picked=lambda key: key in self.ir.tray, id="hits")
                    yield Notice(id="notice")
                with Vertical(id="preview-pane"):
                    yield PaneTitle("Preview", id="preview-title")
                    yield Preview(id="preview")
            yield TrayStrip()

    def on_mount(self) -> None:
        """Begin with what the query says, or with what one can do."""
        super().on_mount()
        self.mode_now = "hybrid"
        self.begin_actions()
        self.searching = Searching(
            self, paint=self._paint, fail=self._fail, waiting=self._old, seen=self._rows_seen
        )
        self.listeners: list[Callable[[Found | None], None]] = [self.facets_follow]
        self.ir.tray.changed = self._tray_changed
        self._show_empty()

    # --- the query ------------------------------------------------------------------------------

    @property
    def query_input(self) -> QueryInput:
        """The field of the query."""
        return self.query_one(QueryInput)

    def allowed(self, key_id: str) -> str:
        """Return why a key does nothing just now."""
        nothing = self.has_class("-first") and key_id not in _FIRST_KEYS
        return "nothing is indexed yet" if nothing and key_id.startswith("search.") else ""

    def set_query(self, text: str) -> None:
        """Write another query; it is searched as if it had been typed."""
        field = self.query_input
        field.value = text
        field.cursor_position = len(text)

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        text = event.value
        self.query_one(ChipLine).show_chips(querytext.chips(text))
        if text.strip():
            if self.ir.searched or not self.ir.looked:
                self.searching.typed(text, mode=self.mode_now)
        else:
            self.searching.forget()
            self._show_empty()

    @on(Input.Submitted, "#query")
    def _entered(self) -> None:
        text = self.query_now
        if text.strip():
            self.remember(text)
            self.searching.ask(text, mode=self.mode_now, rerank=True)
            self.query_one(HitList).focus()

    # --- what is shown --------------------------------------------------------------------------

    def _paint(self, found: Found) -> None:
        answer = found.answer
        hits = self.query_one(HitList)
        before = self._shown_query
        same = before == answer.query
        keep = hits.row_key(hits.at) if same and hits.row_count() and hits.at else None
        hits.show_hits(answer.keys(), found.rows, keep=keep, several=len(answer.corpora) > 1)
        self._shown_query = answer.query
        for listen in self.listeners:
            listen(found)
        self.query_one(ChipLine).show_problems(answer.problems)
        if answer.count:
            self.remove_class("-notice")
        elif found.last:
            self._show_nothing(found)
        self._tell(found)

    def _tell(self, found: Found) -> None:
        answer = found.answer
        more = "+" if answer.more else ""
        noun = "hit" if answer.count == 1 and not more else "hits"
        parts: list[Span] = [("", f"{answer.count:,}{more} {noun}")]
        for tier, seconds in found.seconds.items():
            by = "lexical" if tier == "lexical" else answer.mode
            word = "read again" if tier == "rerank" else _RANKED_BY[by]
            parts.append(("muted", f" · {word} {1000 * seconds:.0f} ms"))
        if found.again:
            parts.append(("running", " · reading the best again …"))
        for name, problem in answer.left_out.items():
            parts.append(("due", f" · {name} left out: {problem['message']}"))
        parts += [("muted", f" · {note}") for note in answer.notes[:1]]
        self.query_one(StatusLine).counts(parts)
        title = self.query_one("#hits-title", PaneTitle)
        title.tell([("muted", f"{answer.count:,}{more} for "), ("", answer.query)])

    def _fail(self, error: Exception) -> None:
        """Keep what is shown; say what is wrong above it, or in its place when there is nothing."""
        problem = problem_data(error)
        self._problem = problem
        if self.query_one(HitList).row_count() and not self.has_class("-notice"):
            self.query_one("#hits-title", PaneTitle).tell(
                [("failed", f"error: {problem['message']}")]
            )
            self.say(problem["message"], "failed")
        elif problem["code"] == "corpus-not-found" and self.ir.indexing:
            self.query_one("#hits-title", PaneTitle).tell([("running", "indexing …")])
            self._show_lines(indexing_lines(self.ir))
        else:
            self._show_lines(error_lines(problem, what="This search did not work"))

    def _rows_seen(self) -> int:
        return self.query_one(HitList).size.height // HitList.row_height + 1

    def _old(self, waiting: bool) -> None:
        self.query_one(HitList).set_class(waiting, "-waiting")
        if waiting:
            self.query_one("#hits-title", PaneTitle).tell([("running", "searching …")])

    def _show_lines(self, lines: list[list[Span]]) -> None:
        self.query_one(Notice).show_lines(lines)
        self.add_class("-notice")

    def _show_empty(self) -> None:
        self._shown_query = ""
        for listen in self.listeners:
            listen(None)
        self._problem = None
        self.query_one(HitList).show_hits([], [], keep=None, several=False)
        self.query_one("#hits-title", PaneTitle).tell([])
        self.query_one(StatusLine).counts([])
        self._show_lines(empty_lines(self.ir, self.kept))
        first = self.ir.looked and not self.ir.searched
        if first and not self.has_class("-first"):
            self.set_focus(None)  # the keys that are offered are letters
        elif not first and self.has_class("-first"):
            self.query_input.focus()
        self.set_class(first, "-first")

    def _show_nothing(self, found: Found) -> None:
        self._show_lines(nothing_lines(found.answer.query, None))
        self.ask_ladder(found.answer.query)

    def show_ladder(self, query: str, steps: list[tuple[str, int]]) -> None:
        """Say which filter takes how many hits away."""
        if query == self._shown_query and self.has_class("-notice"):
            self.query_one(Notice).show_lines(nothing_lines(query, steps))

    # --- rows -----------------------------------------------------------------------------------

    @on(HitList.Wanted)
    def _wanted(self, event: HitList.Wanted) -> None:
        self.searching.describe(event.first, event.end, self.query_one(HitList).add_rows)

    @on(HitList.Moved)
    def _moved(self) -> None:
        hits = self.query_one(HitList)
        self.ir.current_hit = hits.hit
        if hits.at >= hits.row_count() - 2 and hits.row_count():
            self.searching.more(mode=self.mode_now)
        self.show_preview()

    @on(HitList.Opened)
    def _opened(self) -> None:
        self.remember(self.query_now)
        self.action_read()

    def _tray_changed(self) -> None:
        self.query_one(HitList).refresh()
        self.query_one(TrayStrip).show_tray(self.ir.tray)
        self.refresh_bars()

    def on_unmount(self) -> None:
        """Keep what is selected: L takes it back in the next session."""
        self.keep_selected()

    # --- from outside ---------------------------------------------------------------------------

    def corpora_changed(
        self, state: Mapping[str, Mapping[str, Any]], changed: tuple[str, ...]
    ) -> None:
        """Search again, quietly, when what is searched has a new generation."""
        self.query_one(ChipLine).refresh()
        if self.query_now.strip() and state:
            self.searching.ask(self.query_now, mode=self.mode_now)
        elif not self.query_now.strip():
            self._show_empty()

    def job_changed(self, job_id: int, *, ended: bool) -> None:
        """Show how the first build goes on where hits will be."""
        if ended and self.ir.jobs[job_id].state == "done":
            query = self.ir.query_after.pop(job_id, "")
            if query and not self.query_now.strip():
                self.set_query(query)
        if not self.query_now.strip():
            self._show_empty()
        elif self.ir.indexing:
            self._show_lines(indexing_lines(self.ir))

    @on(Preview.Resized)
    def _preview_resized(self) -> None:
        self.call_after_refresh(self.show_preview)
