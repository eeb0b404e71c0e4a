"""The tray: an ordered set of hits that outlives queries, each with where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["BUDGET", "LEVELS", "PASSAGE", "Picked", "Tray", "tokens_in"]

LEVELS = ("id", "snippet", "passage", "section", "document")
"""How much of a hit is revealed, least first."""

PASSAGE = LEVELS.index("passage")

BUDGET = 8_000
"""Tokens a selection may have before that is said."""


def tokens_in(text: str) -> int:
    """Return about how many tokens a text is: a token is four bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


@dataclass(frozen=True, slots=True)
class Picked:
    """A selected hit and its provenance.

    Attributes:
        key: corpus and artifact.
        row: the hit as a search hands it out.
        query, mode: what was asked.
        rank, score: its place then.
        at: when, in seconds since 1970.
        level: how much of it is revealed: one of :data:`LEVELS`, by number.
        tokens: about how many tokens that is.
    """

    key: str
    row: Mapping[str, Any]
    query: str
    mode: str
    rank: int
    score: float
    at: float
    level: int = PASSAGE
    tokens: int = 0

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.row.get("title") or self.row.get("artifact_id"))


class Tray:
    """Selected hits in the order in which they were taken; ``changed`` is called after a change."""

    def __init__(self, changed: Callable[[], None] | None = None) -> None:
        self.changed = changed
        self.budget = BUDGET
        self._items: dict[str, Picked] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Picked]:
        return iter(list(self._items.values()))

    def add(self, items: Iterable[Picked]) -> int:
        """Add what is not in yet; return how many that were."""
        before = len(self._items)
        for item in items:
            self._items.setdefault(item.key, item)
        return self._told(len(self._items) - before)

    def drop(self, keys: Iterable[str]) -> int:
        """Remove; return how many there were."""
        gone = [key for key in keys if self._items.pop(key, None) is not None]
        return self._told(len(gone))

    def toggle(self, items: Iterable[Picked]) -> int:
        """Take in what is out and put out what is in; return how many are in more than before."""
        wanted = list(items)
        inside = [item.key for item in wanted if item.key in self._items]
        for key in inside:
            del self._items[key]
        for item in wanted:
            if item.key not in inside:
                self._items[item.key] = item
        self._told(1)
        return len(wanted) - 2 * len(inside)

    def move(self, key: str, by: int) -> None:
        """Move one by so many places; it stops at the ends."""
        keys = list(self._items)
        if key not in self._items:
            return
        at = keys.index(key)
        to = max(0, min(len(keys) - 1, at + by))
        keys.insert(to, keys.pop(at))
        self._items = {each: self._items[each] for each in keys}
        self._told(1)

    @property
    def tokens(self) -> int:
        """About how many tokens are revealed together."""
        return sum(item.tokens for item in self._items.values())

    def get(self, key: str) -> Picked | None:
        """Return what was picked under a key."""
        return self._items.get(key)

    def reveal(self, key: str, level: int, tokens: int) -> None:
        """Reveal one at another level, of so many tokens."""
        item = self._items.get(key)
        if item is not None:
            self._items[key] = replace(item, level=level, tokens=tokens)
            self._told(1)

    def clear(self) -> None:
        """Remove all."""
        self._items.clear()
        self._told(1)

    def _told(self, count: int) -> int:
        if count and self.changed is not None:
            self.changed()
        return count
