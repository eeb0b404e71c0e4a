"""Edges that are latent in the standard filter fields of an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irengine.checks import mapping, text
from irengine.graph.nodes import PARENT, REF, dependency_name, normalize_dist_name

__all__ = ["default_edge_extractor"]


def default_edge_extractor(
    artifact_id: str, filter_fields: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the edges in the fields ``deps`` (``REF``) and ``parent`` (``PARENT``).

    A dependency's target is its bare name in lower case, separators as written; it need not be
    in the corpus. Each is listed once, in order; what is no text, blank, or a dependency on the
    artifact itself (whatever its case and separators) is left out. No edges give ``{}``.

    >>> default_edge_extractor("mine", {"deps": ["NumPy>=1.26", "Mine"], "parent": "tools"})
    {'REF': ['numpy'], 'PARENT': ['tools']}
    """
    edges: dict[str, list[str]] = {}
    own = normalize_dist_name(text("artifact_id", artifact_id))
    mapping("filter_fields", filter_fields, "of field to value")
    deps = filter_fields.get("deps")
    if isinstance(deps, (list, tuple)):
        names = [dependency_name(spec) for spec in deps if isinstance(spec, str)]
        wanted = [name for name in names if name and normalize_dist_name(name) != own]
        if wanted:
            edges[REF] = list(dict.fromkeys(wanted))
    parent = filter_fields.get("parent")
    if isinstance(parent, str) and parent and parent != artifact_id:
        edges[PARENT] = [parent]
    return edges
