"""Token boundaries of an embedder's own tokenizer, for cutting texts by tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from irengine.embed._protocol import DEFAULT_ID, DEFAULT_MODEL, MULTILINGUAL_ID
from irengine.embed._text import well_formed
from irengine.embed.resolve import embedder_id_for
from irengine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Offsets", "tokenizer_offsets"]

Offsets = Callable[[str], list[tuple[int, int]]]

_WORD = re.compile(r"\w+")


def tokenizer_offsets(model: str | None = None) -> Offsets:
    """Return a function that gives the ``(start, end)`` of each token of a text.

    Offsets count code points of the original text and never decrease; tokens smaller than a
    character (Korean is decomposed) share its span. Special tokens are left out, and long texts
    are not cut. ``model`` is an embedder spec or id, or the name,
    folder or ``tokenizer.json`` of a Hugging Face model; ``None`` is the default embedder.

    Raises:
        EmbedderUnavailable: when that model's tokenizer is not at hand.
    """
    return _offsets(model)


@lru_cache(maxsize=8)
def _offsets(model: str | None) -> Offsets:
    if model is not None and model.endswith("tokenizer.json"):
        return _fast(_from_file(model))
    embedder_id = embedder_id_for(model)
    if embedder_id.startswith("hashing__"):
        return lambda text: [match.span() for match in _WORD.finditer(text)]
    family, _, name = embedder_id.partition("__")
    if embedder_id == DEFAULT_ID or family == "minilm-fp32" or _is_minilm(name):
        from irengine.embed.minilm import wordpiece

        return _fast(wordpiece(truncated=False))
    if embedder_id == MULTILINGUAL_ID:
        from irengine.embed.multilingual import sentencepiece

        return _fast(sentencepiece())
    if family == "st":
        from irengine.embed.sentence import find_tokenizer

        return _fast(_from_file(find_tokenizer(name)))
    raise EmbedderUnavailable(
        f"the tokenizer of {embedder_id} is not known here",
        hint="cut by characters, or name a model or tokenizer.json for the token budget",
    )


def _is_minilm(name: str) -> bool:
    return name.removeprefix("sentence-transformers/") == DEFAULT_MODEL


def _fast(tokenizer: Any) -> Offsets:
    def offsets(text: str) -> list[tuple[int, int]]:
        spans = tokenizer.encode(well_formed(text), add_special_tokens=False).offsets
        return [(start, end) for start, end in spans if end > start]

    return offsets


def _from_file(path: str | Path) -> Any:
    from irengine.embed._quiet import quiet_telemetry

    quiet_telemetry()
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise EmbedderUnavailable(f"the tokenizer {path} cannot be read: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
