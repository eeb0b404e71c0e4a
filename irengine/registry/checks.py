"""What is held against a definition before it is registered."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from typing import Any

from irengine.checks import location, members, text
from irengine.errors import ParameterError, ParameterTypeError, SourceError, nearest
from irengine.registry.entries import parameter_names, source_from_entry
from irengine.sources.files import compiled_pattern
from irengine.sources.walk import absolute_root, existing, readable_path

__all__ = ["checked_embedder", "checked_params", "json_copy", "prove", "strategy_spec"]

_PATHS = ("root", "projects_root", "manifest")
"""Parameters that name one existing file or folder."""

_PATH_LISTS = ("roots", "repos")
"""Parameters that name several existing folders."""


def checked_embedder(spec: Any) -> str:
    """Return an embedder spec that something answers to; no model is loaded.

    Raises:
        ParameterTypeError: when it is no text.
        EmbedderError: when nothing answers to it.
    """
    if not isinstance(spec, str):
        raise ParameterTypeError(
            f"the registry keeps an embedder by its name, not {type(spec).__name__}",
            hint="register the corpus with a name and pass the callable to build()",
        )
    from irengine.embed import check_embedder_spec

    return check_embedder_spec(spec)


def strategy_spec(strategy: Any) -> dict[str, Any]:
    """Return the spec of a strategy, or the given one, proven to make a strategy."""
    from irengine.strategy import strategy_from_spec, strategy_to_spec

    if isinstance(strategy, Mapping):
        strategy_from_spec(strategy)
        return dict(strategy)
    if not hasattr(strategy, "decompose"):
        raise ParameterTypeError(f"{strategy!r} is neither a strategy nor a strategy spec")
    return dict(strategy_to_spec(strategy))


def checked_params(kind: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``params`` with absolute paths, after holding them against the constructor."""
    allowed, required = parameter_names(kind)
    for key in params:
        if key not in allowed:
            raise ParameterError(
                f"a corpus of kind {kind!r} has no parameter {key!r}",
                hint=nearest(key, allowed) or f"parameters: {', '.join(allowed)}",
            )
    for key in required:
        if params.get(key) is None:
            raise ParameterError(
                f"a corpus of kind {kind!r} needs the parameter {key!r}",
                hint="a fetcher is a function by name: package.module:function"
                if key == "fetcher"
                else f"give it as {key}=…",
            )
    checked = dict(params)
    for key in _PATHS:
        if checked.get(key) is not None:
            checked[key] = _existing(key, checked[key], folder=key != "manifest")
    for key in _PATH_LISTS:
        if isinstance(checked.get(key), (list, tuple)):
            checked[key] = [_existing(key, path, folder=True) for path in checked[key]]
    if checked.get("pattern") is not None:
        compiled_pattern(text("pattern", checked["pattern"]))
    if checked.get("fetcher") is not None:
        _check_fetcher(checked["fetcher"])
    return checked


def _existing(key: str, value: Any, *, folder: bool) -> str:
    path = absolute_root(location(key, value))
    if (said := readable_path(str(path))) != str(path):
        raise SourceError(
            f"{key}: {said} cannot be registered, because its name is no UTF-8",
            hint="rename it; irtui try takes it as it is",
        )
    if stat.S_ISDIR(existing(path, f"{key}: {path}").st_mode) != folder:
        expected = "folder" if folder else "file"
        raise SourceError(
            f"{key}: {path} is not a {expected}",
            hint="register the folder it is in, with a pattern" if folder else "",
            code=f"not-a-{expected}",
        )
    return str(path)


def _check_fetcher(fetcher: Any) -> None:
    if not isinstance(fetcher, str):
        raise ParameterTypeError(
            f"the registry keeps a fetcher by its name, not {type(fetcher).__name__}",
            hint="package.module:function",
        )
    from irengine.sources import resolve_fetcher

    resolve_fetcher(fetcher)


def prove(name: str, entry: Mapping[str, Any]) -> None:
    """Make the source an entry describes, which shows a wrong value before a build would.

    Only of files has the place to be there already. No fetcher is called: that may cost something.

    Raises:
        ParameterError: for a value the source does not take.
        SourceError: when the folder of a files corpus cannot be listed.
    """
    params = entry["params"]
    if params.get("fetcher") is not None:
        for key in ("id_key", "text_key"):
            if key in params:
                text(key, params[key])
        if isinstance(keys := params.get("metadata_keys"), (list, tuple)):
            members("metadata_keys", keys, str, "names")
        elif keys is not None:
            text("metadata_keys", keys)
        return
    try:
        source_from_entry(name, entry)
    except SourceError:
        if entry["kind"] == "files":
            raise


def json_copy(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return ``entry`` as JSON gives it back: what is stored is what was checked."""
    try:
        written = json.dumps(entry, ensure_ascii=False, allow_nan=False)
        written.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ParameterTypeError(
            f"the definition of {name!r} cannot be stored as JSON: {error}",
            hint="use text, numbers, lists and objects; functions by name",
        ) from error
    copy: dict[str, Any] = json.loads(written)
    return copy
