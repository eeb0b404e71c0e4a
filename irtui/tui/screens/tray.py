"""The tray: what is selected, in order, with where it came from and how much is revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.screens.dialog import Dialog, Foot
from irtui.tui.screens.listing import PlainRows
from irtui.tui.selection import LEVELS, Picked
from irtui.tui.widgets.painting import Span, content_of

if TYPE_CHECKING:
    from irtui.tui.app import IrApp
    from irtui.tui.screens.search_picking import SearchPicking

__all__ = ["TrayScreen"]

register_keys(
    (
        Key("tray.drop", "space,delete,x", "drop", "put back", "take it out of the selection", 10),
        Key("tray.up", "alt+up,K", "shift(-1)", "move up", "move it up", 20),
        Key("tray.down", "alt+down,J", "shift(1)", "move down", "move it down", 21),
        Key("tray.more", "l,right", "reveal(1)", "more", "reveal more of it", 30),
        Key("tray.less", "h,left", "reveal(-1)", "less", "reveal less of it", 31),
        Key("tray.least", "0", "least", "ids only", "reveal ids only"),
        Key("tray.clear", "C", "clear", "clear", "put everything back"),
        Key("tray.save", "S", "save", "save", "keep the selection under a name", 40),
        Key("tray.export", "X", "export", "export", "write the selection to a file", 41),
    ),
    above=True,
)
_FOOT = (
    ("space", "puts back"),
    ("h l", "less, more"),
    ("X", "exports"),
    ("S", "keeps"),
    ("K J", "move"),
    ("esc", "closes"),
)

_SHARE, _FRAME, _LEAST = 0.9, 5, 3
"""Of the height of the screen for the box, lines of it that are no rows, rows it always has."""


class TrayScreen(Dialog[None]):
    """The selection as a list."""

    SCOPES: ClassVar[tuple[str, ...]] = ("tray", "list")
    BINDINGS: ClassVar[list[BindingType]] = list(bindings("tray"))
    DEFAULT_CSS = """
    TrayScreen > .box { width: 110; }
    TrayScreen PlainRows { height: 1; }
    TrayScreen #meter, TrayScreen #from {
        height: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    TrayScreen #from { color: $ir-muted; }
    """

    def __init__(self, search: SearchPicking) -> None:
        super().__init__()
        self._search = search

    def compose(self) -> ComposeResult:
        """Show the list, where the one under the cursor came from, and the keys."""
        with Vertical(classes="box") as box:
            box.border_title = "Selection"
            yield Static("", id="meter", markup=False)
            yield PlainRows(on_move=lambda _: self._tell())
            yield Static("", id="from", markup=False)
            yield Foot(*_FOOT)

    def on_mount(self) -> None:
        """Show the tray."""
        self.query_one(PlainRows).focus()
        self.fill()
        self.set_interval(0.3, self.fill)  # sizes come when texts were read

    @property
    def _ir(self) -> IrApp:
        return cast("IrApp", self.app)

    def fill(self) -> None:
        """Show what the tray holds now."""
        tray = self._ir.tray
        rows = [(item.key, _spans(item)) for item in tray]
        empty: list[tuple[str, list[Span]]] = [
            ("", [("muted", " nothing is selected; space selects a hit")])
        ]
        shown = self.query_one(PlainRows)
        room = int(self.app.size.height * _SHARE) - _FRAME
        shown.styles.height = max(1, min(max(_LEAST, len(rows)), room))
        shown.show_rows(rows or empty)
        over = tray.tokens > tray.budget
        share = min(1.0, tray.tokens / tray.budget)
        meter: list[Span] = [
            ("failed" if over else "ok", "█" * round(20 * share)),
            ("muted", "░" * (20 - round(20 * share))),
            ("", f" ≈{tray.tokens:,} of {tray.budget:,} tokens"),
            ("failed", " over the budget: reveal less (h)" if over else ""),
        ]
        self.query_one("#meter", Static).update(content_of(meter))
        self._tell()

    def _tell(self) -> None:
        item = self._item
        text = ""
        if item is not None:
            text = f"found by “{item.query}”, {item.mode}, rank {item.rank}, score {item.score:.4g}"
        self.query_one("#from", Static).update(content_of([("muted", text)]))

    @property
    def _item(self) -> Picked | None:
        key = self.query_one(PlainRows).key_at_cursor
        return self._ir.tray.get(key) if key else None

    def action_drop(self) -> None:
        """Take the item out."""
        item = self._item
        if item is not None:
            self._ir.tray.drop([item.key])
            self.fill()

    def action_shift(self, by: int) -> None:
        """Move the item."""
        item = self._item
        if item is not None:
            self._ir.tray.move(item.key, by)
            self.fill()

    def action_reveal(self, by: int) -> None:
        """Reveal more or less of the item."""
        item = self._item
        if item is not None:
            level = max(0, min(len(LEVELS) - 1, item.level + by))
            self._search.reveal_picked(item.key, level)
            self.fill()

    def action_least(self) -> None:
        """Reveal ids only."""
        for item in self._ir.tray:
            self._search.reveal_picked(item.key, 0)
        self.fill()

    def action_clear(self) -> None:
        """Put everything back."""
        self._ir.tray.clear()
        self.fill()

    def action_save(self) -> None:
        """Keep the selection under a name."""
        self.dismiss(None)
        self._search.action_save_set()

    def action_export(self) -> None:
        """Write the selection to a file."""
        self.dismiss(None)
        self._search.action_export()


def _spans(item: Picked) -> list[Span]:
    where = item.row.get("path") or item.row["artifact_id"]
    return [
        ("score", f" {LEVELS[item.level]:<9}"),
        ("muted", f"≈{item.tokens:>6,}  "),
        ("title", item.title),
        ("muted", f"  {where}"),
    ]
