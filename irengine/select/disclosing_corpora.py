"""Which corpus a hit is from, and which folders are that corpus' own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from irengine.errors import InvalidName, ItemError
from irengine.index.corpus import roots_in_memory
from irengine.retrieve.handles import as_corpus, as_store
from irengine.store import CorpusStore

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["Corpora", "Folders"]


class Folders(NamedTuple):
    """The real paths of a corpus' own folders, and whether it may be one of mere records."""

    roots: tuple[str, ...]
    records: bool


class Corpora:
    """The corpora a caller named: one (a handle, a store, a name), or several by source name.

    A name is opened once, without its embedder.

    Raises:
        CorpusNotFound: when nothing is built under the one name given.
        ParameterError: for anything that is no corpus.
    """

    def __init__(self, given: Corpus | CorpusStore | str | Mapping[str, Any] | None) -> None:
        self._single: CorpusStore | None = None
        self._names: set[str] = set()
        self._by_source: dict[Any, Any] = {}
        self._opened: dict[str | None, CorpusStore] = {}
        if isinstance(given, Mapping):
            self._by_source = dict(given)
        elif given is not None:
            found: Any = given
            if isinstance(given, str):
                self._names.add(given)
                found = as_corpus(given)
            self._single = as_store(found)
            if isinstance(getattr(found, "name", None), str):
                self._names.add(found.name)

    def store_of(self, source: str | None) -> CorpusStore | None:
        """Return the store of a hit's source among those named; ``None`` when it is another's.

        A hit without a source is taken to be from the single corpus; so is every hit when that
        corpus is a bare store, which has no name to tell it by.
        """
        if self._single is not None:
            own = source is None or not self._names or source in self._names
            return self._single if own else None
        if source not in self._opened:
            if source not in self._by_source:
                return None
            self._opened[source] = as_store(self._by_source[source])
        return self._opened[source]

    def folders_of(self, source: str | None) -> Folders | None:
        """Return the folders whose files a source's hits may lead to.

        ``None`` for a hit that is from no corpus at all. Besides the corpora named, those this
        process has had in memory and those built on this machine are known by their name.

        Raises:
            ItemError: code ``unknown-corpus`` when no corpus of that name is known.
        """
        store = self.store_of(source)
        if store is not None:
            return _folders(_recorded(store))
        if source is None:
            return None
        passing, built = roots_in_memory(source), _built(source)
        if passing is None and built is None:
            raise ItemError(
                f"no corpus named {source!r} is known here, so none of its files is",
                code="unknown-corpus",
            )
        return _folders([*(passing or ()), *(_recorded(built) if built else ())])


def _built(name: str) -> CorpusStore | None:
    try:
        store = CorpusStore.local(name)
    except InvalidName:
        return None
    return store if store.exists else None


def _recorded(store: CorpusStore) -> list[str]:
    roots = store.get_config().get("roots")
    return [root for root in roots if isinstance(root, str)] if roots else [""]


def _folders(recorded: list[str]) -> Folders:
    """Tell folders from the ``""`` that stands for a corpus without any."""
    real = dict.fromkeys(os.path.realpath(root) for root in recorded if root)
    return Folders(tuple(real), "" in recorded)
