"""Reveal as much of what was selected as is asked for: a summary, the body, the files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from irengine.base import POINTER_KEYS, SearchHit
from irengine.checks import having
from irengine.errors import (
    ItemError,
    NoLedgerEntry,
    ParameterError,
    ParameterTypeError,
    SeedNotFound,
    StoreError,
    UnknownItem,
    nearest,
)
from irengine.expand import NeighborhoodPolicy
from irengine.expand import expand as passage_of
from irengine.select.bundled import BundledFile
from irengine.select.disclosing_bodies import (
    DFLT_MAX_BODY_CHARS,
    BodyLoader,
    Payload,
    ResourceStore,
    from_disk,
    from_loader,
    from_store,
    pointer_of,
)
from irengine.select.disclosing_corpora import Corpora

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "DFLT_MAX_BODY_CHARS",
    "DISCLOSURE_LEVELS",
    "POINTER_KEYS",
    "BodyLoader",
    "BundledFile",
    "Disclosure",
    "ResourceStore",
    "check_disclosure",
    "disclose",
    "reveal",
]

DISCLOSURE_LEVELS = ("metadata", "body", "bundled")
"""How much is revealed, from least to most."""


class Selected(Protocol):
    """A selection, as far as disclosing it is concerned."""

    @property
    def selected(self) -> Sequence[SearchHit]:
        """The hits that were committed to, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What is revealed of one selected artifact.

    Attributes:
        artifact_id: the artifact.
        level: how much was asked for: ``"metadata"``, ``"body"`` or ``"bundled"``.
        name: the ``name`` of its metadata, else its id.
        score: of the hit.
        summary: the text that matched, at every level.
        body: the text the pointer leads to; ``None`` at level ``metadata``, or when there is none.
        pointer: the file or folder to follow.
        metadata: a copy of the hit's, with notes: ``disclosure`` (``"pointer_unreadable"``: gone
            or closed; ``"pointer_refused"``: it leads out of the corpus' folders, or to no text;
            ``"no_readme"``: a folder without one; ``"body_truncated"``) with its
            ``disclosure_detail``; ``bundle`` (``"files_omitted"``); ``expansion``
            (``"no_corpus_for_source"``, ``"no_ledger_entry"``, ``"seed_not_found"``).
        source: the corpus the hit is from.
        passage: the text around the match, when expansion was asked for and possible.
        files: at level ``bundled`` the files beside the body, by path.
    """

    artifact_id: str
    level: str
    name: str
    score: float
    summary: str
    body: str | None = None
    pointer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    passage: str | None = None
    files: tuple[BundledFile, ...] = ()

    def text_of(self, path: str, max_chars: int = DFLT_MAX_BODY_CHARS) -> str:
        """Return the text of one of :attr:`files` as it is now, up to ``max_chars`` characters.

        Raises:
            UnknownItem: when no file of that path is listed (a ``KeyError``).
            ItemError: when it is refused, gone, or not text; its ``code`` says which.
        """
        for file in self.files:
            if file.path == path:
                return file.text(max_chars)
        hint = nearest(path, [file.path for file in self.files])
        raise UnknownItem(f"{self.name!r} has no file {path!r} beside it", hint=hint)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``files`` is in it at level ``bundled`` only."""
        told: dict[str, Any] = {
            "artifact_id": self.artifact_id,
            "level": self.level,
            "name": self.name,
            "score": float(self.score),
            "summary": self.summary,
            "body": self.body,
            "pointer": self.pointer,
            "metadata": dict(self.metadata),
            "source": self.source,
            "passage": self.passage,
        }
        if self.level == DISCLOSURE_LEVELS[-1]:
            told["files"] = [file.to_dict() for file in self.files]
        return told


def check_disclosure(level: str, loader: Any = None, store: Any = None, expand: Any = None) -> None:
    """Check what says how to disclose; meant to be called before anything is searched.

    Raises:
        ParameterError: an unknown level, both ``loader`` and ``store``, or what is none.
    """
    if not isinstance(level, str) or level not in DISCLOSURE_LEVELS:
        hint = nearest(level, DISCLOSURE_LEVELS) if isinstance(level, str) else ""
        raise ParameterError(
            f"unknown disclosure level {level!r}; levels are {', '.join(DISCLOSURE_LEVELS)}",
            hint=hint,
        )
    if loader is not None and store is not None:
        raise ParameterError("either loader= or store= says where bodies are, not both")
    if loader is not None and not callable(loader):
        raise ParameterTypeError(f"loader= is a function of metadata, not {loader!r:.60}")
    if store is not None and not hasattr(store, "get"):
        raise ParameterTypeError(f"store= is a mapping from pointer to body, not {store!r:.60}")
    if expand is not None and not callable(expand):
        raise ParameterTypeError(f"expand= is a neighbourhood policy, not {expand!r:.60}")


def disclose(
    selection: Selected,
    *,
    level: str = "body",
    loader: BodyLoader | None = None,
    store: ResourceStore | None = None,
    expand: NeighborhoodPolicy | None = None,
    corpus: Any = None,
) -> list[Disclosure]:
    """Return one :class:`Disclosure` per selected hit, best first; nothing given is changed.

    Level ``metadata`` reads nothing. ``body`` follows the pointer (``skill_path``, else
    ``path``): to a text file, or to the README of a folder; of it the first
    :data:`DFLT_MAX_BODY_CHARS` characters. ``bundled`` also lists the files beside the body: all
    below the folder of a skill or package, those in the same folder for any other file.

    Only regular files of a sane size under the folders a corpus was built from are read, found by
    the hit's ``source`` among the corpora of this process and those on this machine. A
    corpus without folders shows the ``SKILL.md`` its skills point at; a hit without a source may
    point at what is in one folder. What is refused is noted in the metadata, never an error.

    Args:
        selection: a :class:`Selection`.
        level: one of :data:`DISCLOSURE_LEVELS`.
        loader: ``metadata -> body`` instead of the disk; its errors are raised, no files are
            listed.
        store: a mapping ``pointer -> body`` instead of the disk; bytes are decoded, long bodies
            cut, errors count as nothing there, no files are listed.
        expand: a neighbourhood policy: also stitch what is stored around the match into
            ``passage``, at any level.
        corpus: where to find that: a handle, a store, a name, or ``{source: one of these}``.

    Raises:
        ParameterError: an unknown level, both ``loader`` and ``store``, ``expand`` without
            ``corpus`` or the other way round.
        CorpusNotFound: nothing is built under the name ``corpus``.
        StaleLedger: a corpus to expand from is torn.
    """
    if expand is not None and corpus is None:
        raise ParameterError("expand= needs corpus=: where the text around a match is stored")
    if corpus is not None and expand is None:
        raise ParameterError("corpus= is only used with expand=", hint="pass expand= too")
    return reveal(selection, level=level, loader=loader, store=store, expand=expand, corpora=corpus)


def reveal(
    selection: Selected,
    *,
    level: str = "body",
    loader: BodyLoader | None = None,
    store: ResourceStore | None = None,
    expand: NeighborhoodPolicy | None = None,
    corpora: Any = None,
) -> list[Disclosure]:
    """Disclose as :func:`disclose` does, with the corpora searched at hand.

    ``corpora`` (a handle, a store, a name, or a mapping by source) says where to expand from and
    which folders may be read; it may be given without ``expand``.
    """
    check_disclosure(level, loader, store, expand)
    having("selection", selection, "selected", "a selection, as select() returns one")
    known = Corpora(corpora)
    disclosed = []
    for hit in selection.selected:
        pointer = pointer_of(hit.metadata)
        payload = _payload(hit, pointer, level, loader, store, known)
        metadata = dict(hit.metadata)
        if payload.note:
            metadata["disclosure"] = payload.note
            metadata["disclosure_detail"] = payload.detail
        if payload.more_files:
            metadata["bundle"] = "files_omitted"
        passage = None
        if expand is not None:
            passage, note = _passage(hit, known, expand)
            if note:
                metadata["expansion"] = note
        disclosed.append(
            Disclosure(
                artifact_id=hit.artifact_id,
                level=level,
                name=str(hit.metadata.get("name") or hit.artifact_id),
                score=hit.score,
                summary=hit.text,
                body=payload.body,
                pointer=pointer,
                metadata=metadata,
                source=hit.source,
                passage=passage,
                files=payload.files,
            )
        )
    return disclosed


def _payload(
    hit: SearchHit,
    pointer: str | None,
    level: str,
    loader: BodyLoader | None,
    store: ResourceStore | None,
    known: Corpora,
) -> Payload:
    if level == DISCLOSURE_LEVELS[0]:
        return Payload()
    if loader is not None:
        return from_loader(loader, hit.metadata, pointer)
    if store is not None:
        return from_store(store, pointer)
    if pointer is None:
        return Payload()
    try:
        folders = known.folders_of(hit.source)
    except (ItemError, StoreError) as error:
        return Payload(None, "pointer_refused", error.message)
    return from_disk(hit.metadata, pointer, folders, bundled=level == DISCLOSURE_LEVELS[-1])


def _passage(
    hit: SearchHit, known: Corpora, policy: NeighborhoodPolicy
) -> tuple[str | None, str | None]:
    """Return the passage of a hit, or why there is none."""
    store = known.store_of(hit.source)
    if store is None:
        return None, "no_corpus_for_source"
    try:
        return passage_of(hit, store, policy=policy).text, None
    except NoLedgerEntry:
        return None, "no_ledger_entry"
    except SeedNotFound:
        return None, "seed_not_found"
