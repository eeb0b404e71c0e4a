"""``llm.complete`` against a real HTTP server, started by each test (the fixture ``endpoint``)."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

import irengine as ir
from irengine import llm
from irengine.errors import ParameterError


def test_the_answer_is_the_text_of_the_first_choice(endpoint) -> None:
    endpoint.reply = lambda _: (200, endpoint.says("  two words \n"))
    assert llm.complete("why?", system="be brief", max_tokens=9) == "two words"
    (asked,) = endpoint.asked
    assert asked["model"] == "small"
    assert asked["max_tokens"] == 9
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


def test_the_same_question_is_asked_once(endpoint) -> None:
    assert [llm.complete("why?") for _ in range(3)] == ["echo why?"] * 3
    assert len(endpoint.asked) == 1
    llm.complete("why?", model="other")
    llm.complete("why?", temperature=0.5)
    llm.complete("why?", cache=False)
    assert len(endpoint.asked) == 4


def test_a_damaged_answer_in_the_cache_is_asked_anew(endpoint) -> None:
    llm.complete("why?")
    (kept,) = (llm.cache_dir() / "llm").rglob("*.json")
    kept.write_bytes(b'{"answer": 7')
    assert llm.complete("why?") == "echo why?"
    assert len(endpoint.asked) == 2


def test_forgetting_an_artifact_takes_its_synopsis_out_of_the_cache(endpoint) -> None:
    strategy = ir.with_synopsis(ir.WholeText(), synthesize=ir.make_llm_synthesizer(prompt="{text}"))
    docs = {"diary": "secrets of the diary", "notes": "harmless notes"}
    source = ir.CorpusSource.from_mapping(docs, name="papers", strategy=strategy)
    store = ir.build(source, embedder="light").store
    assert len(list((llm.cache_dir() / "llm").rglob("*.json"))) == len(endpoint.asked) == 2
    store.forget(["diary"])
    (kept,) = (llm.cache_dir() / "llm").rglob("*.json")
    assert json.loads(kept.read_text())["answer"] == "echo harmless notes"


def test_a_busy_server_is_asked_again(endpoint) -> None:
    replies = [(500, b"{}"), (429, b"{}"), (200, endpoint.says("at last"))]
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
        (200, {"text": ""}, llm.LlmRefused),
        (200, {"text": None}, llm.LlmRefused),
    ],
)
def test_no_answer_is_a_clear_error_and_is_not_kept(
    endpoint, status: int, body: bytes | dict[str, Any], error: type[Exception]
) -> None:
    answer = body if isinstance(body, bytes) else endpoint.says(body["text"])
    endpoint.reply = lambda _: (status, answer)
    with pytest.raises(error) as raised:
        llm.complete("why?", retries=0)
    assert endpoint.url in str(raised.value)
    endpoint.reply = lambda _: (200, endpoint.says("now"))
    assert llm.complete("why?") == "now"


def test_a_server_that_hangs_is_given_up(endpoint) -> None:
    endpoint.reply = lambda _: (time.sleep(1), (200, endpoint.says("late")))[1]
    with pytest.raises(llm.LlmUnavailable):
        llm.complete("why?", timeout=0.2, retries=0)


def test_no_more_than_four_requests_run_at_once(endpoint) -> None:
    endpoint.reply = lambda _: (time.sleep(0.05), (200, endpoint.says("ok")))[1]
    threads = [threading.Thread(target=llm.complete, args=(f"q{i}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(endpoint.asked) == 12
    assert 1 < endpoint.most_running <= llm.MAX_CONCURRENT


def test_text_that_utf_8_cannot_hold_is_sent_with_a_mark(endpoint) -> None:
    assert llm.complete("a\ud800b") == "echo a?b"


def test_without_an_endpoint_the_error_says_what_to_set() -> None:
    assert not llm.configured()
    with pytest.raises(llm.LlmUnavailable, match="IR_LLM_BASE_URL"):
        llm.complete("why?")


def test_a_server_that_is_not_there_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(llm.LlmUnavailable, match="does not answer"):
        llm.complete("why?", base_url="http://127.0.0.1:9/v1", model="m", retries=0)


def test_the_configuration_file_names_the_endpoint(endpoint, monkeypatch) -> None:
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
