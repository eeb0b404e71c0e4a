"""Strategies as JSON: the identity that decides what is stale, and the form that is stored."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
from collections.abc import Mapping
from types import CodeType
from typing import Any

from irengine.errors import ParameterError, nearest
from irengine.strategy.strategies import (
    Chunked,
    ClaudeTurn,
    IndexingStrategy,
    Package,
    Skill,
    WholeText,
)

__all__ = ["STRATEGY_REGISTRY", "strategy_from_spec", "strategy_id", "strategy_to_spec"]

STRATEGY_REGISTRY: dict[str, type] = {
    cls.__name__: cls for cls in (WholeText, Chunked, Skill, Package, ClaudeTurn)
}
"""Class name to class: what a stored strategy can be. Add your own class to persist it."""


class UnknownParameter(ParameterError, TypeError):
    """A stored strategy has a parameter that its class does not take."""

    code = "bad-parameter"


def strategy_id(strategy: Any) -> str:
    """Return the identity of a strategy: ``ClassName:{parameters as sorted JSON}``.

    Two strategies with equal ids make the same plan of the same artifact, so a changed id makes
    every artifact stale. The parameters are the instance attributes, or what the method
    ``identity_params()`` returns if the class has one. Numbers, strings, bools and ``None`` stand
    for themselves; lists, tuples, sets and mappings for their content; a nested strategy for its
    own id; a function for ``module.qualname``, and a lambda or local function, whose name says
    little, also for a digest of its code. Private attributes count when they are scalar.

    >>> strategy_id(WholeText())
    'WholeText:{"kind": "document", "text_key": null}'
    """
    params = {
        name: _identity(value)
        for name, value in _params(strategy).items()
        if not name.startswith("_") or _is_scalar(value)
    }
    return f"{type(strategy).__name__}:{json.dumps(params, sort_keys=True)}"


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _params(strategy: Any) -> dict[str, Any]:
    own = getattr(strategy, "identity_params", None)
    if callable(own):
        return dict(own())
    params: dict[str, Any] = {}
    for cls in reversed(type(strategy).__mro__):
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(strategy, name):
                params[name] = getattr(strategy, name)
    params.update(getattr(strategy, "__dict__", {}))
    return params


def _identity(value: Any) -> Any:
    """Return a JSON value that is equal for equal ``value`` in every process."""
    if _is_scalar(value):
        return value
    if hasattr(value, "decompose"):
        return strategy_id(value)
    if isinstance(value, Mapping):
        return {str(key): _identity(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_identity(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_identity(item) for item in value), key=lambda item: json.dumps(item))
    if isinstance(value, functools.partial):
        return [_identity(value.func), _identity(value.args), _identity(value.keywords)]
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    named = value if hasattr(value, "__qualname__") else type(value)
    name = f"{named.__module__}.{named.__qualname__}"
    code = getattr(value, "__code__", None)
    return f"{name}#{_code_digest(code)}" if code is not None and "<" in name else name


def _code_digest(code: CodeType) -> str:
    digest = hashlib.sha256(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames)).encode("utf-8", "surrogatepass"))
    for constant in code.co_consts:
        part = _code_digest(constant) if isinstance(constant, CodeType) else repr(constant)
        digest.update(part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]


def strategy_to_spec(strategy: IndexingStrategy) -> dict[str, Any]:
    """Return ``{"name", "params"}``, from which :func:`strategy_from_spec` makes an equal one.

    Raises:
        ParameterError: the class is not in :data:`STRATEGY_REGISTRY`, or a parameter is not JSON
            (a function, a nested strategy); the message names it.
    """
    name = type(strategy).__name__
    if STRATEGY_REGISTRY.get(name) is not type(strategy):
        raise ParameterError(
            f"a strategy of class {name} cannot be stored: only {_known()} can",
            hint="add the class to irengine.strategy.STRATEGY_REGISTRY",
        )
    params = {}
    for key, value in vars(strategy).items():
        if key.startswith("_"):
            continue
        try:
            params[key] = json.loads(json.dumps(value))
        except (TypeError, ValueError):
            raise ParameterError(
                f"{key} of strategy {name} cannot be stored: {type(value).__name__} is not JSON",
                hint=f"build the corpus from Python, or leave {key} at its default",
            ) from None
    return {"name": name, "params": params}


def strategy_from_spec(spec: Mapping[str, Any] | None) -> IndexingStrategy | None:
    """Return the strategy of a stored spec; ``None`` for ``None`` or ``{}``.

    Raises:
        ParameterError: the name is unknown (the message lists the known ones), a parameter is
            unknown (the message lists the class's own; also a ``TypeError``), or a value is out of
            range.
    """
    if not spec:
        return None
    if not isinstance(spec, Mapping):
        raise ParameterError(f"a strategy spec is a mapping with name and params, not {spec!r}")
    name, params = spec.get("name"), spec.get("params") or {}
    cls = STRATEGY_REGISTRY.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ParameterError(
            f"unknown strategy {name!r}: known are {_known()}",
            hint=nearest(str(name), STRATEGY_REGISTRY),
        )
    if not isinstance(params, Mapping):
        raise ParameterError(f"params of strategy {name} must be a mapping, not {params!r}")
    accepted = inspect.signature(cls).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
        unknown = sorted(str(key) for key in params if key not in accepted)
        if unknown:
            raise UnknownParameter(
                f"unknown parameter {', '.join(unknown)} of strategy {name}: "
                f"it takes {', '.join(accepted) or 'none'}",
                hint=nearest(unknown[0], accepted),
            )
    strategy: IndexingStrategy = cls(**params)
    return strategy


def _known() -> str:
    return ", ".join(sorted(STRATEGY_REGISTRY))
