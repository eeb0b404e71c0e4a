"""Any sentence-transformers model, by name or folder (extra ``models``)."""

from __future__ import annotations

import difflib
import importlib.util
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from irengine.embed._protocol import DEFAULT_MODEL, rebuild_hint
from irengine.embed._quiet import quiet_telemetry
from irengine.embed.resolve import ALIASES
from irengine.embed.weights import hub_snapshots
from irengine.errors import EmbedderUnavailable, nearest

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix

__all__ = ["SentenceModel", "find_tokenizer", "load_sentence_model"]

_ORGANISATION = "sentence-transformers/"
_TYPO_CUTOFF = 0.75
_HUB_SECONDS = 5.0


class SentenceModel:
    """A sentence-transformers model; uses the prompts the model declares for either side."""

    def __init__(self, model_id: str, model: Any) -> None:
        self.model_id = model_id
        old_name = "get_sentence_embedding_dimension"  # up to version 5
        width = getattr(model, "get_embedding_dimension", None) or getattr(model, old_name)
        self.dim = int(width() or 0)
        self._model = model

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts`` into unit rows."""
        encode = self._model.encode_query if input_type == "query" else self._model.encode_document
        vectors: Matrix = encode(
            list(texts),
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return vectors


def load_sentence_model(model: str, *, spec: str = "") -> Any:
    """Load ``model``: from a folder, the Hugging Face cache, or else the hub.

    For all-MiniLM-L6-v2 the same full-precision weights on onnxruntime serve where they are found
    (the vectors agree to 1e-6, and a first query takes 0.3 s instead of 4). A bare name that
    looks like a mistyped alias is refused before anything goes over the network; ``st:<name>``
    insists.

    Raises:
        EmbedderUnavailable: when the package or the model is missing.
    """
    model_id = f"st__{model}"
    local = is_local(model)
    if model.removeprefix(_ORGANISATION) == DEFAULT_MODEL:
        from irengine.embed.minilm import load_fp32

        try:
            return load_fp32().named(model_id)
        except EmbedderUnavailable:
            if not _installed():
                raise
    if not local and not spec.startswith("st:") and "/" not in model:
        close = difflib.get_close_matches(model.lower(), ALIASES, 1, _TYPO_CUTOFF)
        if close:
            raise EmbedderUnavailable(
                f"there is no embedding model {model!r} here: did you mean {close[0]}?",
                hint=rebuild_hint(f"to load a model of that name from the hub: st:{model}"),
            )
    if not _installed():
        similar = nearest(model.lower(), ALIASES)
        raise EmbedderUnavailable(
            f"the embedding model {model!r} needs the package sentence-transformers"
            + (f"; {similar}" if similar else ""),
            hint=rebuild_hint('install it with: pip install "irengine[models]"'),
        )
    return SentenceModel(model_id, _load(model, local=local))


def find_tokenizer(model: str) -> Path:
    """Return the ``tokenizer.json`` of ``model``: a folder's, a cached one, or the hub's.

    The hub is asked only when sentence-transformers is installed, that is, when models were
    opted into.

    Raises:
        EmbedderUnavailable: when there is none.
    """
    folders = [Path(model).expanduser()]
    for name in _hub_names(model):
        folders += hub_snapshots(name)
    for folder in folders:
        if (folder / "tokenizer.json").is_file():
            return folder / "tokenizer.json"
    hint = "give the folder or the tokenizer.json, or embed with that model first"
    if not _installed() or difflib.get_close_matches(model.lower(), ALIASES, 1, _TYPO_CUTOFF):
        similar = nearest(model.lower(), ALIASES)
        raise EmbedderUnavailable(
            f"no tokenizer of {model!r} is at hand" + (f"; {similar}" if similar else ""), hint=hint
        )
    quiet_telemetry()
    _reach_hub(model, "tokenizer of")
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(_hub_names(model)[0], "tokenizer.json"))
    except Exception as error:  # network, hub and file errors share no base
        raise EmbedderUnavailable(
            f"the tokenizer of {model!r} could not be fetched: {error}", hint=hint
        ) from error


def _load(model: str, *, local: bool) -> Any:
    quiet_telemetry()
    if not local:
        _reach_hub(model)
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model, local_files_only=local, trust_remote_code=False)
    except Exception as error:  # torch, hub and configuration errors share no base
        similar = nearest(model.lower(), ALIASES)
        raise EmbedderUnavailable(
            f"the embedding model {model!r} could not be loaded: {_first_line(error)}"
            + (f"; {similar}" if similar else ""),
            hint=rebuild_hint("check the name, the folder or the network"),
        ) from error


def _reach_hub(model: str, what: str = "embedding model") -> None:
    """Connect to the hub once: its client tries for minutes, file by file, where there is no way.

    Behind a proxy only the client knows the way.
    """
    from huggingface_hub.constants import ENDPOINT

    address = urlsplit(ENDPOINT)
    if address.hostname is None or getproxies():
        return
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname, port), timeout=_HUB_SECONDS).close()
    except OSError as error:
        similar = nearest(model.lower(), ALIASES)
        raise EmbedderUnavailable(
            f"the {what} {model!r} is not on this machine, and the hub cannot be reached: "
            f"{error}" + (f"; {similar}" if similar else ""),
            hint=rebuild_hint("check the name, give a folder, or try again with a network"),
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _installed() -> bool:
    return importlib.util.find_spec("sentence_transformers") is not None


def is_local(model: str) -> bool:
    """Whether a model is on this disk: a folder, or in the cache of the hub."""
    return Path(model).expanduser().is_dir() or any(hub_snapshots(n) for n in _hub_names(model))


def _hub_names(model: str) -> tuple[str, ...]:
    return (model,) if "/" in model else (f"{_ORGANISATION}{model}", model)
