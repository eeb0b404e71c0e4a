"""Text out of raw items: one place that decides what a missing, binary or broken value becomes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["as_text", "text_of"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def as_text(value: Any) -> str:
    """Return ``value`` as text that can be written as UTF-8.

    ``None`` is ``""``. Bytes are decoded as UTF-8 (a byte order mark is dropped, what does not
    decode becomes U+FFFD). Surrogate pairs are joined and lone surrogates become U+FFFD, one for
    one. Anything else goes through ``str``.
    """
    if value is None:
        return ""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8-sig", "replace")
    text = value if isinstance(value, str) else str(value)
    if not text.isascii() and _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def text_of(raw: Any, text_key: str | None = None) -> str:
    """Return the text of a raw item.

    A string is itself. Of a mapping: the field ``text_key`` if one is named; else the field
    ``text`` if there is one; else every string field, in mapping order, joined by line ends. A
    falsy field is ``""``. Bytes are decoded, ``None`` is ``""``, anything else goes through
    ``str``; the result can always be written as UTF-8.

    >>> text_of({"title": "a", "text": "b"})
    'b'
    >>> text_of({"name": "a", "size": 3, "note": "b"})
    'a\\nb'
    """
    if not isinstance(raw, Mapping):
        return as_text(raw)
    if text_key:
        return as_text(raw.get(text_key) or None)
    if "text" in raw:
        return as_text(raw["text"] or None)
    return "\n".join(as_text(value) for value in raw.values() if isinstance(value, str))
