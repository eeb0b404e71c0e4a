"""What a scope is: the lazy mapping from artifact id to raw item that a corpus is built from."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from irengine.errors import ItemError, UnknownItem

__all__ = ["ListedScope", "Note", "RecordScope", "Scope", "Skipped"]

_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Skipped:
    """An item a source leaves out.

    ``id`` is the id it would have had (a folder's ends in ``/``), ``reason`` a stable word for
    programs (``"unreadable"``, ``"too-large"``, ``"binary"``), ``detail`` a sentence for people.
    """

    id: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something odd about an item that was read all the same, or (``id == ""``) about the whole.

    ``reason`` is a stable word (``"duplicate-key"``, ``"no-files"``), ``detail`` a sentence.
    """

    id: str
    reason: str
    detail: str = ""


class Scope(Mapping[str, Any]):
    """A mapping from artifact id to raw item that lists cheaply and reads lazily.

    ``iter(scope)`` lists the source as it is now; lookups and ``len`` use the last listing.
    ``scope[id]`` raises :class:`ItemError` when that one item cannot be read (its ``code`` is the
    reason), and :class:`UnknownItem`, which is a ``KeyError`` too, for an id that is not listed.

    Attributes:
        roots: the absolute folders items live in; empty for items that are no files.
        keeps_missing: whether the listing is deliberately partial, so that an artifact that is
            indexed but not listed may still exist; :meth:`keeps` tells for each.
    """

    roots: tuple[Path, ...] = ()
    keeps_missing: bool = False

    def __init__(self, roots: Iterable[Path] = ()) -> None:
        self.roots = tuple(roots)
        self._skipped: dict[str, Skipped] = {}
        self._notes: dict[tuple[str, str, str], Note] = {}

    @property
    def skipped(self) -> list[Skipped]:
        """What the last listing, and the reads since, left out."""
        return list(self._skipped.values())

    @property
    def notes(self) -> list[Note]:
        """What was odd about the last listing and the reads since."""
        return list(self._notes.values())

    def fingerprint(self, artifact_id: str) -> str | None:
        """Return a token that changes whenever the item may have changed; never reads the item.

        ``None`` says that only reading can tell.
        """
        return None

    def selection(self) -> dict[str, Any] | None:
        """Return what says which items there are, as JSON; ``None`` when it cannot be told."""
        return None

    def digest(self, artifact_id: str) -> str | None:
        """Return the SHA-256 of the file an item was last read from; ``None`` when not known.

        It tells a file that was merely touched from one that was edited.
        """
        return None

    def keeps(self, artifact_id: str) -> bool:
        """Return whether an unlisted artifact must stay indexed: it exists, or may exist.

        True for what a folder that cannot be read holds, and for what merely left a window.
        """
        return False

    def _skip(self, artifact_id: str, reason: str, detail: str) -> None:
        self._skipped[artifact_id] = Skipped(artifact_id, reason, detail)

    def _fail(self, artifact_id: str, reason: str, detail: str, *, hint: str = "") -> ItemError:
        """Note the item as skipped and return the error to raise."""
        self._skip(artifact_id, reason, detail)
        where = f" under {self.roots[0]}" if len(self.roots) == 1 else ""
        return ItemError(f"{artifact_id!r}{where}: {detail}", hint=hint, code=reason)

    def _note(self, artifact_id: str, reason: str, detail: str) -> None:
        note = Note(artifact_id, reason, detail)
        key = (artifact_id, reason, detail)
        if key not in self._notes:
            self._notes[key] = note
            level = logging.INFO if artifact_id else logging.WARNING
            _log.log(level, "%s: %s", artifact_id or "source", detail)

    def _unknown(self, artifact_id: object) -> UnknownItem:
        where = f" in {self.roots[0]}" if len(self.roots) == 1 else ""
        return UnknownItem(f"no item {artifact_id!r}{where}")

    @abstractmethod
    def __getitem__(self, artifact_id: str) -> Any: ...

    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    @abstractmethod
    def __len__(self) -> int: ...


class ListedScope(Scope, Generic[T]):
    """A scope that lists its source anew at each iteration and remembers the last listing.

    A subclass says in :meth:`_list` what is there; :meth:`_entry` finds one item of it.
    """

    def __init__(self, roots: Iterable[Path] = ()) -> None:
        super().__init__(roots)
        self._listed: dict[str, T] | None = None

    def __iter__(self) -> Iterator[str]:
        self._skipped, self._notes = {}, {}
        self._listed = self._list()
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listing())

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._listing()

    @abstractmethod
    def _list(self) -> dict[str, T]:
        """Look at the source and return what it lists, by id; skips and notes are empty then."""

    def _listing(self) -> dict[str, T]:
        """Return the last listing, or the first one."""
        if self._listed is None:
            iter(self)
        return self._listed or {}

    def _entry(self, artifact_id: str) -> T:
        """Return what is listed under an id.

        Raises:
            UnknownItem: when nothing is.
        """
        try:
            return self._listing()[artifact_id]
        except KeyError:
            raise self._unknown(artifact_id) from None


class RecordScope(Scope):
    """A scope whose items are in memory, in a fixed order."""

    def __init__(self, records: Mapping[str, Any], *, skipped: Iterable[Skipped] = ()) -> None:
        super().__init__()
        self._records = dict(records)
        self._skipped = {item.id: item for item in skipped}

    def __getitem__(self, artifact_id: str) -> Any:
        try:
            return self._records[artifact_id]
        except KeyError:
            raise self._unknown(artifact_id) from None

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)
