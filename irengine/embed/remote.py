"""Embeddings from an OpenAI-compatible service (``POST <base>/embeddings``)."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from irengine.embed._protocol import rebuild_hint
from irengine.errors import EmbedderError, EmbedderUnavailable

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix

__all__ = ["RemoteEmbedder", "parse_url"]

_TIMEOUT = 60.0
_ATTEMPTS = 4
_FIRST_WAIT = 0.5  # seconds; doubled after each attempt
_LONGEST_WAIT = 30.0  # more than that is the user's decision
_RETRIED = (408, 409, 429, 500, 502, 503, 504)
_BATCH = 64


def parse_url(spec: str) -> tuple[str, str]:
    """Split ``http(s)://host/v1#model`` into the base URL and the model name.

    Raises:
        EmbedderError: without host or model, or with a user, password or query in the URL: the
            id keeps the URL, and secrets do not belong there.
    """
    base, _, model = spec.partition("#")
    form = "an embeddings service is written http(s)://host/v1#model"
    try:
        parts = urlsplit(base)
        host = parts.hostname
    except ValueError as error:
        raise EmbedderError(f"{spec!r} is not a URL: {error}", hint=form) from error
    if parts.scheme.lower() not in ("http", "https") or not host or not model.strip():
        raise EmbedderError(f"{spec!r} names no host or no model", hint=form)
    if any(c.isspace() or not c.isprintable() for c in base):
        raise EmbedderError(f"the embeddings URL {spec!r} holds white space", hint=form)
    if "@" in base or parts.query:
        raise EmbedderError(
            "an embeddings URL may hold no user, password or query",
            hint="put the key into IR_EMBED_API_KEY or OPENAI_API_KEY",
        )
    return base.rstrip("/"), model.strip()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes a redirection for a refusal: following it would hand the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Follow nothing."""


class RemoteEmbedder:
    """Sends texts to ``<base>/embeddings`` in batches of 64, with patience.

    The bearer token is ``$IR_EMBED_API_KEY``, else ``$OPENAI_API_KEY``, read at each call. Busy
    and failing servers (408, 409, 429, 5xx, broken connections) are tried four times with growing
    waits, or the wait a ``Retry-After`` header asks for. Blank texts are not sent: their rows are
    zero.
    """

    def __init__(
        self,
        base: str,
        model: str,
        *,
        timeout: float = _TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base = base
        self.model = model
        self.model_id = f"url__{model}@{base}"
        self.dim = 0
        self._timeout = timeout
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts``; the service is not told which side they are on.

        Raises:
            EmbedderUnavailable: when the service cannot be reached or keeps refusing.
            EmbedderError: when it refuses the request, or its answer is not what was asked for.
        """
        import numpy as np

        del input_type
        sent = [row for row, text in enumerate(texts) if text.strip()]
        found: list[list[float]] = []
        for start in range(0, len(sent), _BATCH):
            found += self._batch([texts[row] for row in sent[start : start + _BATCH]])
        if not self.dim:
            self.dim = len((found or self._batch(["dimension"]))[0])
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, vector in zip(sent, found, strict=True):
            if len(vector) != self.dim:
                raise EmbedderError(
                    f"{self.base} gave a {len(vector)}-dimensional vector after "
                    f"{self.dim}-dimensional ones"
                )
            vectors[row] = vector
        return vectors

    def _batch(self, texts: list[str]) -> list[list[float]]:
        answer = self._post({"model": self.model, "input": texts, "encoding_format": "float"})
        try:
            rows = [
                (item.get("index", position), [float(x) for x in item["embedding"]])
                for position, item in enumerate(answer["data"])
            ]
            rows.sort(key=lambda row: row[0])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise EmbedderError(
                f"{self.base} did not answer with embeddings: {error!r} in {str(answer)[:200]}"
            ) from error
        vectors = [vector for _, vector in rows]
        if [index for index, _ in rows] != list(range(len(texts))) or not all(vectors):
            raise EmbedderError(f"{self.base} gave {len(rows)} embeddings for {len(texts)} texts")
        return vectors

    def _post(self, payload: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "irengine", **_authorization()}
        # JSON escapes keep lone surrogates out of the UTF-8 body.
        body = json.dumps(payload).encode("ascii")
        request = urllib.request.Request(f"{self.base}/embeddings", body, headers)
        wait = _FIRST_WAIT
        for attempt in range(1, _ATTEMPTS + 1):
            asked = 0.0
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    return self._parsed(response.read())
            except urllib.error.HTTPError as error:
                asked, problem = self._refused(error)
            except (OSError, http.client.HTTPException) as error:  # no host, timeout, TLS, reset
                problem = str(getattr(error, "reason", "") or error or type(error).__name__)
            if attempt == _ATTEMPTS or asked > _LONGEST_WAIT:
                break
            self._sleep(max(wait, asked))
            wait *= 2
        raise EmbedderUnavailable(
            f"the embeddings service {self.base} is not available: {problem}",
            hint=rebuild_hint("check that it runs and try again"),
        )

    def _parsed(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except ValueError as error:
            raise EmbedderError(
                f"{self.base} did not answer with JSON",
                hint="the URL must end where /embeddings follows, often in /v1",
            ) from error

    def _refused(self, error: urllib.error.HTTPError) -> tuple[float, str]:
        """Return how long to wait and why, or raise when trying again is of no use."""
        with error:
            detail = error.read(2000).decode("utf-8", "replace").strip()
            problem = f"HTTP {error.code} {error.reason}" + (f": {detail[:300]}" if detail else "")
            if error.code in (401, 403):
                raise EmbedderUnavailable(
                    f"{self.base} refused the key: {problem}",
                    hint=rebuild_hint("set IR_EMBED_API_KEY or OPENAI_API_KEY"),
                ) from error
            if error.code not in _RETRIED:
                raise EmbedderError(f"{self.base} refused the request: {problem}") from error
            after = error.headers.get("Retry-After", "")
        return (float(after) if after.isascii() and after.isdigit() else 0.0), problem


def _authorization() -> dict[str, str]:
    key = (os.environ.get("IR_EMBED_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise EmbedderError("the key for the embeddings service holds characters no header may")
    return {"Authorization": f"Bearer {key}"} if key else {}
