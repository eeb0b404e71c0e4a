"""Names that a corpus does not have: kinds of surfaces, and fields that a filter asks for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irengine.errors import FilterError, ParameterError, nearest
from irengine.retrieve.candidates import candidates
from irengine.retrieve.columns import column
from irengine.retrieve.filters import Filter, compile_filter

if TYPE_CHECKING:
    from irengine.index import Corpus
    from irengine.store import Snapshot

__all__ = ["check_fields", "check_kinds", "fitting", "unknown_fields", "warn_of_unknown_fields"]

_FIELDS_SHOWN = 12


def check_kinds(snapshots: Sequence[Snapshot], kinds: Iterable[str] | None) -> None:
    """Make sure that a text of one of ``kinds`` is in one of ``snapshots``.

    One kind of several may be missing: a list for several corpora, or strategies. An empty corpus
    has no kinds yet, so that none is wrong.

    Raises:
        ParameterError: naming the kinds there are.
    """
    known = {kind for snapshot in snapshots for part in snapshot.segments for kind in part.kinds}
    asked = () if kinds is None else tuple(kinds)
    if not asked or not known or known & set(asked):
        return
    listed = ", ".join(sorted(known))
    close = nearest(asked[0], known)
    raise ParameterError(
        f"there are no surfaces of kind {', '.join(map(repr, asked))}",
        hint=f"{close} kinds: {listed}" if close else f"kinds: {listed}",
    )


def unknown_fields(snapshots: Sequence[Snapshot], filter: Filter | None) -> list[str]:
    """Return the fields that ``filter`` names and no record of ``snapshots`` has."""
    parts = [part for snapshot in snapshots for part in snapshot.segments]
    if filter is None or not any(part.n for part in parts):
        return []
    return [
        name
        for name in filter.fields
        if not any(column(part.columns, name) is not None for part in parts)
    ]


def warn_of_unknown_fields(snapshots: Sequence[Snapshot], filter: Filter | None) -> None:
    """Warn when a filter that nothing passed names fields nothing has: they may be misspelt."""
    for problem in _problems(snapshots, filter):
        warnings.warn(str(problem), UserWarning, stacklevel=3)


def check_fields(corpora: Sequence[Corpus], filter: Mapping[str, Any]) -> None:
    """Make sure that a filter passes something in ``corpora``, or that they know its fields.

    Raises:
        FilterError: for the first field they do not know, with the nearest ones.
    """
    compiled = compile_filter(filter)
    snapshots = [corpus.store.snapshot() for corpus in corpora]
    if any(candidates(snapshot, compiled, None).count for snapshot in snapshots):
        return
    for problem in _problems(snapshots, compiled):
        raise problem


def _problems(snapshots: Sequence[Snapshot], filter: Filter | None) -> Iterable[FilterError]:
    for name in unknown_fields(snapshots, filter):
        known = sorted({field for snapshot in snapshots for field in snapshot.fields()})
        shown = ", ".join(known[:_FIELDS_SHOWN]) + (", …" if len(known) > _FIELDS_SHOWN else "")
        yield FilterError(
            f"nothing passes the filter: no record has a field {name!r}",
            hint=nearest(name, known) or f"fields: {shown or 'none'}",
        )


def fitting(
    corpora: Mapping[str, Corpus], filter: Filter | None, kinds: tuple[str, ...] | None
) -> dict[str, Corpus]:
    """Return those of ``corpora`` that have texts of ``kinds`` that pass ``filter``.

    What one corpus does not know, another may. That nothing passes because no corpus knows a field
    is said by a warning.

    Raises:
        ParameterError: when none has a text of ``kinds``.
    """
    snapshots = {name: corpus.store.snapshot() for name, corpus in corpora.items()}
    check_kinds(list(snapshots.values()), kinds)
    found = {
        name: corpora[name]
        for name, snapshot in snapshots.items()
        if candidates(snapshot, filter, kinds).count
    }
    if not found:
        warn_of_unknown_fields(list(snapshots.values()), filter)
    return found
