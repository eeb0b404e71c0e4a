"""Changing parts of a registered definition: what is not changed is neither checked nor touched."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from irengine.errors import CorpusNotFound
from irengine.policy import MaintenancePolicy, maintenance_spec
from irengine.registry.checks import checked_embedder, checked_params, json_copy, strategy_spec
from irengine.registry.entries import source_from_entry
from irengine.registry.file import update_entries
from irengine.registry.names import get

__all__ = ["change"]


def change(
    name: str,
    *,
    embedder: str | None = None,
    strategy: Any = None,
    maintenance: Mapping[str, Any] | MaintenancePolicy | None = None,
    params: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Change parts of the definition of ``name`` and return the new entry.

    A folder that is not there now does not keep its corpus from being given another policy. What
    is given is checked as :func:`irengine.registry.register` checks it; when an error is raised
    nothing is changed.

    Args:
        name: a registered corpus.
        embedder: its new embedder spec. The index keeps its vectors until a build is told to
            switch.
        strategy: how items are cut from the next build on: a strategy or its spec; ``{}`` for
            the default of the kind.
        maintenance: all that is said about maintenance from now on, ``{}`` for the defaults of
            the kind.
        params: parameters of the kind to set; ``None`` as a value takes one away.

    Raises:
        CorpusNotFound: when it is not registered.
        IrError: as :func:`irengine.registry.register` does for a value it does not accept.
    """
    entry = get(name)
    kind = str(entry["kind"])
    new: dict[str, Any] = {}
    if embedder is not None:
        new["embedder"] = checked_embedder(embedder)
    if strategy is not None:
        new["strategy"] = strategy_spec(strategy) if strategy != {} else None
    if maintenance is not None:
        new["maintenance"] = maintenance_spec(kind, maintenance) or None
    if params is not None:
        whole = {**entry.get("params", {}), **params}
        kept = {key: value for key, value in whole.items() if value is not None}
        new["params"] = checked_params(kind, kept)
    new = json_copy(name, new)
    if kind == "files" and {"params", "strategy"} & set(new):
        proof = {key: value for key, value in {**entry, **new}.items() if value is not None}
        source_from_entry(name, proof)

    key = unicodedata.normalize("NFC", name)

    def put(entries: dict[str, Any]) -> None:
        if key not in entries:
            raise CorpusNotFound(f"no corpus named {name!r} is registered any more")
        changed = {**entries[key], **new}
        entries[key] = {part: value for part, value in changed.items() if value is not None}

    update_entries(put)
    return get(name)
