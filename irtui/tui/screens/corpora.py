"""The mode Corpora: what there is to search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult

from irtui.tui.lanes import Answered
from irtui.tui.screens.base import ModeScreen
from irtui.tui.screens.listing import PlainRows
from irtui.tui.widgets.painting import Span

__all__ = ["CorporaScreen"]


class CorporaScreen(ModeScreen):
    """The list of corpora with their state."""

    MODE: ClassVar[str] = "corpora"
    SCOPES: ClassVar[tuple[str, ...]] = ("corpora", "list")
    FIRST_FOCUS: ClassVar[str] = "#corpora"
    TOPIC: ClassVar[str] = (
        "A corpus is a named set of documents with an index. Enter searches the one the cursor is "
        "on. The state says whether it is built."
    )

    def compose_body(self) -> ComposeResult:
        """Show one list."""
        yield PlainRows(id="corpora", on_open=self._search_in)

    def on_mount(self) -> None:
        """Ask for the list."""
        super().on_mount()
        self._load()

    def corpora_changed(
        self, state: Mapping[str, Mapping[str, Any]], changed: tuple[str, ...]
    ) -> None:
        """Show the new state."""
        self._load()

    def _load(self) -> None:
        self.ask_command("corpora", "ls", self._listed)

    def _listed(self, answered: Answered) -> None:
        if answered.error is not None:
            self.say(str(answered.error), "failed")
            return
        self.query_one(PlainRows).show_rows(
            [(row["name"], _spans(row)) for row in answered.value.data]
        )

    def _search_in(self, name: str) -> None:
        self.ir.choose_corpora([name])
        self.ir.go("search")


def _spans(row: Mapping[str, Any]) -> list[Span]:
    state = (
        ("failed", "problem")
        if row["problem"]
        else ("ok", "ready")
        if row["built"]
        else ("due", "not built")
    )
    return [
        ("title", f" {row['name']:<24} "),
        (state[0], f"{state[1]:<10}"),
        ("", f"{row['artifacts']:>9,} documents  "),
        ("muted", f"{row['kind'] or 'tried':<9} {row['problem'] or row['root'] or ''}"),
    ]
