"""The boundary to Chroma: embedded, server or cloud behind one small session.

Only the holder of the corpus' lock opens a session. A record is stored as id, vector, and its
JSON line in the metadata key ``row`` (on a server also its text as the document), so that any
Chroma tool can read the corpus and the generation can be rebuilt from it. Keeping the line in one
key makes adding records twice as fast as documents plus a key a field.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.errors import IrError, MissingExtra, ParameterError, StorageFull, StoreError

__all__ = [
    "BACKENDS",
    "Session",
    "check_storage",
    "chroma_errors",
    "chroma_version",
    "close_client",
    "connect",
    "drop_collection",
    "refuse_older",
    "storage_key_of",
    "with_secrets",
]

BACKENDS = ("local", "chroma", "chroma-cloud")
_OPTIONS = {
    "local": {"backend"},
    "chroma": {"backend", "host", "port", "ssl", "headers", "tenant", "database"},
    "chroma-cloud": {"backend", "host", "port", "api_key", "tenant", "database"},
}
_BATCH = {"local": 5000, "chroma": 1000, "chroma-cloud": 300}
_VALUE_BYTES = 8000  # the cloud takes values up to 8,182 bytes…
_DOCUMENT_BYTES = 16000  # …and documents up to 16,384
_COLLECTION = "corpus"
_API_KEY = "env:CHROMA_API_KEY"
# Queries of this engine never use Chroma's own index, so a thin one does; recall@10 stays 0.99.
_LOCAL_HNSW = {
    "space": "cosine",
    "max_neighbors": 8,
    "ef_construction": 40,
    "ef_search": 200,
    "sync_threshold": 100,
    "batch_size": 100,
}
_SERVER_HNSW = {"space": "cosine"}
_DAMAGE = re.compile(
    r"loading hnsw index|deserializing pickle|getting embedding|disk image is malformed"
    r"|not a database",
    re.IGNORECASE,
)
_REMEDY = "search is not affected; irtui verify NAME --repair makes the Chroma copy anew"

Vector = npt.NDArray[np.float32]
Rows = Iterable[tuple[str, bytes, Vector]]


def check_storage(storage: Mapping[str, Any] | None) -> dict[str, Any]:
    """Validate a storage specification; ``None`` is the local one.

    ``{"backend": "local"}``, ``{"backend": "chroma", "host", "port", "ssl", "headers", "tenant",
    "database"}`` or ``{"backend": "chroma-cloud", "api_key", "tenant", "database"}``. A secret may
    be written ``"env:NAME"``: it is read from the environment when it is used.

    Raises:
        ParameterError: no mapping, an unknown backend or an unknown option.
    """
    if storage is not None and not isinstance(storage, Mapping):
        raise ParameterError(
            f"storage takes a mapping, not {storage!r}", hint='for example {"backend": "local"}'
        )
    checked = dict(storage or {"backend": "local"})
    backend = checked.setdefault("backend", "local")
    if backend not in BACKENDS:
        raise ParameterError(
            f"unknown storage backend {backend!r}", hint=f"choose among {', '.join(BACKENDS)}"
        )
    unknown = sorted(set(checked) - _OPTIONS[backend])
    if unknown:
        raise ParameterError(
            f"storage backend {backend!r} has no option {unknown[0]!r}",
            hint=f"it takes {', '.join(sorted(_OPTIONS[backend]))}",
        )
    return checked


def storage_key_of(storage: Mapping[str, Any]) -> str:
    """Return what identifies the place a storage names, without secrets."""
    if storage["backend"] == "local":
        return "local"
    shown = {k: storage.get(k) for k in ("backend", "host", "port", "tenant", "database")}
    return json.dumps({k: v for k, v in shown.items() if v is not None}, sort_keys=True)


def chroma_version() -> str:
    """Return the version of the installed chromadb without importing it."""
    import importlib.metadata  # a search does not need it, and it costs 20 ms

    try:
        return importlib.metadata.version("chromadb")
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra("chromadb is not installed", hint="pip install chromadb") from None


def refuse_older(written_by: str) -> None:
    """Refuse to write with a chromadb older than the one that wrote last: it would panic.

    Raises:
        StoreError: code ``chroma-too-old``.
    """
    installed = chroma_version()
    if written_by and _release(installed) < _release(written_by):
        raise StoreError(
            f"the corpus was written with chromadb {written_by}; "
            f"the installed {installed} is older and would damage it",
            hint=f"pip install 'chromadb>={written_by}'; searching works meanwhile",
            code="chroma-too-old",
        )


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


@contextlib.contextmanager
def chroma_errors(doing: str) -> Iterator[None]:
    """Turn whatever Chroma raises, Rust panics included, into a :class:`StoreError`."""
    try:
        yield
    except (IrError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - PanicException is no Exception
        text = f"{type(error).__name__}: {error}"
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or re.search(r"is full|No space left|quota exceeded|File too large", text, re.I):
            raise StorageFull(
                f"no space left while {doing}",
                hint="free some space and build again; what was published still serves",
            ) from error
        if _DAMAGE.search(text):
            raise StoreError(
                f"files of the Chroma copy are damaged: {doing} failed ({text[-200:]})",
                hint=_REMEDY,
                code="chroma",
            ) from error
        raise StoreError(
            f"Chroma failed while {doing} ({text[:300]})",
            hint=_REMEDY,
            code="chroma",
        ) from error


class Session:
    """An open collection. Ids are never overwritten: delete first, then add."""

    def __init__(self, client: Any, collection: Any, backend: str) -> None:
        self._client = client
        self._collection = collection
        self._backend = backend
        self._batch = min(_BATCH[backend], int(client.get_max_batch_size()))

    def count(self) -> int:
        """Return the number of records."""
        with chroma_errors("counting records"):
            return int(self._collection.count())

    def delete(self, ids: Sequence[str]) -> None:
        """Delete records; missing ids are ignored."""
        with chroma_errors("deleting records"):
            for block in _blocks(ids, self._batch):
                self._collection.delete(ids=list(block))

    def add(self, rows: Rows) -> int:
        """Add ``(id, JSON line, vector)`` rows and return their number."""
        added = 0
        with chroma_errors("adding records"):
            for block in _blocks(rows, self._batch):
                documents: dict[str, Any] = {}
                if self._backend != "local":
                    documents["documents"] = [_document(line) for _, line, _ in block]
                self._collection.add(
                    ids=[record_id for record_id, _, _ in block],
                    embeddings=np.stack([vector for _, _, vector in block]),
                    metadatas=[self._metadata(line) for _, line, _ in block],
                    **documents,
                )
                added += len(block)
        return added

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of the ``ids`` that exist."""
        found: dict[str, Vector] = {}
        with chroma_errors("reading vectors"):
            for block in _blocks(ids, self._batch):
                got = self._collection.get(ids=list(block), include=["embeddings"])
                rows = np.asarray(got["embeddings"], dtype=np.float32)
                found.update(zip(got["ids"], rows, strict=True))
        return found

    def rows(self) -> Iterator[tuple[str, bytes, Vector]]:
        """Iterate every record as it was added, page by page."""
        offset = 0
        while True:
            with chroma_errors("reading records"):
                got = self._collection.get(
                    limit=self._batch, offset=offset, include=["metadatas", "embeddings"]
                )
            if not got["ids"]:
                return
            for i, record_id in enumerate(got["ids"]):
                line = _joined(got["metadatas"][i] or {})
                yield record_id, line, np.asarray(got["embeddings"][i], dtype=np.float32)
            offset += len(got["ids"])

    def close(self) -> None:
        """Release files and connections."""
        with chroma_errors("closing"):
            close_client(self._client)

    def _metadata(self, line: bytes) -> dict[str, str]:
        text = line.decode("utf-8").rstrip("\n")
        if self._backend != "chroma-cloud":
            return {"row": text}
        parts = list(_slices(text, _VALUE_BYTES))
        return {"row" if i == 0 else f"row{i}": part for i, part in enumerate(parts)}


def connect(
    storage: Mapping[str, Any], folder: Path, pointer: str, *, create: bool, about: str = ""
) -> Session:
    """Open the collection that ``pointer`` names: a folder below ``folder``, or a remote name.

    Raises:
        StoreError: it is not there, or Chroma cannot be reached.
        StorageFull: no space for it.
    """
    backend = storage["backend"]
    where = str(folder / pointer) if backend == "local" else f"{pointer} on the Chroma server"
    with chroma_errors(f"opening {where}"):
        client = _client(storage, folder / pointer)
        try:
            name = _COLLECTION if backend == "local" else pointer
            if create:
                hnsw = _LOCAL_HNSW if backend == "local" else _SERVER_HNSW
                options: dict[str, Any] = {"metadata": {"corpus": about}} if about else {}
                if backend != "chroma-cloud":
                    options["configuration"] = {"hnsw": hnsw}
                collection = client.create_collection(name, embedding_function=None, **options)
            else:
                collection = client.get_collection(name, embedding_function=None)
            return Session(client, collection, backend)
        except BaseException:
            close_client(client)
            raise


def drop_collection(storage: Mapping[str, Any], pointer: str) -> None:
    """Delete a remote collection; a missing one is fine."""
    with chroma_errors(f"dropping {pointer}"):
        client = _client(storage, Path())
        try:
            if any(collection.name == pointer for collection in client.list_collections()):
                client.delete_collection(pointer)
        finally:
            close_client(client)


def close_client(client: Any) -> None:
    """Close a client, and the connections that Chroma's own ``close`` leaves open."""
    from chromadb.api.shared_system_client import SharedSystemClient

    client.close()
    in_use = getattr(SharedSystemClient, "_identifier_to_system", {})
    for part in (client, getattr(client, "_admin_client", None)):
        connections = getattr(getattr(part, "_server", None), "_session", None)
        if connections is not None and getattr(part, "_identifier", None) not in in_use:
            connections.close()


def with_secrets(storage: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``storage`` with every ``env:NAME`` replaced by what the environment says now.

    Raises:
        ParameterError: an environment variable is missing.
    """
    told = dict(storage)
    if told.get("headers"):
        told["headers"] = {key: _secret(str(value)) for key, value in told["headers"].items()}
    if told["backend"] == "chroma-cloud":
        told["api_key"] = _secret(str(told.get("api_key") or _API_KEY))
    return told


def _client(storage: Mapping[str, Any], path: Path) -> Any:
    chromadb, settings = _import()
    backend = storage["backend"]
    if backend == "local":
        # One spelling a path: Chroma takes two spellings for two stores, and tears both.
        return chromadb.PersistentClient(os.path.realpath(path), settings=settings)
    named = {k: storage[k] for k in ("tenant", "database") if storage.get(k)}
    if backend == "chroma":
        return chromadb.HttpClient(
            host=storage.get("host", "localhost"),
            port=int(storage.get("port", 8000)),
            ssl=bool(storage.get("ssl", False)),
            headers=storage.get("headers") or None,
            settings=settings,
            **named,
        )
    placed: dict[str, Any] = {"cloud_host": storage.get("host"), "cloud_port": storage.get("port")}
    return chromadb.CloudClient(
        api_key=storage["api_key"],
        settings=settings,
        **named,
        **{k: v for k, v in placed.items() if v},
    )


def _secret(value: str) -> str:
    """Resolve ``env:NAME``."""
    if not value.startswith("env:"):
        return value
    name = value[4:]
    if name not in os.environ:
        raise ParameterError(f"the storage needs the environment variable {name}")
    return os.environ[name]


def _import() -> tuple[Any, Any]:
    from irengine.embed._quiet import quiet_telemetry

    quiet_telemetry()
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtra(
            f"chromadb cannot be imported: {error}", hint="pip install --upgrade chromadb"
        ) from error
    # Chroma would read ./.env of whatever folder we are in.
    return chromadb, Settings(_env_file=None, anonymized_telemetry=False)


def _blocks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    block: list[Any] = []
    for item in items:
        block.append(item)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block


def _slices(text: str, size: int) -> Iterator[str]:
    """Cut ``text`` into pieces of at most ``size`` UTF-8 bytes."""
    raw = text.encode("utf-8")
    while raw:
        end = size
        while 0 < end < len(raw) and raw[end] & 0xC0 == 0x80:
            end -= 1
        yield raw[:end].decode("utf-8")
        raw = raw[end:]


def _joined(metadata: Mapping[str, Any]) -> bytes:
    text = str(metadata.get("row", ""))
    number = 1
    while f"row{number}" in metadata:
        text += str(metadata[f"row{number}"])
        number += 1
    return (text + "\n").encode("utf-8")


def _document(line: bytes) -> str:
    text = str(json.loads(line)["text"]).encode("utf-8", "replace")[:_DOCUMENT_BYTES]
    return text.decode("utf-8", "ignore").replace("\0", " ") or " "
