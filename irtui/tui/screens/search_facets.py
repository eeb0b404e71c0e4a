"""The facets of the mode Search; a part of its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on

from irtui.commands.facets import PLUMBING, field_counts, panel
from irtui.tui import querytext
from irtui.tui.keys import Key, register_keys
from irtui.tui.lanes import Answered
from irtui.tui.screens.base import ModeScreen
from irtui.tui.widgets.facets import FacetList
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.strips import PaneTitle

if TYPE_CHECKING:
    from irtui.tui.searching import Found

__all__ = ["SearchFacets"]

register_keys(
    (
        Key("search.facets", "f", "facets", "facets", "narrow by the values of fields", 55),
        Key("search.facet_picker", "F", "facet_picker", "any field", "narrow by any field"),
    )
)
_SETTLE = 0.15
"""Seconds after hits were painted: hits never wait for counts."""


class SearchFacets(ModeScreen):
    """Shows, beside the hits, what they can be narrowed by, and edits the query with it."""

    _facet_timer: Any = None
    _facets_of: tuple[Any, ...] = ()
    _facet_panel: dict[str, Any] | None = None

    @property
    def query_now(self) -> str:
        """The text of the query."""
        raise NotImplementedError

    def set_query(self, text: str) -> None:
        """Write another query."""
        raise NotImplementedError

    def facets_follow(self, found: Found | None) -> None:
        """Count for what is shown now, a moment later."""
        if self._facet_timer is not None:
            self._facet_timer.stop()
            self._facet_timer = None
        if found is None:
            self._facets_of = ()
            self._facet_panel = None
            self.query_one(FacetList).show_panel(None)
            self.query_one("#facets-title", PaneTitle).tell([])
        elif self._facets_shown():
            self._facet_timer = self.set_timer(_SETTLE, self._ask_facets)

    def action_facets(self) -> None:
        """Go to the facets, where they are hidden show them; from them, back to the hits."""
        facets = self.query_one(FacetList)
        if facets.has_focus:
            self._leave_facets()
            return
        self.remove_class("-hide-facets")
        self.add_class("-show-facets")
        facets.focus()
        self._ask_facets()

    def _leave_facets(self) -> None:
        self.remove_class("-show-facets")
        if self.has_class("-wide") and self.query_one(FacetList).has_focus:
            self.query_one(HitList).focus()
            return
        self.query_one(HitList).focus()

    def _facets_shown(self) -> bool:
        return self.has_class("-wide") or self.has_class("-show-facets")

    def _ask_facets(self) -> None:
        text, names = self.query_now, list(self.ir.searched)
        if not text.strip() or not names:
            return
        marks = tuple(self.ir.corpora_state.get(name, {}).get("generation") for name in names)
        if self._facets_of == (text, names, marks):
            return
        live = self.ir.live
        self.query_one("#facets-title", PaneTitle).tell([("running", "counting …")])

        def told(answered: Answered) -> None:
            facets = self.query_one(FacetList)
            title = self.query_one("#facets-title", PaneTitle)
            if answered.error is not None:
                title.tell([("failed", str(answered.error))])
                return
            self._facets_of = (text, names, marks)
            self._facet_panel = answered.value
            title.tell([("muted", "counts of word matches")])
            facets.show_panel(answered.value)

        self.ask_once("facets", lambda: live.call(panel, text, names=names), told)

    # --- narrowing ------------------------------------------------------------------------------

    @on(FacetList.Toggled)
    def _toggled(self, event: FacetList.Toggled) -> None:
        self.set_query(querytext.toggled(self.query_now, event.field, event.value))

    @on(FacetList.Cleared)
    def _cleared(self, event: FacetList.Cleared) -> None:
        text = querytext.with_field(self.query_now, event.field, "")
        if text == self.query_now:
            self.say(f"nothing of {event.field} is chosen; space chooses")
        self.set_query(text)

    @on(FacetList.Wanted)
    def _wanted_facet(self, event: FacetList.Wanted) -> None:
        if event.field:
            self.pick_facet(event.field)
        else:
            self.action_facet_picker()

    def action_facet_picker(self) -> None:
        """Choose a field, then its values or a range."""
        from irtui.tui.screens.asking import Choice

        fields = {f for s in self.ir.corpora_state.values() for f in s.get("fields", ())}
        if not fields:
            self.say("there are no fields to narrow by")
            return

        def chosen(field: str | None) -> None:
            if field:
                self.pick_facet(field)

        ordered = sorted(fields, key=lambda name: (name in PLUMBING, name))
        self.app.push_screen(Choice("Narrow by", {name: name for name in ordered}), chosen)

    def pick_facet(self, field: str) -> None:
        """Count all values of a field, then let them, or a range, be chosen."""
        from irtui.tui.screens.facet_picker import RangePicker, ValuePicker

        text, names, live = self.query_now, list(self.ir.searched), self.ir.live

        def told(answered: Answered) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
            elif not answered.value["values"]:
                self.say(f"nothing that matches has a {field}")
            elif answered.value.get("bins"):
                self.app.push_screen(RangePicker(answered.value), ranged)
            else:
                self.app.push_screen(ValuePicker(answered.value, taken))

        def ranged(chosen: str | None) -> None:
            if chosen is not None:
                self.set_query(querytext.with_field(self.query_now, field, chosen))

        def taken(value: Any) -> None:
            self.set_query(querytext.toggled(self.query_now, field, value))

        self.ask_once(
            "facet picker", lambda: live.call(field_counts, text, field, names=names), told
        )
