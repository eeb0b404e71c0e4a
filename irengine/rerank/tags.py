"""Names for rerankers: what a calibrated floor is stored under.

The same reranker reading the same text always has the same tag, and two that score differently
never share one, as far as names can tell.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from typing import Any

from irengine.rerank.late import MAXSIM, MAXSIM_ID
from irengine.rerank.passages import DFLT_RERANK_MAX_CHARS, RerankText, check_rerank_text
from irengine.rerank.resolving import CROSS_ENCODER_ID, check_rerank, cross_encoder_model

__all__ = [
    "ANONYMOUS",
    "MAX_TAG_CHARS",
    "calibration_key",
    "is_anonymous",
    "rerank_tag",
    "spec_tag",
]

ANONYMOUS = "~anonymous"
"""Stands for a function that no name tells from others: a lambda, a partial, a closure."""

MAX_TAG_CHARS = 120
"""Longer tags are cut and end in a digest of the whole."""

_KEPT_CHARS = 107
_DIGEST_CHARS = 12
_PREFIX = "rerank-"


def rerank_tag(
    reranker: Any,
    rerank_text: RerankText = "surface",
    *,
    max_chars: int = DFLT_RERANK_MAX_CHARS,
) -> str | None:
    """Return the tag of ``reranker`` reading ``rerank_text``; ``None`` for no reranker.

    ``rerank-<identity>+<text>``. The identity is its ``rerank_id`` or ``model_name``, else its
    module and qualified name, else :data:`ANONYMOUS`. ``max_chars`` is part of the tag only where
    it matters: for whole artifacts, and when it is not the default.

    >>> def by_length(query, passages):
    ...     return [len(passage["text"]) for passage in passages]
    >>> by_length.rerank_id = "length"
    >>> rerank_tag(by_length, "artifact", max_chars=500)
    'rerank-length+artifact@500'
    """
    if reranker is None:
        return None
    return _tag(_identity(reranker), rerank_text, max_chars)


def spec_tag(
    spec: Any,
    rerank_text: RerankText = "surface",
    *,
    max_chars: int = DFLT_RERANK_MAX_CHARS,
) -> str | None:
    """Return the tag that the reranker ``spec`` names would get, without loading a model.

    ``None`` for no reranker, and for a cross-encoder where sentence-transformers is not installed.

    Raises:
        ParameterError: when ``spec`` names no reranker.
    """
    check_rerank(spec)
    if not isinstance(spec, str):
        return rerank_tag(spec, rerank_text, max_chars=max_chars)
    if spec == MAXSIM:
        return _tag(_slug(MAXSIM_ID), rerank_text, max_chars)
    if importlib.util.find_spec("sentence_transformers") is None:
        return None
    name = CROSS_ENCODER_ID.format(model=cross_encoder_model(spec))
    return _tag(_slug(name), rerank_text, max_chars)


def is_anonymous(tag: str) -> bool:
    """Return whether a part of ``tag`` could not be named, so that others may share it."""
    return ANONYMOUS in tag


def calibration_key(mode: str, tag: str | None = None) -> str:
    """Return the key under which the floor of a search is stored.

    >>> calibration_key("hybrid")
    'hybrid'
    >>> calibration_key("hybrid", "rerank-m+artifact")
    'hybrid+rerank-m+artifact'
    """
    return mode if tag is None else f"{mode}+{tag}"


def _tag(identity: str, rerank_text: RerankText, max_chars: int) -> str:
    check_rerank_text(rerank_text)
    if isinstance(rerank_text, str):
        text = _slug(rerank_text)
        if rerank_text == "artifact" and max_chars != DFLT_RERANK_MAX_CHARS:
            text += f"@{max_chars}"
    else:
        text = f"fn-{_identity(rerank_text)}"
    tag = f"{_PREFIX}{identity}+{text}"
    if len(tag) <= MAX_TAG_CHARS:
        return tag
    head = f"{_PREFIX}{ANONYMOUS}" if is_anonymous(tag) else tag[:_KEPT_CHARS]
    digest = hashlib.sha1(tag.encode(), usedforsecurity=False).hexdigest()
    return f"{head}.{digest[:_DIGEST_CHARS]}"


def _identity(function: Any) -> str:
    for attribute in ("rerank_id", "model_name"):
        named = getattr(function, attribute, None)
        if named:
            return _slug(str(named))
    name = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", None)
    bound = getattr(function, "__self__", None)  # the module, for a function written in C
    method = bound is not None and not hasattr(bound, "__spec__")
    if not name or not module or "<" in name or method:
        return ANONYMOUS
    return _slug(f"{module}.{name}")


def _slug(name: str) -> str:
    """Return ``name`` in ``[A-Za-z0-9.-]``, any other character as its hexadecimal code point."""
    return re.sub(r"[^A-Za-z0-9.-]", lambda found: f"_{ord(found[0]):x}_", name) or "_"
