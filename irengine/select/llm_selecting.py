"""A selector that asks a language model which candidates fit."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from irengine.base import SearchHit
from irengine.checks import whole_number
from irengine.select.selection import Selector, select

__all__ = ["SELECTION_PROMPT", "make_llm_selector"]

SELECTION_PROMPT = (
    "Which of the candidates below would help with the request? Choose as few as do, none when "
    "none fits. Answer with their ids only, one a line, best first, or with NONE.\n\n"
    "Request: {query}\n\nCandidates:\n{candidates}"
)
"""The default question; ``{query}`` and ``{candidates}`` are filled in."""

Chooser = Callable[..., Iterable[str]]
"""``(query=…, candidates=…) -> ids``, best first; none is an answer too."""

_MAX_TEXT = 600  # characters of a candidate that are shown


def make_llm_selector(
    query: str,
    *,
    chooser: Chooser | None = None,
    prompt: str = SELECTION_PROMPT,
    max_candidates: int = 10,
    fallback: Selector | None = None,
    **prompt_function_kwargs: Any,
) -> Selector:
    """Return a selector that shows the candidates to a language model, or to ``chooser``.

    The candidates are shown as ``- <id>: <text>``, one a line; where several sources hold the
    same id, as ``- <source>/<id>: <text>``. Ids that were not shown are ignored, repetitions too.
    An empty answer is an abstention. When nobody answers (no endpoint, an error), a warning says
    so and ``fallback`` decides. Nobody is asked about no candidates.

    Args:
        query: what the candidates are for.
        chooser: asked instead of a model.
        prompt: what a model is asked.
        max_candidates: how many of the best are shown, at least 1.
        fallback: decides when the model cannot; by default ``conservative``.
        **prompt_function_kwargs: for :func:`irengine.llm.complete`.
    """
    shown_at_most = whole_number("max_candidates", max_candidates, least=1)
    ask = _asking_model(prompt, prompt_function_kwargs) if chooser is None else chooser

    def choose(hits: Sequence[SearchHit]) -> list[SearchHit]:
        shown = _labelled(hits[:shown_at_most])
        if not shown:
            return []
        lines = "\n".join(f"- {label}: {_one_line(hit.text)}" for label, hit in shown.items())
        try:
            ids = ask(query=query, candidates=lines)
            wanted = [ids] if isinstance(ids, str) else [str(one) for one in ids]
        except Exception as error:  # noqa: BLE001 - a model that fails must not fail the search
            warnings.warn(
                f"the language model did not choose ({error}); the scores decide instead",
                stacklevel=2,
            )
            return select(hits).selected if fallback is None else fallback(hits)
        return [shown[label] for label in dict.fromkeys(wanted) if label in shown]

    return choose


def _labelled(hits: Sequence[SearchHit]) -> dict[str, SearchHit]:
    """Return the hits by their name in the question: the id, with the source where ids repeat."""
    times = Counter(hit.artifact_id for hit in hits)
    labelled: dict[str, SearchHit] = {}
    for hit in hits:
        shared = times[hit.artifact_id] > 1
        label = f"{hit.source}/{hit.artifact_id}" if shared else hit.artifact_id
        labelled.setdefault(label, hit)
    return labelled


def _one_line(text: str) -> str:
    return " ".join(text[:_MAX_TEXT].split())


def _asking_model(prompt: str, options: dict[str, Any]) -> Chooser:
    def ask(*, query: str, candidates: str) -> list[str]:
        from irengine.llm import complete

        values = {"query": query, "candidates": candidates}
        question = re.sub(r"\{(query|candidates)\}", lambda name: values[name[1]], prompt)
        lines = complete(question, **options).splitlines()
        return [re.sub(r"^\s*(?:[-*]|\d+[.)])\s+", "", line).strip(" `\"'") for line in lines]

    return ask
