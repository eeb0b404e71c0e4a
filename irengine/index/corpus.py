"""A built corpus as a handle: its store, and the embedder it is pinned to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from irengine.checks import members, text
from irengine.embed import (
    call_embedder,
    embedder_id_for,
    make_embedder,
    make_embedder_for_id,
)
from irengine.errors import CorpusNotFound, EmbedderMismatch, EmbedderUnavailable, nearest
from irengine.store import CorpusStore, built_names

if TYPE_CHECKING:
    import numpy as np

    from irengine.base import SearchHit
    from irengine.embed import Embedder
    from irengine.index.report import BuildReport

__all__ = ["Corpus", "LazyEmbedder", "open_corpus", "roots_in_memory"]

_CACHED_QUERIES = 256

_roots_in_memory: dict[str, dict[str, None]] = {}


class LazyEmbedder:
    """An embedder that loads its model on the first text, once, whatever thread asks.

    ``pinned_id`` is the id stored with the corpus; it wins over ``spec``, because a spec such as
    ``"default"`` may mean another model on another machine.
    """

    def __init__(self, spec: Any, *, pinned_id: str = "") -> None:
        self.spec = spec
        self.pinned_id = pinned_id
        self._embedder: Embedder | None = None
        self._lock = threading.Lock()

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> np.ndarray:
        """Embed ``texts`` into unit rows ``(n, dim)``."""
        return call_embedder(self.resolve(), texts, input_type=input_type)

    def resolve(self) -> Embedder:
        """Return the embedder, loading it the first time.

        Raises:
            EmbedderUnavailable: when the model, or a custom embedder's id, is not known here.
        """
        with self._lock:
            if self._embedder is None:
                self._embedder = self._load()
            return self._embedder

    def _load(self) -> Embedder:
        if not self.pinned_id:
            return make_embedder(self.spec)[0]
        found = make_embedder_for_id(self.pinned_id)
        if found is None:
            raise EmbedderUnavailable(
                f"the corpus was built with the custom embedder {self.pinned_id!r}, which cannot "
                "be found by its id",
                hint="pass embedder= to open_corpus, or call "
                f"irengine.embed.register_embedder({self.pinned_id!r}, your_callable) first; "
                "--mode lexical needs no embedder",
            )
        return found[0]


class Corpus:
    """A queryable corpus.

    Attributes:
        name: the corpus' name, verbatim; hits carry it as their ``source``.
        store: its :class:`~irengine.store.CorpusStore`; every search reads ``store.snapshot()``.
        embedder: a callable ``(texts, *, input_type) -> (n, dim)`` float32 unit rows.
        embedder_id: the id the stored vectors were made with.
        report: the :class:`BuildReport` when this handle comes from a build.
    """

    def __init__(self, name: str, store: CorpusStore, embedder: Embedder, embedder_id: str) -> None:
        self.name = name
        self.store = store
        self.embedder = embedder
        self.embedder_id = embedder_id
        self.report: BuildReport | None = None
        self._queries: OrderedDict[str, np.ndarray] = OrderedDict()
        self._queries_lock = threading.Lock()
        if isinstance(store, CorpusStore) and store.path is None:
            known = _roots_in_memory.setdefault(name, {})
            known.update(dict.fromkeys(store.get_config().get("roots") or [""]))

    def search(self, query: str, **kwargs: Any) -> list[SearchHit]:
        """Search this corpus; see :func:`irengine.retrieve.search` for the keywords."""
        from irengine.retrieve import search

        return search(self, query, **kwargs)

    def __len__(self) -> int:
        """The number of live records."""
        return self.store.snapshot().count

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, embedder_id={self.embedder_id!r})"

    def embed_query(self, query: str) -> np.ndarray:
        """Return the unit vector of ``query``, shape ``(dim,)`` float32; the last 256 are kept.

        Raises:
            EmbedderMismatch: when the stored vectors are of another embedder by now, or not as wide
                as it.
        """
        text("query", query)
        snapshot = self.store.snapshot()
        if snapshot.embedder_id not in ("", self.embedder_id):
            raise EmbedderMismatch(
                f"corpus {self.name!r} was embedded anew since it was opened "
                f"({snapshot.embedder_id}, not {self.embedder_id})",
                hint="open it again",
            )
        with self._queries_lock:
            known = self._queries.get(query)
            if known is not None:
                self._queries.move_to_end(query)
        if known is None:
            known = call_embedder(self.embedder, [query], input_type="query")[0]
            self.keep_query(query, known)
        if snapshot.dim and known.size != snapshot.dim:
            raise EmbedderMismatch(
                f"corpus {self.name!r} was built with a different embedder "
                f"({self.embedder_id}, {snapshot.dim} dimensions; this one gives {known.size})",
                hint=f"rebuild it with: irtui build {self.name} --switch-embedder, "
                "or search with --mode lexical",
            )
        return known

    def embed_queries(self, queries: Iterable[str]) -> None:
        """Embed several queries in one call, for :meth:`embed_query` to return them."""
        asked = members("queries", queries, str, "texts")
        with self._queries_lock:
            new = [query for query in dict.fromkeys(asked) if query not in self._queries]
        if new:
            vectors = call_embedder(self.embedder, new, input_type="query")
            for query, vector in zip(new, vectors, strict=True):
                self.keep_query(query, vector)

    def keep_query(self, query: str, vector: np.ndarray) -> None:
        """Keep the vector of ``query``, such as a corpus of the same embedder has made."""
        with self._queries_lock:
            self._queries[query] = vector
            while len(self._queries) > _CACHED_QUERIES:
                self._queries.popitem(last=False)


def roots_in_memory(name: str) -> list[str] | None:
    """Return the roots of the corpora of that name this process has had in memory.

    A corpus without any counts as ``""``; ``None`` when there was no corpus. A hit knows its
    corpus by name only, may outlive the handle, and what was built in memory is found nowhere
    else.
    """
    known = _roots_in_memory.get(name)
    return None if known is None else list(known)


def open_corpus(name: str, *, embedder: Any = None) -> Corpus:
    """Open a built corpus by name, pinned to the embedder it was built with.

    No model is loaded until a query needs one: ``len``, lexical search and ``embedder_id`` are
    free. ``embedder`` overrides the stored one: a callable is taken at its word, a spec must
    name the stored model.

    Raises:
        CorpusNotFound: when no corpus of that name is built; the hint has the nearest names.
        EmbedderMismatch: when the override names another model than the stored one.
    """
    store = CorpusStore.local(name)
    if not store.exists:
        hint = nearest(name, built_names()) or "irtui ls shows what is there"
        raise CorpusNotFound(f"there is no built corpus named {name!r}", hint=hint)
    settings = store.get_config()
    stored_id = str(settings.get("embedder_id", ""))
    if embedder is None:
        resolved: Embedder = LazyEmbedder(settings.get("embedder_spec"), pinned_id=stored_id)
    elif callable(embedder):
        resolved = make_embedder(embedder)[0]
    else:
        asked = embedder_id_for(embedder)
        if stored_id and asked != stored_id:
            raise EmbedderMismatch(
                f"corpus {name!r} was built with a different embedder ({stored_id}, not {asked})",
                hint=f"rebuild it with: irtui build {name} --embedder {embedder} "
                "--switch-embedder, or search with --mode lexical",
            )
        resolved = LazyEmbedder(embedder, pinned_id=stored_id)
    return Corpus(str(settings.get("name", name)), store, resolved, stored_id)
