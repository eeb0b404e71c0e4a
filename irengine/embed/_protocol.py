"""What an embedder is, and the names and ids of the built-in ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = [
    "DEFAULT_ID",
    "DEFAULT_MODEL",
    "DFLT_HASHING_DIM",
    "FP32_ID",
    "MAX_TOKENS",
    "MULTILINGUAL_ID",
    "Embedder",
    "rebuild_hint",
]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""The sentence model behind ``default``, ``minilm-fp32`` and ``st``."""

DFLT_HASHING_DIM = 512
"""Width of the ``light`` embedder's vectors."""

MAX_TOKENS = 256
"""Tokens the MiniLM models read of one text, the two special ones included."""

INT8_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
FP32_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

GRAPH_VERSION = 1
"""Bump when a change of the int8 graph or of the tokenisation changes vectors."""

DEFAULT_ID = f"minilm-int8__{INT8_SHA256[:8]}_g{GRAPH_VERSION}_t{MAX_TOKENS}"
"""Id of the default embedder: it pins the weights, our graph and the length limit."""

FP32_ID = "minilm-fp32"

E5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

E5_MAX_TOKENS = 512
"""Tokens the multilingual model reads, its prefix and the two special ones included."""

E5_GRAPH_VERSION = 1
"""Bump when a change of the multilingual graph or of its tokenisation changes vectors."""

MULTILINGUAL_ID = f"e5-int8__{E5_SHA256[:8]}_g{E5_GRAPH_VERSION}_t{E5_MAX_TOKENS}"
"""Id of the ``multilingual`` embedder."""


@runtime_checkable
class Embedder(Protocol):
    """Texts in, unit vectors out.

    Returns a float32 array of shape ``(len(texts), dim)`` whose rows have length 1, in the order
    of ``texts``; the row of a text the model sees nothing in may be zero. ``input_type`` is
    ``"document"`` or ``"query"``; models that treat both alike ignore it. Any callable
    ``texts -> array`` may stand in for one: see :func:`irengine.embed.call_embedder`.
    """

    def __call__(
        self, texts: Sequence[str], *, input_type: str = "document"
    ) -> Any:  # an array-like of shape (len(texts), dim)
        """Embed ``texts``."""
        ...


def rebuild_hint(remedy: str) -> str:
    """Return the hint of a missing model: ``remedy``, then what works meanwhile."""
    return (
        f"{remedy}. Existing corpora keep their build: search them with --mode lexical, "
        "or re-embed with `irtui build <corpus> --embedder <other>`"
    )
