"""An OpenAI-compatible embeddings service, against a real local server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from irengine.embed import (
    EmbedderError,
    EmbedderUnavailable,
    call_embedder,
    make_embedder,
    make_embedder_for_id,
)
from irengine.embed.remote import RemoteEmbedder, parse_url


class Service:
    """A server whose answers a test can replace; notes what it is sent."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.refusals: list[tuple[int, dict[str, str]]] = []
        self.answer: Callable[[dict[str, Any]], Any] = self.embeddings
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.requests.append({"path": self.path, **json.loads(body)})
                service.headers.append(dict(self.headers))
                status, headers = service.refusals.pop(0) if service.refusals else (200, {})
                answer = service.answer(service.requests[-1]) if status == 200 else {"error": "no"}
                payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"

    def embeddings(self, request: dict[str, Any]) -> dict[str, Any]:
        rows = [[float(len(text)), 1.0, 0.0] for text in request["input"]]
        data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
        return {"data": data[::-1], "model": request["model"]}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    for name in ("IR_EMBED_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,))
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def embedder(service: Service, waits: list[float]) -> RemoteEmbedder:
    return RemoteEmbedder(service.base, "m", timeout=5, sleep=waits.append)


def test_a_spec_reaches_the_service_and_reopens_by_id(service: Service) -> None:
    embedder, embedder_id = make_embedder(f"{service.base}#my-model")

    vectors = call_embedder(embedder, ["abc", "a"], input_type="document")

    assert embedder_id == f"url__my-model@{service.base}"
    assert vectors == pytest.approx(np.array([[3, 1, 0], [1, 1, 0]]) / [[10**0.5], [2**0.5]])
    assert service.requests == [
        {
            "path": "/v1/embeddings",
            "model": "my-model",
            "input": ["abc", "a"],
            "encoding_format": "float",
        }
    ]
    reopened = make_embedder_for_id(embedder_id)
    assert reopened is not None
    assert np.array_equal(reopened[0](["abc", "a"]), vectors)
    assert len(service.requests) == 1  # the second time from the cache


def test_texts_go_in_batches_and_come_back_in_order(
    service: Service, embedder: RemoteEmbedder
) -> None:
    texts = ["x" * (i + 1) for i in range(150)]

    vectors = embedder(texts)

    assert [len(request["input"]) for request in service.requests] == [64, 64, 22]
    assert vectors[:, 0].tolist() == [len(text) for text in texts]


def test_blank_texts_are_not_sent(service: Service, embedder: RemoteEmbedder) -> None:
    vectors = embedder(["", "abc", " \n"])

    assert service.requests[0]["input"] == ["abc"]
    assert vectors.tolist() == [[0, 0, 0], [3, 1, 0], [0, 0, 0]]
    assert RemoteEmbedder(service.base, "m")([" "]).shape == (1, 3)


def test_lone_surrogates_do_not_break_the_request(embedder: RemoteEmbedder) -> None:
    assert embedder(["x\ud800y"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "open"}, "Bearer open"),
        ({"OPENAI_API_KEY": "open", "IR_EMBED_API_KEY": "own"}, "Bearer own"),
    ],
)
def test_the_key_comes_from_the_environment(
    variables: dict[str, str],
    expected: str | None,
    service: Service,
    embedder: RemoteEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    embedder(["a"])

    assert service.headers[0].get("Authorization") == expected


def test_a_busy_service_is_tried_again_with_growing_waits(
    service: Service, embedder: RemoteEmbedder, waits: list[float]
) -> None:
    service.refusals = [(429, {}), (503, {}), (500, {})]

    assert embedder(["a"]).shape == (1, 3)
    assert waits == [0.5, 1.0, 2.0]


def test_retry_after_is_respected(
    service: Service, embedder: RemoteEmbedder, waits: list[float]
) -> None:
    service.refusals = [(429, {"Retry-After": "7"})]

    embedder(["a"])

    assert waits == [7.0]


@pytest.mark.parametrize(
    ("refusals", "attempts"), [([(503, {})] * 9, 4), ([(429, {"Retry-After": "3600"})] * 9, 1)]
)
def test_patience_ends(
    refusals: list[tuple[int, dict[str, str]]],
    attempts: int,
    service: Service,
    embedder: RemoteEmbedder,
) -> None:
    service.refusals = refusals

    with pytest.raises(EmbedderUnavailable, match=f"HTTP {refusals[0][0]}.*--mode lexical"):
        embedder(["a"])
    assert len(service.requests) == attempts


def test_a_refused_key_says_where_it_is_read(service: Service, embedder: RemoteEmbedder) -> None:
    service.refusals = [(401, {})]

    with pytest.raises(EmbedderUnavailable, match="IR_EMBED_API_KEY"):
        embedder(["a"])
    assert len(service.requests) == 1


def test_a_key_that_no_header_can_hold(
    embedder: RemoteEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_EMBED_API_KEY", "ké\nX-Other: 1")

    with pytest.raises(EmbedderError, match="key"):
        embedder(["a"])


def test_a_redirection_is_not_followed(service: Service, embedder: RemoteEmbedder) -> None:
    service.refusals = [(302, {"Location": f"{service.base}/elsewhere"})]

    with pytest.raises(EmbedderError, match="HTTP 302"):
        embedder(["a"])
    assert len(service.requests) == 1


def test_an_answer_without_indices_is_in_order(service: Service, embedder: RemoteEmbedder) -> None:
    service.answer = lambda request: {"data": [{"embedding": [1.0]}, {"embedding": [2.0]}]}

    assert embedder(["a", "b"]).tolist() == [[1.0], [2.0]]


def test_a_wrong_request_is_not_repeated(service: Service, embedder: RemoteEmbedder) -> None:
    service.refusals = [(404, {})]

    with pytest.raises(EmbedderError, match="HTTP 404"):
        embedder(["a"])
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"<html>", "JSON"),
        (b"\xff\xfe", "JSON"),
        ({}, "did not answer with embeddings"),
        ([], "did not answer with embeddings"),
        ({"data": ["x"]}, "did not answer with embeddings"),
        ({"data": [{"index": 0}]}, "did not answer with embeddings"),
        ({"data": [{"index": 0, "embedding": ["x"]}]}, "did not answer with embeddings"),
        ({"data": []}, "0 embeddings for 1 texts"),
        ({"data": [{"index": 1, "embedding": [1]}]}, "1 embeddings for 1 texts"),
        ({"data": [{"index": 0, "embedding": []}]}, "1 embeddings for 1 texts"),
    ],
)
def test_a_strange_answer_is_an_error(
    answer: Any, problem: str, service: Service, embedder: RemoteEmbedder
) -> None:
    service.answer = lambda request: answer

    with pytest.raises(EmbedderError, match=problem):
        embedder(["a"])


def test_a_width_that_changes_is_an_error(service: Service, embedder: RemoteEmbedder) -> None:
    embedder(["a"])
    service.answer = lambda request: {"data": [{"index": 0, "embedding": [1.0]}]}

    with pytest.raises(EmbedderError, match="1-dimensional"):
        embedder(["b"])


def test_a_service_that_is_not_there(waits: list[float], service: Service) -> None:
    closed = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    closed.server_close()
    embedder = RemoteEmbedder(f"http://127.0.0.1:{closed.server_port}", "m", sleep=waits.append)

    with pytest.raises(EmbedderUnavailable, match="not available"):
        embedder(["a"])
    assert len(waits) == 3


@pytest.mark.parametrize(
    "spec",
    [
        "http://host/v1",
        "http://host/v1#",
        "http://#m",
        "http://user:secret@host/v1#m",
        "http://host/v1?key=secret#m",
        "http://[/v1#m",
        "http://host/a b#m",
    ],
)
def test_a_malformed_url_is_an_error(spec: str) -> None:
    with pytest.raises(EmbedderError):
        parse_url(spec)
    with pytest.raises(EmbedderError):
        make_embedder(spec)
