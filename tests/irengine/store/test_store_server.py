"""The same store against a real Chroma server that the test starts."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from irengine.errors import ParameterError, StoreError
from irengine.store import CorpusStore
from irengine.store.chroma import close_client, connect


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A running server; the value is the storage that names it."""
    program = shutil.which("chroma", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("the chroma program is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("server")
    process = subprocess.Popen(
        [program, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.05)
    yield {"backend": "chroma", "host": "127.0.0.1", "port": port}
    process.terminate()
    process.wait(30)


def collections(storage) -> dict[str, int]:
    import chromadb

    client = chromadb.HttpClient(host=storage["host"], port=storage["port"])
    try:
        return {c.name: c.count() for c in client.list_collections()}
    finally:
        close_client(client)


def pointer(store) -> str:
    return json.loads((store.path / "CURRENT.json").read_text())["chroma"]


def fill(store, helpers, count=12):
    with store.writing("test") as batch:
        for number in range(count):
            helpers.put(batch, f"a{number}", f"text {number}", "second", n=number)


def test_a_server_holds_the_copy_and_the_folder_answers(server, helpers):
    store = CorpusStore.local("served", storage=server)
    fill(store, helpers)
    with store.writing("test") as batch:
        helpers.put(batch, "a3", "changed")
        batch.remove("a4")
    helpers.check(store)
    assert collections(server)[pointer(store)] == len(store) == 21
    assert not list(store.path.glob("chroma-*"))
    reopened = CorpusStore.local("served")
    assert reopened.storage == server
    assert helpers.texts(reopened)["a3"] == ["changed"]
    report = reopened.verify()
    assert report.ok and report.chroma_checked, report


def test_records_on_the_server_are_readable_by_other_tools(server, helpers):
    store = CorpusStore.local("readable", storage=server)
    fill(store, helpers, 2)
    session = connect(server, store.path, pointer(store), create=False)
    try:
        rows = {json.loads(line)["text"]: json.loads(line) for _, line, _ in session.rows()}
        assert rows["text 1"]["artifact"] == "a1" and rows["text 1"]["metadata"] == {"n": 1}
        got = session._collection.get(where_document={"$contains": "text 1"})
        assert got["documents"] == ["text 1"]
    finally:
        session.close()


def test_rows_come_back_from_the_server(server, helpers):
    store = CorpusStore.local("mended", storage=server)
    fill(store, helpers)
    texts = helpers.texts(store)
    for path in store.path.glob("seg-*/rows.jsonl"):
        path.write_bytes(b"x" * path.stat().st_size)
    mended = CorpusStore.local("mended")
    assert mended.repair().ok
    assert helpers.texts(mended) == texts
    helpers.check(mended)


def test_forgetting_and_deleting_drop_the_collection(server, helpers):
    store = CorpusStore.local("dropped", storage=server)
    fill(store, helpers)
    old = pointer(store)
    store.forget(["a1"])
    assert pointer(store) != old
    assert old not in collections(server)
    assert collections(server)[pointer(store)] == 22
    new = pointer(store)
    store.delete()
    assert new not in collections(server)


def test_a_corpus_can_move_to_a_server_and_back(server, helpers):
    store = CorpusStore.local("moved")
    fill(store, helpers)
    moved = CorpusStore.local("moved", storage=server)
    with moved.writing("move"):
        pass
    assert collections(server)[pointer(moved)] == 24
    assert not list(moved.path.glob("chroma-*"))
    back = CorpusStore.local("moved", storage={"backend": "local"})
    with back.writing("move"):
        pass
    assert back.verify().ok and len(list(back.path.glob("chroma-*"))) == 1
    helpers.check(back)


def test_two_corpora_of_one_name_do_not_meet_on_a_server(
    server, helpers, monkeypatch, tmp_path_factory
):
    first = CorpusStore.local("same", storage=server)
    fill(first, helpers, 2)
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path_factory.mktemp("elsewhere")))
    second = CorpusStore.local("same", storage=server)
    fill(second, helpers, 3)
    assert pointer(first) != pointer(second)
    assert (collections(server)[pointer(first)], collections(server)[pointer(second)]) == (4, 6)


def test_an_unreachable_server_costs_no_data(helpers):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nowhere = {"backend": "chroma", "host": "127.0.0.1", "port": port}
    store = CorpusStore.local("unreachable", storage=nowhere)
    with pytest.raises(StoreError) as caught:
        fill(store, helpers)
    assert caught.value.code == "chroma"
    assert len(CorpusStore.local("unreachable")) == 24
    local = CorpusStore.local("unreachable", storage={"backend": "local"})
    with local.writing("recover"):
        pass
    assert local.verify().ok
    helpers.check(local)


def test_a_secret_may_come_from_the_environment(server, helpers, monkeypatch):
    storage = {**server, "headers": {"X-Token": "env:TEST_TOKEN"}}
    store = CorpusStore.local("secret", storage=storage)
    with pytest.raises(ParameterError, match="TEST_TOKEN"):
        fill(store, helpers, 1)
    assert not store.exists
    monkeypatch.setenv("TEST_TOKEN", "hidden")
    fill(store, helpers, 1)
    assert "hidden" not in "".join(p.read_text() for p in store.path.glob("*.json"))
