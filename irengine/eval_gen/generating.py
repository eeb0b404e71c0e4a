"""Questions with known answers, and questions without any, from whoever can write them."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from irengine.base import POINTER_KEYS
from irengine.checks import finite, whole_number
from irengine.errors import MissingExtra, ParameterError
from irengine.eval.cases import DiscoveryCase
from irengine.eval.reading import item_ids, readable_items, warn_unreadable
from irengine.eval_gen.asking import (
    make_default_abstention_generator,
    make_default_query_generator,
    query_lines,
)
from irengine.eval_gen.masking import gives_away, mask_name
from irengine.llm import LlmUnavailable
from irengine.sources import CorpusSource

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "DFLT_ABSTENTION_FRAC",
    "DFLT_ABSTENTION_THEME",
    "DFLT_MIN_DESCRIPTION_CHARS",
    "DFLT_QUERIES_PER_ARTIFACT",
    "build_eval_set",
    "corpus_signature",
    "default_description",
    "generate_abstention_cases",
    "generate_cases",
    "name_of",
]

DFLT_QUERIES_PER_ARTIFACT = 5
DFLT_ABSTENTION_FRAC = 0.15
"""The share of questions without an answer in a whole set."""
DFLT_MIN_DESCRIPTION_CHARS = 20
"""Shorter descriptions say too little to be asked about."""
DFLT_ABSTENTION_THEME = "software developer tools"

Generator = Callable[[str, int], str | Iterable[str]]
"""``(description or theme, how many) -> questions``, or a text with one a line."""


def generate_cases(
    source: CorpusSource,
    *,
    k: int = DFLT_QUERIES_PER_ARTIFACT,
    mask_names: bool = True,
    query_generator: Generator | None = None,
    describe: Callable[[Any], str] | None = None,
    min_chars: int = DFLT_MIN_DESCRIPTION_CHARS,
    max_artifacts: int | None = None,
    corpus_name: str | None = None,
) -> list[DiscoveryCase]:
    """Turn the description of each artifact into questions it answers.

    An item that cannot be read, a description that is too short, or one whose questions cannot be
    written is passed over; one warning says how many were, others what was wrong. That no language
    model answers at all ends it instead: the next question would fare no better, and what it did
    answer is kept, so that a second try goes on from there. The cases are in the order of the
    source and, within an artifact, of the generator; ``metadata`` is
    ``{"generator": "backtranslation", "masked": mask_names}``.

    Args:
        source: what the questions are about.
        k: how many a generator is asked for, at least 1; what it returns is not cut.
        mask_names: keep the artifact's name out of what the generator reads, and drop questions
            that give it away all the same.
        query_generator: ``(description, k) -> questions``, or one text with a question a line; by
            default the configured model.
        describe: ``raw item -> description``; by default its ``description``, else its text.
        min_chars: length below which a description is passed over.
        max_artifacts: only this many, the first by id.
        corpus_name: by default the name of the source.

    Raises:
        ParameterError: for a number out of range.
        LlmUnavailable: no language model is configured, or it does not answer.
        MissingExtra: the client of the language model is not installed.
    """
    k = whole_number("k", k, least=1)
    ask = query_generator or make_default_query_generator()
    chosen = None
    if max_artifacts is not None:
        most = whole_number("max_artifacts", max_artifacts, least=0)
        chosen = sorted(item_ids(source))[:most]
    cases: list[DiscoveryCase] = []
    unreadable: dict[str, str] = {}
    passed_over = 0
    for artifact_id, raw in readable_items(source, unreadable, chosen):
        try:
            description = (describe or default_description)(raw).strip()
            if len(description) < min_chars:
                passed_over += 1
                continue
            name = name_of(artifact_id, raw)
            questions = _texts(ask(mask_name(description, name) if mask_names else description, k))
        except (LlmUnavailable, MissingExtra):
            raise
        except Exception as error:  # noqa: BLE001 - one artifact must not end the others
            warnings.warn(f"no questions about {artifact_id!r}: {error}", stacklevel=2)
            passed_over += 1
            continue
        cases += [
            DiscoveryCase(
                question,
                (artifact_id,),
                corpus_name or source.name,
                artifact_id,
                {"generator": "backtranslation", "masked": mask_names},
            )
            for question in questions
            if not (mask_names and gives_away(question, name))
        ]
    warn_unreadable(unreadable)
    if passed_over := passed_over + len(unreadable):
        warnings.warn(f"{passed_over} artifacts were passed over", stacklevel=2)
    return cases


def generate_abstention_cases(
    n: int,
    *,
    generator: Generator | None = None,
    theme: str = DFLT_ABSTENTION_THEME,
    corpus_name: str | None = None,
) -> list[DiscoveryCase]:
    """Return at most ``n`` questions far from ``theme``; none for ``n <= 0``."""
    if n <= 0:
        return []
    questions = (generator or make_default_abstention_generator())(theme, n)
    return [
        DiscoveryCase(text, (), corpus_name, None, {"generator": "abstention"})
        for text in _texts(questions)[:n]
    ]


def build_eval_set(
    source: CorpusSource,
    *,
    k: int = DFLT_QUERIES_PER_ARTIFACT,
    abstention_frac: float = DFLT_ABSTENTION_FRAC,
    query_generator: Generator | None = None,
    abstention_generator: Generator | None = None,
    theme: str = DFLT_ABSTENTION_THEME,
    corpus_name: str | None = None,
    **gen_kwargs: Any,
) -> list[DiscoveryCase]:
    """Return questions with answers, then so many without that they are ``abstention_frac`` of all.

    Raises:
        ParameterError: unless ``0 <= abstention_frac < 1``.
    """
    share = finite(abstention_frac)
    if share is None or not 0 <= share < 1:
        raise ParameterError(
            f"abstention_frac must be a number from 0 to below 1, not {abstention_frac!r}"
        )
    cases = generate_cases(
        source, k=k, query_generator=query_generator, corpus_name=corpus_name, **gen_kwargs
    )
    exact = Fraction(str(share))  # 0.8 of a whole is four times the rest, not a hair more
    wanted = math.ceil(exact * len(cases) / (1 - exact))
    return cases + generate_abstention_cases(
        wanted,
        generator=abstention_generator,
        theme=theme,
        corpus_name=corpus_name or source.name,
    )


def corpus_signature(source_or_corpus: CorpusSource | Corpus) -> str:
    """Return 16 hexadecimal digits that tell which artifacts there are.

    A source and the corpus built from the whole of it have the same: what cannot be read is in
    neither.
    """
    if isinstance(source_or_corpus, CorpusSource):
        ids = {artifact_id for artifact_id, _ in readable_items(source_or_corpus, {})}
    else:  # an artifact without any text has no rows, but it is in the ledger
        store = source_or_corpus.store
        ids = {str(entry["artifact_id"]) for _, entry in store.ledger_items()}
    return hashlib.sha256("\n".join(sorted(ids)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(questions: str | Iterable[Any]) -> list[str]:
    """Return the questions of a generator; a single text has one a line."""
    found = query_lines(questions) if isinstance(questions, str) else list(questions)
    return [text for question in found if (text := str(question).strip())]


def default_description(raw: Any) -> str:
    """Return a mapping's ``description``, else its ``text``, else all its texts; else ``str``.

    Where an item lies on this machine is none of its texts.
    """
    if not isinstance(raw, Mapping):
        return str(raw)
    for key in ("description", "text"):
        if isinstance(raw.get(key), str) and raw[key].strip():
            return str(raw[key])
    return "\n".join(
        value
        for key, value in raw.items()
        if isinstance(value, str) and value.strip() and key not in POINTER_KEYS
    )


def name_of(artifact_id: str, raw: Any) -> str:
    """Return the ``name`` of a mapping, else the id."""
    name = raw.get("name") if isinstance(raw, Mapping) else None
    return name if isinstance(name, str) and name.strip() else artifact_id
