"""What a session remembers: the last result and listing, named results, the selection, settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irtui.render.shapes import Shape, rows_of

if TYPE_CHECKING:
    from irtui.shell.meta import Host

__all__ = ["Held", "Session", "Settings", "identity_of", "key_of", "source_of"]

_KEYS = ("artifact_id", "id", "name", "path")
"""What a row is called by, the first that it has."""


_PICKED = Shape((), ("source", "artifact_id", "title"), file="path", text="snippet", open=True)


@dataclass(frozen=True, slots=True)
class Held:
    """A result that later lines can speak of.

    Attributes:
        command: the name of the command it is from.
        data, shape: as a program would get them.
        view, options: how a person would like to see them; without a view as a table.
        status: the exit status of the command.
        narrowed: whether a stage took rows out or moved them.
    """

    command: str
    data: Any
    shape: Shape = field(default_factory=Shape)
    view: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    status: int = 0
    narrowed: bool = False

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        """Its rows, the one it is when it is no list."""
        return rows_of(self.data, self.shape)

    @property
    def is_listing(self) -> bool:
        """Whether it is about several things that ``$1``, ``$2``… may stand for."""
        return isinstance(self.data, list) or bool(self.shape.rows)


@dataclass(slots=True)
class Settings:
    """What ``:set`` changes. ``form`` is the format of results, ``""`` for people."""

    form: str = ""
    timing: bool = False
    pager: bool = True
    edit: str = "emacs"
    theme: str = ""


class Session:
    """The state lines share.

    Attributes:
        last: the last result, ``$_``.
        listing: the last result that had rows: ``$1``, ``$2``…
        named: results kept by ``name = …``.
        query: the last query, ``$q``.
        corpora: where commands look that name no corpus; empty means as on the command line.
        mode: how commands rank that do not say so; ``""`` likewise.
        settings: what ``:set`` changes.
        status: the exit status of the last command.
        seconds: how long it took.
        lines: the lines that were run, oldest first.
        interactive: whether a person types the lines.
        host: what a prompt can do, where there is one.
        depth: how many scripts are running within each other.
        changed: whether a command ran that may have changed what is there.
        over: whether the session was told to end.
    """

    def __init__(self, *, interactive: bool = False) -> None:
        self.last: Held | None = None
        self.listing: Held | None = None
        self.named: dict[str, Held] = {}
        self.query = ""
        self.corpora: tuple[str, ...] = ()
        self.mode = ""
        self.settings = Settings()
        self.status = 0
        self.seconds = 0.0
        self.lines: list[str] = []
        self.interactive = interactive
        self.host: Host | None = None
        self.depth = 0
        self.changed = False
        self.over = False
        self.hinted: set[str] = set()
        self._picked: dict[tuple[str, str], dict[str, Any]] = {}

    def take(self, held: Held, *, numbered: bool = True) -> None:
        """Make ``held`` the last result, and with ``numbered`` the listing when it is one."""
        self.last, self.status = held, held.status
        if numbered and held.is_listing:
            self.listing = held

    @property
    def selection(self) -> Held:
        """The selected rows in the order in which they were taken, ``$sel``."""
        rows = list(self._picked.values())
        return Held("select", rows, _PICKED)

    def select(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add rows that are not selected yet; return how many they were."""
        before = len(self._picked)
        for row in rows:
            self._picked.setdefault(identity_of(row), dict(row))
        return len(self._picked) - before

    def drop(self, rows: Iterable[Mapping[str, Any]] | None = None) -> int:
        """Take rows out of the selection, all of them by default; return how many they were."""
        before = len(self._picked)
        if rows is None:
            self._picked.clear()
        else:
            for row in rows:
                self._picked.pop(identity_of(row), None)
        return before - len(self._picked)


def key_of(row: Mapping[str, Any]) -> str | None:
    """Return what a row is called by, ``None`` when it has no name."""
    for name in _KEYS:
        value = row.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def source_of(row: Mapping[str, Any]) -> str | None:
    """Return the corpus a row is from, when it says so."""
    source = row.get("source")
    return source if isinstance(source, str) and source else None


def identity_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return corpus and name: what makes two rows the same."""
    return source_of(row) or "", key_of(row) or ""
