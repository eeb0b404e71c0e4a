"""Embedders: from a name or an id to a callable that turns texts into unit vectors.

``default`` is all-MiniLM-L6-v2 on onnxruntime, with no torch; ``light`` needs no model at all.
See :func:`make_embedder` for every form a spec may take. A model that cannot be loaded is an
error; it is never replaced by another one unasked.

Importing this package imports neither numpy nor any model library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irengine.embed._protocol import (
    DEFAULT_ID,
    DEFAULT_MODEL,
    DFLT_HASHING_DIM,
    MAX_TOKENS,
    Embedder,
)
from irengine.embed._quiet import quiet_telemetry
from irengine.embed.calling import call_embedder
from irengine.embed.offsets import tokenizer_offsets
from irengine.embed.resolve import (
    ALIASES,
    check_embedder_spec,
    embedder_id_for,
    make_embedder,
    make_embedder_for_id,
    register_embedder,
)
from irengine.embed.trust import trust
from irengine.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable

if TYPE_CHECKING:
    from irengine.embed.cache import CachedEmbedder, EmbeddingCache, purge_cached, text_hash
    from irengine.embed.hashing import HashingEmbedder

__all__ = [
    "ALIASES",
    "DEFAULT_ID",
    "DEFAULT_MODEL",
    "DFLT_HASHING_DIM",
    "MAX_TOKENS",
    "CachedEmbedder",
    "Embedder",
    "EmbedderError",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "EmbeddingCache",
    "HashingEmbedder",
    "call_embedder",
    "check_embedder_spec",
    "embedder_id_for",
    "make_embedder",
    "make_embedder_for_id",
    "purge_cached",
    "quiet_telemetry",
    "register_embedder",
    "text_hash",
    "tokenizer_offsets",
    "trust",
]

_LAZY = {
    "CachedEmbedder": "cache",
    "EmbeddingCache": "cache",
    "HashingEmbedder": "hashing",
    "purge_cached": "cache",
    "text_hash": "cache",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
