"""Open a published generation; follow CURRENT.json as writers replace it."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from irengine.store.damage import damaged
from irengine.store.integrity import not_as_written
from irengine.store.layout import Layout, Published
from irengine.store.rows import analyzer_id
from irengine.store.segment import Segment
from irengine.store.segment_files import open_segment
from irengine.store.snapshot import Snapshot, content_id_of
from irengine.store.tables import Layer, Table

__all__ = ["DEAD_FILE", "Generation", "Reader", "open_generation"]

DEAD_FILE = "dead.npy"
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.01

Signature = tuple[int, int, int]
_UNKNOWN: Signature = (-1, -1, -1)


class Generation:
    """One published generation: rows, and the tables (opened on first use)."""

    def __init__(
        self,
        layout: Layout,
        published: Published,
        snapshot: Snapshot,
        segments: dict[str, Segment],
    ) -> None:
        self.layout = layout
        self.published = published
        self.snapshot = snapshot
        self.segments = segments
        self._tables: dict[str, Table] = {}

    def table(self, kind: str) -> Table:
        """Return the ``ledger`` or ``links`` table."""
        table = self._tables.get(kind)
        if table is None:
            names: Iterable[str] = getattr(self.published, kind)
            table = Table([Layer(self.layout.tables / name) for name in names])
            self._tables[kind] = table
        return table


def open_generation(
    layout: Layout, published: Published, known: dict[str, Segment] | None = None
) -> Generation:
    """Open the files of a generation, taking segments that are open already from ``known``.

    Rows that another analyzer was used for are analysed anew, in memory, when words are first
    searched: slow once a process, with a ``UserWarning``, until the next commit stores the result.

    Raises:
        FileNotFoundError: a file is gone.
        CorpusDamaged: a file is truncated or unreadable.
    """
    segments = {}
    stale = published.analyzer_id != analyzer_id()
    notice = _notice_of(published) if stale else None
    for record in published.segments:
        segment = (known or {}).get(record.name)
        if segment is None:
            segment = open_segment(layout.segment(record.name))
            if notice is not None:
                segment.analyse_anew(notice)
        segments[record.name] = segment
    snapshot = Snapshot(
        generation=published.generation,
        segments=list(segments.values()),
        alive=_masks(layout, published),
        embedder_id=published.embedder_id,
        analyzer_id=published.analyzer_id,
        n_artifacts=published.n_artifacts,
        content_id=published.content_id,
    )
    # The sum over the live rows tells whether the right ones are alive.
    told = published.content_id if any(record.dead for record in published.segments) else ""
    if told and content_id_of(snapshot) != told:
        raise not_as_written(layout.generation(published.generation) / DEAD_FILE)
    if snapshot.count != published.count:
        raise damaged(
            layout.folder,
            f"{layout.folder} has {snapshot.count} live rows instead of {published.count}",
        )
    return Generation(layout, published, snapshot, segments)


def _notice_of(published: Published) -> Callable[[], None]:
    """Return what says, once, that a corpus' words are those of another version."""
    said: list[bool] = []
    name = str(published.config.get("name", "of this folder"))

    def notice() -> None:
        if not said:
            said.append(True)
            warnings.warn(
                f"the words of corpus {name!r} were indexed by another version and are analysed "
                "anew for now; building the corpus again makes it last",
                UserWarning,
                stacklevel=2,
            )

    return notice


def _masks(layout: Layout, published: Published) -> list[npt.NDArray[np.bool_] | None]:
    if not any(record.dead for record in published.segments):
        return [None for _ in published.segments]
    path = layout.generation(published.generation) / DEAD_FILE
    try:
        dead = np.load(path, allow_pickle=False)
        masks: list[npt.NDArray[np.bool_] | None] = []
        start = 0
        for record in published.segments:
            mask = None
            if record.dead:
                mask = np.ones(record.n, dtype=bool)
                mask[dead[start : start + record.dead]] = False
                start += record.dead
            masks.append(mask)
    except (ValueError, IndexError, EOFError) as error:
        raise damaged(path, f"{path} is damaged: {error}") from error
    return masks


class Reader:
    """The newest generation of a corpus folder, reopened when CURRENT.json changed.

    Looking costs one ``stat``. Nothing is ever created, so a read-only folder will do.
    """

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(folder)
        self._current = str(self.layout.current)
        self._signature: Signature | None = _UNKNOWN
        self._generation = _nothing(self.layout)
        self._lock = threading.Lock()

    def generation(self) -> Generation:
        """Return the newest published generation (an empty one when nothing is published)."""
        signature = self._stat()
        if signature == self._signature:
            return self._generation
        with self._lock:
            if self._stat() != self._signature:
                self._reopen()
            return self._generation

    def table(self, kind: str) -> Table:
        """Return a table of the newest generation.

        Raises:
            CorpusDamaged: a file of it is missing, truncated or garbled.
        """
        missing: Exception | None = None
        for _ in range(_ATTEMPTS):
            try:
                return self.generation().table(kind)
            except FileNotFoundError as error:
                missing = error
                self.forget()  # a newer generation replaced the file before we mapped it
        raise damaged(self.layout.folder, f"a file of the corpus is missing: {missing}")

    def adopt(self, generation: Generation) -> None:
        """Take over a generation this process just published."""
        with self._lock:
            self._generation = generation
            self._signature = self._stat()

    def forget(self) -> None:
        """Open everything afresh next time."""
        with self._lock:
            self._signature = _UNKNOWN

    def _stat(self) -> Signature | None:
        try:
            found = os.stat(self._current)  # noqa: PTH116 - half the time of Path.stat
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _reopen(self) -> None:
        missing: Exception | None = None
        for attempt in range(_ATTEMPTS):
            signature = self._stat()
            if signature is None:
                if self.layout.lost_pointer():
                    raise damaged(self.layout.folder, f"{self._current} is missing")
                self._generation, self._signature = _nothing(self.layout), None
                return
            try:
                published = Published.read(self.layout.current)
                self._generation = open_generation(
                    self.layout, published, self._generation.segments
                )
                self._signature = signature
                return
            except FileNotFoundError as error:
                missing = error
                time.sleep(_PAUSE_SECONDS * attempt)
        raise damaged(self.layout.folder, f"a file of the corpus is missing: {missing}")


def _nothing(layout: Layout) -> Generation:
    return Generation(layout, Published(0), Snapshot(generation=0), {})
