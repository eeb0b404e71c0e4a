"""Several open corpora at once: their names, and one embedding of a query for all that share it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from irengine.errors import ParameterError

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["at_once", "embed_once", "embedder_of", "names_of"]

_AT_ONCE = 8

T = TypeVar("T")


def names_of(entries: Sequence[Any]) -> list[str]:
    """Return the name of each corpus (or name of one), in order; nothing is opened.

    Raises:
        ParameterError: when there are none, when one has no name, or when two have the same.
    """
    if not entries:
        raise ParameterError("the list of corpora is empty")
    names: list[str] = []
    for entry in entries:
        name = entry if isinstance(entry, str) else getattr(entry, "name", None)
        if not isinstance(name, str) or not name.strip():
            raise ParameterError(f"each corpus must be a name or have one, not {entry!r:.60}")
        if name in names:
            raise ParameterError(f"the corpus {name!r} is given twice")
        names.append(name)
    return names


def embedder_of(corpus: Corpus) -> tuple[str, int]:
    """Return what is equal for corpora of one embedder: the id, where it says which one it is."""
    nameless = corpus.embedder_id == "custom"
    return corpus.embedder_id, id(corpus.embedder) if nameless else 0


def embed_once(corpora: Iterable[Corpus], query: str) -> None:
    """Embed ``query`` once for all corpora of one embedder; different embedders work side by side.

    An empty corpus has nothing to compare it with.
    """
    sharing: dict[tuple[str, int], list[Corpus]] = {}
    for corpus in corpora:
        if corpus.store.snapshot().count:
            sharing.setdefault(embedder_of(corpus), []).append(corpus)

    def share(group: list[Corpus]) -> None:
        vector = group[0].embed_query(query)
        for other in group[1:]:
            other.keep_query(query, vector)

    at_once(share, sharing)


def at_once(work: Callable[[Any], T], items: Mapping[Any, Any]) -> dict[Any, T]:
    """Return ``{key: work(item)}`` in the order of ``items``, worked out side by side.

    The first error, in that order, is raised when all are done. The calling thread works as well:
    when ``work`` itself gets here, or all helpers are busy elsewhere, it does everything alone.
    """
    results: dict[Any, T] = {}
    errors: dict[Any, BaseException] = {}
    left = deque(items)

    def drain() -> None:
        while True:
            try:
                key = left.popleft()
            except IndexError:  # nothing is left, or another thread took it just now
                return
            try:
                results[key] = work(items[key])
            except BaseException as error:  # noqa: BLE001  # raised below, in order
                errors[key] = error

    helpers = [_pool().submit(drain) for _ in range(min(_AT_ONCE, len(items)) - 1)]
    drain()
    for helper in helpers:
        if not helper.cancel():
            helper.result()
    for key in items:
        if key in errors:
            raise errors[key]
    return {key: results[key] for key in items}


@cache
def _pool() -> ThreadPoolExecutor:
    """Return threads that stay: what a model allocates in a new one costs as much as a query."""
    return ThreadPoolExecutor(_AT_ONCE - 1, thread_name_prefix="several")


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
