"""``with_synopsis``: a strategy that also writes a summary, and what its identity is."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from irengine.base import Artifact, IndexPlan, Surface
from irengine.checks import having
from irengine.errors import ParameterError, ParameterTypeError
from irengine.strategy import IndexingStrategy, strategy_id
from irengine.synopsis.predicates import ALWAYS, Predicate
from irengine.synopsis.synthesizers import MissingSynopsis, Synthesizer, make_llm_synthesizer

__all__ = [
    "SYNOPSIS_KIND",
    "Layer",
    "Written",
    "layers_of",
    "predicate_id",
    "rewrapped_id",
    "unwrapped_id",
    "with_synopsis",
]

SYNOPSIS_KIND = "synopsis"
"""The kind of the surface that holds a synopsis."""

_CUSTOM = "custom"

Layer = tuple[str, str, str | None]
"""What one wrapper is known by: surface kind, synthesizer id, and the gate's id if it has one."""


@dataclass(frozen=True, slots=True)
class Written:
    """What earlier builds wrote about an artifact that has not changed since.

    ``texts`` maps ``(kind, synthesizer_id)`` to a synopsis; ``layers`` are the wrappers it was
    built with, whose gates have therefore been decided. With ``why_not`` nobody is asked for a
    new synopsis: it is missing, for that reason. ``missing`` collects what could not be written
    now, ``made`` the ids of those who were asked and answered.
    """

    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    layers: frozenset[Layer] = frozenset()
    why_not: str = ""
    missing: list[MissingSynopsis] = field(default_factory=list)
    made: list[str] = field(default_factory=list)


def with_synopsis(
    strategy: IndexingStrategy,
    *,
    synthesize: Synthesizer | None = None,
    synthesizer_id: str | None = None,
    synopsis_kind: str = SYNOPSIS_KIND,
    when: str | Predicate = ALWAYS,
    when_id: str | None = None,
) -> IndexingStrategy:
    """Wrap ``strategy`` so that each artifact also gets one written synopsis.

    The synopsis is the first surface of the plan (the others move up by one), of kind
    ``synopsis_kind`` and granularity ``"document"``, with ``synthesizer_id`` in its metadata. A
    blank synopsis, or anything but text, gives no surface. What the synthesizer or the predicate
    raises is passed on; with a :class:`MissingSynopsis` the plan is made without one, and the
    next build tries again.

    Args:
        strategy: whose surfaces are kept.
        synthesize: writes the synopsis; by default a language model
            (:func:`make_llm_synthesizer`) that is shown the field the strategy indexes, or its
            ``synopsis_fields``.
        synthesizer_id: the identity of the synthesizer: another one makes every artifact stale.
            By default its ``synthesizer_id`` attribute, else its name.
        synopsis_kind: kind of the surface.
        when: ``"always"``, or a predicate; where it is false nobody is asked.
        when_id: the identity of the predicate; by default its ``when_id`` attribute, else its
            name.

    Warns:
        UserWarning: for a lambda or local function without an id: it has no stable identity.

    Raises:
        ParameterError: for a ``when`` that is another string, or a ``when_id`` without a
            predicate.
        ParameterTypeError: (also a ``TypeError``) for a ``when`` or a ``synthesize`` that cannot
            be called.

    >>> from irengine.strategy import WholeText
    >>> def first_line(artifact): return artifact.raw.splitlines()[0]
    >>> summed = with_synopsis(WholeText(), synthesize=first_line, synthesizer_id="first-line/1")
    >>> [surface.kind for surface in summed.decompose("a", "Bees\\nlive in hives.").surfaces]
    ['synopsis', 'document']
    """
    having("strategy", strategy, "decompose", "a strategy")
    if not isinstance(synopsis_kind, str) or not synopsis_kind:
        raise ParameterError(f"synopsis_kind must be a non-empty string, not {synopsis_kind!r}")
    if synthesize is None:
        synthesize = make_llm_synthesizer(**_shown_of(strategy))
    elif not callable(synthesize):
        raise ParameterTypeError(f"synthesize must be a function, not {synthesize!r}")
    gated = _is_gate(when, when_id)
    wrapper = _SynopsisStrategy()
    wrapper.strategy = strategy
    wrapper.synthesize = synthesize
    wrapper.synthesizer_id = synthesizer_id or _identity(synthesize, "synthesizer_id")
    wrapper.synopsis_kind = synopsis_kind
    if gated:
        wrapper.when = when  # type: ignore[assignment]
        wrapper.when_id = when_id or predicate_id(when)
    return wrapper


class _SynopsisStrategy:
    """A strategy with a synopsis in front; ``when`` and ``when_id`` exist only with a gate."""

    strategy: IndexingStrategy
    synthesize: Synthesizer
    synthesizer_id: str
    synopsis_kind: str
    when: Predicate
    when_id: str

    def identity_params(self) -> dict[str, Any]:
        """Return what :func:`irengine.strategy.strategy_id` makes the identity of."""
        params = {
            "strategy": strategy_id(self.strategy),
            "synopsis_kind": self.synopsis_kind,
            "synthesizer_id": self.synthesizer_id,
        }
        return params | ({"when_id": self.when_id} if hasattr(self, "when_id") else {})

    def decompose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None = None
    ) -> IndexPlan:
        """Return the inner plan with the synopsis in front."""
        return self.compose(artifact_id, raw, metadata, Written())

    def compose(
        self, artifact_id: str, raw: Any, metadata: Mapping[str, Any] | None, written: Written
    ) -> IndexPlan:
        """Do as :meth:`decompose`, asking only for what has not been written already."""
        inner = self.strategy
        if isinstance(inner, _SynopsisStrategy):
            plan = inner.compose(artifact_id, raw, metadata, written)
        else:
            plan = inner.decompose(artifact_id, raw, metadata)
        artifact = Artifact(artifact_id, raw, dict(metadata or {}))
        text, by = self._synopsis(artifact, written)
        if isinstance(text, MissingSynopsis):
            written.missing.append(text)
            text, by = self._older(written)
        if isinstance(text, str) and text.strip():
            told = {"synthesizer_id": by}
            surface = Surface(artifact_id, self.synopsis_kind, text.strip(), "document", told)
            plan.surfaces = [surface, *plan.surfaces]
        return plan

    def _synopsis(self, artifact: Artifact, written: Written) -> tuple[Any, str]:
        """Return the synopsis, whatever the synthesizer gave, and who wrote it."""
        by = self.synthesizer_id
        known = written.texts.get((self.synopsis_kind, by))
        gate_id: str | None = getattr(self, "when_id", None)
        if known is not None and (self.synopsis_kind, by, gate_id) in written.layers:
            return known, by
        if gate_id is not None and not self.when(artifact):
            return "", by
        if known is not None:
            return known, by
        if written.why_not:
            return MissingSynopsis(written.why_not), by
        text = self.synthesize(artifact)
        if not isinstance(text, MissingSynopsis):
            written.made.append(by)
        return text, by

    def _older(self, written: Written) -> tuple[str, str]:
        """Return what another writer wrote about the same text: better than nothing for now."""
        for (kind, by), text in sorted(written.texts.items()):
            if kind == self.synopsis_kind:
                return text, by
        return "", ""


def _shown_of(strategy: Any) -> dict[str, Any]:
    """Return what of an artifact the default synthesizer may see: what the strategy indexes."""
    while isinstance(strategy, _SynopsisStrategy):
        strategy = strategy.strategy
    if text_key := getattr(strategy, "text_key", None):
        return {"text_key": text_key}
    fields = getattr(strategy, "synopsis_fields", None)
    return {"text_fields": tuple(fields)} if fields else {}


def _is_gate(when: Any, when_id: str | None) -> bool:
    if isinstance(when, str):
        if when != ALWAYS:
            raise ParameterError(f"when must be {ALWAYS!r} or a predicate, not {when!r}")
        if when_id is not None:
            raise ParameterError("when_id names a predicate, and there is none")
        return False
    if not callable(when):
        raise ParameterTypeError(f"when must be {ALWAYS!r} or a predicate, not {when!r}")
    return True


def predicate_id(when: Any) -> str:
    """Return the identity of a predicate; ``"custom"``, with a warning, when it has none."""
    return _identity(when, "when_id")


def _identity(function: Any, attribute: str) -> str:
    said = getattr(function, attribute, None)
    if isinstance(said, str) and said:
        return said
    name = getattr(function, "__qualname__", "")
    if name and "<lambda>" not in name and "<locals>" not in name:
        return str(name)
    warnings.warn(
        f"{name or function!r} has no stable identity, so that another one would not be noticed; "
        f"give it a {attribute}",
        UserWarning,
        stacklevel=3,
    )
    return _CUSTOM


# -- identities as text -------------------------------------------------------------------------

_PREFIX = f"{_SynopsisStrategy.__name__}:"


def _parsed(identity: str) -> dict[str, Any] | None:
    """Return the parameters of a wrapper's strategy id; ``None`` for any other id."""
    if not identity.startswith(_PREFIX):
        return None
    params = json.loads(identity.removeprefix(_PREFIX))
    return params if isinstance(params, dict) else None


@functools.cache
def unwrapped_id(identity: str) -> str:
    """Return the id of the strategy inside every synopsis wrapper; a plain id is its own."""
    while (params := _parsed(identity)) is not None:
        identity = str(params["strategy"])
    return identity


def rewrapped_id(identity: str, inner: str) -> str:
    """Return ``identity`` with the strategy inside its wrappers replaced by ``inner``."""
    params = _parsed(identity)
    if params is None:
        return inner
    params["strategy"] = rewrapped_id(str(params["strategy"]), inner)
    return _PREFIX + json.dumps(params, sort_keys=True)


@functools.cache
def layers_of(identity: str) -> frozenset[Layer]:
    """Return the wrappers of a strategy id."""
    layers: set[Layer] = set()
    while (params := _parsed(identity)) is not None:
        layers.add((params["synopsis_kind"], params["synthesizer_id"], params.get("when_id")))
        identity = str(params["strategy"])
    return frozenset(layers)
