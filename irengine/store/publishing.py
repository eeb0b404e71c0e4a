"""Make a generation whose files are complete the current one, and collect the garbage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from irengine.errors import StoreError
from irengine.store.files import (
    fsync_dir,
    fsync_file,
    remove_temporaries,
    remove_tree,
    write_atomic,
)
from irengine.store.generation import DEAD_FILE
from irengine.store.integrity import file_record
from irengine.store.layout import Layout, Published

__all__ = ["collect_garbage", "publish", "write_dead", "write_manifest"]


def write_dead(folder: Path, masks: Sequence[npt.NDArray[np.bool_] | None]) -> None:
    """Write the positions of dead rows, segment by segment; no file when all are alive."""
    dead = [np.flatnonzero(~mask) for mask in masks if mask is not None]
    if not dead:
        return
    with (folder / DEAD_FILE).open("xb") as file:
        np.save(file, np.concatenate(dead).astype(np.int32), allow_pickle=False)
        file.flush()
        fsync_file(file.fileno())


def write_manifest(layout: Layout, published: Published) -> None:
    """Write the manifest of a generation: a copy of CURRENT.json, and checksums."""
    files = {
        path.relative_to(layout.folder).as_posix(): file_record(path)
        for path in _files_of(layout, published)
    }
    write_atomic(layout.manifest(published.generation), published.to_bytes(files=files))


def publish(layout: Layout, published: Published) -> None:
    """Write the manifest, then replace CURRENT.json: from here on readers see it."""
    write_manifest(layout, published)
    fsync_dir(layout.folder)
    write_atomic(layout.current, published.to_bytes())


def collect_garbage(layout: Layout, published: Published, *, keep_previous: bool = True) -> None:
    """Remove what neither the current generation nor the previous one refers to."""
    kept = [published]
    if keep_previous and published.generation > 1:
        with contextlib.suppress(FileNotFoundError, StoreError):
            kept.append(Published.read(layout.manifest(published.generation - 1)))
    numbers = {generation.generation for generation in kept}
    segments = {segment.name for generation in kept for segment in generation.segments}
    tables = {name for generation in kept for name in (*generation.ledger, *generation.links)}
    for number, paths in layout.numbered("gen").items():
        if number not in numbers:
            for path in paths:
                remove_tree(path)
    for paths in layout.numbered("seg").values():
        for path in paths:
            if path.name not in segments:
                remove_tree(path)
    if layout.tables.is_dir():
        for path in layout.tables.iterdir():
            if path.name not in tables:
                remove_tree(path)
    for path in (layout.current, layout.corpus, layout.intent):
        remove_temporaries(path)


def _files_of(layout: Layout, published: Published) -> Iterator[Path]:
    dead = layout.generation(published.generation) / DEAD_FILE
    if dead.exists():
        yield dead
    for segment in published.segments:
        yield layout.segment(segment.name) / "segment.json"
    for name in (*published.ledger, *published.links):
        yield layout.tables / name
