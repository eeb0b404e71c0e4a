"""JSON for standard output: exact values, and bytes that are safe everywhere."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["to_json"]

# JSON itself escapes C0. These would reach a terminal raw, break line readers, or could not be
# encoded at all (lone surrogates); as escapes they stand for the same characters.
_RAW = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def to_json(data: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    """Return ``data`` as JSON text: real Unicode, sorted nothing, no NaN or Infinity.

    Raises:
        ValueError: for a number JSON has no word for.
    """
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
