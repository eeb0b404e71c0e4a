"""Named corpus definitions and the views built on them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from irengine.checks import text
from irengine.config import safe_name
from irengine.errors import CorpusNotFound, ParameterError, nearest
from irengine.policy import (
    GLOBAL_DEFAULT,
    MaintenancePolicy,
    maintenance_spec,
    resolve_policy,
    resolve_storage,
)
from irengine.registry.checks import (
    checked_embedder,
    checked_params,
    json_copy,
    prove,
    strategy_spec,
)
from irengine.registry.entries import KINDS, PRESETS, source_from_entry
from irengine.registry.file import read_entries, update_entries

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.sources import CorpusSource

__all__ = [
    "build_corpus",
    "corpora",
    "get",
    "policy_for",
    "register",
    "registered",
    "retriever_for",
    "retrievers",
    "source_for",
    "unregister",
]


def register(
    name: str,
    kind: str,
    *,
    embedder: str = "default",
    strategy: Any = None,
    maintenance: Mapping[str, Any] | MaintenancePolicy | None = None,
    storage: Mapping[str, Any] | None = None,
    **params: Any,
) -> dict[str, Any]:
    """Register a corpus definition, or replace the one of that name, and return the entry.

    ``params`` are arguments of the source constructor of ``kind``. Relative paths are made
    absolute and have to exist. ``strategy`` is a strategy or its ``{"name", "params"}`` spec.
    ``maintenance`` is stored as it was said, never filled up with defaults. ``storage`` defaults
    to ``{"backend": "local"}`` and is left out of the entry when not given. Nothing is built,
    and when an error is raised the file is untouched.

    A name is kept as it was given (composed, NFC); its folder is :func:`irengine.config.safe_name`
    of it, one folder below that of the corpora whatever the name holds.

    Raises:
        InvalidName: for a name no corpus can have: blank, with control characters, only dots, or
            a path with a part ``.`` or ``..``.
        ParameterError: for an unknown kind, an unknown or missing parameter, or a bad value;
            its subclass ParameterTypeError (a ``TypeError``) for what JSON cannot hold.
        SourceError: for a path that does not exist; the message names it resolved.
        EmbedderError: for an embedder spec nothing answers to.
        UnsupportedStorage: for a storage backend that is not available.
        RegistryError: when the registry file cannot be read or written.
    """
    safe_name(name)
    name = _normal(name)
    if kind not in KINDS:
        raise ParameterError(
            f"unknown corpus kind {kind!r}",
            hint=nearest(str(kind), KINDS) or f"kinds: {', '.join(KINDS)}",
        )
    entry: dict[str, Any] = {
        "kind": kind,
        "embedder": checked_embedder(embedder),
        "params": checked_params(kind, params),
    }
    if strategy is not None:
        entry["strategy"] = strategy_spec(strategy)
    if maintenance is not None:
        entry["maintenance"] = maintenance_spec(kind, maintenance)
    if storage is not None:
        from irengine.store import check_storage

        entry["storage"] = check_storage(resolve_storage({"storage": storage}))
    entry = json_copy(name, entry)
    prove(name, entry)

    def put(entries: dict[str, Any]) -> None:
        entries[name] = entry

    update_entries(put)
    return dict(entry)


def registered() -> dict[str, dict[str, Any]]:
    """Return every registered definition by name, in order of first registration.

    A missing file is an empty registry. When the file is malformed its last good copy is used
    with a ``UserWarning``.

    Raises:
        RegistryError: when the file is malformed and there is no good copy.
    """
    return read_entries()


corpora = registered


def get(name: str) -> dict[str, Any]:
    """Return the registered definition of ``name``.

    Raises:
        CorpusNotFound: (also a ``KeyError``) when there is none; the hint names near ones.
    """
    entries = registered()
    key = _normal(name)
    if key not in entries:
        raise _not_found(name, "registered", entries)
    return entries[key]


def unregister(name: str) -> None:
    """Forget the definition of ``name``, if there is one; built data stays."""
    key = _normal(name)
    if key in registered():
        update_entries(lambda entries: entries.pop(key, None))


def policy_for(name: str) -> MaintenancePolicy:
    """Return the maintenance policy in force for ``name``; the global one when unregistered."""
    entry = registered().get(_normal(name))
    return GLOBAL_DEFAULT if entry is None else resolve_policy(entry)


def source_for(name: str) -> CorpusSource:
    """Return the source of ``name``: as registered, else the preset of that name.

    A preset is registered once its source could be constructed, never before.

    Raises:
        CorpusNotFound: when ``name`` is neither registered nor a preset.
        SourceError: when the source cannot be opened.
    """
    entries = registered()
    key = _normal(name)
    if key in entries:
        return source_from_entry(key, entries[key])
    if key not in PRESETS:
        raise _not_found(name, "registered", [*entries, *PRESETS])
    entry = {"kind": key, "embedder": "default", "params": {}}
    source = source_from_entry(key, entry)
    update_entries(lambda latest: latest.setdefault(key, entry))
    return source


def build_corpus(name: str, **options: Any) -> Corpus:
    """Build or update the corpus ``name`` (see :func:`irengine.index.build` for the options).

    The store is the registered ``storage``, unless ``store`` is given. Of packages the edges to
    what they depend on are noted (:func:`irengine.graph.default_edge_extractor`), unless an
    ``edge_extractor`` is given. When the build switched a
    registered corpus to another embedder spec (``switch_embedder``), the entry follows, so that
    the next build keeps to it.
    """
    from irengine.graph import default_edge_extractor
    from irengine.index import build
    from irengine.store import CorpusStore

    source = source_for(name)
    entry = registered().get(_normal(name), {})
    if options.get("store") is None:
        options["store"] = CorpusStore.local(source.name, storage=entry.get("storage"))
    if entry.get("kind") == "packages":
        options.setdefault("edge_extractor", default_edge_extractor)
    corpus = build(source, **options)
    spec = options.get("embedder")
    if options.get("switch_embedder") and isinstance(spec, str):
        key = _normal(name)
        if registered().get(key, {}).get("embedder") != spec:
            update_entries(lambda entries: entries.get(key, {}).update(embedder=spec))
    return corpus


def retriever_for(name: str, **search_defaults: Any) -> Any:
    """Return a retriever bound to the built corpus ``name`` and these search defaults.

    Raises:
        CorpusNotFound: when the corpus was never built.
    """
    from irengine.retrieve import as_retriever

    return as_retriever(_normal(name), **search_defaults)


def retrievers(**search_defaults: Any) -> Mapping[str, Any]:
    """Return a live view of the registry whose values are retrievers.

    A corpus is opened when its key is accessed; membership, length and iteration only read the
    registry.
    """
    return _Retrievers(search_defaults)


class _Retrievers(Mapping[str, Any]):
    def __init__(self, search_defaults: Mapping[str, Any]) -> None:
        self._search_defaults = dict(search_defaults)

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise _not_found(name, "registered", self)
        return retriever_for(name, **self._search_defaults)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _normal(name) in registered()

    def __iter__(self) -> Iterator[str]:
        return iter(registered())

    def __len__(self) -> int:
        return len(registered())


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", text("the name of a corpus", name))


def _not_found(name: str, state: str, known: Any) -> CorpusNotFound:
    known = list(known)
    hint = nearest(str(name), known)
    if not hint and known:
        hint = f"known: {', '.join(known[:8])}{', …' if len(known) > 8 else ''}"
    return CorpusNotFound(f"no corpus named {name!r} is {state}", hint=hint)
