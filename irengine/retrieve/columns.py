"""Read a metadata field by name: from one mapping, or from the typed columns of a segment.

A name is first taken literally; then, when it has dots, as a path into nested mappings, the longest
literal prefix first (``{"a.b": …}`` wins over ``{"a": {"b": …}}``). A path that runs into a list
reads the values its elements hold: ``authors.name`` of ``[{"name": "x"}, {"name": "y"}]`` is
``["x", "y"]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from irengine.store import Columns

__all__ = ["MISSING", "column", "lookup"]


class _Missing:
    """The value of a field that is not there (``None`` is a value)."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def lookup(metadata: Mapping[str, Any], field: str) -> Any:
    """Return the value of ``field`` in ``metadata``, or :data:`MISSING`."""
    if field in metadata:
        return metadata[field]
    for prefix, rest in _splits(field):
        if prefix in metadata and (value := _inside(metadata[prefix], rest)) is not MISSING:
            return value
    return MISSING


def _splits(field: str) -> Iterator[tuple[str, str]]:
    """Yield ``(prefix, rest)`` at every dot, longest prefix first."""
    end = field.rfind(".")
    while end > 0:
        yield field[:end], field[end + 1 :]
        end = field.rfind(".", 0, end)


def _inside(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        return lookup(value, path)
    if isinstance(value, list):
        found = [_inside(item, path) for item in value if isinstance(item, Mapping)]
        return [item for item in found if item is not MISSING] or MISSING
    return MISSING


def column(columns: Columns, field: str) -> tuple[np.ndarray, list[Any]] | None:
    """Return ``(codes, values)`` of ``field``: int32 ``(n,)``, -1 = missing, indexing ``values``.

    ``None`` when no row of the segment has the field. The values of a literal field are distinct;
    those of a dotted path may repeat.
    """
    sources = [name for name, _ in _splits(field) if name in columns.fields]
    literal = field in columns.fields
    if literal and not sources:
        return columns.codes(field), columns.values(field)
    codes: np.ndarray | None = None
    values: list[Any] = []
    # Shortest prefix first, so that a longer one, and at last the literal name, overwrite it.
    for prefix in reversed(sources):
        inner = [_inside(value, field[len(prefix) + 1 :]) for value in columns.values(prefix)]
        table = np.full(len(inner) + 1, -1, dtype=np.int32)
        for code, value in enumerate(inner):
            if value is not MISSING:
                table[code] = len(values)
                values.append(value)
        codes = _overlay(codes, table[columns.codes(prefix)])
    if literal:
        own = columns.codes(field)
        shifted = np.where(own >= 0, own + len(values), -1).astype(np.int32)
        codes = _overlay(codes, shifted)
        values.extend(columns.values(field))
    if codes is None or not values:
        return None
    return codes, values


def _overlay(below: np.ndarray | None, above: np.ndarray) -> np.ndarray:
    return above if below is None else np.where(above >= 0, above, below)
