"""Strategies: decompose an artifact into filter fields and the surfaces that are embedded."""

from __future__ import annotations

from irengine.strategy.budgets import tokenizer_for as _tokenizer_for
from irengine.strategy.chunking import chunk_text as _chunk_text
from irengine.strategy.chunking import split as _split
from irengine.strategy.chunking import split_by_tokens as _split_by_tokens
from irengine.strategy.specs import (
    STRATEGY_REGISTRY,
    strategy_from_spec,
    strategy_id,
    strategy_to_spec,
)
from irengine.strategy.strategies import (
    DFLT_CHUNK_MAX_TOKENS,
    Chunked,
    ClaudeTurn,
    IndexingStrategy,
    Package,
    Skill,
    WholeText,
)
from irengine.strategy.strategies import default_deps_text as _default_deps_text
from irengine.strategy.text import text_of

_text_of = text_of

__all__ = [
    "DFLT_CHUNK_MAX_TOKENS",
    "STRATEGY_REGISTRY",
    "Chunked",
    "ClaudeTurn",
    "IndexingStrategy",
    "Package",
    "Skill",
    "WholeText",
    "_chunk_text",
    "_default_deps_text",
    "_split",
    "_split_by_tokens",
    "_text_of",
    "_tokenizer_for",
    "strategy_from_spec",
    "strategy_id",
    "strategy_to_spec",
    "text_of",
]
