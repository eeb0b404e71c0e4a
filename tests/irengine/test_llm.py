"""``llm.complete`` against a real HTTP server, started by each test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from irengine import llm
from irengine.errors import ParameterError

Reply = Callable[[dict[str, Any]], tuple[int, bytes]]


def says(text: Any) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    ).encode()


class Endpoint:
    """A chat service: ``reply`` makes the answer, ``asked`` holds what came in."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.reply: Reply = lambda body: (200, says(f"echo {body['messages'][-1]['content']}"))
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
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    started = Endpoint()
    monkeypatch.setenv("IR_LLM_BASE_URL", started.url)
    monkeypatch.setenv("IR_LLM_MODEL", "small")
    yield started
    llm._client.cache_clear()
    started.server.shutdown()
    started.server.server_close()


def test_the_answer_is_the_text_of_the_first_choice(endpoint: Endpoint) -> None:
    endpoint.reply = lambda _: (200, says("  two words \n"))
    assert llm.complete("why?", system="be brief", max_tokens=9) == "two words"
    (asked,) = endpoint.asked
    assert asked["model"] == "small"
    assert asked["max_tokens"] == 9
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


def test_the_same_question_is_asked_once(endpoint: Endpoint) -> None:
    assert [llm.complete("why?") for _ in range(3)] == ["echo why?"] * 3
    assert len(endpoint.asked) == 1
    llm.complete("why?", model="other")
    llm.complete("why?", temperature=0.5)
    llm.complete("why?", cache=False)
    assert len(endpoint.asked) == 4


def test_a_damaged_answer_in_the_cache_is_asked_anew(endpoint: Endpoint) -> None:
    llm.complete("why?")
    (kept,) = (llm.cache_dir() / "llm").rglob("*.json")
    kept.write_bytes(b'{"answer": 7')
    assert llm.complete("why?") == "echo why?"
    assert len(endpoint.asked) == 2


def test_a_busy_server_is_asked_again(endpoint: Endpoint) -> None:
    replies = [(500, b"{}"), (429, b"{}"), (200, says("at last"))]
    endpoint.reply = lambda _: replies.pop(0)
    assert llm.complete("why?") == "at last"


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, b"{}", llm.LlmUnavailable),
        (429, b"{}", llm.LlmUnavailable),
        (401, b"{}", llm.LlmUnavailable),
        (400, b'{"error": {"message": "no such model"}}', llm.LlmRefused),
        (200, b"not json", llm.LlmRefused),
        (200, b"{}", llm.LlmRefused),
        (200, says(""), llm.LlmRefused),
        (200, says(None), llm.LlmRefused),
    ],
)
def test_no_answer_is_a_clear_error_and_is_not_kept(
    endpoint: Endpoint, status: int, body: bytes, error: type[Exception]
) -> None:
    endpoint.reply = lambda _: (status, body)
    with pytest.raises(error) as raised:
        llm.complete("why?", retries=0)
    assert endpoint.url in str(raised.value)
    endpoint.reply = lambda _: (200, says("now"))
    assert llm.complete("why?") == "now"


def test_a_server_that_hangs_is_given_up(endpoint: Endpoint) -> None:
    endpoint.reply = lambda _: (time.sleep(1), (200, says("late")))[1]
    with pytest.raises(llm.LlmUnavailable):
        llm.complete("why?", timeout=0.2, retries=0)


def test_no_more_than_four_requests_run_at_once(endpoint: Endpoint) -> None:
    endpoint.reply = lambda _: (time.sleep(0.05), (200, says("ok")))[1]
    threads = [threading.Thread(target=llm.complete, args=(f"q{i}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(endpoint.asked) == 12
    assert 1 < endpoint.most_running <= llm.MAX_CONCURRENT


def test_text_that_utf_8_cannot_hold_is_sent_with_a_mark(endpoint: Endpoint) -> None:
    assert llm.complete("a\ud800b") == "echo a?b"


def test_without_an_endpoint_the_error_says_what_to_set() -> None:
    assert not llm.configured()
    with pytest.raises(llm.LlmUnavailable, match="IR_LLM_BASE_URL"):
        llm.complete("why?")


def test_a_server_that_is_not_there_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(llm.LlmUnavailable, match="does not answer"):
        llm.complete("why?", base_url="http://127.0.0.1:9/v1", model="m", retries=0)


def test_the_configuration_file_names_the_endpoint(endpoint: Endpoint, monkeypatch) -> None:
    monkeypatch.delenv("IR_LLM_BASE_URL")
    monkeypatch.delenv("IR_LLM_MODEL")
    llm.config_dir().mkdir(parents=True, exist_ok=True)
    file = llm.config_dir() / "llm.json"
    file.write_text(json.dumps({"base_url": endpoint.url, "model": "m", "api_key": "secret"}))
    assert llm.complete("why?") == "echo why?"
    assert endpoint.keys == ["Bearer secret"]
    assert "secret" not in repr(llm.settings())
    for wrong in ("{", "[]", '{"model": 3}'):
        file.write_text(wrong)
        with pytest.raises(llm.LlmUnavailable, match=r"llm\.json"):
            llm.settings()


def test_the_key_for_openai_goes_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    monkeypatch.setenv("IR_LLM_MODEL", "m")
    assert llm.settings().base_url == "https://api.openai.com/v1"
    assert llm.settings().api_key == "theirs"
    assert llm.settings(base_url="http://localhost:1/v1").api_key == ""


@pytest.mark.parametrize("bad", [{"prompt": " "}, {"timeout": 0}, {"retries": -1}])
def test_arguments_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        llm.complete(**{"prompt": "why?", "base_url": "http://x/v1", "model": "m", **bad})
