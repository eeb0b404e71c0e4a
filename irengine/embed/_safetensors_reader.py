"""Read a safetensors file: a length, a JSON header, then the tensors' bytes."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_safetensors"]

_DTYPES: dict[str, Any] = {"F32": "<f4", "I64": "<i8"}


def read_safetensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the float32 and int64 tensors of a safetensors file, as read-only views of ``data``.

    Raises:
        ValueError: when the header is malformed or a tensor lies outside the file.
    """
    if len(data) < 8:
        raise ValueError("not a safetensors file: shorter than its length field")
    body = 8 + int.from_bytes(data[:8], "little")
    if body > len(data):
        raise ValueError("not a safetensors file: the header runs over the end")
    header = json.loads(data[8:body])
    tensors: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in _DTYPES:
            continue
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        count = math.prod(entry["shape"])
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= len(data) - body or end - start != count * dtype.itemsize:
            raise ValueError(f"tensor {name!r} lies outside the file or has the wrong size")
        tensors[name] = np.frombuffer(data, dtype, count, body + start).reshape(entry["shape"])
    return tensors
