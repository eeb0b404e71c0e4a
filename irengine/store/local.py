"""A corpus in a folder: publish generations one after another, never half of one."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.errors import IrError, StoreError
from irengine.store.changes import Changes, Plan, effective, layers_to_merge, plan_segments
from irengine.store.chroma import check_storage, chroma_version, with_secrets
from irengine.store.files import (
    fsync_dir,
    read_json,
    remove_tree,
    storage_errors,
    write_json,
)
from irengine.store.generation import Generation, Reader
from irengine.store.layout import Layout, Published, SegmentRecord
from irengine.store.lock import writer_lock
from irengine.store.mirror import Mirror
from irengine.store.publishing import collect_garbage, publish, write_dead
from irengine.store.rows import analyzer_id
from irengine.store.segment import Segment
from irengine.store.segment_files import merge_to_folder, save_segment
from irengine.store.snapshot import Snapshot
from irengine.store.tables import Layer, Table, merge_layers, write_layer
from irengine.store.worker import borrowed

__all__ = ["LocalStore", "Writer"]


class LocalStore:
    """The file backend of a :class:`CorpusStore`."""

    def __init__(self, folder: Path, name: str, storage: Mapping[str, Any] | None = None) -> None:
        self.layout = Layout(folder)
        self.name = name
        self.reader = Reader(folder)
        self._asked = None if storage is None else check_storage(storage)

    @property
    def exists(self) -> bool:
        """Whether anything was ever published."""
        return self.layout.current.exists() or self.layout.lost_pointer()

    def about(self) -> dict[str, Any]:
        """Return the content of corpus.json, as far as known without it when it is damaged.

        Nothing depends on it alone: CURRENT.json has the settings and the place of the copy
        (secrets and headers of a server excepted).
        """
        about = self.described()
        if about is not None:
            return about
        published = self.layout.newest()
        if published is None:
            return {}
        place = published.storage
        storage = {"backend": "local"} if place == "local" else json.loads(place)
        name = str(published.config.get("name", self.name))
        return {"name": name, "storage": storage, "config": published.config}

    def described(self) -> dict[str, Any] | None:
        """Return the content of corpus.json; ``None`` when it is missing or damaged."""
        try:
            about = read_json(self.layout.corpus)
            check_storage(about["storage"])
            whole = isinstance(about["name"], str) and isinstance(about["config"], dict)
        except (OSError, IrError, KeyError, TypeError, ValueError):
            return None
        return dict(about) if whole else None

    @property
    def storage(self) -> dict[str, Any]:
        """Where the Chroma copy is kept."""
        return self._asked or check_storage(self.about().get("storage"))

    def snapshot(self) -> Snapshot:
        """Return the newest published snapshot."""
        return self.reader.generation().snapshot

    def config(self) -> dict[str, Any]:
        """Return the published build settings."""
        return self.reader.generation().published.config

    def table(self, kind: str) -> Table:
        """Return the published ``ledger`` or ``links``."""
        return self.reader.table(kind)

    @contextlib.contextmanager
    def writing(self, purpose: str, timeout: float) -> Iterator[Writer]:
        """Hold the writer lock; leave the Chroma copy in step with what was published.

        Raises:
            StoreError: code ``corpus-removed``: someone deleted the folder meanwhile.
        """
        with writer_lock(self.layout.lock, purpose, timeout=timeout) as is_held:
            # Before anything changes: damaged vectors must not reach a copy that has good ones.
            for segment in self.reader.generation().snapshot.segments:
                segment.check_vectors()
            writer = Writer(self, is_held)
            try:
                yield writer
                writer.require_folder()
            except BaseException as error:
                if is_held():
                    writer.finish_quietly()
                    raise
                writer.clear_away()
                if isinstance(error, OSError | StoreError):
                    writer.require_folder()
                raise
            writer.finish()

    def delete(self, timeout: float) -> None:
        """Remove the folder: out of sight at once, then for good."""
        folder = self.layout.folder
        if not folder.is_dir():
            return
        storage, published = self.storage, self.layout.newest()
        trash = folder.with_name(f".trash-{secrets.token_hex(6)}")
        with writer_lock(self.layout.lock, "delete", timeout=timeout), storage_errors(folder):
            folder.rename(trash)
        self.reader.forget()
        remove_tree(trash)
        if storage["backend"] != "local" and published is not None and published.chroma:
            with borrowed(folder) as worker:
                worker.call("drop", with_secrets(storage), published.chroma)


class Writer:
    """The holder of the lock."""

    def __init__(self, store: LocalStore, is_held: Callable[[], bool]) -> None:
        self._store = store
        self._is_held = is_held
        self._layout = store.layout
        self._reader = store.reader
        self._about = self._describe()
        published = self._reader.generation().published
        self.mirror = Mirror(
            store.layout, published, store.storage, f"irengine-{self._about['uid']}"
        )
        self._written = 0
        collect_garbage(self._layout, published)

    def _describe(self) -> dict[str, Any]:
        """Write corpus.json when it is missing or the storage changed."""
        about = self._store.about() or {"config": self._reader.generation().published.config}
        wanted = {
            "format": 1,
            "name": self._store.name,
            "uid": about.get("uid") or secrets.token_hex(8),
            "storage": self._store.storage,
            "config": about.get("config", {}),
        }
        if wanted != about:
            with storage_errors(self._layout.folder):
                write_json(self._layout.corpus, wanted)
        return wanted

    def require_folder(self) -> None:
        """Refuse to go on when the folder is gone, or is another one by now.

        Raises:
            StoreError: code ``corpus-removed``.
        """
        if not self._is_held():
            raise StoreError(
                f"the folder of corpus {self._store.name!r} was deleted, or moved away, "
                "while it was being written",
                hint="nothing was written in its place; build the corpus again if it is needed",
                code="corpus-removed",
            )

    def clear_away(self) -> None:
        """Remove what the Chroma process made anew of a folder that is gone."""
        self.mirror.give_up()
        folder = self._layout.folder
        if folder.is_dir() and not self._layout.lock.exists():  # else a new writer is at work
            with contextlib.suppress(OSError):
                for path in folder.iterdir():
                    remove_tree(path)
                folder.rmdir()

    # -- publishing ---------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Start the Chroma process while records are still being queued."""
        self.mirror.warm_up()

    def publish(self, changes: Changes, *, erase: bool = False, compact: bool = False) -> Snapshot:
        """Make ``changes`` the next generation; see :meth:`Batch.commit`.

        With ``erase`` no file of the new generation holds anything that is not alive in it.
        """
        self.require_folder()
        generation = self._reader.generation()
        old, base = generation.published, generation.snapshot
        ledger = effective(self._reader.table("ledger"), changes.ledger)
        links = effective(self._reader.table("links"), changes.links)
        config = old.config if changes.config is None else changes.config
        retokenize = bool(base.n) and base.analyzer_id != analyzer_id()
        self._written += len(changes.records)
        scattered = len(base.segments) + bool(changes.records) > 1
        mostly_new = 2 * self._written >= base.count + len(changes.records)
        everything = retokenize or (compact and scattered and mostly_new)
        plan = plan_segments(base, changes, erase=erase, everything=everything)
        if not (plan.changed or ledger or links or erase or config != old.config):
            return base
        number = old.generation + 1
        added = list(changes.records.values())
        made: list[Path] = []
        if erase or plan.removed or added:
            self.mirror.follow(base, plan.removed, added, erase=erase)
        try:
            with storage_errors(self._layout.folder):
                segments = self._write_segments(plan, number, made, retokenize)
                new = replace(
                    old,
                    generation=number,
                    segments=tuple(SegmentRecord(s.name, s.n, _dead(m)) for s, m in segments),
                    ledger=self._write_table("ledger", ledger, number, made, erase),
                    links=self._write_table("links", links, number, made, erase),
                    config=config,
                    embedder_id=str(config.get("embedder_id", "")),
                    analyzer_id=analyzer_id(),
                )
                snapshot = self._write_generation(new, segments, made)
        except BaseException:
            self.mirror.distrust()
            if not self._is_current(number):
                for path in made:
                    remove_tree(path)
            raise
        if config != old.config:
            self._about["config"] = config
            with contextlib.suppress(StoreError), storage_errors(self._layout.folder):
                write_json(self._layout.corpus, self._about)
        collect_garbage(self._layout, self._reader.generation().published, keep_previous=not erase)
        return snapshot

    def _is_current(self, number: int) -> bool:
        """Whether a generation is published: what fails later must not take its files away."""
        try:
            return Published.read(self._layout.current).generation == number
        except (OSError, StoreError):
            return False

    def _write_segments(
        self, plan: Plan, number: int, made: list[Path], retokenize: bool
    ) -> list[tuple[Segment, npt.NDArray[np.bool_] | None]]:
        segments = list(plan.keep)
        if plan.merge:
            folder = self._layout.new_segment(number)
            made.append(folder)
            only, keep = plan.merge[0]
            if len(plan.merge) == 1 and not only.name and len(keep) == only.n:
                segments.append((save_segment(only, folder), None))
            else:
                merged = merge_to_folder(plan.merge, folder, retokenize=retokenize)
                segments.append((merged, None))
        return segments

    def _write_table(
        self, kind: str, entries: Mapping[str, Any], number: int, made: list[Path], erase: bool
    ) -> tuple[str, ...]:
        """Add a layer with ``entries``, merging small ones; return the names of the layers."""
        layers = list(self._reader.table(kind).layers)
        names = [layer.name for layer in layers]
        if not entries and not (erase and len(layers) > 1):
            return tuple(names)
        self._layout.tables.mkdir(exist_ok=True)
        if entries:
            path = self._layout.new_table(kind, number)
            made.append(path)
            write_layer(path, entries)
            newest = Layer(path)
            taken = layers_to_merge([layer.size for layer in layers], newest.size)
            layers.append(newest)
            names.append(path.name)
        taken = len(layers) if erase else taken + 1
        if taken > 1:
            path = self._layout.new_table(kind, number)
            made.append(path)
            merge_layers(layers[-taken:], path, bottom=taken == len(layers))
            names[-taken:] = [path.name]
        fsync_dir(self._layout.tables)
        return tuple(names)

    def _write_generation(
        self,
        new: Published,
        segments: Sequence[tuple[Segment, npt.NDArray[np.bool_] | None]],
        made: list[Path],
    ) -> Snapshot:
        """Write the generation's folder, then replace CURRENT.json: the moment of truth."""
        known = {segment.name: segment for segment, _ in segments}
        counted = Snapshot(
            generation=new.generation,
            segments=[segment for segment, _ in segments],
            alive=[mask for _, mask in segments],
            embedder_id=new.embedder_id,
            analyzer_id=new.analyzer_id,
        )
        has_copy = bool(self.mirror.pointer)
        new = replace(
            new,
            count=counted.count,
            n_artifacts=counted.n_artifacts,
            dim=counted.dim,
            content_id=counted.content_id,
            chroma=self.mirror.pointer,
            chroma_deleted=self.mirror.deleted,
            chroma_version=chroma_version() if has_copy else new.chroma_version,
            storage=self.mirror.storage_key,
        )
        folder = self._layout.generation(new.generation)
        remove_tree(folder)
        made.append(folder)
        folder.mkdir()
        write_dead(folder, [mask for _, mask in segments])
        publish(self._layout, new)
        made.clear()
        self._reader.adopt(Generation(self._layout, new, counted, known))
        return counted

    # -- the end ------------------------------------------------------------------------------

    def finish(self) -> None:
        """Bring the Chroma copy in step, verify it, and publish its name if that changed.

        Raises:
            StorageFull: no space for the copy; what was published is complete.
            StoreError: Chroma keeps failing; likewise.
        """
        generation = self._reader.generation()
        published = generation.published
        try:
            self.mirror.catch_up(generation.snapshot)
            there = (self.mirror.pointer, self.mirror.storage_key)
            if published.generation and there != (published.chroma, published.storage):
                self._repoint(published)
        except BaseException:
            self.mirror.give_up()
            raise
        self.mirror.declare_good()

    def finish_quietly(self) -> None:
        """Like :meth:`finish` when an error is on its way already: that one matters more."""
        with contextlib.suppress(StoreError):
            self.finish()

    def _repoint(self, published: Published) -> None:
        new = replace(
            published,
            chroma=self.mirror.pointer,
            chroma_deleted=self.mirror.deleted,
            chroma_version=chroma_version(),
            storage=self.mirror.storage_key,
        )
        with storage_errors(self._layout.folder):
            publish(self._layout, new)


def _dead(mask: npt.NDArray[np.bool_] | None) -> int:
    return 0 if mask is None else int(len(mask) - np.count_nonzero(mask))
