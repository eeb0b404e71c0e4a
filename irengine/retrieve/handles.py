"""Accept a corpus as an open handle or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.errors import ParameterError

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = ["as_corpus", "as_store"]


def as_corpus(corpus: Corpus | str) -> Corpus:
    """Return an open corpus; a name is opened (no model is loaded).

    Raises:
        CorpusNotFound: when no corpus of that name is built.
        ParameterError: for anything that is neither a name nor a corpus.
    """
    if isinstance(corpus, str):
        from irengine.index import open_corpus

        return open_corpus(corpus)
    if not hasattr(corpus, "store") or not hasattr(corpus, "embed_query"):
        raise ParameterError(f"expected a corpus or the name of one, not {_kind(corpus)}")
    return corpus


def as_store(store_or_corpus: CorpusStore | Corpus | str) -> CorpusStore:
    """Return the store behind a corpus, a store or a name; never touches an embedder.

    Raises:
        CorpusNotFound: when no corpus of that name is built.
        ParameterError: for anything else.
    """
    if isinstance(store_or_corpus, str):
        return as_corpus(store_or_corpus).store
    # ``is None`` and not truth: an empty store has length 0.
    inner = getattr(store_or_corpus, "store", None)
    store: Any = store_or_corpus if inner is None else inner
    if not hasattr(store, "get_ledger_entry"):
        raise ParameterError(
            f"expected a corpus, a store or a corpus name, not {_kind(store_or_corpus)}"
        )
    found: CorpusStore = store
    return found


def _kind(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"
