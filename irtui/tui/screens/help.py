"""Help: the keys of the place one is in, searchable, and texts to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from irtui.tui.keys import Key, keys_of
from irtui.tui.screens.dialog import Dialog
from irtui.tui.screens.listing import PlainRows
from irtui.tui.screens.narrowing import Narrowed
from irtui.tui.widgets.bars import key_name
from irtui.tui.widgets.painting import Span, content_of

__all__ = ["KeysScreen", "TextScreen"]


_TABLE = re.compile(r"\S+(?: \S+)*  +(?=\S)")
"""What stands in the first column of a line of two; its text hangs in the second."""
_NARROW = 60
_SHARE = 0.9
"""How much of the height of the screen a box may take."""
_FRAME = 3
"""Lines of a box that are not its text."""


class KeysScreen(Narrowed):
    """The keys of some scopes; typing narrows them down."""

    PLACEHOLDER = "type to find a key or what it does"
    FOOT = "f1 explains this mode · esc closes"

    def __init__(self, scopes: Sequence[str], keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._scopes, self._keymap = list(scopes), keymap

    def heading(self) -> str:
        """Return what stands above."""
        return "Keys"

    def on_input_submitted(self) -> None:
        """Go to the list, where it can be scrolled."""
        self.query_one(PlainRows).focus()

    def rows_for(self, words: Sequence[str]) -> list[tuple[str, list[Span]]]:
        """Return the keys with these words, by where they work."""
        rows: list[tuple[str, list[Span]]] = []
        for scope in self._scopes:
            found = [key for key in keys_of(scope) if all(w in self._text(key) for w in words)]
            if found:
                title = "everywhere" if scope == "app" else scope
                rows.append((scope, [("heading", title)]))
            rows += [(key.id, self._spans(key)) for key in found]
        return rows or [("", [("muted", "no key does that")])]

    def _names(self, key: Key) -> str:
        keys = self._keymap.get(key.id, key.keys).split(",")
        return " ".join(key_name(name) for name in keys)

    def _text(self, key: Key) -> str:
        return f"{self._names(key)} {key.label} {key.help} {key.id}".casefold()

    def _spans(self, key: Key) -> list[Span]:
        if self.app.size.width < _NARROW:
            return [("title", f" {key_name(key.first):<6} "), ("", key.help)]
        return [("title", f" {self._names(key):<18} "), ("", key.help), ("muted", f"  {key.id}")]


class TextScreen(Dialog[None]):
    """A text to read."""

    DEFAULT_CSS = """
    TextScreen PlainRows { height: 1; }
    """
    FOOT = "esc closes"

    def __init__(self, title: str, text: str | Sequence[Sequence[Span]]) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Show the text."""
        with Vertical(classes="box") as box:
            box.border_title = content_of([("", self._title)])
            yield PlainRows()
            yield Static(content_of([("muted", self.FOOT)]), classes="foot")

    def on_mount(self) -> None:
        """Wrap the text to the box."""
        rows = self.query_one(PlainRows)
        rows.focus()
        self.call_after_refresh(self._fill)

    def on_resize(self) -> None:
        """Wrap it again."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        from irtui.tui.documents import wrapped

        rows = self.query_one(PlainRows)
        if isinstance(self._text, str):
            width = max(20, rows.size.width - 2)
            lines = list(_paragraphs(self._text, width))
        else:
            width = max(8, rows.text_width)
            lines = [
                part
                for line in self._text
                for part in (wrapped(list(line), width) if line else [[]])
            ]
        room = int(self.app.size.height * _SHARE) - _FRAME
        rows.styles.height = max(1, min(len(lines), room))
        rows.show_rows([(str(number), line) for number, line in enumerate(lines)])


def _joined(text: str) -> Iterator[str]:
    """Return paragraphs, headings and lines of two columns, each as one line."""
    open_line = ""
    for line in text.split("\n"):
        if line and not line.startswith("# ") and not _TABLE.match(line):
            open_line += f" {line}" if open_line else line
            continue
        if open_line:
            yield open_line
        open_line = ""
        yield line
    if open_line:
        yield open_line


def _paragraphs(text: str, width: int) -> Iterator[list[Span]]:
    import textwrap

    for paragraph in _joined(text):
        head = paragraph.startswith("# ")
        table = _TABLE.match(paragraph)
        hanging = " " * len(table[0]) if table and 2 * len(table[0]) <= width else ""
        whole = paragraph.removeprefix("# ")
        for line in textwrap.wrap(whole, width, subsequent_indent=hanging) or [""]:
            yield [("heading" if head else "", line)]
