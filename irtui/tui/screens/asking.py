"""Questions: one of a few answers, or a line of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from irtui.tui.screens.dialog import Dialog
from irtui.tui.screens.listing import PlainRows
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of
from irtui.tui.widgets.path_field import PathField

__all__ = ["Choice", "TextQuestion"]


class Choice(Dialog[str]):
    """Ask for one of ``answers`` (value → what it says); the result is its value, or ``None``."""

    DEFAULT_CSS = """
    Choice PlainRows { height: auto; max-height: 16; }
    """

    def __init__(self, question: str, answers: Mapping[str, str]) -> None:
        super().__init__()
        self._question, self._answers = question, dict(answers)

    def compose(self) -> ComposeResult:
        """Show the question and a list."""
        with Vertical(classes="box"):
            yield Static(content_of([("title", self._question)]), markup=False)
            yield PlainRows(on_open=self._chosen)
            yield Static(content_of([("muted", "enter chooses · esc closes")]), classes="foot")

    def on_mount(self) -> None:
        """Show the answers."""
        rows = self.query_one(PlainRows)
        rows.styles.height = min(16, len(self._answers))
        rows.show_rows([(value, [("", f" {text}")]) for value, text in self._answers.items()])
        rows.focus()

    def _chosen(self, value: str) -> None:
        self.dismiss(value)


class TextQuestion(Dialog[str]):
    """Ask for a line of text; ``check`` returns what is wrong with it, or ``""``.

    Where it is a ``path``, Tab completes it.
    """

    def __init__(
        self,
        question: str,
        *,
        value: str = "",
        check: Callable[[str], str] | None = None,
        path: bool = False,
    ) -> None:
        super().__init__()
        self._question, self._value, self._check = question, value, check
        self._field = PathField if path else Field
        self._foot = f"{'tab completes · ' * path}enter answers · esc closes"

    def compose(self) -> ComposeResult:
        """Show the question and a field."""
        with Vertical(classes="box"):
            yield Static(content_of([("title", self._question)]), markup=False)
            yield self._field(self._value, compact=True, select_on_focus=True)
            yield Static(content_of([("muted", self._foot)]), classes="foot")

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong while it is typed."""
        wrong = self._check(event.value) if self._check is not None else ""
        self._say([("failed", wrong)] if wrong else [("muted", self._foot)])

    def on_path_field_several(self, event: PathField.Several) -> None:
        """Say how the path may go on."""
        self._say([("", "  ".join(event.names))])

    def _say(self, spans: list[Span]) -> None:
        self.query_one(".foot", Static).update(content_of(spans))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer."""
        if self._check is None or not self._check(event.value):
            self.dismiss(event.value)
