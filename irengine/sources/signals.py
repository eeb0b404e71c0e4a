"""Change signals: hashes that tell whether a raw item is the one that was indexed."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import Any

__all__ = ["content_hash_signal", "digest_json", "normal_text"]


def normal_text(text: str) -> str:
    """Return ``text`` in NFC, without byte order marks, with ``\\n`` line ends."""
    text = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def content_hash_signal(artifact_id: str, raw: Any) -> str:
    """Return a SHA-256 over the content of ``raw``: 64 hex digits, defined for every value.

    Text is compared after :func:`normal_text`; a mapping with a ``text`` key counts as that text
    alone (``None`` as empty), any other value as its canonical JSON. Equal content gives equal
    hashes, whatever the key order.

    >>> content_hash_signal("a", "x") == content_hash_signal("b", {"text": "x", "n": 1})
    True
    """
    if isinstance(raw, (bytes, bytearray, memoryview)):
        return hashlib.sha256(bytes(raw)).hexdigest()
    if isinstance(raw, Mapping):
        if "text" not in raw:
            return digest_json(raw, ascii_only=False)
        text = raw["text"]
        raw = text if isinstance(text, str) else str(text or "")
    if isinstance(raw, str):
        return hashlib.sha256(normal_text(raw).encode("utf-8", "surrogatepass")).hexdigest()
    return digest_json(raw, ascii_only=False)


def digest_json(value: Any, *, ascii_only: bool) -> str:
    """Return the SHA-256 of the compact canonical JSON of ``value`` (keys sorted).

    What JSON does not know is taken by its ``str``; a value that has no JSON at all (a cycle) by
    its ``repr``.
    """
    try:
        text = _canonical(value, ascii_only)
    except TypeError:  # keys of several types have no order
        try:
            text = _canonical(_with_text_keys(value), ascii_only)
        except (TypeError, ValueError, RecursionError):
            text = repr(value)
    except (ValueError, RecursionError):
        text = repr(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any, ascii_only: bool) -> str:
    return json.dumps(
        value if not isinstance(value, Mapping) else dict(value),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=ascii_only,
        default=str,
    )


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _with_text_keys(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_text_keys(item) for item in value]
    return value
