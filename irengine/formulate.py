"""Say a query in other words before it is searched: one text, or several that are fused.

A formulator returns queries, never plans: what to look for next, and where, is for whoever asks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from irengine.checks import function, text, whole_number
from irengine.errors import ParameterError

__all__ = ["FORMULATION_PROMPT", "Formulator", "identity_formulator", "make_llm_formulator"]

Formulator = Callable[[str], "str | Sequence[str]"]
"""``query -> one query or several``; for the ``formulate`` argument of ``search``."""

FORMULATION_PROMPT = (
    "Rewrite the search query into {n} short, diverse alternative search queries that would "
    "retrieve the same target documents: fix typos, expand jargon, and add synonyms, but keep "
    "each a terse search phrase. One query per line, no numbering.\n\nQuery: {query}"
)
"""The default question; ``{n}`` and ``{query}`` are filled in."""


def identity_formulator(query: str) -> str:
    """Return the query as it is.

    >>> identity_formulator("bees")
    'bees'
    """
    return query


def make_llm_formulator(
    *,
    rewriter: Callable[[str], str | Iterable[str]] | None = None,
    prompt: str = FORMULATION_PROMPT,
    n: int = 3,
    fallback: Formulator | None = None,
    **prompt_function_kwargs: Any,
) -> Formulator:
    """Return a formulator that asks a language model, or ``rewriter``.

    Blank answers are dropped; when none is left, or nobody answers (no endpoint, an error, said
    in a warning), ``fallback`` decides: searching must not become worse for having asked.

    Args:
        rewriter: ``query -> text or texts``, instead of a model.
        prompt: what the model is told.
        n: how many queries it is asked for, at least 1; what it answers is not cut.
        fallback: by default the query as it is.
        prompt_function_kwargs: for :func:`irengine.llm.complete`.

    Raises:
        ParameterError: for an ``n`` out of range, or a prompt without ``{query}``.
    """
    n = whole_number("n", n, least=1)
    function("rewriter", rewriter)
    if rewriter is None and "{query}" not in text("prompt", prompt):
        raise ParameterError("the prompt has no {query}, so the model would never see the query")
    otherwise = identity_formulator if fallback is None else fallback
    ask = _asking_model(prompt, n, prompt_function_kwargs) if rewriter is None else rewriter

    def formulate(query: str) -> str | Sequence[str]:
        try:
            made = ask(query)
            texts = [made] if isinstance(made, str) else list(made)
        except Exception as error:  # noqa: BLE001 - a model that fails must not fail the search
            warnings.warn(
                f"the query was not reformulated ({error}); it is searched as it is", stacklevel=2
            )
            return otherwise(query)
        kept = [text for text in texts if isinstance(text, str) and text.strip()]
        return kept or otherwise(query)

    return formulate


def _asking_model(prompt: str, n: int, options: dict[str, Any]) -> Callable[[str], list[str]]:
    def ask(query: str) -> list[str]:
        from irengine.llm import complete

        question = prompt.replace("{n}", str(n)).replace("{query}", query)
        return [line.strip(" -\t") for line in complete(question, **options).splitlines()]

    return ask
