"""A corpus with its search options bound: the callable that layers above pass around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.retrieve.handles import as_corpus
from irengine.retrieve.params import check_keywords, check_surfaces, search_params
from irengine.retrieve.pipeline import search

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.index import Corpus

__all__ = ["Retriever", "as_retriever"]


class Retriever:
    """``retrieve(query, **overrides) -> list[SearchHit]`` over one corpus.

    Attributes:
        corpus: the open corpus searched.
        defaults: the bound keywords of :func:`~irengine.retrieve.search`; a call's own win.
    """

    def __init__(self, corpus: Corpus, defaults: dict[str, Any]) -> None:
        self.corpus = corpus
        self.defaults = defaults

    def __call__(self, query: str, **overrides: Any) -> list[SearchHit]:
        """Search the bound corpus; errors are those of ``search``."""
        check_keywords("search", overrides, search_params.__kwdefaults__ or {})
        return search(self.corpus, query, **{**self.defaults, **overrides})

    def __repr__(self) -> str:
        return f"Retriever({self.corpus!r}, {self.defaults!r})"


def as_retriever(corpus_or_name: Corpus | str, **search_defaults: Any) -> Retriever:
    """Bind one corpus, opened once, and default keywords of ``search``.

    Raises:
        ParameterError: for a default ``search`` would not accept; not only at the first query.
        CorpusNotFound: for a name nothing is built under.

    >>> retrieve = as_retriever(corpus, mode="hybrid", k=20)  # doctest: +SKIP
    >>> retrieve("how do I deploy?", filter={"owner": "me"})  # doctest: +SKIP
    """
    check_keywords("search", search_defaults, search_params.__kwdefaults__ or {})
    if "surfaces" in search_defaults:
        # A one-shot iterable would be empty from the second query on.
        search_defaults["surfaces"] = check_surfaces(search_defaults["surfaces"])
    search_params(**search_defaults)
    return Retriever(as_corpus(corpus_or_name), search_defaults)
