"""Every key of the app in one table: an id, the keys, what they do, and how help calls it.

Bindings, the line of hints, the help and the palette are made from it. A file ``keys.toml`` in the
configuration folder gives other keys to ids::

    keymap = "vim"  # besides j k g G ctrl+d ctrl+u, which always work

    [keys]
    "list.down" = "j,down,ctrl+n"

Plain letters never reach a binding while a text field has the focus: the field takes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.binding import Binding

__all__ = [
    "KEYMAPS",
    "KEYS",
    "NEVER",
    "Key",
    "bindings",
    "clashes",
    "keys_of",
    "read_keymap",
    "register_keys",
]

NEVER = frozenset(f"ctrl+{key}" for key in ("i", "m", "h", "j", "left_square_bracket", "z", "s"))
"""They are Tab, Enter, Backspace, line feed, Escape, suspend and flow control."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that can be done with a key.

    Attributes:
        id: what a keymap calls it: ``scope.verb``.
        keys: the keys, separated by commas, in Textual's names.
        action: the action of the app, the screen or the widget.
        label: one or two words for the line of hints.
        help: a sentence for help and the palette.
        hint: its place in the line of hints, small numbers first; 0 = it is not there.
        priority: whether it comes before the focused widget; never for a plain letter.
    """

    id: str
    keys: str
    action: str
    label: str
    help: str
    hint: int = 0
    priority: bool = False

    @property
    def scope(self) -> str:
        """Where it works: ``app``, ``list``, or the name of a mode or pane."""
        return self.id.partition(".")[0]

    @property
    def first(self) -> str:
        """The key to show."""
        return self.keys.split(",")[0]


_SHARED = (
    Key("app.help", "question_mark", "help", "help", "show the keys of this place", 90),
    Key("app.topic", "f1", "topic", "guide", "read about this mode", priority=True),
    Key("app.palette", "ctrl+p,f2", "palette", "palette", "find any action", 80, priority=True),
    Key("app.command", "colon", "command_line", "command", "type a command", 70),
    Key("app.jump", "ctrl+o,apostrophe", "jump", "jump", "jump to a pane by a letter"),
    Key("app.search", "1,f5", "mode('search')", "search", "go to Search"),
    Key("app.corpora", "2,f6", "mode('corpora')", "corpora", "go to Corpora"),
    Key("app.graph", "3,f7", "mode('graph')", "graph", "go to Graph"),
    Key("app.maintenance", "4,f8", "mode('maintenance')", "upkeep", "go to Maintenance"),
    Key("app.jobs", "J,f9", "jobs", "jobs", "show running and finished jobs"),
    Key("app.theme", "T", "next_theme", "theme", "use the next theme"),
    Key("app.mouse", "M", "selection_hint", "copying", "say how text is copied with the mouse"),
    Key("app.quit", "q,ctrl+q", "leave", "quit", "leave the app"),
    Key("app.interrupt", "ctrl+c", "interrupt", "stop", "copy, stop a search, or leave", 0, True),
    Key("app.back", "escape", "back", "back", "one step back; never leaves the app", 75),
    Key("app.next_pane", "tab", "focus_next", "next pane", "go to the next pane"),
    Key("app.previous_pane", "shift+tab", "focus_previous", "last pane", "go to the pane before"),
    Key("app.zoom", "z", "zoom", "zoom", "let this pane fill the screen, or shrink it"),
    Key("list.down", "j,down", "cursor(1)", "down", "one row down"),
    Key("list.up", "k,up", "cursor(-1)", "up", "one row up"),
    Key("list.top", "g,home", "cursor_to(0)", "top", "to the first row"),
    Key("list.end", "G,end", "cursor_to(-1)", "end", "to the last row"),
    Key("list.page_down", "ctrl+d,pagedown", "page(1)", "page down", "a page down"),
    Key("list.page_up", "ctrl+u,pageup", "page(-1)", "page up", "a page up"),
    Key("list.open", "enter", "open", "open", "open what the cursor is on", 20),
)

KEYS: dict[str, Key] = {key.id: key for key in _SHARED}
"""All keys by id; modes add theirs with :func:`register_keys` when their module is imported."""


KEYMAPS: dict[str, dict[str, str]] = {
    "vim": {
        "list.page_down": "ctrl+d,ctrl+f,pagedown",
        "list.page_up": "ctrl+u,ctrl+b,pageup",
        "search.query": "slash,i",
        "app.next_pane": "tab,ctrl+w",
    },
}
"""Sets of other keys by the name that ``keymap`` in the file gives; its own keys come after."""

_ABOVE: set[str] = set()
"""Scopes of boxes above everything: while one is open, no key of the app works."""


def register_keys(keys: Iterable[Key], *, above: bool = False) -> None:
    """Add the keys of a mode or a pane, or, with ``above``, of a box that is open above them.

    Raises:
        ValueError: for an id that means something else already, or a key that cannot be bound.
    """
    for key in keys:
        if KEYS.get(key.id, key) != key:
            raise ValueError(f"two keys are called {key.id!r}")
        for name in key.keys.split(","):
            if name in NEVER:
                raise ValueError(f"{key.id}: {name} cannot be told from another key")
            if key.priority and len(name) == 1:
                raise ValueError(f"{key.id}: {name} would make typing impossible")
        KEYS[key.id] = key
        if above:
            _ABOVE.add(key.scope)


def keys_of(scope: str) -> list[Key]:
    """Return the keys of one scope, in the order of the table."""
    return [key for key in KEYS.values() if key.scope == scope]


def bindings(*scopes: str) -> list[Binding]:
    """Return Textual's bindings for all keys of ``scopes``."""
    return [
        Binding(
            key.keys,
            key.action,
            key.label,
            show=False,
            priority=key.priority,
            id=key.id,
            tooltip=key.help,
        )
        for scope in scopes
        for key in keys_of(scope)
    ]


def read_keymap(file: Path) -> tuple[dict[str, str], list[str]]:
    """Return the keys a file gives to ids, and what is wrong with it. No file = nothing."""
    if not file.is_file():
        return {}, []
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [f"{file.name}: {error}"]
    told, named = read.get("keys", {}), read.get("keymap", "")
    if not isinstance(told, dict):
        return {}, [f"{file.name}: [keys] must be a table"]
    keymap: dict[str, str] = {}
    problems = []
    if isinstance(named, str) and named in KEYMAPS:
        keymap.update(KEYMAPS[named])
    elif named:
        problems.append(f"{file.name}: there is no keymap {named!r}; there is {', '.join(KEYMAPS)}")
    for name, keys in told.items():
        wanted = [key.strip() for key in keys.split(",")] if isinstance(keys, str) else []
        if name not in KEYS:
            problems.append(f"{file.name}: nothing is called {name!r}")
        elif not wanted or not all(wanted):
            problems.append(f"{file.name}: {name} needs keys such as 'j,down'")
        elif bad := [key for key in wanted if key in NEVER]:
            problems.append(f"{file.name}: {name}: {bad[0]} cannot be told from another key")
        elif KEYS[name].priority and any(len(key) == 1 for key in wanted):
            problems.append(f"{file.name}: {name} needs a key that is no letter")
        else:
            keymap[name] = ",".join(wanted)
    return keymap, problems


def clashes(keymap: Mapping[str, str]) -> list[str]:
    """Return, as sentences, the keys that mean two things in one scope or hide one of the app."""
    said = []
    owners: dict[tuple[str, str], str] = {}
    for key in KEYS.values():
        for name in keymap.get(key.id, key.keys).split(","):
            for scope in {key.scope} if key.scope in _ABOVE else {key.scope, "app"}:
                other = owners.get((scope, name))
                if other is not None and other != key.id:
                    said.append(f"{name} means both {other} and {key.id}")
            owners.setdefault((key.scope, name), key.id)
    return said
