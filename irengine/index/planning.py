"""Decide, artifact by artifact, what a build has to do: change detection by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from irengine.base import IndexPlan
from irengine.checks import having
from irengine.errors import IrError, ItemError
from irengine.sources import CorpusSource
from irengine.synopsis import Written

__all__ = [
    "Candidate",
    "candidates",
    "decompose",
    "digest_of",
    "input_hash",
    "listed_ids",
    "metadata_for",
    "notes_of",
    "plan_hash",
    "version_of",
]


def _digest(value: Any) -> str:
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=_stable)
    except (TypeError, ValueError, RecursionError):  # mixed keys, cycles
        text = repr(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _stable(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, Mapping):
        return dict(value)
    return f"{type(value).__qualname__}:{value}"


def input_hash(raw: Any, metadata: Mapping[str, Any]) -> str:
    """Return a hash of everything a strategy is given for one artifact."""
    return _digest([raw, dict(metadata)])


def plan_hash(plan: IndexPlan) -> str:
    """Return a hash of everything that ends up in the index for one artifact."""
    surfaces = [(s.kind, s.text, s.granularity, dict(s.metadata)) for s in plan.surfaces]
    return _digest([dict(plan.filter_fields), surfaces])


@dataclass(frozen=True, slots=True)
class Candidate:
    """One artifact in scope: its id, its cheap fingerprint, and how to read it.

    ``fingerprint`` is ``None`` where only reading can tell whether the item changed.
    """

    id: str
    fingerprint: str | None
    source: CorpusSource
    given: Any = None
    has_given: bool = False

    def read(self) -> Any:
        """Return the raw item.

        Raises:
            ItemError: when this one item cannot be read.
        """
        if self.has_given:
            return self.given
        try:
            return self.source.scope[self.id]
        except IrError:
            raise
        except Exception as error:  # noqa: BLE001 - a caller's mapping may raise anything
            raise ItemError(
                f"{self.id!r} cannot be read: {type(error).__name__}: {error}"
            ) from error


def candidates(source: CorpusSource, ids: list[str] | None) -> Iterator[Candidate]:
    """Yield the artifacts of ``source``; ``ids`` when the scope could be listed beforehand."""
    if ids is None:
        for artifact_id, raw in source.items():
            yield Candidate(artifact_id, None, source, raw, has_given=True)
        return
    fingerprint = getattr(source.scope, "fingerprint", None)
    for artifact_id in ids:
        mark = fingerprint(artifact_id) if fingerprint is not None else None
        yield Candidate(artifact_id, mark, source)


def listed_ids(source: CorpusSource) -> list[str] | None:
    """Return the scope's ids in order, or ``None`` for a source with its own ``items()``."""
    having("source", source, "items", "a corpus source")
    if type(source).items is not CorpusSource.items:
        return None
    return list(source.scope)


def notes_of(scope: Any) -> list[tuple[str, str, str]]:
    """Return what a scope wants said about items it did read: ``(id, reason, detail)``."""
    return [(note.id, note.reason, note.detail) for note in getattr(scope, "notes", ())]


def digest_of(source: CorpusSource, artifact_id: str) -> str | None:
    """Return the hash of the file an item was just read from, where its scope knows one."""
    digest = getattr(source.scope, "digest", None)
    return None if digest is None else digest(artifact_id)


def metadata_for(source: CorpusSource, artifact_id: str, raw: Any) -> dict[str, Any]:
    """Return the artifact's filter metadata.

    Raises:
        ItemError: when the source's ``metadata_of`` fails for this item.
    """
    if source.metadata_of is None:
        return {}
    try:
        return dict(source.metadata_of(artifact_id, raw) or {})
    except IrError:
        raise
    except Exception as error:  # noqa: BLE001 - user code; one item must not stop the others
        raise ItemError(
            f"the metadata of {artifact_id!r} cannot be read: {type(error).__name__}: {error}"
        ) from error


def version_of(source: CorpusSource, artifact_id: str, raw: Any) -> str:
    """Return the change signal of one item.

    Raises:
        ItemError: when the source's ``change_signal`` fails for this item.
    """
    try:
        return str(source.change_signal(artifact_id, raw))
    except IrError:
        raise
    except Exception as error:  # noqa: BLE001 - user code
        raise ItemError(
            f"the change signal of {artifact_id!r} failed: {type(error).__name__}: {error}"
        ) from error


def decompose(
    source: CorpusSource,
    artifact_id: str,
    raw: Any,
    metadata: Mapping[str, Any],
    written: Written | None = None,
) -> IndexPlan:
    """Run the strategy on one item and check that its plan can be stored.

    ``written`` are the synopses there are already, for a strategy that writes some.

    Raises:
        ItemError: when the strategy fails, or gives metadata that JSON cannot hold.
    """
    try:
        strategy: Any = source.indexing_strategy
        if written is None:
            plan: IndexPlan = strategy.decompose(artifact_id, raw, dict(metadata))
        else:
            plan = strategy.compose(artifact_id, raw, dict(metadata), written)
    except IrError:
        raise
    except Exception as error:  # noqa: BLE001 - user code
        raise ItemError(
            f"{artifact_id!r} cannot be decomposed: {type(error).__name__}: {error}"
        ) from error
    if raw is None and not plan.surfaces:
        raise ItemError(f"the item {artifact_id!r} is None, so there is nothing to index")
    _check_json(artifact_id, plan.filter_fields)
    for surface in plan.surfaces:
        if not isinstance(surface.text, str):
            raise ItemError(f"a surface of {artifact_id!r} is {type(surface.text).__name__}")
        _check_json(artifact_id, surface.metadata)
    return plan


def _check_json(artifact_id: str, fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        try:
            if not isinstance(key, str):
                raise TypeError("the key is not text")
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ItemError(
                f"metadata {key!r} of {artifact_id!r} cannot be stored as JSON: {error}",
                hint="use text, finite numbers, booleans, None, lists and mappings",
            ) from error
