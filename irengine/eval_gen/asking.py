"""The two questions that a language model is asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from irengine.checks import text as checked_text
from irengine.errors import ParameterError
from irengine.synopsis.synthesizers import MAX_PROMPT_TEXT

__all__ = [
    "ABSTENTION_PROMPT",
    "BACKTRANSLATION_PROMPT",
    "make_default_abstention_generator",
    "make_default_query_generator",
    "query_lines",
]

BACKTRANSLATION_PROMPT = (
    "Below is the description of something a person could be looking for. Write {n} short "
    "requests of people who need it but have never heard of it: say what they want done, in "
    "everyday words, without its name. Let them differ. One per line, no numbering.\n\n"
    "Description:\n{description}"
)
"""``{n}`` and ``{description}`` are filled in."""

ABSTENTION_PROMPT = (
    "Write {n} short, realistic requests that have nothing to do with {theme}, each about another "
    "everyday subject. One per line, no numbering."
)
"""``{n}`` and ``{theme}`` are filled in."""

_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_QUOTES = "\"'“”‘’"


def query_lines(answer: str) -> list[str]:
    """Return the requests in a model's answer, one a line, without bullets, numbers and quotes.

    >>> query_lines('1. "plot a table"\\n- 3D printing\\n\\n.env files')
    ['plot a table', '3D printing', '.env files']
    """
    lines = []
    for line in checked_text("answer", answer).splitlines():
        text = _BULLET.sub("", line.strip(), count=1).strip()
        if len(text) >= 2 and text[0] in _QUOTES and text[-1] in _QUOTES:
            text = text[1:-1].strip()
        if text:
            lines.append(text)
    return lines


def make_default_query_generator(
    *, prompt: str = BACKTRANSLATION_PROMPT, **options: Any
) -> Callable[[str, int], list[str]]:
    """Return ``(description, n) -> at most n requests``, asked of the configured language model.

    Of an endless description only the beginning is sent. ``options`` are those of
    :func:`irengine.llm.complete`.

    Raises:
        ParameterError: for a prompt without ``{description}``.
    """
    return _generator(prompt, "{description}", options)


def make_default_abstention_generator(
    *, prompt: str = ABSTENTION_PROMPT, **options: Any
) -> Callable[[str, int], list[str]]:
    """Return ``(theme, n) -> at most n requests that have nothing to do with the theme``.

    ``options`` are those of :func:`irengine.llm.complete`.

    Raises:
        ParameterError: for a prompt without ``{theme}``.
    """
    return _generator(prompt, "{theme}", options)


def _generator(prompt: str, place: str, options: dict[str, Any]) -> Callable[[str, int], list[str]]:
    if place not in checked_text("prompt", prompt):
        raise ParameterError(f"the prompt has no {place}, so the model would never see it")

    def generate(text: str, n: int) -> list[str]:
        from irengine.llm import complete

        question = prompt.replace("{n}", str(n)).replace(place, text[:MAX_PROMPT_TEXT])
        return query_lines(complete(question, **options))[:n]

    return generate
