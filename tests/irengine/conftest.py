"""Small corpora for the tests of searching and evaluation, and a language model to ask."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from irengine import llm
from irengine.index import Corpus, build
from irengine.sources import CorpusSource
from irengine.store import CorpusStore


@pytest.fixture
def corpus_of() -> Callable[..., Corpus]:
    """Return ``make({id: text}, name="t")``: a corpus of whole texts in memory."""

    def make(items: Mapping[str, Any], *, name: str = "t", **source: Any) -> Corpus:
        return build(
            CorpusSource.from_mapping(items, name=name, **source),
            store=CorpusStore.memory(),
            embedder="light",
        )

    return make


class Endpoint:
    """A chat service: ``reply`` makes the answer, ``asked`` holds what came in."""

    @staticmethod
    def says(text: Any) -> bytes:
        """Return the body of an answer whose first choice is ``text``."""
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        told = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
        return json.dumps({**told, "choices": [choice]}).encode()

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.reply: Callable[[dict[str, Any]], tuple[int, bytes]] = lambda body: (
            200,
            self.says(f"echo {body['messages'][-1]['content']}"),
        )
        self.running = self.most_running = 0
        lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    endpoint.asked.append(body)
                    endpoint.keys.append(self.headers.get("Authorization", ""))
                    endpoint.running += 1
                    endpoint.most_running = max(endpoint.most_running, endpoint.running)
                try:
                    status, answer = endpoint.reply(body)
                finally:
                    with lock:
                        endpoint.running -= 1
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Start a chat service that the configuration names."""
    started = Endpoint()
    monkeypatch.setenv("IR_LLM_BASE_URL", started.url)
    monkeypatch.setenv("IR_LLM_MODEL", "small")
    yield started
    llm._client.cache_clear()
    started.server.shutdown()
    started.server.server_close()
