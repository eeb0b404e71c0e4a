"""Who writes a synopsis: a function of the artifact, or a language model asked with a prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from irengine.base import Artifact
from irengine.checks import members
from irengine.checks import text as checked_text
from irengine.errors import IrError, ParameterError, ParameterTypeError
from irengine.strategy.text import as_text, text_of

__all__ = [
    "MAX_PROMPT_TEXT",
    "SYNOPSIS_PROMPT",
    "TOPICAL_SYNOPSIS_PROMPT",
    "MissingSynopsis",
    "Synthesizer",
    "make_llm_synthesizer",
]

Synthesizer = Callable[[Artifact], str]
"""Writes the synopsis of an artifact. A ``synthesizer_id`` attribute is its identity."""

SYNOPSIS_PROMPT = (
    "Write a concise synopsis (2-4 sentences) of the document below: what it is about and what "
    "questions it answers, so that a search over synopses can route to it. Output only the "
    "synopsis, no preamble.\n\nDocument:\n{text}"
)
"""The default prompt; ``{text}`` is where the document goes."""

TOPICAL_SYNOPSIS_PROMPT = (
    "List what the document below is about: its subject in one sentence, then the topics, names "
    "and technical terms a reader would search for, each once, separated by commas. Use the "
    "words of the document and add the usual synonyms. Output only that, no preamble."
    "\n\nDocument:\n{text}"
)
"""A prompt for a synopsis made of search words rather than of prose."""

MAX_PROMPT_TEXT = 48_000
"""Characters of a document that are shown to a model; a summary needs no more."""


class MissingSynopsis(str):
    """The empty synopsis of an artifact whose synopsis could not be written: try again later.

    It is ``""`` to whoever only wants the text. ``reason`` says why in a sentence, and
    ``unreachable`` that the model did not answer at all, as opposed to refusing this one text.
    """

    __slots__ = ("reason", "unreachable")
    reason: str
    unreachable: bool

    def __new__(cls, reason: str, *, unreachable: bool = False) -> MissingSynopsis:
        """Return an empty string with a reason."""
        empty = super().__new__(cls)
        empty.reason = reason
        empty.unreachable = unreachable
        return empty


def make_llm_synthesizer(
    *,
    summarize: Callable[[str], str] | None = None,
    prompt: str = SYNOPSIS_PROMPT,
    model: str | None = None,
    synthesizer_id: str | None = None,
    text_key: str | None = None,
    text_fields: Sequence[str] | None = None,
    **prompt_function_kwargs: Any,
) -> Synthesizer:
    """Return a synthesizer that asks a language model, or ``summarize``.

    The model is looked for when the first text is to be summarised, not before, and by default
    is the configured endpoint of :mod:`irengine.llm`, which also gets
    ``prompt_function_kwargs``. What is summarised is ``text_of(raw, text_key)``; or, with
    ``text_fields``, the non-blank fields of those names, joined by blank lines, and nothing
    else. A blank text has a blank synopsis, and nobody is asked. When the model fails, the
    result is :class:`MissingSynopsis`, an empty text, never an exception or an invented summary.

    Args:
        summarize: ``text -> synopsis``, instead of a model.
        prompt: what the model is told; ``{text}`` stands for the document.
        model: the name of the model at the endpoint; ``None`` for the configured one.
        synthesizer_id: the identity; by default made of model, prompt and fields, so that a
            change of any of them makes what was written stale.
        text_key: the field of a mapping that holds its text.
        text_fields: the fields of a mapping that may be shown to the model.

    Raises:
        ParameterError: for both ``text_key`` and ``text_fields``, or a prompt without ``{text}``.
        ParameterTypeError: (also a ``TypeError``) for ``text_fields`` that is a single string.
    """
    fields = _checked_fields(text_key, text_fields)
    if summarize is None and "{text}" not in checked_text("prompt", prompt):
        raise ParameterError("the prompt has no {text}, so the model would never see the document")
    made: list[Callable[[str], str]] = [] if summarize is None else [summarize]

    def synthesize(artifact: Artifact) -> str:
        text = _text(artifact.raw, text_key, fields)
        if not text.strip():
            return ""
        try:
            if not made:
                made.append(_default_llm_summarizer(prompt, model, **prompt_function_kwargs))
            return made[0](text)
        except Exception as error:  # noqa: BLE001 - a failing model must not stop a build
            return MissingSynopsis(_said(error), unreachable=_is_unreachable(error))

    if synthesizer_id is None:
        digest = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        synthesizer_id = ":".join(["llm", model or "default", digest])
        if fields is not None:
            synthesizer_id += ":" + ",".join(fields)
    synthesize.synthesizer_id = synthesizer_id  # type: ignore[attr-defined]
    return synthesize


def _checked_fields(
    text_key: str | None, text_fields: Iterable[str] | None
) -> tuple[str, ...] | None:
    if text_fields is None:
        return None
    if text_key is not None:
        raise ParameterError("give text_key or text_fields, not both")
    if isinstance(text_fields, str):
        raise ParameterTypeError(
            f"text_fields must be a sequence of names, not the string {text_fields!r}"
        )
    return tuple(members("text_fields", text_fields, str, "sequence of names"))


def _text(raw: Any, text_key: str | None, fields: tuple[str, ...] | None) -> str:
    if fields is None or not isinstance(raw, Mapping):
        return text_of(raw, text_key)
    parts = (as_text(raw.get(name) or None).strip() for name in fields)
    return "\n\n".join(part for part in parts if part)


def _default_llm_summarizer(
    prompt: str, model: str | None, **prompt_function_kwargs: Any
) -> Callable[[str], str]:
    """Return ``text -> synopsis`` by the configured endpoint."""
    from irengine.llm import complete

    def summarize(text: str) -> str:
        asked = prompt.replace("{text}", text[:MAX_PROMPT_TEXT])
        return complete(asked, model=model, **prompt_function_kwargs)

    return summarize


def _said(error: Exception) -> str:
    if isinstance(error, IrError):
        return error.message + (f" ({error.hint})" if error.hint else "")
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_unreachable(error: Exception) -> bool:
    """Whether asking about the next text would fail just the same: nobody answered at all."""
    return isinstance(error, (ConnectionError, TimeoutError, ImportError)) or (
        isinstance(error, IrError) and error.code in ("llm-unavailable", "missing-extra")
    )
