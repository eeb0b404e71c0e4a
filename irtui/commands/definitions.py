"""What the command line says of the definition of a corpus: its parameters, its strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtui.commands.arguments import read_json
from irtui.commands.spec import UsageError
from irtui.commands.try_ import chosen_pattern

__all__ = ["corpus_strategy", "kind_params"]

_INSTEAD = {
    ("packages", "root"): """give folders as --param 'repos=["FOLDER"]'""",
}
"""What says for a kind what an option says for others."""


def kind_params(
    kind: str,
    pairs: list[str],
    *,
    root: str | None,
    pattern: str | None,
    glob: str | None,
    fetcher: str | None,
) -> dict[str, Any]:
    """Return the parameters of a corpus of ``kind``: ``KEY=VALUE`` pairs, and options over them.

    Raises:
        UsageError: for a pair that is none, and for an option the kind has no use for.
    """
    others = _params(pairs)
    if root is not None and kind in ("skills", "reports"):
        others |= {"roots": [root]} if kind == "skills" else {"projects_root": root}
        root = None
    named = {"root": root, "pattern": chosen_pattern(pattern, glob), "fetcher": fetcher}
    given = {key: value for key, value in named.items() if value is not None}
    said = {"pattern": "--pattern" if glob is None else "--glob"}
    _check_options(kind, {key: said.get(key, f"--{key}") for key in given})
    return others | given


def corpus_strategy(word: str | None) -> Any:
    """Return a strategy spec given as a name or as JSON; ``None`` for none.

    Raises:
        UsageError: for what looks like JSON and is none.
    """
    if word is None:
        return None
    if not word.lstrip().startswith("{"):
        return {"name": word, "params": {}}
    try:
        return read_json(word)
    except ValueError as error:
        raise UsageError(f"--strategy is not JSON: {error}") from None


def _check_options(kind: str, given: Mapping[str, str]) -> None:
    """Make sure that a corpus of ``kind`` takes what the options of the command line say.

    ``given`` are parameters, and the options they were given by.

    Raises:
        UsageError: naming what takes the place of the option.
    """
    from irengine.registry.entries import parameter_names

    allowed, _ = parameter_names(kind)
    for name, option in given.items():
        if name in allowed:
            continue
        instead = _INSTEAD.get((kind, name), "")
        others = f"it takes {', '.join(f'--param {other}=…' for other in allowed)}"
        raise UsageError(f"{option} says nothing about a corpus of {kind}", hint=instead or others)


def _params(pairs: list[str]) -> dict[str, Any]:
    """Return ``KEY=VALUE`` words as parameters; a value that is JSON is read as JSON."""
    params: dict[str, Any] = {}
    for pair in pairs:
        key, found, value = pair.partition("=")
        if not found or not key:
            raise UsageError(f"--param needs KEY=VALUE, not {pair!r}")
        if key in ("name", "kind", "embedder", "strategy", "maintenance", "storage"):
            raise UsageError(f"--param cannot set {key}", hint="it has an option of its own")
        try:
            params[key] = read_json(value)
        except ValueError:
            params[key] = value
    return params
