"""The cache of document vectors: exact, bounded, shared, and never in the way."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from irengine.config import embeddings_cache_dir
from irengine.embed import (
    DEFAULT_ID,
    CachedEmbedder,
    EmbeddingCache,
    make_embedder,
    purge_cached,
    text_hash,
)


def vectors(*texts: str, dim: int = 8) -> dict[bytes, np.ndarray]:
    generator = np.random.default_rng(7)
    return {text_hash(t): generator.standard_normal(dim).astype(np.float32) for t in texts}


class Counting:
    """A model that notes what it is asked to embed."""

    model_id = "counting"
    dim = 2

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, texts: Sequence[str], *, input_type: str) -> np.ndarray:
        self.seen += texts
        return np.array([[len(text), 1.0] for text in texts])


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    stored = vectors("a", "b", "안녕", "x\ud800")
    EmbeddingCache("m", folder=tmp_path).put(stored)

    found = EmbeddingCache("m", folder=tmp_path).get([*stored, text_hash("unknown")])

    assert found.keys() == stored.keys()
    assert all(np.array_equal(found[key], stored[key]) for key in stored)
    assert all(vector.dtype == np.float32 for vector in found.values())


def test_many_hashes_at_once(tmp_path: Path) -> None:
    stored = vectors(*(f"text {i}" for i in range(1500)))
    cache = EmbeddingCache("m", folder=tmp_path)
    cache.put(stored)

    assert len(cache.get(list(stored))) == 1500
    assert cache.purge(stored) == 1500


def test_looking_creates_nothing(tmp_path: Path) -> None:
    cache = EmbeddingCache("m", folder=tmp_path / "cache")

    assert cache.get([text_hash("a")]) == {}
    assert cache.purge([text_hash("a")]) == 0
    assert list(tmp_path.iterdir()) == []


def test_each_model_has_its_own_file() -> None:
    ids = ["minilm-fp32", "url__m@http://host:1/v1", "url__M@http://host:1/v1"]

    paths = {EmbeddingCache(i).path for i in ids}

    assert len(paths) == len(ids)
    assert all(path.parent.parent == embeddings_cache_dir("x").parent for path in paths)


def test_documents_are_embedded_once_and_queries_pass_through(tmp_path: Path) -> None:
    model = Counting()
    embedder = CachedEmbedder(model, EmbeddingCache("m", folder=tmp_path))

    first = embedder(["a", "bb", "a"])
    again = embedder(["bb", "ccc", "a"])
    query = embedder(["a"], input_type="query")

    assert model.seen == ["a", "bb", "ccc", "a"]
    assert np.array_equal(first[[1, 0]], again[[0, 2]])
    assert np.array_equal(query[0], first[0])
    assert np.linalg.norm(again, axis=1) == pytest.approx(1.0)


def test_a_vector_of_another_width_is_a_miss(tmp_path: Path) -> None:
    cache = EmbeddingCache("m", folder=tmp_path)
    model = Counting()
    cache.put(vectors("a", dim=5))
    assert CachedEmbedder(model, cache)(["a", "b"]).shape == (2, 2)

    model.dim = 0  # a service tells its width with its first answer only
    cache.put(vectors("a", "c", dim=5))
    assert CachedEmbedder(model, cache)(["a", "b"]).shape == (2, 2)
    cache.put(vectors("a", "c", dim=5))
    assert CachedEmbedder(model, cache)(["a", "new"]).shape == (2, 2)


@pytest.mark.parametrize("damage", [b"", b"not a database" * 500, None])
def test_a_damaged_file_is_replaced_with_one_warning(
    tmp_path: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    cache = EmbeddingCache("m", folder=tmp_path)
    stored = vectors(*(f"text {i}" for i in range(200)))
    cache.put(stored)
    whole = cache.path.read_bytes()
    cache.path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)

    with caplog.at_level(logging.WARNING):
        cache.get(list(stored))
        cache.put(stored)
        found = cache.get(list(stored))

    assert len(found) == 200
    assert len(caplog.records) == (0 if damage == b"" else 1)


def test_a_vector_that_fails_its_checksum_is_a_miss(tmp_path: Path) -> None:
    cache = EmbeddingCache("m", folder=tmp_path)
    stored = vectors("a", "b")
    cache.put(stored)
    with closing(sqlite3.connect(cache.path)) as connection, connection:
        connection.execute(
            "UPDATE vectors SET vector = zeroblob(32) WHERE hash = ?", [text_hash("a")]
        )

    assert list(cache.get(list(stored))) == [text_hash("b")]
    cache.put(stored)
    assert len(cache.get(list(stored))) == 2


def test_an_unwritable_folder_is_a_miss_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = EmbeddingCache("m", folder=tmp_path / "file" / "cache")
    embedder = CachedEmbedder(Counting(), cache)

    with caplog.at_level(logging.WARNING):
        assert embedder(["a"]).shape == (1, 2)
        assert embedder(["b"]).shape == (1, 2)

    assert len(caplog.records) == 1


def test_a_file_locked_by_another_is_not_waited_for_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("irengine.embed.cache._BUSY_SECONDS", 0.05)
    cache = EmbeddingCache("m", folder=tmp_path)
    stored = vectors("a")
    cache.put(stored)

    with closing(sqlite3.connect(cache.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert cache.get(list(stored)) == {}
        cache.put(vectors("b"))

    assert "locked" in caplog.text
    assert len(cache.get([*stored, text_hash("b")])) == 1


def test_the_longest_unused_vectors_make_room(tmp_path: Path) -> None:
    now = 1_000_000.0
    cache = EmbeddingCache("m", folder=tmp_path, max_bytes=400_000, clock=lambda: now)
    old, used, new = (
        vectors(*(f"{kind} {i}" for i in range(100)), dim=384) for kind in ("old", "used", "new")
    )
    cache.put(used)
    now += 10
    cache.put(old)
    now += 2 * 86_400
    assert len(cache.get(list(used))) == 100
    now += 10
    cache.put(new)

    assert cache.path.stat().st_size <= 450_000
    assert len(cache.get(list(new))) == 100
    assert len(cache.get(list(old))) < len(cache.get(list(used)))


def test_purged_vectors_leave_no_bytes_behind() -> None:
    cache = EmbeddingCache("some-model")
    stored = vectors("secret", "public", dim=384)
    cache.put(stored)
    secret = stored[text_hash("secret")].tobytes()
    assert secret in cache.path.read_bytes()

    assert purge_cached([text_hash("secret"), text_hash("unknown")]) == 1

    assert secret not in b"".join(p.read_bytes() for p in cache.path.parent.iterdir())
    assert list(cache.get(list(stored))) == [text_hash("public")]


WRITER = """
import sys
import numpy as np
from pathlib import Path
from irengine.embed import EmbeddingCache, text_hash
cache = EmbeddingCache("m", folder=Path(sys.argv[1]))
for i in range(20):
    cache.put({text_hash(f"{sys.argv[2]} {i}"): np.full(384, i, dtype=np.float32)})
"""


def test_processes_write_side_by_side(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", WRITER, str(tmp_path), name] for name in ("a", "b")]
    processes = [subprocess.Popen(command) for command in commands]

    assert [process.wait(60) for process in processes] == [0, 0]
    hashes = [text_hash(f"{name} {i}") for name in ("a", "b") for i in range(20)]
    assert len(EmbeddingCache("m", folder=tmp_path).get(hashes)) == 40


def test_the_default_model_is_cached_and_light_is_not() -> None:
    texts = ["first text", "second text"]
    plain = make_embedder("default", cache=False)[0](texts)
    embedder, embedder_id = make_embedder("default")

    assert np.array_equal(embedder(texts), embedder(texts))
    assert embedder(texts) == pytest.approx(plain, abs=1e-6)
    make_embedder("light")[0](texts)
    assert [p.name for p in embeddings_cache_dir("x").parent.iterdir()] == [DEFAULT_ID]
    assert embedder_id == DEFAULT_ID
