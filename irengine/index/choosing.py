"""Which embedder a build uses: the one of the corpus, unless another is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.embed import embedder_id_for, make_embedder
from irengine.errors import EmbedderMismatch
from irengine.index.corpus import LazyEmbedder

if TYPE_CHECKING:
    from irengine.embed import Embedder
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

__all__ = ["Chosen", "choose_embedder"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """An embedder, its id, and the spec the corpus remembers it by.

    ``switching`` says that the vectors of the corpus are of another one.
    """

    embedder: Embedder
    id: str
    spec: Any
    switching: bool = False

    def loaded(self) -> Embedder:
        """Return the embedder, its model loaded."""
        if isinstance(self.embedder, LazyEmbedder):
            return self.embedder.resolve()
        return self.embedder


def choose_embedder(
    source: CorpusSource, store: CorpusStore, asked: Any, *, switch: bool
) -> Chosen:
    """Pin a build to the corpus' embedder, or to the one asked for; no model is loaded.

    A spec left at its default is no request: the corpus keeps what it has.

    Raises:
        EmbedderMismatch: another embedder was asked for without ``switch``.
    """
    settings = store.get_config()
    stored_id = str(settings.get("embedder_id", ""))
    spec = asked if asked is not None else source.embedder
    if stored_id and asked is None and spec == "default":
        spec = settings.get("embedder_spec", "custom")
        return Chosen(LazyEmbedder(spec, pinned_id=stored_id), stored_id, spec)
    embedder: Embedder
    if callable(spec):
        embedder, embedder_id = make_embedder(spec)
    else:
        embedder, embedder_id = LazyEmbedder(spec), embedder_id_for(spec)
    switching = bool(stored_id) and stored_id != embedder_id
    if switching and not switch:
        raise EmbedderMismatch(
            f"corpus {source.name!r} was built with a different embedder "
            f"({stored_id}, not {embedder_id})",
            hint="pass --switch-embedder (switch_embedder=True) to embed it anew, "
            "or leave the embedder out to keep the present one",
        )
    return Chosen(embedder, embedder_id, spec if isinstance(spec, str) else "custom", switching)
