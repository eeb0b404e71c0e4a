"""A segment as a folder of immutable files.

``segment.json`` (what is where, sizes and SHA-256 of the other files), ``columns.bin`` (all small
arrays, 64-byte aligned), ``vectors.npy``, ``rows.jsonl`` and the ``lex-*`` files of the text
module. Opening reads ``segment.json`` and maps the rest; nothing else is parsed.
"""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irengine.errors import CorpusDamaged
from irengine.store.columns import Column, Columns
from irengine.store.damage import damaged
from irengine.store.files import dump_json, fsync_dir, fsync_file, read_json
from irengine.store.integrity import Checksum, check_file, content_problem, file_record, uneven_rows
from irengine.store.rows import StringTable
from irengine.store.segment import CHUNK_ROWS, Part, Segment, merge_segments

if TYPE_CHECKING:
    from irengine.text.postings import Postings

__all__ = [
    "map_file",
    "merge_to_folder",
    "open_segment",
    "save_segment",
    "segment_problems",
]

_FORMAT = 1
_DESCRIPTION = "segment.json"
_ALIGN = 64
_MEANWHILE = "searching by meaning (--mode dense) works meanwhile"


def save_segment(segment: Segment, folder: Path) -> Segment:
    """Write an in-memory segment to a new ``folder``, flushed to disk, and open it."""
    folder.mkdir(parents=True)
    every = np.arange(segment.n)
    parts: Sequence[Part] = [(segment, every)]
    vectors = _write_vectors(folder, parts, segment.dim)
    rows = _write_file(folder / "rows.jsonl", [segment.row_bytes])
    _finish(segment, folder, vectors, rows)
    return open_segment(folder)


def merge_to_folder(parts: Sequence[Part], folder: Path, *, retokenize: bool = False) -> Segment:
    """Merge the kept rows of ``parts`` into a new ``folder``; memory use stays small."""
    for segment, _ in parts:
        segment.check_vectors()  # written once more, damage would look like what was meant
    folder.mkdir(parents=True)
    vectors = _write_vectors(folder, parts, parts[0][0].dim)
    rows = _write_file(folder / "rows.jsonl", _row_chunks(parts))
    merged = merge_segments(
        parts,
        vectors=_map_vectors(folder, vectors),
        rows=map_file(folder / "rows.jsonl", rows["size"]),
        retokenize=retokenize,
    )
    _finish(merged, folder, vectors, rows)
    return open_segment(folder)


def open_segment(folder: Path) -> Segment:
    """Open a saved segment; arrays are mapped read-only.

    Raises:
        FileNotFoundError: the folder is gone (a newer generation replaced it).
        CorpusDamaged: a file is truncated or of an unknown format.
    """
    about = read_json(folder / _DESCRIPTION)
    try:
        return _opened(folder, about)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        path = folder / _DESCRIPTION
        raise damaged(path, f"{path} lacks or garbles {error}") from error


def _opened(folder: Path, about: Any) -> Segment:
    if about.get("format") != _FORMAT:
        raise CorpusDamaged(
            f"{folder} has segment format {about.get('format')!r}; this version reads {_FORMAT}",
            hint="upgrade irengine, or build the corpus anew",
            code="newer-format",
        )
    files = about["files"]
    check_file(folder / "columns.bin", files["columns.bin"])
    packed = memoryview(map_file(folder / "columns.bin", files["columns.bin"]["size"]))
    arrays = {name: _view(packed, place) for name, place in about["arrays"].items()}
    rows = map_file(folder / "rows.jsonl", files["rows.jsonl"]["size"])
    columns = {}
    for field, places in about["columns"]:
        start, size = places["values"]
        sparse = places.get("rows")
        columns[field] = Column(
            _view(packed, places["codes"]),
            None if sparse is None else _view(packed, sparse),
            packed[start : start + size],
        )
    return Segment(
        name=folder.name,
        vectors=_map_vectors(folder, files["vectors.npy"]),
        scales=arrays.get("scales"),
        artifact=arrays["artifact"],
        artifacts=StringTable(arrays["artifact_blob"], arrays["artifact_ends"]),
        artifact_hashes=arrays["artifact_hashes"],
        kind=arrays["kind"],
        kinds=tuple(about["kinds"]),
        surface_index=arrays["surface_index"],
        tie=arrays["tie"],
        row_hash=arrays["row_hash"],
        ids=StringTable(arrays["id_blob"], arrays["id_ends"]),
        columns=Columns(about["n"], columns),
        rows=rows,
        row_ends=arrays["row_ends"],
        postings=_PostingsIn(folder, files),
        uneven=files["vectors.npy"].get("uneven"),
        folder=folder,
    )


class _PostingsIn:
    """Loads the postings of a segment folder when a lexical query first needs them."""

    def __init__(self, folder: Path, files: Mapping[str, Any]) -> None:
        self.folder = folder
        self.files = {n: record for n, record in files.items() if n.startswith("lex-")}

    def __call__(self, segment: Segment) -> Postings:
        from irengine.text.postings import build_postings, load_postings

        try:
            for name, record in self.files.items():
                check_file(self.folder / name, record, meanwhile=_MEANWHILE)
            postings = load_postings(self.folder)
        except FileNotFoundError:
            # Two generations passed while a query held this one: its rows are still mapped.
            return build_postings(segment.lexical_texts())
        except (ValueError, EOFError, OSError) as error:
            raise damaged(self.folder, f"the lex-* files of {self.folder}: {error}") from error
        if postings.n != segment.n:
            raise damaged(
                self.folder,
                f"the lex-* files of {self.folder} have {postings.n} rows instead of {segment.n}",
            )
        return postings


def segment_problems(folder: Path) -> list[str]:
    """Compare every file of a saved segment with its recorded size and SHA-256."""
    try:
        recorded = read_json(folder / _DESCRIPTION)["files"].items()
        files = {name: {key: about[key] for key in ("size", "sha256")} for name, about in recorded}
    except (OSError, CorpusDamaged, KeyError, TypeError, AttributeError) as error:
        return [f"{folder.name}/{_DESCRIPTION}: {error}"]
    found = {name: content_problem(folder / name, record) for name, record in files.items()}
    return [f"{folder.name}/{name}: {problem}" for name, problem in found.items() if problem]


def map_file(path: Path, size: int) -> mmap.mmap:
    """Map a file read-only; its size must be ``size`` (which is not zero)."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(descriptor).st_size
        if found != size:
            raise damaged(path, f"{path} has {found} bytes instead of {size}")
        return mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)


def _map_vectors(folder: Path, file: dict[str, Any]) -> npt.NDArray[np.float32]:
    mapped = map_file(folder / "vectors.npy", file["size"])
    n, dim = file["shape"]
    flat = np.frombuffer(mapped, dtype="<f4", count=n * dim, offset=file["offset"])
    return flat.reshape(n, dim)


def _view(packed: memoryview, place: Sequence[Any]) -> Any:
    dtype, start, count = place
    if not count:
        return np.empty(0, dtype=dtype)
    return np.frombuffer(packed, dtype=dtype, count=count, offset=start)


# -- writing ------------------------------------------------------------------------------------


def _write_file(path: Path, chunks: Iterable[Any]) -> dict[str, Any]:
    checksum = Checksum()
    with path.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
            checksum.add(chunk)
        file.flush()
        fsync_file(file.fileno())
    return checksum.record()


def _write_vectors(folder: Path, parts: Sequence[Part], dim: int) -> dict[str, Any]:
    n = sum(len(keep) for _, keep in parts)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f4", "fortran_order": False, "shape": (n, dim)}
    )
    uneven = 0

    def everything() -> Iterable[bytes]:
        nonlocal uneven
        yield header.getvalue()
        for segment, keep in parts:
            for at in range(0, len(keep), CHUNK_ROWS):
                rows = np.ascontiguousarray(segment.vectors[keep[at : at + CHUNK_ROWS]], "<f4")
                uneven += uneven_rows(rows)
                yield rows.tobytes()

    file = _write_file(folder / "vectors.npy", everything())
    return {**file, "offset": header.tell(), "shape": [n, dim], "uneven": uneven}


def _row_chunks(parts: Sequence[Part]) -> Iterable[bytes]:
    for segment, keep in parts:
        for at in range(0, len(keep), CHUNK_ROWS):
            yield b"".join(segment.line(i) for i in keep[at : at + CHUNK_ROWS].tolist())


class _Packer:
    """Collects arrays into one aligned file and remembers where each one is."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def add(self, values: npt.NDArray[Any]) -> list[Any]:
        data = np.ascontiguousarray(values)
        little = data.astype(data.dtype.newbyteorder("<"), copy=False)
        return [little.dtype.str, self.add_bytes(little.tobytes()), len(little)]

    def add_bytes(self, data: bytes) -> int:
        start = self.size
        padding = -len(data) % _ALIGN
        self.chunks += (data, b"\0" * padding)
        self.size += len(data) + padding
        return start


def _finish(segment: Segment, folder: Path, vectors: dict[str, Any], rows: dict[str, Any]) -> None:
    """Write postings, columns and the description; afterwards the folder is complete."""
    from irengine.text.postings import save_postings

    save_postings(segment.postings, folder)
    files = {"vectors.npy": vectors, "rows.jsonl": rows}
    for path in sorted(folder.iterdir()):
        if path.name not in files:
            files[path.name] = _flushed(path)
    packer = _Packer()
    arrays = {
        "artifact": packer.add(segment.artifact),
        "artifact_blob": packer.add(segment.artifacts.blob),
        "artifact_ends": packer.add(segment.artifacts.ends),
        "artifact_hashes": packer.add(segment.artifact_hashes),
        "kind": packer.add(segment.kind),
        "surface_index": packer.add(segment.surface_index),
        "tie": packer.add(segment.tie),
        "row_hash": packer.add(segment.row_hash),
        "id_blob": packer.add(segment.ids.blob),
        "id_ends": packer.add(segment.ids.ends),
        "row_ends": packer.add(segment.row_ends),
    }
    if segment.scales is not None:
        arrays["scales"] = packer.add(segment.scales)
    columns = []
    for field, column in segment.columns.items():
        values = column.raw_values()
        places: dict[str, Any] = {
            "codes": packer.add(column.codes),
            "values": [packer.add_bytes(values), len(values)],
        }
        if column.rows is not None:
            places["rows"] = packer.add(column.rows)
        columns.append([field, places])
    files["columns.bin"] = _write_file(folder / "columns.bin", packer.chunks)
    about = {
        "format": _FORMAT,
        "n": segment.n,
        "kinds": segment.kinds,
        "files": files,
        "arrays": arrays,
        "columns": columns,
    }
    _write_file(folder / _DESCRIPTION, [dump_json(about)])
    fsync_dir(folder)


def _flushed(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        fsync_file(file.fileno())
    return file_record(path)
