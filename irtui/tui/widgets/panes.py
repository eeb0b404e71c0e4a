"""What a pane shows instead of its content: why it is empty or failed, and what to press."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from irtui.tui.widgets.painting import Span, content_of

__all__ = ["Notice", "error_lines"]


class Notice(VerticalScroll):
    """Lines of spans in the middle of a pane."""

    DEFAULT_CSS = """
    Notice { background: $background; padding: 1 2; height: 1fr; }
    Notice > Static { width: 100%; height: auto; }
    ModeScreen.-short Notice, ModeScreen.-tiny Notice { padding: 0 1; }
    """
    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._static = Static(markup=False)
        self.lines: list[list[Span]] = []

    def compose(self) -> ComposeResult:
        """Hold one text."""
        yield self._static

    def show_lines(self, lines: Sequence[Sequence[Span]]) -> None:
        """Show these lines."""
        self.lines = [list(line) for line in lines]
        self._static.update(Content("\n").join(content_of(line) for line in self.lines))


def error_lines(problem: Mapping[str, str], *, what: str = "") -> list[list[Span]]:
    """Return an error as a pane shows it: what happened, what can be done, how to tell others."""
    lines: list[list[Span]] = [[("failed", what or "This did not work")], []]
    lines.append([("", problem.get("message", ""))])
    if problem.get("hint"):
        lines.append([("muted", "try: "), ("", problem["hint"])])
    lines += [
        [],
        [
            ("muted", f"code {problem.get('code', '')} · "),
            ("title", "y"),
            ("muted", " copies this"),
        ],
    ]
    return lines
