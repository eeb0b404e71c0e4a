"""Keep the Chroma copy of a corpus in step with what is published.

Chroma is written by a process of its own while the caller goes on embedding and publishing: it
trails by a step, and catches up before the lock is released. ``intent.json`` is there from the
first change until the copy was closed and verified, so its presence means *the copy cannot be
trusted*: it is then never opened again but made anew from the published rows. A kill, a full disk
or a crash inside Chroma therefore costs time, never data.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from irengine.errors import CorpusDamaged, IrError, StorageFull, StoreError
from irengine.store import chroma
from irengine.store.files import fsync_dir, read_json, remove_tree, storage_errors, write_json
from irengine.store.layout import Layout, Published
from irengine.store.rows import Prepared
from irengine.store.snapshot import Snapshot
from irengine.store.worker import Worker, add_rows, borrowed, give_back, take

__all__ = ["Mirror", "live_rows", "sample_of"]

_log = logging.getLogger(__name__)

_SMALL = 100
"""Changes of fewer records are verified one by one, larger ones by sample after reopening."""
_SAMPLE = 32
_CHURN_SHARE = 0.3  # deleted records stay in Chroma's index: start afresh after this share…
_CHURN_FLOOR = 1000  # …but not for a handful

Added = Sequence[Prepared]
_used: set[str] = set()
"""Folders this process had open: Chroma caches its state by path, so none is used twice."""


class Mirror:
    """The Chroma side of one open batch.

    ``pointer`` names the collection (locally its folder) that holds what is published once
    :meth:`catch_up` returned.
    """

    def __init__(
        self, layout: Layout, published: Published, storage: dict[str, Any], collection: str
    ) -> None:
        self._layout = layout
        self._storage = storage
        self._collection = collection
        self._local = storage["backend"] == "local"
        self.storage_key = chroma.storage_key_of(storage)
        self.pointer = published.chroma
        self.deleted = published.chroma_deleted
        self._version = published.chroma_version
        self._announced = layout.intent.exists()
        self._old = {published.chroma} if published.storage == self.storage_key else set()
        if self._announced:
            self._old.update(_announced_pointers(layout))
            self._sweep_local(keep="")  # never opened again; its space may be needed
        self._dirty = self._announced or self._unusable(published)
        self._worker: Worker | None = None
        self._opened = False
        self._thread: ThreadPoolExecutor | None = None
        self._jobs: list[Future[object]] = []
        self._failure: IrError | None = None
        self._changed: dict[str, Any] = {}
        self._touched = 0

    def _unusable(self, published: Published) -> bool:
        if not published.chroma:
            return published.count > 0
        if published.storage != self.storage_key:
            return True
        return self._local and not (self._layout.folder / published.chroma).is_dir()

    # -- following commits --------------------------------------------------------------------

    def warm_up(self) -> None:
        """Start the process early: importing Chroma takes it as long as a small commit takes us."""
        if self._worker is None and self._thread is None:
            self._submit(self._take)

    def follow(
        self, base: Snapshot, removed: Sequence[str], added: Added, *, erase: bool = False
    ) -> None:
        """Schedule the step from ``base`` to the generation about to be published.

        ``erase`` starts a new collection, so that no trace of what was deleted remains; so do
        vectors of another width, and much that was deleted.

        Raises:
            StorageFull: an earlier step found the disk full.
            StoreError: the installed chromadb is older than the copy.
            ParameterError: a secret of the storage is not in the environment.
        """
        chroma.refuse_older(self._version)
        chroma.with_secrets(self._storage)
        self._settle(leave=1)
        if isinstance(self._failure, StorageFull):
            raise self._failure
        self._note(removed, added)
        churn = self.deleted + len(removed)
        afresh = erase or churn > max(_CHURN_FLOOR, _CHURN_SHARE * base.count)
        # A collection takes vectors of one width, even when all of them were deleted.
        afresh = afresh or (bool(added) and len(added[0].vector) != base.dim)
        if self._dirty or not self.pointer or afresh:
            gone = frozenset(removed)
            self._renew()
            pointer = self.pointer
            rows = _both(base, gone, added)
            self._submit(lambda: self._fill(pointer, rows, forgetful=erase))
        else:
            self.deleted = churn
            self._announce()
            pointer = self.pointer
            self._submit(lambda: self._step(pointer, base.count, removed, added))

    def distrust(self) -> None:
        """Make the copy anew in the end (a generation it followed was not published, say)."""
        self._dirty = True

    def _note(self, removed: Sequence[str], added: Added) -> None:
        """Remember what to verify; a small change completely, a large one by sample."""
        self._touched += len(removed) + len(added)
        if self._touched >= _SMALL:
            self._changed = {}
            return
        for record_id in removed:
            self._changed.pop(record_id, None)
        self._changed.update((record.row.id, record.vector) for record in added)

    def _renew(self) -> None:
        """Point to a new, empty collection; the old one is dropped in the end."""
        self._old.add(self.pointer)
        self.pointer = self._fresh_pointer()
        self.deleted = 0
        self._dirty = False
        self._failure = None
        self._announce()

    def _step(self, pointer: str, expected: int, removed: Sequence[str], added: Added) -> None:
        worker = self._worker
        if worker is None or not self._opened:
            worker = self._open(pointer, create=False)
            if worker.call("count") != expected:
                raise StoreError(
                    f"the Chroma copy {pointer} is not the one that was left there",
                    code="chroma",
                )
        if removed:
            worker.call("delete", list(removed))
        add_rows(worker, _rows(added))

    def _fill(
        self, pointer: str, rows: Iterable[tuple[str, bytes, Any]], *, forgetful: bool = False
    ) -> None:
        if forgetful:  # a process that saw what is to be forgotten must not write the new files
            self._release()
            self._worker = take(self._layout.folder, fresh=True)
        add_rows(self._open(pointer, create=True), rows)

    def _open(self, pointer: str, *, create: bool) -> Worker:
        worker = self._take()
        worker.call(
            "open", chroma.with_secrets(self._storage), str(self._layout.folder), pointer, create
        )
        self._opened = True
        return worker

    def _take(self) -> Worker:
        if self._worker is None:
            self._worker = take(self._layout.folder)
        return self._worker

    # -- the end of a batch -------------------------------------------------------------------

    def catch_up(self, snapshot: Snapshot) -> None:
        """Finish the work, close and verify the copy; make it anew once if it is not good.

        Raises:
            StorageFull: no space for it; the published generation is complete.
            StoreError: Chroma keeps failing; likewise.
        """
        if not self._announced and not self._dirty:
            return
        self._settle(leave=0)
        if isinstance(self._failure, StorageFull):
            raise self._failure
        problems = [str(self._failure)] if self._failure else []
        if not problems and not self._dirty:
            problems = self._verify(snapshot)
        if problems:
            _log.warning("making the Chroma copy anew: %s", problems[0])
        if problems or self._dirty:
            self._remake(snapshot)

    def declare_good(self) -> None:
        """CURRENT.json names the verified copy: drop the others and the warning sign."""
        self._stop()
        if self._announced:
            with storage_errors(self._layout.folder):
                self._layout.intent.unlink(missing_ok=True)
                fsync_dir(self._layout.folder)
            self._announced = False
            self._drop_old()
        self._sweep_local(keep=self.pointer)

    def give_up(self) -> None:
        """Let go of everything; the copy stays marked as not to be trusted."""
        self._settle(leave=0)
        self._stop()

    def _remake(self, snapshot: Snapshot) -> None:
        self._release()
        if not snapshot.count:
            self._old.add(self.pointer)
            self.pointer, self.deleted, self._dirty = "", 0, False
            return
        chroma.refuse_older(self._version)
        self._renew()
        self._changed, self._touched = {}, snapshot.count
        self._fill(self.pointer, live_rows(snapshot))
        problems = self._verify(snapshot)
        if problems:
            raise StoreError(
                f"the Chroma copy does not hold what was stored: {problems[0]}",
                hint="search is not affected; please report this",
                code="chroma",
            )

    def _verify(self, snapshot: Snapshot) -> list[str]:
        worker = self._worker
        if worker is None or not self._opened:
            return []
        try:
            if self._local and self._touched >= _SMALL:
                worker.call("close")  # what counts is what will be read from the disk
                worker = self._open(self.pointer, create=False)
            return list(
                worker.call("differences", snapshot.count, {**sample_of(snapshot), **self._changed})
            )
        except StorageFull:
            raise
        except StoreError as error:
            return [str(error)]

    # -- plumbing -----------------------------------------------------------------------------

    def _announce(self) -> None:
        """Say, durably, that the copy is being changed."""
        pointers = sorted({*self._old, self.pointer} - {""})
        with storage_errors(self._layout.folder):
            if not self._announced or pointers != _announced_pointers(self._layout):
                write_json(self._layout.intent, {"chroma": pointers, "pid": os.getpid()})
        self._announced = True

    def _submit(self, job: Callable[[], object]) -> None:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="irengine-chroma")
        self._jobs.append(self._thread.submit(job))

    def _settle(self, *, leave: int) -> None:
        """Wait until at most ``leave`` jobs are unfinished; remember the last failure."""
        while len(self._jobs) > leave:
            try:
                self._jobs.pop(0).result()
            except IrError as error:
                self._failure = error
                self._dirty = True

    def _release(self) -> None:
        """Close the collection and part with the process that had it open."""
        if self._worker is not None:
            worker, self._worker, self._opened = self._worker, None, False
            give_back(worker)

    def _stop(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=True)
            self._thread = None
        self._release()

    def _fresh_pointer(self) -> str:
        numbers = [int(n) for name in self._old for n in re.findall(r"(\d{6,})", name)[-1:]]
        number = max([*numbers, *self._layout.numbered("chroma"), 0]) + 1
        if not self._local:
            return f"{self._collection}-{secrets.token_hex(2)}-{number:06d}"
        while str(self._layout.folder / f"chroma-{number:06d}") in _used:
            number += 1
        _used.add(str(self._layout.folder / f"chroma-{number:06d}"))
        return f"chroma-{number:06d}"

    def _sweep_local(self, *, keep: str) -> None:
        for paths in self._layout.numbered("chroma").values():
            for path in paths:
                if not self._local or path.name != keep:
                    remove_tree(path)

    def _drop_old(self) -> None:
        """Delete remote collections that are no longer named; failure is only logged."""
        if self._local:
            return
        for pointer in self._old - {self.pointer, ""}:
            try:
                with borrowed(self._layout.folder) as worker:
                    worker.call("drop", chroma.with_secrets(self._storage), pointer)
            except IrError as error:
                _log.warning("the old collection stays: %s", error)


def _announced_pointers(layout: Layout) -> list[str]:
    try:
        return [str(pointer) for pointer in read_json(layout.intent)["chroma"]]
    except (OSError, CorpusDamaged, KeyError, TypeError):
        return []


def _rows(added: Added) -> Iterator[tuple[str, bytes, Any]]:
    return ((record.row.id, record.line, record.vector) for record in added)


def _both(base: Snapshot, gone: frozenset[str], added: Added) -> Iterator[tuple[str, bytes, Any]]:
    yield from (row for row in live_rows(base) if row[0] not in gone)
    yield from _rows(added)


def live_rows(snapshot: Snapshot) -> Iterator[tuple[str, bytes, Any]]:
    """Iterate ``(id, JSON line, unit vector)`` of the live rows.

    Raises:
        CorpusDamaged: a row is not what was written.
    """
    for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True):
        ids = list(segment.ids)
        positions = range(segment.n) if mask is None else np.flatnonzero(mask).tolist()
        for i in positions:
            yield ids[i], segment.intact_line(i), segment.vectors[i]


def sample_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return the unit vectors of up to 32 live rows, evenly spread, by id."""
    positions = snapshot.live_positions()
    if not len(positions):
        return {}
    chosen = np.unique(np.linspace(0, len(positions) - 1, _SAMPLE).astype(int))
    sample = {}
    for position in positions[chosen].tolist():
        segment, i = snapshot.locate(position)
        sample[segment.ids[i]] = np.array(segment.vectors[i])
    return sample
