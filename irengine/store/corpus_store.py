"""The store of one corpus: records, ledger, links, settings, and the snapshot searches read."""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine import config
from irengine.base import Record, ledger_key
from irengine.checks import mapping, members, text
from irengine.errors import StoreError, UnknownItem
from irengine.store import repair
from irengine.store.batch import Batch, clean_edges
from irengine.store.changes import Changes
from irengine.store.local import LocalStore, Writer
from irengine.store.memory import MemoryStore
from irengine.store.repair import StoreReport
from irengine.store.segment import artifact_hash
from irengine.store.sidecars import FileSidecars, MemorySidecars, Sidecars
from irengine.store.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CorpusStore", "built_names"]

_LOCK_SECONDS = 5.0


class CorpusStore:
    """Everything that is kept of one corpus.

    ``CorpusStore.local(name)`` is a folder that any number of processes read while one writes;
    ``CorpusStore.memory()`` and the constructor work over mappings. Searches read
    :meth:`snapshot`; builds write through :meth:`writing`. The single-record methods are each a
    committed batch of one (inside an open batch of this thread they are queued there).

    Args:
        meta: ``record id -> {artifact_id, surface_kind, surface_index, text, metadata}``.
        vectors: ``record id -> float32 (dim,)``.
        ledger: ``ledger key -> entry``.
        config: ``{"config": settings, "maintenance": state}``.
        calibration: ``mode -> record``.
        links: ``artifact id -> {edge type: [target]}``.
        packed_dir: accepted and not used: mappings are never packed to disk.
    """

    def __init__(
        self,
        meta: MutableMapping[str, Any],
        vectors: MutableMapping[str, Any],
        ledger: MutableMapping[str, Any],
        config: MutableMapping[str, Any],
        calibration: MutableMapping[str, Any] | None = None,
        links: MutableMapping[str, Any] | None = None,
        *,
        packed_dir: str | Path | None = None,
    ) -> None:
        backend = MemoryStore(meta, vectors, ledger, config, {} if links is None else links)
        sidecars = MemorySidecars({} if calibration is None else calibration, config)
        self._setup(backend, sidecars)

    def _setup(self, backend: MemoryStore | LocalStore, sidecars: Sidecars) -> None:
        self._backend = backend
        self._sidecars = sidecars
        self._open = threading.local()
        self._matrix: tuple[Snapshot, tuple[list[str], np.ndarray, list[dict[str, Any]]]] | None
        self._matrix = None

    @classmethod
    def memory(cls) -> CorpusStore:
        """Return an empty store in memory."""
        return cls({}, {}, {}, {}, {}, {})

    @classmethod
    def local(cls, name: str, *, storage: Mapping[str, Any] | None = None) -> CorpusStore:
        """Return the store of the corpus ``name`` on this machine; nothing is created.

        Args:
            name: the corpus' name; :func:`irengine.config.corpus_dir` says where it lives.
            storage: where the Chroma copy is kept, for example ``{"backend": "chroma", "host":
                "localhost", "port": 8000}``; by default what the corpus was built with, else
                ``{"backend": "local"}``.

        Raises:
            InvalidName: for a name that cannot be used.
            ParameterError: for a malformed storage.
        """
        store = cls.__new__(cls)
        backend = LocalStore(config.corpus_dir(name), name, storage)
        store._setup(backend, FileSidecars(backend.layout))
        return store

    # -- reading ------------------------------------------------------------------------------

    @property
    def exists(self) -> bool:
        """Whether anything was ever published (always true in memory)."""
        return self._backend.exists

    @property
    def path(self) -> Path | None:
        """The folder of the corpus; ``None`` in memory."""
        return self._backend.layout.folder if isinstance(self._backend, LocalStore) else None

    @property
    def storage(self) -> dict[str, Any]:
        """Where the Chroma copy is kept; ``{"backend": "memory"}`` when there is none."""
        if isinstance(self._backend, LocalStore):
            return self._backend.storage
        return {"backend": "memory"}

    def snapshot(self) -> Snapshot:
        """Return the newest published snapshot; costs a ``stat`` when nothing changed.

        Raises:
            CorpusDamaged: published files are missing or truncated.
        """
        return self._backend.snapshot()

    def __len__(self) -> int:
        """Return the number of live records."""
        return self.snapshot().count

    def __bool__(self) -> bool:
        """Return ``True``, also when nothing is stored.

        A length of 0 would make an empty store false, and ``store or CorpusStore.memory()``
        would quietly write somewhere else than where it was told to.
        """
        return True

    def __repr__(self) -> str:
        return f"CorpusStore({str(self.path) if self.path else 'in memory'})"

    def record_ids(self) -> Iterator[str]:
        """Iterate the ids of the stored records."""
        return iter(self.snapshot().record_ids())

    def get_record(self, record_id: str) -> Record:
        """Return a record.

        Raises:
            UnknownItem: (also a ``KeyError``) there is none of that id.
        """
        snapshot = self.snapshot()
        position = snapshot.find(text("record_id", record_id))
        if position is None:
            raise UnknownItem(f"there is no record {record_id!r}")
        return snapshot.record(position)

    def matrix(self) -> tuple[list[str], np.ndarray, list[dict[str, Any]]]:
        """Return ``(record ids, unit rows, metas)`` of all records, in one order.

        The matrix is float32 ``(n, dim)``, read-only, and ``(0, 0)`` for an empty corpus; a meta
        is ``{artifact_id, surface_kind, surface_index, text, metadata}``. Cached until the next
        publication.
        """
        snapshot = self.snapshot()
        if self._matrix is None or self._matrix[0] is not snapshot:
            ids, metas = _metas(snapshot)
            self._matrix = (snapshot, (ids, _unit_rows(snapshot), metas))
        ids, rows, metas = self._matrix[1]
        return list(ids), rows, list(metas)

    def metas(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Return ``(record ids, metas)`` without touching vectors, in the order of matrix()."""
        return _metas(self.snapshot())

    # -- writing ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, purpose: str, *, timeout: float = _LOCK_SECONDS) -> Iterator[Batch]:
        """Take the writer's lock and yield a :class:`Batch`; commit what is left at the end.

        A dirty start (a writer was killed) is repaired on the way. When the block raises, what
        was not committed is dropped.

        Args:
            purpose: shown to others who want to write meanwhile.
            timeout: seconds to wait for another writer.

        Raises:
            CorpusBusy: another process or thread is still writing; the message says who.
            StoreError: code ``read-only`` when the folder cannot be written.
            StorageFull: the disk is full.
        """
        if getattr(self._open, "batch", None) is not None:
            raise StoreError("this thread is writing the corpus already", hint="use the open batch")
        with self._backend.writing(purpose, timeout) as publisher:
            batch = Batch(publisher)
            self._open.batch = batch
            try:
                yield batch
                batch.commit()
            finally:
                self._open.batch = None

    @contextlib.contextmanager
    def _batch(self, purpose: str) -> Iterator[Batch]:
        """Yield the open batch of this thread, or one of its own."""
        batch: Batch | None = getattr(self._open, "batch", None)
        if batch is not None:
            yield batch
        else:
            with self.writing(purpose) as batch:
                yield batch

    def put_record(self, record: Record) -> None:
        """Store one record, replacing the one of the same id.

        Raises:
            ItemError: text or metadata are not JSON.
            EmbedderError: the vector is not a finite row of the corpus' width.
        """
        with self._batch("put one record") as batch:
            batch.put_record(record)

    def delete_record(self, record_id: str) -> None:
        """Remove one record; a missing id is tolerated."""
        with self._batch("delete one record") as batch:
            batch.delete_record(record_id)

    # -- ledger -------------------------------------------------------------------------------

    def get_ledger_entry(self, key: str) -> dict[str, Any] | None:
        """Return a copy of the ledger entry of ``key``, or ``None``."""
        entry: dict[str, Any] | None = self._entry("ledger", text("key", key))
        return entry

    def set_ledger_entry(self, key: str, entry: Mapping[str, Any]) -> None:
        """Store a ledger entry."""
        with self._batch("write the ledger") as batch:
            batch.set_ledger_entry(key, entry)

    def delete_ledger_entry(self, key: str) -> None:
        """Remove a ledger entry; a missing key is tolerated."""
        with self._batch("write the ledger") as batch:
            batch.set_ledger_entry(key, None)

    def ledger_items(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Iterate copies of the ``(key, entry)`` pairs; the ledger may change meanwhile."""
        return iter(list(self._backend.table("ledger").items()))

    # -- settings -----------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return a copy of the build settings; ``{}`` when never written."""
        return copy.deepcopy(self._backend.config())

    def set_config(self, settings: Mapping[str, Any]) -> None:
        """Store the build settings."""
        with self._batch("write the settings") as batch:
            batch.set_config(settings)

    def get_maintenance_state(self) -> dict[str, Any]:
        """Return a copy of the maintenance bookkeeping; ``{}`` when never written."""
        return self._sidecars.get_state()

    def set_maintenance_state(self, state: Mapping[str, Any]) -> None:
        """Store the maintenance bookkeeping; the build settings are not concerned."""
        self._sidecars.set_state(mapping("state", state, "to JSON values"))

    # -- calibration --------------------------------------------------------------------------

    def get_calibration(self, mode: str) -> dict[str, Any] | None:
        """Return a deep copy of the calibration record of a ranking mode, or ``None``."""
        return self._sidecars.get_calibration(text("mode", mode))

    def set_calibration(self, mode: str, record: Mapping[str, Any]) -> None:
        """Store the calibration record of a ranking mode, one a mode.

        Raises:
            ParameterError: an empty mode, or one with a path separator.
        """
        self._sidecars.set_calibration(mode, mapping("record", record, "to JSON values"))

    def calibration_modes(self) -> list[str]:
        """Return the modes that have a calibration record, sorted."""
        return self._sidecars.calibration_modes()

    # -- links --------------------------------------------------------------------------------

    def get_links(self, artifact_id: str) -> dict[str, list[Any]]:
        """Return a copy of the outgoing edges of an artifact, ``{}`` when it has none."""
        return self._entry("links", text("artifact_id", artifact_id)) or {}

    def set_links(self, artifact_id: str, edges: Mapping[str, Sequence[Any]]) -> None:
        """Store the outgoing edges of an artifact, ``{edge_type: [target]}``.

        Empty lists are dropped; without any edge left, so is the artifact's entry.
        """
        cleaned = clean_edges(artifact_id, edges)
        with self._batch("write links") as batch:
            batch.set_links(artifact_id, cleaned)

    def delete_links(self, artifact_id: str) -> None:
        """Remove the edges of an artifact; a missing entry is tolerated."""
        self.set_links(artifact_id, {})

    def link_items(self) -> Iterator[tuple[str, dict[str, list[Any]]]]:
        """Iterate copies of the ``(artifact id, edges)`` pairs."""
        return iter(list(self._backend.table("links").items()))

    # -- history ------------------------------------------------------------------------------

    def append_build(self, report: Mapping[str, Any]) -> None:
        """Add one line to the history of builds (the oldest are dropped above a megabyte)."""
        self._sidecars.append_build(mapping("report", report, "to JSON values"))

    def builds(self) -> list[dict[str, Any]]:
        """Return the recorded builds, oldest first."""
        return self._sidecars.builds()

    # -- care ---------------------------------------------------------------------------------

    def verify(self, *, timeout: float = _LOCK_SECONDS) -> StoreReport:
        """Compare the checksums of all files, the ledger, and the Chroma copy; change nothing.

        Raises:
            CorpusBusy: a writer is at work.
        """
        if isinstance(self._backend, MemoryStore):
            return StoreReport(self.snapshot().generation, len(self))
        return repair.verify(self._backend, timeout=timeout)

    def repair(self, *, timeout: float = _LOCK_SECONDS) -> StoreReport:
        """Mend what :meth:`verify` finds: rows from the Chroma copy, or the copy from the rows.

        Raises:
            CorpusBusy: a writer is at work.
            CorpusDamaged: neither side is whole; build the corpus anew from its source.
        """
        if isinstance(self._backend, MemoryStore):
            return self.verify()
        return repair.repair(self._backend, timeout=timeout)

    def forget(self, artifact_ids: Iterable[str], *, timeout: float = _LOCK_SECONDS) -> int:
        """Erase artifacts for good and return how many there were.

        Afterwards no file of the corpus holds their text, earlier versions included: segments,
        tables and the Chroma copy are written anew, older generations are removed, and the caches
        lose the vectors of those texts that are still known, and the answers of a language model
        that became one of them (a synopsis). The source is not
        touched: what it still has comes back with the next build unless it is excluded.

        Raises:
            CorpusBusy: a writer is at work.
            StoreError: the copy could not be made anew; call it again.
        """
        from irengine.embed import purge_cached, text_hash
        from irengine.llm import purge_answers

        gone = sorted(set(members("artifact_ids", artifact_ids, str, "artifact ids")))
        changes = Changes()
        for artifact_id in gone:
            changes.drop_artifact(artifact_id)
            changes.ledger[ledger_key(artifact_id)] = None
        with self._backend.writing("forget", timeout) as publisher:
            # Read under the lock: another writer may have finished while we waited for it.
            known = set(self.snapshot().artifact_ids())
            found = [a for a in gone if a in known or self.get_ledger_entry(ledger_key(a))]
            # First: once the rows are gone nobody knows any more what to look for.
            texts = _texts_of(self.snapshot(), gone)
            purge_cached(map(text_hash, texts))
            purge_answers(texts)
            changes.links = _links_without(dict(self.link_items()), set(gone))
            if isinstance(publisher, Writer):
                publisher.publish(changes, erase=True)
            else:
                publisher.publish(changes)
            self._sidecars.scrub_builds(gone)
        return len(found)

    def delete(self, *, timeout: float = _LOCK_SECONDS) -> None:
        """Remove the corpus and everything kept of it; one that does not exist is fine.

        Raises:
            CorpusBusy: a writer is at work.
        """
        if isinstance(self._backend, LocalStore):
            self._backend.delete(timeout)
        else:
            self._backend.clear()

    def _entry(self, kind: str, key: str) -> Any:
        if isinstance(self._backend, MemoryStore):
            return self._backend.entry(kind, key)
        return self._backend.table(kind).get(key)


def built_names() -> list[str]:
    """Return the names of the corpora built on this machine, sorted.

    Raises:
        StoreError: when the folder they are in cannot be listed.
    """
    folder = config.corpora_dir()
    names = []
    try:
        found = list(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(
            f"the folder of the indexes, {folder}, cannot be read: {error.strerror or error}",
            hint="check its permissions, or set IR_DATA_DIR to another folder",
        ) from error
    for path in found:
        store = LocalStore(path, path.name)
        if not path.name.startswith(".") and store.exists:
            names.append(str(store.about().get("name", path.name)))
    return sorted(names)


def _texts_of(snapshot: Snapshot, artifact_ids: Sequence[str]) -> list[str]:
    """Return the artifacts' texts, those of replaced rows too."""
    import numpy as np

    hashes = np.array([artifact_hash(a) for a in artifact_ids], dtype=np.uint64)
    return [
        segment.row(i).text
        for segment in snapshot.segments
        for i in segment.find_artifacts(hashes, artifact_ids).tolist()
    ]


def _links_without(links: dict[str, Any], gone: set[str]) -> dict[str, Any]:
    """Return the link entries that change when artifacts vanish, as sources or as targets."""
    changed: dict[str, Any] = dict.fromkeys(gone & links.keys())
    for artifact_id, edges in links.items():
        if artifact_id not in gone:
            kept = {
                kind: [t for t in targets if not (isinstance(t, str) and t in gone)]
                for kind, targets in edges.items()
            }
            if kept != edges:
                changed[artifact_id] = {k: v for k, v in kept.items() if v} or None
    return changed


def _metas(snapshot: Snapshot) -> tuple[list[str], list[dict[str, Any]]]:
    ids, metas = [], []
    for row in snapshot.rows(snapshot.live_positions().tolist()):
        ids.append(row.id)
        metas.append(
            {
                "artifact_id": row.artifact_id,
                "surface_kind": row.surface_kind,
                "surface_index": row.surface_index,
                "text": row.text,
                "metadata": row.metadata,
            }
        )
    return ids, metas


def _unit_rows(snapshot: Snapshot) -> np.ndarray:
    import numpy as np

    pieces = [
        segment.vectors if mask is None else segment.vectors[mask]
        for segment, mask in zip(snapshot.segments, snapshot.alive_in, strict=True)
    ]
    if not pieces:
        return np.zeros((0, 0), dtype=np.float32)
    rows: np.ndarray = (pieces[0] if len(pieces) == 1 else np.concatenate(pieces)).view()
    rows.flags.writeable = False
    return rows
