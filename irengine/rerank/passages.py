"""What a reranker reads of each candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from irengine.checks import whole_number
from irengine.errors import NoLedgerEntry, ParameterError, StaleLedger, nearest
from irengine.store import stored_records
from irengine.text.stitch import stitch

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = [
    "DFLT_RERANK_MAX_CHARS",
    "RERANK_TEXTS",
    "Candidate",
    "RerankText",
    "check_rerank_text",
    "passage_texts",
]

RERANK_TEXTS = ("surface", "artifact")
"""The text that matched, or all texts of its artifact put together."""

DFLT_RERANK_MAX_CHARS = 2000
"""Characters of an artifact that are read: about what a cross-encoder of 512 tokens can take."""

RerankText: TypeAlias = "str | Callable[[Corpus, Mapping[str, Any]], Any]"
"""One of :data:`RERANK_TEXTS`, or ``(corpus, candidate) -> text``.

The candidate is ``{artifact_id, surface_kind, surface_index, text, metadata}``.
"""


class Candidate(Protocol):
    """What a passage is made of: a hit, a stored row or a record."""

    @property
    def artifact_id(self) -> str:
        """Its artifact."""
        ...

    @property
    def surface_kind(self) -> str:
        """What the text is of the artifact."""
        ...

    @property
    def surface_index(self) -> int | None:
        """Its position among the artifact's texts."""
        ...

    @property
    def text(self) -> str:
        """The text that matched."""
        ...

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Its metadata."""
        ...


def passage_texts(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    rerank_text: RerankText = "surface",
    *,
    max_chars: int = DFLT_RERANK_MAX_CHARS,
) -> list[str]:
    """Return the passage of each candidate, in their order.

    ``"surface"`` is the text that matched. ``"artifact"`` is every text of the artifact in plan
    order, each repeated stretch once, cut to ``max_chars`` characters; where the ledger does not
    know the artifact, or knows records that are gone, it is the text that matched. A function is
    asked for each candidate, see :data:`RerankText`.

    Raises:
        ParameterError: when ``max_chars`` is no whole number of at least 1, or ``rerank_text`` is
            none of these.
    """
    check_rerank_text(rerank_text)
    max_chars = whole_number("rerank_max_chars", max_chars, least=1)
    if not isinstance(rerank_text, str):
        return [str(rerank_text(corpus, _told(candidate))) for candidate in candidates]
    if rerank_text == "surface":
        return [candidate.text for candidate in candidates]
    whole = {
        artifact_id: _artifact_text(corpus, artifact_id)[:max_chars]
        for artifact_id in dict.fromkeys(candidate.artifact_id for candidate in candidates)
    }
    return [whole[candidate.artifact_id] or candidate.text for candidate in candidates]


def check_rerank_text(rerank_text: object) -> None:
    """Raise a ``ParameterError`` unless ``rerank_text`` says what a reranker is to read."""
    if callable(rerank_text) or rerank_text in RERANK_TEXTS:
        return
    raise ParameterError(
        f"unknown rerank_text {rerank_text!r}; expected a callable, 'surface' or 'artifact'",
        hint=nearest(rerank_text, RERANK_TEXTS) if isinstance(rerank_text, str) else "",
    )


def _told(candidate: Candidate) -> dict[str, Any]:
    return {
        "artifact_id": candidate.artifact_id,
        "surface_kind": candidate.surface_kind,
        "surface_index": candidate.surface_index,
        "text": candidate.text,
        "metadata": dict(candidate.metadata),
    }


def _artifact_text(corpus: Corpus, artifact_id: str) -> str:
    try:
        records = stored_records(corpus.store, artifact_id)
    except (NoLedgerEntry, StaleLedger):
        return ""  # a search must not fail over what only its second stage would read
    return stitch(record for record in records if record.text.strip())
