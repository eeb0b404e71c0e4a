"""Read the tensors of an ONNX file without the ``onnx`` package.

An ONNX file is a protocol-buffers message; only the path ``model.graph.initializer`` and the
fields of a tensor (shape, type, name, raw bytes) matter here. Numbers refer to ``onnx.proto``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_initializers"]

_GRAPH = 7  # ModelProto.graph
_INITIALIZER = 5  # GraphProto.initializer
_DIMS, _DATA_TYPE, _NAME, _RAW = 1, 2, 8, 9  # TensorProto
_DTYPES: dict[int, Any] = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64}
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types


def read_initializers(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the tensors stored in an ONNX file, by name, as read-only views of ``data``.

    Tensors without raw bytes, or of other types than float32, int8, uint8, int32 and int64, are
    left out.

    Raises:
        ValueError: when ``data`` is not a well-formed message.
    """
    tensors: dict[str, NDArray[Any]] = {}
    for field, start, end in _fields(data, 0, len(data)):
        if field != _GRAPH:
            continue
        for inner, tensor_start, tensor_end in _fields(data, start, end):
            if inner == _INITIALIZER:
                named = _tensor(data, tensor_start, tensor_end)
                if named is not None:
                    tensors[named[0]] = named[1]
    return tensors


def _tensor(data: bytes, start: int, end: int) -> tuple[str, NDArray[Any]] | None:
    shape: list[int] = []
    name = ""
    dtype: Any = None
    raw: tuple[int, int] | None = None
    for field, first, last in _fields(data, start, end):
        if field == _DIMS:
            position = first
            while position < last:  # one number, or several packed together
                size, position = _varint(data, position, last)
                shape.append(size)
        elif field == _DATA_TYPE:
            dtype = _DTYPES.get(_varint(data, first, last)[0])
        elif field == _NAME:
            name = data[first:last].decode("utf-8")
        elif field == _RAW:
            raw = (first, last)
    if raw is None or dtype is None:
        return None
    count = math.prod(shape)
    if raw[1] - raw[0] != count * np.dtype(dtype).itemsize:
        raise ValueError(f"tensor {name!r} does not have the size of its shape {shape}")
    return name, np.frombuffer(data, dtype, count, raw[0]).reshape(shape)


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield ``(field number, start, end)`` of each field's value in ``data[position:end]``."""
    while position < end:
        key, position = _varint(data, position, end)
        wire = key & 7
        if wire == _BYTES:
            length, start = _varint(data, position, end)
            stop = start + length
        elif wire == _VARINT:
            start = position
            stop = _varint(data, position, end)[1]
        elif wire in (_FIXED32, _FIXED64):
            start, stop = position, position + (4 if wire == _FIXED32 else 8)
        else:
            raise ValueError(f"unknown wire type {wire} at byte {position}")
        if stop > end:
            raise ValueError(f"a field at byte {position} runs over the end of its message")
        yield key >> 3, start, stop
        position = stop


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while position < end and shift < 64:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise ValueError(f"a number at byte {position} does not end")
