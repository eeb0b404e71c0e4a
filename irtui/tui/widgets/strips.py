"""One-line titles of panes, and the tray in one line."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.widget import Widget

from irtui.tui.selection import Tray
from irtui.tui.widgets.painting import Span, content_of

__all__ = ["PaneTitle", "TrayStrip"]


_ROOM_FOR_KEYS = 100


class PaneTitle(Widget):
    """The title of a pane and what it shows; brighter while the pane has the focus."""

    DEFAULT_CSS = """
    PaneTitle { height: 1; width: 100%; padding: 0 1; background: $panel; color: $ir-muted; }
    *:focus-within > PaneTitle { color: $foreground; }
    """

    def __init__(self, title: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._title = title
        self._spans: list[Span] = []

    def tell(self, spans: Sequence[Span]) -> None:
        """Show these spans after the title."""
        self._spans = list(spans)
        self.refresh()

    @property
    def spans(self) -> list[Span]:
        """What is shown after the title."""
        return self._spans

    def render(self) -> Content:
        """Show the title and what it says."""
        title = [("heading", self._title), ("", "  ")] if self._title else []
        content = content_of([*title, *self._spans])
        return content.truncate(max(1, self.size.width), ellipsis=True)


class TrayStrip(Widget):
    """The selection in one line: how many, how much of the budget, their titles."""

    DEFAULT_CSS = """
    TrayStrip { height: 1; width: 100%; padding: 0 1; background: $panel; display: none; }
    TrayStrip.-filled { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tray: Tray | None = None

    def show_tray(self, tray: Tray) -> None:
        """Show what is selected."""
        self._tray = tray
        self.set_class(len(tray) > 0, "-filled")
        self.refresh()

    def render(self) -> Content:
        """Show the tray."""
        tray = self._tray
        if tray is None:
            return Content("")
        used, budget = tray.tokens, tray.budget
        role = "budget-over" if used > budget else "budget"
        spans: list[Span] = [
            ("heading", f"Selection {len(tray)}"),
            ("", " "),
            (
                "failed" if role == "budget-over" else "ok",
                f"≈{_short(used)}/{_short(budget)} tokens",
            ),
            ("muted", " over the budget, lower a level (t, h)" if used > budget else ""),
        ]
        if self.size.width >= _ROOM_FOR_KEYS:
            spans += [
                ("title", "  t"),
                ("muted", " shows, "),
                ("title", "X"),
                ("muted", " exports"),
            ]
        for item in tray:
            spans += [("", " "), ("chip", f" {item.title} ")]
        return content_of(spans).truncate(max(1, self.size.width), ellipsis=True)

    async def on_click(self, event: events.Click) -> None:
        """Open the tray."""
        del event
        await self.screen.run_action("tray")


def _short(number: int) -> str:
    return f"{number / 1000:.1f}k" if number >= 1000 else str(number)
