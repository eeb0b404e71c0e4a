"""The rows of a segment: each record without its vector, as one line of JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.base import Record
from irengine.checks import having
from irengine.errors import EmbedderError, ItemError
from irengine.store.files import dump_json

__all__ = [
    "Prepared",
    "Row",
    "StringTable",
    "analyzer_id",
    "clean_json",
    "lexical_text",
    "parse_row",
    "prepare",
    "string_table",
    "tie_of",
]

Float32 = npt.NDArray[np.float32]
_UNIT_TOLERANCE = 1e-5
_WORDS_OF_A_ROW = "names/1"  # raise it when lexical_text gives other text for any row
_NAMING_FIELDS = ("name", "description", "summary", "aliases", "tags", "keywords")


@dataclass(frozen=True, slots=True)
class Row:
    """A stored record without its vector; ``metadata`` is the caller's to keep."""

    id: str
    artifact_id: str
    surface_kind: str
    surface_index: int
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


def lexical_text(row: Row) -> str:
    """Return the words a row is found by: its text, and for a piece of a file also its names.

    The words of a file's title, of its path below the root, of what its frontmatter calls it and
    of the headings above a chunk count as words of every chunk: people search for a page by what
    it is called. A row without a ``filename`` is found by its text alone.
    """
    metadata = row.metadata
    if not isinstance(metadata.get("filename"), str):
        return row.text
    names = [metadata.get("title"), row.artifact_id]
    for key in _NAMING_FIELDS:
        value = metadata.get(key)
        names += value if isinstance(value, list) else [value]
    heading = metadata.get("heading")
    if isinstance(heading, str):
        names += [part for part in heading.split(" > ") if part not in row.text]
    return "\n".join([*(name for name in names if isinstance(name, str)), row.text])


def analyzer_id() -> str:
    """Return what the postings of a row depend on: the analyzer, and :func:`lexical_text`."""
    from irengine.text import ANALYZER_ID

    return f"{ANALYZER_ID} {_WORDS_OF_A_ROW}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A record that passed every check: its JSON line, its unit vector and the vector's length."""

    row: Row
    line: bytes
    vector: Float32
    scale: float


def prepare(record: Record) -> Prepared:
    """Check ``record`` and encode it; nothing that passes can fail to be stored later.

    The vector is scaled to unit length (a zero vector stays zero) and its length is kept.

    Raises:
        ItemError: text, kind or metadata are not JSON; the message names artifact and key.
        EmbedderError: the vector is not one finite row of numbers.
    """
    where = f"artifact {having('record', record, 'vector', 'a record').artifact_id!r}"
    for name in ("id", "artifact_id", "surface_kind", "text"):
        if not isinstance(getattr(record, name), str):
            kind = type(getattr(record, name)).__name__
            raise ItemError(f"{where}: the record's {name} is {kind}, not text")
    index = record.surface_index
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < 2**31:
        raise ItemError(f"{where}: the record's surface_index {index!r} is not a position")
    metadata = clean_json(record.metadata, where, "metadata")
    row = Row(record.id, record.artifact_id, record.surface_kind, index, record.text, metadata)
    vector, scale = _unit(record.vector, where)
    return Prepared(row, encode_row(row), vector, scale)


def encode_row(row: Row) -> bytes:
    """Return the line of ``row``, newline included."""
    return (
        dump_json(
            {
                "id": row.id,
                "artifact": row.artifact_id,
                "kind": row.surface_kind,
                "index": row.surface_index,
                "text": row.text,
                "metadata": row.metadata,
            }
        )
        + b"\n"
    )


def parse_row(line: bytes) -> Row:
    """Return the row that :func:`encode_row` wrote."""
    raw = json.loads(line.decode("utf-8"))  # bytes would first be searched for their encoding
    return Row(raw["id"], raw["artifact"], raw["kind"], raw["index"], raw["text"], raw["metadata"])


def clean_json(value: Any, where: str, path: str) -> Any:
    """Return a JSON copy of ``value``; tuples become lists, anything foreign is refused."""
    if value is None or value.__class__ in (str, bool, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ItemError(f"{where}: {path} is {value}, which JSON does not have")
        return float(value)
    if isinstance(value, str):  # an enumeration's member, say: keep the plain text
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [clean_json(item, where, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        copy = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise ItemError(f"{where}: {path} has the key {key!r}, which is not text")
            copy[key] = clean_json(item, where, f"{path}.{key}")
        return copy
    raise ItemError(
        f"{where}: {path} is {type(value).__name__}, which JSON does not have",
        hint="give text, numbers, booleans, None, lists and dicts only",
    )


def _unit(vector: Any, where: str) -> tuple[Float32, float]:
    try:
        row = np.array(vector, dtype=np.float32)  # a copy: the caller may use the array again
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"{where}: the vector is not made of numbers") from error
    if row.ndim != 1 or not row.size:
        raise EmbedderError(f"{where}: a vector must have shape (dim,), not {row.shape}")
    scale = float(np.sqrt(np.dot(row, row)))
    if not math.isfinite(scale):
        scale = float(np.linalg.norm(row.astype(np.float64)))
        if not math.isfinite(scale):
            raise EmbedderError(f"{where}: the vector holds NaN or infinity")
    if scale == 0.0 or abs(scale - 1.0) <= _UNIT_TOLERANCE:
        return row, 1.0
    return (row / np.float32(scale)).astype(np.float32), scale


def tie_of(record_id: str) -> int:
    """Return a number below 2**64 that orders record ids as their text does, for breaking ties.

    The first 16 hex digits of a 24-digit storage id, else the first 8 bytes.
    """
    if len(record_id) == 24:
        try:
            return int.from_bytes(bytes.fromhex(record_id), "big") >> 32
        except ValueError:
            pass
    return int.from_bytes(encode_text(record_id)[:8].ljust(8, b"\0"), "big")


def encode_text(text: str) -> bytes:
    """Return UTF-8 that also holds lone surrogates (undecodable file names)."""
    return text.encode("utf-8", "surrogatepass")


class StringTable(Sequence[str]):
    """Strings in one blob, found by position without decoding the others."""

    __slots__ = ("blob", "ends")

    def __init__(self, blob: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> None:
        self.blob = blob
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        start = int(self.ends[i - 1]) if i else 0
        return bytes(self.blob[start : int(self.ends[i])]).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        blob = self.blob.tobytes()
        start = 0
        for end in self.ends.tolist():
            yield blob[start:end].decode("utf-8", "surrogatepass")
            start = end


def string_table(strings: Iterable[str]) -> StringTable:
    """Pack ``strings``."""
    encoded = [encode_text(text) for text in strings]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    blob = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return StringTable(blob, ends)
