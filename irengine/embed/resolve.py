"""From a spec or a stored id to a loaded embedder, and never to another one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from irengine.checks import text
from irengine.embed._protocol import (
    DEFAULT_ID,
    DEFAULT_MODEL,
    DFLT_HASHING_DIM,
    FP32_ID,
    MULTILINGUAL_ID,
    Embedder,
    rebuild_hint,
)
from irengine.errors import EmbedderError, EmbedderUnavailable, nearest

__all__ = [
    "ALIASES",
    "check_embedder_spec",
    "embedder_id_for",
    "make_embedder",
    "make_embedder_for_id",
    "register_embedder",
]

_DEFAULT = ("default", "local", "minilm", "")
_LIGHT = ("light", "hashing", "hash")
_MULTILINGUAL = "multilingual"
_SENTENCE = ("st", "sentence-transformers")

ALIASES = (*_DEFAULT[:-1], *_LIGHT, _MULTILINGUAL, *_SENTENCE, FP32_ID)
"""The spec words that are not model names."""

_HASHING, _INT8, _E5, _ST, _URL = "hashing__dim", "minilm-int8__", "e5-int8__", "st__", "url__"
_MAX_HASHING_DIM = 1 << 16

_registered: dict[str, Any] = {}


class _Plan(NamedTuple):
    """An embedder that is known but not loaded."""

    embedder_id: str
    load: Callable[[], Any]
    cached: bool = True


def make_embedder(
    spec: Any = "default", *, cache: bool = True, strict: bool = True
) -> tuple[Embedder, str]:
    """Load the embedder ``spec`` names; return it and its stable id.

    A spec is one of

    * ``default`` (also ``local``, ``minilm``, ``""``, ``None``): all-MiniLM-L6-v2 in int8;
    * ``light`` (also ``hashing``, ``hash``): hashed words, no model, id ``hashing__dim512``;
    * ``multilingual``: multilingual-e5-small in int8, about a hundred languages, questions and
      answers in different ones (extra ``multilingual``);
    * ``minilm-fp32`` or ``minilm-fp32:<file or folder>``: the same model in full precision;
    * ``st`` (also ``sentence-transformers``): the same model as sentence-transformers runs it;
    * ``http(s)://host/v1#model``: an OpenAI-compatible embeddings service;
    * the id of a registered embedder, or any id :func:`make_embedder_for_id` understands;
    * any other text, optionally after ``st:``: a sentence-transformers model, by name or folder,
      id ``st__<model>``;
    * a callable ``texts -> array``, whose id is its ``_ir_id``, ``embedder_id`` or ``model_id``
      attribute, else ``"custom"``.

    Aliases are stripped and matched without regard to case. With ``cache`` the document vectors
    of models (not of ``light`` and callables) are kept on disk by text, see
    :class:`irengine.embed.EmbeddingCache`.

    Raises:
        EmbedderUnavailable: when the model cannot be loaded here. ``strict=False`` instead warns
            and returns ``light``, whose vectors are no semantic search: opt in knowingly.
        EmbedderError: for a malformed spec.
    """
    plan = _plan(spec)
    try:
        return _loaded(plan, cache=cache)
    except EmbedderUnavailable as error:
        if strict:
            raise
        warnings.warn(f"{error.message}; falling back to the light hashing embedder", stacklevel=2)
        return _loaded(_hashing_plan(DFLT_HASHING_DIM), cache=cache)


def make_embedder_for_id(embedder_id: str, *, cache: bool = True) -> tuple[Embedder, str] | None:
    """Load the embedder that a corpus with ``embedder_id`` was built with.

    Returns ``None`` for an id that names no model and is not registered here (``"custom"``).

    Raises:
        EmbedderError: for a malformed id of a known family.
        EmbedderUnavailable: when the model cannot be loaded here. Nothing else takes its place.
    """
    plan = _plan_for_id(text("embedder_id", embedder_id))
    return None if plan is None else _loaded(plan, cache=cache)


def embedder_id_for(spec: Any) -> str:
    """Return the id ``spec`` resolves to, without loading or looking for the model.

    Raises:
        EmbedderError: for a malformed spec.
    """
    return _plan(spec).embedder_id


def check_embedder_spec(spec: str) -> str:
    """Return ``spec`` when something answers to it here or may elsewhere; no model is loaded.

    A bare word has to be one of :data:`ALIASES`, the id of an embedder, or a model that is here;
    a model of the hub is ``owner/model`` or ``st:model``.

    Raises:
        EmbedderError: for a malformed spec, and a word that is none of these.
    """
    embedder_id = embedder_id_for(spec)
    name = spec.strip()
    if embedder_id != f"{_ST}{name}" or spec in _registered or "/" in name or name == DEFAULT_MODEL:
        return spec
    from irengine.embed.sentence import is_local

    if is_local(name):
        return spec
    close = nearest(name.lower(), ALIASES)
    raise EmbedderError(
        f"there is no embedder {name!r}" + (f": {close}" if close else ""),
        hint=f"names: {', '.join(ALIASES)}; st:{name} for a sentence-transformers model",
        code="bad-embedder",
    )


def register_embedder(embedder_id: str, embedder: Callable[..., Any]) -> None:
    """Make ``embedder`` the one that ``embedder_id`` stands for in this process.

    Corpora built with it reopen by that id, and the id works as a spec. Registering again
    replaces the former.

    Raises:
        EmbedderError: for an empty id, an id of a built-in family, or something not callable.
    """
    if not isinstance(embedder_id, str) or not embedder_id.strip():
        raise EmbedderError("an embedder id must be a non-empty text")
    if embedder_id.strip().lower() in ALIASES or embedder_id.startswith(
        (_HASHING, _INT8, _E5, _ST, _URL)
    ):
        raise EmbedderError(f"the embedder id {embedder_id!r} belongs to a built-in embedder")
    if not callable(embedder):
        raise EmbedderError(f"an embedder must be callable, not {type(embedder).__name__}")
    _registered[embedder_id] = embedder


def _loaded(plan: _Plan, *, cache: bool) -> tuple[Embedder, str]:
    embedder = plan.load()
    if cache and plan.cached:
        from irengine.embed.cache import CachedEmbedder, EmbeddingCache

        embedder = CachedEmbedder(embedder, EmbeddingCache(plan.embedder_id))
    return embedder, plan.embedder_id


def _plan(spec: Any) -> _Plan:
    if spec is None:
        spec = ""
    if not isinstance(spec, str):
        if not callable(spec):
            raise EmbedderError(
                f"an embedder is a name or a callable, not {type(spec).__name__}",
                hint=f"names: {', '.join(ALIASES)}, or a sentence-transformers model",
            )
        return _callable_plan(spec)
    if spec in _registered:
        return _registered_plan(spec)
    word = spec.strip().lower()
    if word in _DEFAULT:
        return _int8_plan()
    if word in _LIGHT:
        return _hashing_plan(DFLT_HASHING_DIM)
    if word == _MULTILINGUAL:
        return _multilingual_plan()
    if word in _SENTENCE:
        return _sentence_plan(DEFAULT_MODEL)
    if word == FP32_ID or word.startswith(f"{FP32_ID}:"):
        return _fp32_plan(spec.strip()[len(FP32_ID) + 1 :])
    if word.startswith(("http://", "https://")):
        return _url_plan(spec.strip())
    return _plan_for_id(spec) or _sentence_plan(_model_name(spec.strip()), spec.strip())


def _plan_for_id(embedder_id: str) -> _Plan | None:
    if embedder_id in _registered:
        return _registered_plan(embedder_id)
    if embedder_id.startswith(_HASHING):
        digits = embedder_id[len(_HASHING) :]
        if not re.fullmatch(r"[1-9][0-9]{0,4}", digits) or int(digits) > _MAX_HASHING_DIM:
            raise EmbedderError(
                f"malformed embedder id {embedder_id!r}",
                hint=f"expected hashing__dim<N> with N from 1 to {_MAX_HASHING_DIM}",
                code="bad-embedder",
            )
        return _hashing_plan(int(digits))
    if embedder_id == DEFAULT_ID:
        return _int8_plan()
    if embedder_id == MULTILINGUAL_ID:
        return _multilingual_plan()
    if embedder_id.startswith((_INT8, _E5)):
        model = "default" if embedder_id.startswith(_INT8) else _MULTILINGUAL
        raise EmbedderUnavailable(
            f"this corpus was embedded by another version of the {model} model ({embedder_id})",
            hint=rebuild_hint("re-embed it with: irtui build <corpus>"),
        )
    if embedder_id == FP32_ID:
        return _fp32_plan("")
    if embedder_id.startswith(_ST) and embedder_id != _ST:
        return _sentence_plan(embedder_id[len(_ST) :])
    if embedder_id.startswith(_URL):
        model, separator, base = embedder_id[len(_URL) :].rpartition("@")
        if not separator:
            raise EmbedderError(f"malformed embedder id {embedder_id!r}", code="bad-embedder")
        return _url_plan(f"{base}#{model}")
    return None


def _callable_plan(embedder: Any) -> _Plan:
    names = (getattr(embedder, name, None) for name in ("_ir_id", "embedder_id", "model_id"))
    found = next((name for name in names if isinstance(name, str) and name), "custom")
    return _Plan(found, lambda: embedder, cached=False)


def _registered_plan(embedder_id: str) -> _Plan:
    embedder = _registered[embedder_id]
    return _Plan(embedder_id, lambda: embedder, cached=False)


def _int8_plan() -> _Plan:
    def load() -> Any:
        from irengine.embed.minilm import load_int8

        return load_int8()

    return _Plan(DEFAULT_ID, load)


def _multilingual_plan() -> _Plan:
    def load() -> Any:
        from irengine.embed.multilingual import load_multilingual

        return load_multilingual()

    return _Plan(MULTILINGUAL_ID, load)


def _fp32_plan(path: str) -> _Plan:
    def load() -> Any:
        from irengine.embed.minilm import load_fp32

        return load_fp32(path or None)

    return _Plan(FP32_ID, load)


def _hashing_plan(dim: int) -> _Plan:
    def load() -> Any:
        from irengine.embed.hashing import HashingEmbedder

        return HashingEmbedder(dim)

    return _Plan(f"{_HASHING}{dim}", load, cached=False)


def _sentence_plan(model: str, spec: str = "") -> _Plan:
    def load() -> Any:
        from irengine.embed.sentence import load_sentence_model

        return load_sentence_model(model, spec=spec)

    return _Plan(f"{_ST}{model}", load)


def _url_plan(spec: str) -> _Plan:
    from irengine.embed.remote import RemoteEmbedder, parse_url

    base, model = parse_url(spec)
    return _Plan(f"{_URL}{model}@{base}", lambda: RemoteEmbedder(base, model))


def _model_name(spec: str) -> str:
    """Return the model a spec names; a folder by its absolute path, so that it reopens anywhere."""
    from pathlib import Path

    name = spec[3:] if spec.startswith("st:") else spec
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file() or (folder / "modules.json").is_file():
        return str(folder.resolve())
    return name
