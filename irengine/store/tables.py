"""Key-value tables (ledger, links) as a stack of immutable JSON files.

A *layer* is one JSON object, an entry a line, sorted by key: readable by anything, searched by
bisection without parsing. A commit adds a small layer with what changed (``null`` = removed);
later layers win. Layers are merged like segments, without parsing the values, so that the cost of
a change follows the change and not the table.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from pathlib import Path
from typing import Any

from irengine.store.damage import damaged
from irengine.store.files import dump_json, fsync_file

__all__ = ["Layer", "Table", "merge_layers", "write_layer"]

_REMOVED = b"null"


class Layer:
    """One mapped table file.

    Raises:
        FileNotFoundError: there is no such file.
        CorpusDamaged: it is not whole.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._path = path
        try:
            self._data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise damaged(path, f"{path} is empty") from error
        finally:
            os.close(descriptor)
        if self._data[:2] != b"{\n" or self._data[-2:] != b"}\n":
            raise damaged(path, f"{path} is truncated or garbled")

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self._data)

    def find(self, key: str) -> bytes | None:
        """Return the JSON of ``key``'s value (``null`` = removed), or ``None``."""
        wanted = dump_json(key)
        data = self._data
        low, high = 2, len(data) - 2  # the lines between "{\n" and "}\n"
        while low < high:
            start = data.rfind(b"\n", 0, (low + high) // 2) + 1
            stop = data.find(b"\n", start)
            found, value = _split(data[start:stop])
            if found == wanted:
                return value
            if found < wanted:
                low = stop + 1
            else:
                high = start
        return None

    def lines(self) -> Iterator[tuple[bytes, bytes]]:
        """Iterate ``(key, value)`` as JSON, sorted by key."""
        for line in self._data[2:-2].split(b"\n"):
            if line:
                yield _split(line)

    def parsed(self) -> dict[str, Any]:
        """Return the whole layer; removed keys map to ``None``."""
        layer: dict[str, Any] = self.value(self._data[:])
        return layer

    def value(self, text: bytes) -> Any:
        """Return what JSON of this layer says.

        Raises:
            CorpusDamaged: it is not JSON.
        """
        try:
            return json.loads(text)
        except ValueError as error:
            raise damaged(self._path, f"{self._path} is not valid JSON: {error}") from error


def _split(line: bytes) -> tuple[bytes, bytes]:
    """Split an entry line; the tab cannot occur inside JSON text."""
    key, _, value = line.rstrip(b",").partition(b":\t")
    return key, value


class Table(Mapping[str, Any]):
    """A read-only view of a stack of layers, oldest first. Values are parsed when asked for."""

    def __init__(self, layers: Sequence[Layer] = ()) -> None:
        self.layers = tuple(layers)

    def __getitem__(self, key: str) -> Any:
        for layer in reversed(self.layers):
            value = layer.find(key)
            if value == _REMOVED:
                break
            if value is not None:
                return layer.value(value)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __len__(self) -> int:
        return len(self.whole())

    def items(self) -> ItemsView[str, Any]:
        """Return every entry, in one pass."""
        return self.whole().items()

    def values(self) -> ValuesView[Any]:
        """Return every value, in one pass."""
        return self.whole().values()

    def whole(self) -> dict[str, Any]:
        """Return every entry, parsed afresh."""
        merged: dict[str, Any] = {}
        for layer in self.layers:
            merged.update(layer.parsed())
        if len(self.layers) > 1:
            return {key: value for key, value in merged.items() if value is not None}
        return merged


def write_layer(path: Path, entries: Mapping[str, Any]) -> None:
    """Write a new layer file (``None`` = removed) and flush it to disk."""
    lines = {dump_json(key): dump_json(value) for key, value in entries.items()}
    _write_lines(path, lines)


def merge_layers(layers: Sequence[Layer], path: Path, *, bottom: bool) -> None:
    """Write the merger of ``layers`` (oldest first); at the ``bottom`` removals are dropped."""
    merged: dict[bytes, bytes] = {}
    for layer in layers:
        merged.update(layer.lines())
    if bottom:
        merged = {key: value for key, value in merged.items() if value != _REMOVED}
    _write_lines(path, merged)


def _write_lines(path: Path, lines: Mapping[bytes, bytes]) -> None:
    body = b",\n".join(key + b":\t" + lines[key] for key in sorted(lines))
    with path.open("xb") as file:
        file.write(b"{\n" + body + b"\n}\n")
        file.flush()
        fsync_file(file.fileno())
