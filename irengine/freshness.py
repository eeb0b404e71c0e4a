"""Is what is shown still so? Files of hits compared with what was indexed, and brought up to date.

Both look at the files that are named and at nothing else, so that a search can afford them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from irengine.base import SearchHit, ledger_key
from irengine.checks import having, members
from irengine.errors import CorpusNotFound
from irengine.retrieve.handles import as_store
from irengine.sources.files import FileScope, file_mark, on_disk
from irengine.sources.walk import Found
from irengine.store import CorpusStore

if TYPE_CHECKING:
    from irengine.index import BuildReport, CancelToken, Corpus, ProgressEvent
    from irengine.sources import CorpusSource

__all__ = ["FileState", "IndexedFiles", "file_states", "modified_at", "refresh", "update"]

FileState: TypeAlias = Literal["fresh", "stale", "gone", "unknown"]
"""``stale``: the file is not the one that was indexed; ``gone``: there is none at its path any
more, as after a move; ``unknown``: it cannot be looked at, or the hit has no file."""

_BLOCK = 1 << 20


class IndexedFiles:
    """What a corpus knows of the files it was made from.

    A file whose path, times, size and inode are those of the ledger is fresh. Any other is
    compared by its content where that was noted, so that a touch is no edit; where it was not, a
    file written to after the corpus was published is stale.
    """

    def __init__(self, corpus: Corpus | CorpusStore | str) -> None:
        self._store = as_store(corpus)
        self._published: int | None = None
        folder = self._store.path
        if folder is not None:
            with contextlib.suppress(OSError):
                self._published = (folder / "CURRENT.json").stat().st_mtime_ns

    def state(self, artifact_id: str, path: str | os.PathLike[str] | None) -> FileState:
        """Return how the file at ``path`` compares with what was indexed of ``artifact_id``."""
        if path is None:
            return "unknown"
        place = on_disk(os.fspath(path))
        try:
            info = os.stat(place)  # noqa: PTH116 - one call, no object
        except (FileNotFoundError, NotADirectoryError):
            return "gone"
        except (OSError, ValueError):
            return "unknown"
        entry = self._store.get_ledger_entry(ledger_key(artifact_id)) or {}
        if entry.get("fingerprint") == file_mark(_found(place, info)):
            return "fresh"
        noted = entry.get("digest")
        if isinstance(noted, str):
            return "fresh" if _digest_of(place, info) == noted else "stale"
        newest = max(info.st_mtime_ns, info.st_ctime_ns)
        if self._published is None or newest <= self._published:
            return "fresh"
        return "stale"


def file_states(hits: Iterable[SearchHit], corpus: Corpus | CorpusStore | str) -> list[FileState]:
    """Return the state of the file of each hit of ``corpus``, in the order of ``hits``.

    Costs a ``stat`` a hit, and reading the file where times or size differ.

    Raises:
        CorpusNotFound: for the name of a corpus that is not built.
        ParameterTypeError: for something that is no hit.
    """
    found = members("hits", hits, SearchHit, "hits")
    indexed = IndexedFiles(corpus)
    pointers = ((hit.artifact_id, hit.pointer) for hit in found)
    return [
        indexed.state(item, path if isinstance(path, (str, os.PathLike)) else None)
        for item, path in pointers
    ]


def modified_at(hit: SearchHit) -> str | None:
    """Return when the file of a hit was last written, as ISO text in UTC that sorts by time.

    It is what the disk says now. It is not indexed: then a file that was merely touched would be
    a changed one. ``None`` for a hit without a file, or whose file is gone.
    """
    path = having("hit", hit, "pointer", "a hit").pointer
    if not isinstance(path, (str, os.PathLike)):
        return None
    try:
        seconds = os.stat(on_disk(os.fspath(path))).st_mtime  # noqa: PTH116 - one call, no object
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="microseconds")
    except (OSError, ValueError, OverflowError):
        return None


def refresh(
    name: str,
    artifact_ids: Iterable[str],
    *,
    progress: Callable[[ProgressEvent], None] | None = None,
    cancel: CancelToken | None = None,
    lock_timeout: float = 5.0,
) -> BuildReport | None:
    """Bring some artifacts of the registered corpus ``name`` up to date, and only those.

    See :func:`update`. Returns what was done; ``None`` without any artifact.

    Raises:
        CorpusNotFound: when the corpus is not registered, so that its source is unknown.
        IrError: what :func:`irengine.index.build` raises.
    """
    from irengine.registry import registered, source_for

    items = sorted(set(members("artifact_ids", artifact_ids, str, "artifact ids")))
    if not items:
        return None
    entry = registered().get(name)
    if entry is None:
        raise CorpusNotFound(
            f"{name!r} is not registered, so its source is unknown",
            hint="irtui try its folder again, or irtui register it",
        )
    store = CorpusStore.local(name, storage=entry.get("storage"))
    corpus = update(
        source_for(name),
        items,
        store=store,
        progress=progress,
        cancel=cancel,
        lock_timeout=lock_timeout,
    )
    return corpus.report


def update(
    source: CorpusSource,
    items: Iterable[str],
    *,
    store: CorpusStore | None = None,
    **options: Any,
) -> Corpus:
    """Build only ``items`` of a source: what is new or changed is indexed, what left is removed.

    Of a folder of files only the folders that lead to the items are listed; the id of a folder
    stands for all it holds. When that would remove much of the corpus, and for other kinds of
    source, everything is built as usual, with its guard. ``options`` are those of
    :func:`irengine.index.build`.

    Raises:
        ShrinkRefused: too much would be removed; nothing was removed.
        IrError: what :func:`irengine.index.build` raises.
    """
    # A search looks at files too, and builds nothing.
    from irengine.index import build
    from irengine.index.shrinking import too_many
    from irengine.sources.narrowed import NarrowedScope, can_narrow

    if store is None:
        store = CorpusStore.local(source.name)
    scope = source.scope
    if not isinstance(scope, FileScope) or not can_narrow(scope):
        return build(source, store=store, **options)
    part = NarrowedScope(scope, items)
    present = set(part)
    known = {str(entry["artifact_id"]) for _, entry in store.ledger_items()}
    gone = sum(1 for item in known - present if not part.keeps(item))
    # Moved files are gone and new at once; a whole tree that vanished is a disk that is not there.
    if too_many(gone - len(present - known), len(known)) or 1 < gone == len(known):
        return build(source, store=store, **options)
    narrowed = replace(source, scope=part)
    return build(narrowed, store=store, **{**options, "allow_shrink": True})


def _found(path: str, info: os.stat_result) -> Found:
    return Found(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino, info.st_dev)


def _digest_of(path: str, info: os.stat_result) -> str:
    """Return the SHA-256 of a regular file; ``""`` when it cannot be read."""
    if not stat.S_ISREG(info.st_mode):
        return ""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()
