"""Accept a corpus, a store, or the name of a built corpus."""

from __future__ import annotations

from typing import Any

from irengine.errors import CorpusNotFound, ParameterTypeError, nearest
from irengine.store import CorpusStore, built_names

__all__ = ["store_of"]


def store_of(store_or_corpus: Any) -> tuple[CorpusStore, str | None]:
    """Return the store, and the name of the corpus; ``None`` for a bare store.

    Raises:
        CorpusNotFound: for a name nothing is built under.
        ParameterTypeError: for anything else.
    """
    if isinstance(store_or_corpus, str):
        store = CorpusStore.local(store_or_corpus)
        if not store.exists:
            raise CorpusNotFound(
                f"there is no built corpus named {store_or_corpus!r}",
                hint=nearest(store_or_corpus, built_names()) or "irtui ls shows what is there",
            )
        return store, store_or_corpus
    inner = getattr(store_or_corpus, "store", None)
    found = store_or_corpus if inner is None else inner
    if not hasattr(found, "get_ledger_entry"):
        raise ParameterTypeError(
            "expected a corpus, a store or a corpus name, "
            f"not {type(store_or_corpus).__name__} {store_or_corpus!r:.60}"
        )
    name = None if inner is None else getattr(store_or_corpus, "name", None)
    return found, name
