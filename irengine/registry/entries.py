"""Registry entries and the sources they describe: which kinds there are and what they take."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from irengine.errors import RegistryError
from irengine.policy import resolve_storage

if TYPE_CHECKING:
    from irengine.sources import CorpusSource

__all__ = ["KINDS", "PARAMETRIC_KINDS", "PRESETS", "parameter_names", "source_from_entry"]

PRESETS = ("skills", "packages", "reports", "sessions")
"""Kinds that are also corpus names: usable without registering anything."""

PARAMETRIC_KINDS = ("files", "records", "tools")
"""Kinds that need parameters, so that they have to be registered."""

KINDS = (*PRESETS, *PARAMETRIC_KINDS)

_CONSTRUCTORS: Mapping[str, str] = {
    "skills": "from_skills",
    "packages": "from_packages",
    "reports": "from_md_reports",
    "sessions": "from_claude_sessions",
    "files": "from_files",
    "records": "from_records",
    "tools": "from_mcp_tools",
}
_RENAMED: Mapping[str, Mapping[str, str]] = {"tools": {"fetcher": "tools"}}
"""Parameters of an entry that the constructor of its kind calls something else."""

_ENTRY_KEYS = ("name", "embedder", "strategy")
"""Constructor arguments that an entry keeps outside its ``params``."""


def source_from_entry(name: str, entry: Mapping[str, Any]) -> CorpusSource:
    """Construct the source an entry describes.

    Raises:
        RegistryError: for an entry that is not shaped like one (an edited file).
        SourceError: when the source cannot be opened (a missing root, a failing fetcher).
    """
    from irengine.sources import CorpusSource

    kind = entry.get("kind")
    params = entry.get("params", {})
    if not isinstance(kind, str) or kind not in _CONSTRUCTORS or not isinstance(params, Mapping):
        raise _invalid(name, "has no known kind, or no params")
    allowed, required = parameter_names(kind)
    unknown = sorted(set(params) - set(allowed))
    missing = sorted(set(required) - set(params))
    if unknown or missing:
        word, keys = ("does not know", unknown) if unknown else ("needs", missing)
        raise _invalid(name, f"is of kind {kind!r}, which {word} {', '.join(keys)}")
    resolve_storage(entry)
    arguments = {_RENAMED.get(kind, {}).get(key, key): value for key, value in params.items()}
    arguments |= {"name": name, "embedder": entry.get("embedder", "default")}
    if entry.get("strategy") is not None:
        from irengine.strategy import strategy_from_spec

        arguments["strategy"] = strategy_from_spec(entry["strategy"])
    source: CorpusSource = getattr(CorpusSource, _CONSTRUCTORS[kind])(**arguments)
    return source


def parameter_names(kind: str) -> tuple[list[str], list[str]]:
    """Return the parameters an entry of ``kind`` may have, and those it must have.

    They are read off the source constructor, so that the two cannot drift apart.
    """
    from irengine.sources import CorpusSource

    construct = getattr(CorpusSource, _CONSTRUCTORS[kind])
    said = {actual: name for name, actual in _RENAMED.get(kind, {}).items()}
    parameters = _parameters(construct)
    allowed = [said.get(p.name, p.name) for p in parameters]
    needed = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    return allowed, [said.get(name, name) for name in needed]


def _parameters(construct: Callable[..., Any]) -> list[inspect.Parameter]:
    fixed = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        parameter
        for parameter in inspect.signature(construct).parameters.values()
        if parameter.kind not in fixed and parameter.name not in _ENTRY_KEYS
    ]


def _invalid(name: str, what: str) -> RegistryError:
    return RegistryError(
        f"the registry entry of {name!r} {what}",
        hint=f"register it again: irtui register {shlex.quote(name)} KIND --replace",
    )
