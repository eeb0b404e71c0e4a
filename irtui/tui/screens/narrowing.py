"""A list that typing narrows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from irtui.tui.screens.dialog import Dialog
from irtui.tui.screens.listing import PlainRows
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of

__all__ = ["Narrowed"]


class Narrowed(Dialog[None]):
    """A field above rows; :meth:`rows_for` gives those that fit what is typed."""

    PLACEHOLDER: ClassVar[str] = ""
    FOOT: ClassVar[str] = "esc closes"
    DEFAULT_CSS = """
    Narrowed PlainRows { height: 1fr; }
    Narrowed > .box { height: 90%; }
    """

    on_open: Callable[[str], None] | None = None

    def heading(self) -> str:
        """Return what stands above."""
        raise NotImplementedError

    def rows_for(self, words: Sequence[str]) -> list[tuple[str, list[Span]]]:
        """Return the rows that have all words, which are without their case."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Show a field and the rows."""
        with Vertical(classes="box") as box:
            box.border_title = content_of([("", self.heading())])
            yield Field(placeholder=self.PLACEHOLDER, compact=True)
            yield PlainRows(on_open=self.on_open)
            yield Static(content_of([("muted", self.FOOT)]), classes="foot")

    def on_mount(self) -> None:
        """Show all, and type at once."""
        self.narrow()
        self.query_one(Input).focus()

    def on_input_changed(self) -> None:
        """Show the rows that fit."""
        self.narrow()

    def narrow(self) -> None:
        """Show the rows that fit what is typed now."""
        words = self.query_one(Input).value.casefold().split()
        self.query_one(PlainRows).show_rows(self.rows_for(words))
