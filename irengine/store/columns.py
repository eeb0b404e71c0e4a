"""Typed columns of a segment: every metadata field, dictionary-encoded.

A field has its distinct JSON values once, and one int32 code a row. Fields that few rows have
are kept as (row, code) pairs. Values are parsed for the fields that are asked for only.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.store.files import dump_json

__all__ = ["MISSING", "Columns", "build_columns", "merge_columns", "value_key"]

Int32 = npt.NDArray[np.int32]

MISSING = -1
"""The code of a row that lacks the field (a present ``None`` has a code of its own)."""


class Columns:
    """The metadata fields of ``n`` rows."""

    def __init__(self, n: int, columns: Mapping[str, Column]) -> None:
        self.n = n
        self._columns = dict(columns)

    @property
    def fields(self) -> tuple[str, ...]:
        """The field names, sorted."""
        return tuple(sorted(self._columns))

    def codes(self, field: str) -> Int32:
        """Return the int32 code of each row, ``(n,)``; -1 where the row lacks the field."""
        column = self._columns.get(field)
        if column is None:
            return np.full(self.n, MISSING, dtype=np.int32)
        return column.dense(self.n)

    def values(self, field: str) -> list[Any]:
        """Return the distinct JSON values of ``field`` in code order; do not modify them."""
        column = self._columns.get(field)
        return [] if column is None else column.values()

    def items(self) -> Iterable[tuple[str, Column]]:
        """Iterate ``(field, column)`` in field order."""
        return sorted(self._columns.items())


class Column:
    """One field: codes for all rows, or for the rows listed in ``rows`` (ascending)."""

    __slots__ = ("_parsed", "_raw", "codes", "rows")

    def __init__(self, codes: Int32, rows: Int32 | None, values: list[Any] | memoryview) -> None:
        self.codes = codes
        self.rows = rows
        self._raw = values if isinstance(values, memoryview) else None
        self._parsed = None if isinstance(values, memoryview) else values

    def values(self) -> list[Any]:
        """Return the distinct values in code order."""
        if self._parsed is None:
            assert self._raw is not None  # one of the two is always set
            self._parsed = json.loads(bytes(self._raw))
        return self._parsed

    def raw_values(self) -> bytes:
        """Return the values as a JSON list."""
        return dump_json(self._parsed) if self._raw is None else bytes(self._raw)

    def dense(self, n: int) -> Int32:
        """Return one code a row."""
        if self.rows is None:
            return self.codes
        codes = np.full(n, MISSING, dtype=np.int32)
        codes[self.rows] = self.codes
        return codes

    def filled(self) -> tuple[Int32, Int32]:
        """Return ``(rows, codes)`` of the rows that have the field."""
        if self.rows is not None:
            return self.rows, self.codes
        rows = np.flatnonzero(self.codes >= 0).astype(np.int32)
        return rows, self.codes[rows]


def value_key(value: Any) -> Hashable:
    """Return what tells one JSON value from another: ``1``, ``1.0`` and ``True`` differ."""
    if isinstance(value, (list, tuple, dict)):
        return ("json", json.dumps(value, sort_keys=True))
    return (value.__class__, value)


def build_columns(metadata: Sequence[Mapping[str, Any]]) -> Columns:
    """Encode the metadata of ``len(metadata)`` rows."""
    tables: dict[str, dict[Hashable, int]] = {}
    values: dict[str, list[Any]] = {}
    filled: dict[str, tuple[list[int], list[int]]] = {}
    for row, fields in enumerate(metadata):
        for field, value in fields.items():
            table = tables.get(field)
            if table is None:
                table = tables[field] = {}
                values[field] = []
                filled[field] = ([], [])
            key = value_key(value)
            code = table.get(key)
            if code is None:
                code = table[key] = len(table)
                values[field].append(value)
            rows, codes = filled[field]
            rows.append(row)
            codes.append(code)
    n = len(metadata)
    return Columns(
        n,
        {
            field: _column(n, np.array(rows, np.int32), np.array(codes, np.int32), values[field])
            for field, (rows, codes) in filled.items()
        },
    )


def merge_columns(parts: Sequence[tuple[Columns, npt.NDArray[np.intp]]]) -> Columns:
    """Concatenate the kept rows (ascending positions) of several columns sets."""
    fields = sorted({field for columns, _ in parts for field in columns.fields})
    n = sum(len(keep) for _, keep in parts)
    merged: dict[str, Column] = {}
    for field in fields:
        table: dict[Hashable, int] = {}
        values: list[Any] = []
        rows_of: list[Int32] = []
        codes_of: list[Int32] = []
        offset = 0
        for columns, keep in parts:
            codes = columns.codes(field)[keep]
            rows = np.flatnonzero(codes >= 0)
            if len(rows):
                codes = codes[rows]
                used = np.unique(codes)
                renamed = np.zeros(int(used[-1]) + 1, dtype=np.int32)
                old = columns.values(field)
                for code in used.tolist():
                    key = value_key(old[code])
                    new = table.get(key)
                    if new is None:
                        new = table[key] = len(table)
                        values.append(old[code])
                    renamed[code] = new
                rows_of.append((rows + offset).astype(np.int32))
                codes_of.append(renamed[codes])
            offset += len(keep)
        if rows_of:
            merged[field] = _column(n, np.concatenate(rows_of), np.concatenate(codes_of), values)
    return Columns(n, merged)


def _column(n: int, rows: Int32, codes: Int32, values: list[Any]) -> Column:
    """Keep a field densely when most rows have it, else sparsely."""
    if len(rows) * 2 <= n:
        return Column(codes, rows, values)
    dense = np.full(n, MISSING, dtype=np.int32)
    dense[rows] = codes
    return Column(dense, None, values)
