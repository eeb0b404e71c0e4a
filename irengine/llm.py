"""One question to a language model: an OpenAI-compatible endpoint, asked with patience.

Works with whatever speaks ``POST <base>/chat/completions``: Ollama, llama.cpp, vLLM, OpenAI. The
endpoint is what the arguments say, else the environment (``IR_LLM_BASE_URL``, ``IR_LLM_MODEL``,
``IR_LLM_API_KEY``), else the file ``llm.json`` in the configuration folder (``base_url``,
``model``, ``api_key``), else the variables of OpenAI's own client (``OPENAI_BASE_URL``,
``OPENAI_MODEL``, ``OPENAI_API_KEY``).
Nothing is sent anywhere unless one of these names an endpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from irengine.config import cache_dir, config_dir
from irengine.errors import IrError, MissingExtra, ParameterError

__all__ = [
    "LlmRefused",
    "LlmUnavailable",
    "Settings",
    "complete",
    "configured",
    "purge_answers",
    "settings",
]

DFLT_TIMEOUT = 60.0
"""Seconds a request may take."""
DFLT_RETRIES = 3
"""Further attempts at a busy or failing server (408, 409, 429, 5xx, broken connections)."""
MAX_CONCURRENT = 4
"""Requests of one process that are under way at the same time; the others wait their turn."""

_OPENAI = "https://api.openai.com/v1"
_slots = threading.BoundedSemaphore(MAX_CONCURRENT)


class LlmUnavailable(IrError, ConnectionError):
    """No endpoint is configured, or it does not answer."""

    code = "llm-unavailable"


class LlmRefused(IrError, ValueError):
    """The endpoint answered, but with no text: it refused the request, or said nothing."""

    code = "llm-refused"


@dataclass(frozen=True, slots=True)
class Settings:
    """An endpoint: where it is, which model, and the key (never shown)."""

    base_url: str
    model: str
    api_key: str = field(repr=False, default="")


def settings(
    *, base_url: str | None = None, model: str | None = None, api_key: str | None = None
) -> Settings:
    """Return the endpoint that would be asked; arguments win over what is configured.

    Raises:
        LlmUnavailable: when nothing says where the endpoint is, or which model to ask for.
    """
    file = _file()
    ours = {name: os.environ.get(f"IR_LLM_{name.upper()}", "").strip() for name in _NAMES}
    theirs = {name: os.environ.get(f"OPENAI_{name.upper()}", "").strip() for name in _NAMES}
    base = base_url or ours["base_url"] or file.get("base_url", "") or theirs["base_url"]
    key = api_key or ours["api_key"] or file.get("api_key", "")
    if not base and (key or theirs["api_key"]):
        base = _OPENAI
    # A key that was set for OpenAI goes to whoever OpenAI's variables or defaults name, no further.
    if base in (_OPENAI, theirs["base_url"]):
        key = key or theirs["api_key"]
    name = model or ours["model"] or file.get("model", "") or theirs["model"]
    if not base or not name:
        missing = "endpoint" if not base else "model"
        raise LlmUnavailable(
            f"no language model is configured: the {missing} is missing",
            hint="set IR_LLM_BASE_URL (such as http://localhost:11434/v1) and IR_LLM_MODEL",
        )
    return Settings(base.rstrip("/"), name, key)


def configured() -> bool:
    """Return whether there is an endpoint to ask; nothing is sent."""
    try:
        settings()
    except LlmUnavailable:
        return False
    return True


def complete(
    prompt: str,
    *,
    model: str | None = None,
    system: str | None = None,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout: float = DFLT_TIMEOUT,
    retries: int = DFLT_RETRIES,
    base_url: str | None = None,
    api_key: str | None = None,
    cache: bool = True,
) -> str:
    """Return the model's answer to ``prompt``, without white space around it.

    At most four requests of this process are under way at once. An answer is kept on disk under
    endpoint, model and everything that was sent; the same question is then answered without the
    endpoint. ``cache=False`` neither reads nor keeps.

    Args:
        prompt: the question.
        model: its name at the endpoint; ``None`` for the configured one.
        system: instructions before the question.
        temperature: 0 for the likeliest answer.
        max_tokens: the longest answer; ``None`` leaves it to the endpoint.
        timeout: seconds for one request, above 0.
        retries: further attempts when the server is busy or fails, at least 0.
        base_url, api_key: the endpoint, instead of the configured one.
        cache: whether answers are kept and reused.

    Raises:
        LlmUnavailable: no endpoint, or it does not answer, or it refuses the key.
        LlmRefused: it refused the request, or its answer holds no text.
        MissingExtra: the ``openai`` client is not installed.
    """
    if not isinstance(prompt, str) or not prompt.strip():
        raise ParameterError("the prompt is empty")
    if not timeout > 0 or retries < 0:
        raise ParameterError("timeout must be above 0 and retries at least 0")
    endpoint = settings(base_url=base_url, model=model, api_key=api_key)
    said = [] if system is None else [("system", system)]
    messages = [
        # Lone surrogates cannot be sent; the question is as good with a mark in their place.
        {"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")}
        for role, text in [*said, ("user", prompt)]
    ]
    asked: dict[str, Any] = {
        "model": endpoint.model,
        "messages": messages,
        "temperature": temperature,
    }
    if max_tokens is not None:
        asked["max_tokens"] = max_tokens
    path = _path(endpoint.base_url, asked)
    if cache and (known := _read(path)) is not None:
        return known
    with _slots:
        answer = _ask(endpoint, asked, timeout, retries)
    if cache:
        _write(path, answer)
    return answer


def purge_answers(answers: Iterable[str]) -> int:
    """Remove the kept answers that say one of these texts, to whatever question; count them."""
    unwanted = {text.strip() for text in answers}
    removed = 0
    for path in (cache_dir() / "llm").glob("*/*.json"):
        if _read(path) in unwanted:
            with suppress(OSError):
                path.unlink()
                removed += 1
    return removed


_NAMES = ("base_url", "model", "api_key")


def _file() -> dict[str, str]:
    path = config_dir() / "llm.json"
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise LlmUnavailable(f"{path} cannot be read: {error}") from error
    if not isinstance(found, Mapping) or not all(
        isinstance(found.get(name, ""), str) for name in _NAMES
    ):
        raise LlmUnavailable(f"{path} must hold an object with base_url, model and api_key")
    return {name: found[name].strip() for name in _NAMES if name in found}


def _ask(endpoint: Settings, asked: Mapping[str, Any], timeout: float, retries: int) -> str:
    try:
        import openai
    except ImportError as error:
        raise MissingExtra(
            "asking a language model needs the openai client",
            hint="pip install 'irengine[llm]'",
        ) from error
    client = _client(endpoint)
    try:
        chat = client.with_options(timeout=timeout, max_retries=retries).chat
        text = chat.completions.create(**asked).choices[0].message.content
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise LlmUnavailable(
            f"{endpoint.base_url} refused the key: {error}", hint="set IR_LLM_API_KEY"
        ) from error
    except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError) as error:
        raise LlmUnavailable(
            f"the language model at {endpoint.base_url} does not answer: {error}",
            hint="check that it runs and try again",
        ) from error
    except openai.OpenAIError as error:
        raise LlmRefused(f"{endpoint.base_url} refused the request: {error}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise LlmRefused(
            f"{endpoint.base_url} did not answer as a chat service does: {error!r}",
            hint="the base URL must end where /chat/completions follows, often in /v1",
        ) from error
    if not isinstance(text, str) or not text.strip():
        raise LlmRefused(f"{endpoint.model} at {endpoint.base_url} answered without text")
    return text.strip()


@lru_cache(maxsize=8)
def _client(endpoint: Settings) -> Any:
    """Return the client of an endpoint: it holds the connections, so one serves all threads."""
    import openai

    # The client insists on a key, local servers do not.
    return openai.OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key or "none")


def _path(base_url: str, asked: Mapping[str, Any]) -> Path:
    key = json.dumps([base_url, asked], sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()
    return cache_dir() / "llm" / digest[:2] / f"{digest}.json"


def _read(path: Path) -> str | None:
    try:
        answer = json.loads(path.read_text("utf-8"))["answer"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # never asked, or damaged: then it is asked anew
    return answer if isinstance(answer, str) else None


def _write(path: Path, answer: str) -> None:
    """Keep an answer; a cache that cannot be written costs time, not the answer."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial.write_text(json.dumps({"answer": answer}), "utf-8")
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
