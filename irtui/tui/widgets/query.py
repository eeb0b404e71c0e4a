"""The field of the query and, below it, its clauses as chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.querytext import Chip
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of, text_of

__all__ = ["MOST", "ChipLine", "QueryInput"]

MOST = 4_000
"""Characters of a query; what is pasted beyond that is left out, and that is said."""

_EXAMPLES = ((("tags", "tag", "author", "folder"), "x"), (("year", "date"), ">=2020"))
"""Fields of which the first that is there is offered, and a value for it."""

register_keys(
    (
        Key(
            "query.hits_down",
            "down",
            "hits('cursor', 1)",
            "next hit",
            "the next hit, while typing",
            5,
        ),
        Key(
            "query.hits_up",
            "up",
            "hits('cursor', -1)",
            "hit before",
            "the hit before, while typing",
        ),
        Key("query.enter", "enter", "submit", "to the hits", "read the best again, go to them", 6),
        Key("query.page_down", "pagedown", "hits('page', 1)", "page", "a page of hits down"),
        Key("query.page_up", "pageup", "hits('page', -1)", "page up", "a page of hits up"),
    )
)


class QueryInput(Field):
    """The query. Up and down move through the hits, Escape goes to them."""

    SCOPES: ClassVar[tuple[str, ...]] = ("query",)
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("query"))
    DEFAULT_CSS = """
    QueryInput.-textual-compact { padding: 0 1; }
    QueryInput { width: 100%; height: 1; border: none; padding: 0 1; background: $surface; }
    QueryInput:focus { background: $panel; border: none; }
    """

    def __init__(self, value: str = "") -> None:
        super().__init__(
            value,
            id="query",
            placeholder="type to search",
            compact=True,
            max_length=MOST,
            select_on_focus=False,
        )

    async def action_hits(self, name: str, by: int) -> None:
        """Move through the hits."""
        await self.screen.run_action(f"hits_{name}({by})")

    def _on_paste(self, event: events.Paste) -> None:
        """Take the first line, and say what was left out."""
        text = event.text
        room = MOST - len(self.value)
        line = text.splitlines()[0] if text.strip() else ""
        if line != text.rstrip("\n") or len(line) > room:
            say = getattr(self.app, "say", None)
            if say is not None:
                say(
                    f"only the first line of what was pasted, {min(len(line), room):,} characters",
                    "due",
                )
        self.replace(line[: max(0, room)], *self.selection)
        event.stop()
        event.prevent_default()


class ChipLine(Widget):
    """The clauses of the query; a click takes one away. Remarks on the query stand there too."""

    DEFAULT_CSS = """
    ChipLine { height: 1; width: 100%; padding: 0 1; background: $surface; }
    """

    class Dropped(Message):
        """A chip was clicked away."""

        def __init__(self, chip: Chip) -> None:
            super().__init__()
            self.chip = chip

    def __init__(self) -> None:
        super().__init__()
        self._chips: list[Chip] = []
        self._problems: Sequence[Mapping[str, Any]] = ()

    def show_chips(self, chips: list[Chip]) -> None:
        """Show the clauses of a query."""
        self._chips = chips
        self._problems = ()
        self.refresh()

    def show_problems(self, problems: Sequence[Mapping[str, Any]]) -> None:
        """Show what was passed over."""
        self._problems = problems
        self.refresh()

    def render(self) -> Content:
        """Show chips, then remarks."""
        spans: list[Span] = []
        for chip in self._chips:
            spans += [("chip", f" {chip.label} × "), ("", " ")]
        for problem in self._problems:
            role = "muted" if problem["incomplete"] else "due"
            hint = f" ({problem['hint']})" if problem["hint"] else ""
            spans.append((role, f"col {problem['start'] + 1}: {problem['message']}{hint}  "))
        if not spans:
            spans.append(("muted", self._offer()))
        return content_of(spans).truncate(max(1, self.size.width), ellipsis=True)

    def _offer(self) -> str:
        """Return how a query is narrowed, with fields that what is searched has."""
        state = getattr(self.app, "corpora_state", {})
        fields = {field for each in state.values() for field in each.get("fields", ())}
        shown = [
            next((f"{field}:{value}  " for field in names if field in fields), "")
            for names, value in _EXAMPLES
        ]
        return f'narrow with {"".join(shown)}"a phrase"  -not   f1 explains'

    def on_click(self, event: events.Click) -> None:
        """Take the clicked chip away."""
        at = 1
        for chip in self._chips:
            width = Content(text_of([("chip", f" {chip.label} × ")])).cell_length
            if at <= event.x < at + width:
                self.post_message(self.Dropped(chip))
                return
            at += width + 1
