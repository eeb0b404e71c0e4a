"""Document vectors kept on disk by text, so that a text is embedded once per model."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from irengine.config import cache_dir, embeddings_cache_dir
from irengine.embed.calling import call_embedder

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix

__all__ = ["DEFAULT_MAX_BYTES", "CachedEmbedder", "EmbeddingCache", "purge_cached", "text_hash"]

DEFAULT_MAX_BYTES = 2 << 30
"""Size above which a model's cache drops the vectors used longest ago: 1.2 million of 384."""

_FILE = "vectors.sqlite3"
_BUSY_SECONDS = 5.0
_TOUCH_AFTER = 86_400  # a day: reading a warm cache then writes nothing
_KEEP = 0.9  # share of the limit that an eviction leaves
_VARIABLES = 500  # bound parameters of one statement; SQLite's oldest limit is 999
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    hash BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
"""

T = TypeVar("T")

_log = logging.getLogger(__name__)


def text_hash(text: str) -> bytes:
    """Return the key of ``text``: its SHA-256 (32 bytes)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class EmbeddingCache:
    """The vectors of one model in one SQLite file, shared by threads and processes.

    Vectors come back bit for bit. A missing, damaged or unwritable cache is never an error: what
    cannot be read is a miss, what cannot be written is left out, a damaged file is replaced, and
    the first such problem is logged. Nothing is created before the first ``put``, and no file
    stays open between calls.
    """

    def __init__(
        self,
        model_id: str,
        *,
        folder: Path | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = (folder or embeddings_cache_dir(model_id)) / _FILE
        self._max_bytes = max_bytes
        self._clock = clock
        self._warned = False

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Matrix]:
        """Return the vectors, shape ``(dim,)``, of those ``hashes`` that are stored intact."""
        if not hashes or not self.path.exists():
            return {}
        return self._guarded(lambda connection: self._get(connection, hashes), {})

    def put(self, vectors: dict[bytes, Matrix]) -> None:
        """Store ``vectors`` by hash, then drop the least recently used beyond the size limit."""
        if vectors:
            self._guarded(lambda connection: self._put(connection, vectors), None)

    def purge(self, hashes: Iterable[bytes]) -> int:
        """Erase the vectors of ``hashes`` and overwrite their bytes; return how many there were."""
        keys = list(hashes)
        if not keys or not self.path.exists():
            return 0
        return self._guarded(lambda connection: self._purge(connection, keys), 0)

    def _guarded(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Run ``work`` in a transaction; on damage start the file anew, once."""
        for _ in range(2):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with closing(self._connect()) as connection, connection:  # commits or rolls back
                    return work(connection)
            except (sqlite3.OperationalError, OSError) as error:  # locked, read-only, disk full
                self._warn(error)
                return otherwise
            except sqlite3.DatabaseError as error:  # malformed, not a database
                self._warn(error)
                if not self._discard():
                    return otherwise
        return otherwise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
        try:
            connection.execute("PRAGMA page_size = 8192")  # holds five vectors of 384
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON").fetchall()
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _get(self, connection: sqlite3.Connection, hashes: Sequence[bytes]) -> dict[bytes, Matrix]:
        now = int(self._clock())
        found: dict[bytes, Matrix] = {}
        stale: list[tuple[int, bytes]] = []
        for keys in _slices(hashes):
            marks = ",".join("?" * len(keys))
            query = f"SELECT hash, vector, checksum, used FROM vectors WHERE hash IN ({marks})"
            for key, blob, checksum, used in connection.execute(query, keys):
                if not isinstance(blob, bytes) or zlib.crc32(blob) != checksum:
                    continue  # a miss; the next put replaces it
                found[key] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
                if now - used > _TOUCH_AFTER:
                    stale.append((now, key))
        if stale:
            try:
                connection.executemany("UPDATE vectors SET used = ? WHERE hash = ?", stale)
            except sqlite3.OperationalError as error:  # a read-only cache still serves
                self._warn(error)
        return found

    def _put(self, connection: sqlite3.Connection, vectors: dict[bytes, Matrix]) -> None:
        now = int(self._clock())
        blobs = ((key, vector.astype("<f4").tobytes()) for key, vector in vectors.items())
        connection.executemany(
            "INSERT OR REPLACE INTO vectors (hash, vector, checksum, used) VALUES (?, ?, ?, ?)",
            ((key, blob, zlib.crc32(blob), now) for key, blob in blobs),
        )
        size = _used_bytes(connection)
        if size > self._max_bytes:
            (rows,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            surplus = rows - int(rows * _KEEP * self._max_bytes / size)
            connection.execute(
                "DELETE FROM vectors WHERE rowid IN "
                "(SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
                (surplus,),
            )
            connection.commit()
            # executescript, because execute() would stop after the first page.
            connection.executescript("PRAGMA incremental_vacuum")

    def _purge(self, connection: sqlite3.Connection, hashes: Sequence[bytes]) -> int:
        removed = 0
        for keys in _slices(hashes):
            marks = ",".join("?" * len(keys))
            statement = f"DELETE FROM vectors WHERE hash IN ({marks})"
            removed += connection.execute(statement, keys).rowcount
        return removed

    def _discard(self) -> bool:
        try:
            for name in (_FILE, f"{_FILE}-journal"):
                self.path.with_name(name).unlink(missing_ok=True)
        except OSError as error:
            self._warn(error)
            return False
        return True

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("embedding cache %s: %s; going on without it", self.path, error)


class CachedEmbedder:
    """An embedder whose document vectors are looked up before they are computed.

    Queries pass through: they are many, short and seldom repeated across processes.
    """

    def __init__(self, embedder: Any, cache: EmbeddingCache) -> None:
        self.embedder = embedder
        self.cache = cache
        self.model_id = str(getattr(embedder, "model_id", ""))
        self.dim = int(getattr(embedder, "dim", 0) or 0)

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts``; equal texts are computed once."""
        if input_type != "document" or not texts:
            return call_embedder(
                self.embedder, texts, input_type=input_type, batch_size=max(1, len(texts))
            )
        keys = [text_hash(text) for text in texts]
        known = self._known(list(dict.fromkeys(keys)))
        wanted = dict(zip(keys, texts, strict=True))
        fresh = self._embedded({k: text for k, text in wanted.items() if k not in known})
        outdated = {k: wanted[k] for k, vector in known.items() if self.dim not in (0, len(vector))}
        known |= fresh | self._embedded(outdated)
        return np.stack([known[key] for key in keys])

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
        """Return what is stored, unless it mixes widths: then a service has changed its model."""
        known = self.cache.get(keys)
        return known if len({len(vector) for vector in known.values()}) < 2 else {}

    def _embedded(self, texts: dict[bytes, str]) -> dict[bytes, Matrix]:
        if not texts:
            return {}
        vectors = call_embedder(
            self.embedder, list(texts.values()), input_type="document", batch_size=len(texts)
        )
        self.dim = self.dim or vectors.shape[1]
        fresh = dict(zip(texts, vectors, strict=True))
        self.cache.put(fresh)
        return fresh


def purge_cached(hashes: Iterable[bytes]) -> int:
    """Erase the vectors of the texts with these :func:`text_hash` values from every model's cache.

    Returns how many vectors were erased.
    """
    keys = list(hashes)
    removed = 0
    for path in sorted((cache_dir() / "embeddings").glob(f"*/{_FILE}")):
        removed += EmbeddingCache("", folder=path.parent).purge(keys)
    return removed


def _slices(hashes: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (hashes[i : i + _VARIABLES] for i in range(0, len(hashes), _VARIABLES))


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
