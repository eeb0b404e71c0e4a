"""The lines around a mode: where one is, what is going on, what can be pressed."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from irtui.tui.keys import KEYS, Key, keys_of
from irtui.tui.modes import MODES
from irtui.tui.widgets.painting import Span, content_of, text_of

__all__ = ["Bar", "HintLine", "StatusLine", "TopBar", "hint", "hint_here", "key_name"]

_NAMES = {
    "question_mark": "?",
    "colon": ":",
    "apostrophe": "'",
    "escape": "esc",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "plus": "+",
    "minus": "-",
    "space": "space",
    "number_sign": "#",
}
_MOST_HINTS = 8
_HELP, _TOPIC = "app.help", "app.topic"
_ROOM_FOR_COUNTS = 80
_WHILE_TYPING = frozenset(
    ("up", "down", "enter", "escape", "tab", *(f"f{n}" for n in range(1, 13)))
)


def key_name(key: str) -> str:
    """Return a key as people write it."""
    head, _, last = key.rpartition("+")
    return f"{head}+{_NAMES.get(last, last)}" if head else _NAMES.get(last, last)


def _cells(spans: list[Span]) -> int:
    return Content(text_of(spans)).cell_length


class Bar(Widget):
    """One line of spans; subclasses give the left and the right part."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 100%; background: $panel; color: $foreground; }
    """

    def left(self) -> list[Span]:
        """Return what stands on the left."""
        return []

    def right(self, room: int) -> list[Span]:
        """Return what stands on the right, in at most ``room`` cells."""
        del room
        return []

    def render(self) -> Content:
        """Put both parts on one line."""
        width = self.size.width
        left = self.left()
        right = self.right(width - _cells(left) - 1)
        gap = width - _cells(left) - _cells(right)
        return content_of([*left, ("", " " * max(1, gap)), *right])


class TopBar(Bar):
    """The program, the corpora, their state, and the modes."""

    def left(self) -> list[Span]:
        """Return what stands on the left."""
        app = self.app
        spans: list[Span] = list(getattr(app, "corpora_spans", list)())
        if self.size.width < _ROOM_FOR_COUNTS and len(spans) > 2:
            spans = spans[:2]  # the modes are worth more than counts
        return [("title", " irtui "), *spans]

    def right(self, room: int) -> list[Span]:
        """Return what stands on the right, in at most ``room`` cells."""
        for short in (False, True):
            spans = self._modes(short=short)
            if _cells(spans) <= room:
                return spans
        here = MODES.get(self.app.current_mode)
        return [("cursor", f" {here.short} ")] if here is not None and room > 8 else []

    def _modes(self, *, short: bool) -> list[Span]:
        spans: list[Span] = []
        for number, mode in enumerate(MODES.values(), 1):
            name = f" {number} {mode.short if short else mode.title} "
            spans.append(("cursor" if mode.id == self.app.current_mode else "muted", name))
        return spans

    async def on_click(self, event: events.Click) -> None:
        """Go to the mode that was clicked."""
        width = self.size.width
        left = self.left()
        spans = self.right(width - _cells(left) - 1)
        at = width - _cells(spans)
        if len(spans) == len(MODES):
            for mode, span in zip(MODES, spans, strict=True):
                at += _cells([span])
                if event.x < at and event.x >= at - _cells([span]):
                    await self.app.run_action(f"mode('{mode}')")


class StatusLine(Bar):
    """Always there: the state in words, the message of the moment, counts and times."""

    DEFAULT_CSS = """
    StatusLine { background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: list[Span] = []
        self._counts: list[Span] = []
        self._passing = ""

    def say(self, text: str, role: str = "", *, seconds: float = 6.0) -> None:
        """Show a message for a while; a warning or an error says so in words."""
        word = {"failed": "error: ", "due": "warning: "}.get(role, "")
        self._message = [(role, f"{word}{text}")] if text else []
        self._passing = text
        self.refresh()
        self.set_timer(seconds, lambda: self._pass(text))

    def counts(self, spans: list[Span]) -> None:
        """Show the counts and times of the mode, on the left while nothing is said."""
        self._counts = spans
        self.refresh()

    @property
    def message(self) -> str:
        """What is said just now."""
        return text_of(self._message)

    def left(self) -> list[Span]:
        """Return what stands on the left."""
        shown = self._message or self._counts
        return [("", " "), *shown]

    def right(self, room: int) -> list[Span]:
        """Return what stands on the right, in at most ``room`` cells."""
        spans = [*getattr(self.app, "jobs_spans", list)(), ("", " ")]
        return spans if _cells(spans) <= room else []

    def _pass(self, text: str) -> None:
        if self._passing == text:
            self._message = []
            self.refresh()


class HintLine(Bar):
    """At most eight keys that work where the focus is; what cannot be done now is dim.

    Those that the focused widget names in ``HINTS`` come first. The last is the one that shows all
    keys; where letters are typed, the one that explains.
    """

    def _keys(self) -> list[tuple[str, str, bool]]:
        screen = self.screen
        scopes = [*getattr(screen.focused, "SCOPES", ()), *getattr(screen, "SCOPES", ()), "app"]
        first = {key_id: place for place, key_id in enumerate(getattr(screen.focused, "HINTS", ()))}
        hints = sorted(
            (
                key
                for scope in dict.fromkeys(scopes)
                for key in keys_of(scope)
                if key.hint or key.id in first
            ),
            key=lambda key: (first.get(key.id, len(first)), key.hint, key.id),
        )
        shown: list[tuple[str, str, bool]] = []
        taken: set[str] = set()
        for key in hints:
            if key.id == _HELP:
                continue
            names = [n for n in _names_here(screen, key) if n not in taken]  # the focus first
            if not names:
                continue
            taken.add(names[0])
            allowed = getattr(screen, "allowed", lambda _: "")(key.id) == ""
            shown.append((key_name(names[0]), key.label, allowed))
        return shown[: _MOST_HINTS - 1]

    def _help(self) -> list[Span]:
        """Return the key that leads to all others."""
        for key_id, label in ((_HELP, "all keys"), (_TOPIC, "help")):
            names = _names_here(self.screen, KEYS[key_id])
            if names:
                return [("title", key_name(names[0])), ("", f" {label} ")]
        return []

    def left(self) -> list[Span]:
        """Return what stands on the left."""
        spans: list[Span] = [("", " ")]
        room = self.size.width - _cells(self._help())
        for name, label, allowed in self._keys():
            more: list[Span] = [
                ("title" if allowed else "muted", name),
                ("" if allowed else "muted", f" {label}  "),
            ]
            if _cells([*spans, *more]) > room:
                break
            spans += more
        return spans

    def right(self, room: int) -> list[Span]:
        """Return what stands on the right, in at most ``room`` cells."""
        spans = self._help()
        return spans if _cells(spans) <= room + 1 else []


def _names_here(screen: Screen[Any], key: Key) -> list[str]:
    """Return the keys of ``key`` that work where the focus is, also while letters are typed."""
    keymap = getattr(screen.app, "keymap_used", {})
    names = [name for name in keymap.get(key.id, key.keys).split(",") if name]
    focused = screen.focused
    if focused is not None and focused.check_consume_key("j", "j"):  # a letter would be typed
        names = [name for name in names if name in _WHILE_TYPING or "+" in name]
    return names


def hint_here(screen: Screen[Any], key_id: str) -> str:
    """Return the key of an id that works where the focus is, as people write it."""
    names = _names_here(screen, KEYS[key_id])
    return key_name(names[0]) if names else hint(key_id)


def hint(key_id: str) -> str:
    """Return the key of an id as people write it."""
    return key_name(KEYS[key_id].first)
