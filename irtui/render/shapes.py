"""What the data of a command looks like: where its rows are, and which fields they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["FORMATS", "Shape", "known_fields", "row_of", "rows_of", "unknown_fields", "with_rows"]

FORMATS = ("json", "jsonl", "csv", "tsv", "md", "files")
"""The names of the formats for programs; each is an option of the same name."""

_MISSING = object()


@dataclass(frozen=True, slots=True)
class Shape:
    """The declared shape of a command's data.

    Attributes:
        fields: the top-level fields of a row.
        columns: those a table shows by default.
        rows: the field of an object that holds its rows; ``""`` when the data is a list of rows,
            or one row itself.
        file: the field that names a file.
        text: the field ``--md`` sets as the body of a section; the title is ``title`` or the
            first column.
        full_text: what takes its place with ``--full``.
        open: rows have further fields in ``metadata``, which may be named without it.
        schema: the version of all this. It changes when a field goes or means something else,
            not when one is added.
    """

    fields: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: str = ""
    file: str = ""
    text: str = ""
    full_text: str = ""
    open: bool = False
    schema: int = 1

    def full(self) -> Shape:
        """Return the shape with the whole text in the place of the snippet."""
        if not self.full_text:
            return self
        columns = tuple(self.full_text if name == self.text else name for name in self.columns)
        return replace(self, columns=columns, text=self.full_text)

    def to_dict(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return {
            "schema": self.schema,
            "rows": self.rows,
            "fields": list(self.fields),
            "columns": list(self.columns),
            "open": self.open,
        }


def rows_of(data: Any, shape: Shape) -> list[Mapping[str, Any]]:
    """Return the rows of ``data``: its elements, those of its field ``rows``, or itself."""
    if isinstance(data, list):
        return data
    inner = data.get(shape.rows) if shape.rows else None
    return inner if isinstance(inner, list) else [data]


def with_rows(data: Any, shape: Shape, rows: list[dict[str, Any]]) -> Any:
    """Return ``data`` with other rows in the place of its own."""
    if isinstance(data, list):
        return rows
    if shape.rows and isinstance(data.get(shape.rows), list):
        return {**data, shape.rows: rows}
    return rows[0]


def row_of(row: Mapping[str, Any], names: Iterable[str], shape: Shape) -> dict[str, Any]:
    """Return the named fields of a row, in that order; ``None`` for what it does not have.

    A name is a field, a dotted way into one, or, of an open shape, a field of its metadata.
    """
    found = {name: _value(row, name, shape) for name in names}
    return {name: None if value is _MISSING else value for name, value in found.items()}


def known_fields(rows: Iterable[Mapping[str, Any]], shape: Shape) -> list[str]:
    """Return every name that may be asked for: the declared fields, and those of the metadata."""
    known = dict.fromkeys(shape.fields)
    for row in rows:
        known |= dict.fromkeys(row)
        if shape.open and isinstance(row.get("metadata"), Mapping):
            known |= dict.fromkeys(row["metadata"])
    return list(known)


def unknown_fields(
    names: Iterable[str], rows: Sequence[Mapping[str, Any]], shape: Shape
) -> list[str]:
    """Return the names that are neither declared nor in any of ``rows``."""
    declared = set(shape.fields)
    return [
        name
        for name in names
        if name not in declared and all(_value(row, name, shape) is _MISSING for row in rows)
    ]


def _value(row: Mapping[str, Any], name: str, shape: Shape) -> Any:
    found = _at(row, name)
    if found is _MISSING and shape.open:
        found = _at(row.get("metadata"), name)
    return found


def _at(value: Any, name: str) -> Any:
    if not isinstance(value, Mapping):
        return _MISSING
    if name in value:
        return value[name]
    head, dot, rest = name.partition(".")
    return _at(value[head], rest) if dot and head in value else _MISSING
