"""Asking opened corpora, and what an answer is as data: shared by ``search`` and ``try``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtui.commands.asking import Question
from irtui.commands.engine import about
from irtui.commands.listing import listed
from irtui.commands.spec import Result

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.errors import IrError
    from irengine.freshness import IndexedFiles
    from irengine.index import Corpus
    from irengine.store import CorpusStore

__all__ = [
    "answers",
    "asked_of",
    "docid_of",
    "hit_data",
    "merged",
    "ranked",
    "scales_differ",
    "title_of",
    "why_none",
]

_DOCID = 6  # hexadecimal digits of a docid


def ranked(
    question: Question,
    *,
    limit: int,
    fusion: str | None,
    rerank: str | None,
    surfaces: str | None,
    full: bool,
    left_out: Callable[[str, IrError], None] | None = None,
) -> Result:
    """Return the answers to ``question`` as a result for people and programs.

    A question of conditions alone lists what meets them, by id. With ``left_out`` a corpus that
    cannot be searched is told to it and left out, as long as another one can; what is wrong with
    the arguments is raised all the same.
    """
    from irengine.freshness import IndexedFiles

    limit = limit if question.limit is None else question.limit
    more = asked_of(fusion, surfaces, rerank)
    options = {"k": question.candidates(limit), **more}
    found = answers(question, options, left_out)
    corpora = [corpus for corpus in question.corpora if corpus.name in found]
    several = len(found) > 1
    by_rank = scales_differ(question, found, options)
    there_are = sum(map(len, found.values()))
    hits = question.first(merged(found, by_rank=by_rank), limit)
    notes = list(question.notes)
    if by_rank and hits and question.text.strip():
        notes.append(f"merged by rank from {len(found)} corpora; scores are rank scores")
    if there_are > len(hits) and not question.text.strip():
        notes.append(f"{len(hits):,} of {there_are:,}; -n {there_are} shows all")
    if not hits:
        notes += why_none(question, corpora, limit)
    indexed = {corpus.name: IndexedFiles(corpus) for corpus in corpora}
    stores = {corpus.name: corpus.store for corpus in corpora}
    return Result(
        [
            hit_data(
                rank,
                hit,
                question.text or question.asked,
                full=full,
                indexed=indexed.get(hit.source or ""),
                store=stores.get(hit.source or ""),
            )
            for rank, hit in enumerate(hits, 1)
        ],
        view="hits",
        notes=tuple(notes),
        options={"full": full, "several": several},
    )


def why_none(question: Question, corpora: Sequence[Corpus], limit: int) -> list[str]:
    """Return what a person wants to know where there are no answers."""
    if not limit:
        return ["no answers were asked for: the limit is 0"]
    if not (question.text.strip() or question.lists):
        return ["nothing was asked: the query is empty"]
    records = sum(len(corpus) for corpus in corpora)
    where = corpora[0].name if len(corpora) == 1 else f"{len(corpora)} corpora"
    notes = [f"no answers in {where} ({records:,} texts)"]
    if question.wording is not None and question.text.strip():
        notes.append('what is "quoted", +demanded or -excluded has to hold')
    if question.mode == "lexical":
        notes.append("--mode hybrid also finds answers that use other words")
    return notes


def asked_of(fusion: str | None, surfaces: str | None, rerank: str | None) -> dict[str, Any]:
    """Return the arguments of a search for options that may be left out."""
    given = {"fusion": fusion, "rerank": rerank}
    asked: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if surfaces is not None:
        asked["surfaces"] = [kind.strip() for kind in surfaces.split(",") if kind.strip()]
    return asked


def answers(
    question: Question,
    options: Mapping[str, Any],
    left_out: Callable[[str, IrError], None] | None,
) -> dict[str, list[SearchHit]]:
    """Return the hits of each corpus that could be asked; ``options`` are those of a search.

    Raises:
        ParameterError: for an argument outside its range.
        IrError: what a corpus raises, without ``left_out`` or when none could be asked.
    """
    from irengine.errors import IrError, ParameterError
    from irengine.retrieve import search as search_corpus

    found: dict[str, list[SearchHit]] = {}
    problems: list[IrError] = []
    # A single corpus is asked in any case: the engine tells the same of it.
    several = len(question.corpora) > 1
    passed_over = _without_candidates(question, options.get("surfaces")) if several else set()
    for corpus in question.corpora:
        try:
            with about(corpus.name):
                if corpus.name in passed_over:
                    found[corpus.name] = []
                elif question.lists:
                    found[corpus.name] = listed(
                        corpus,
                        filter=question.filter,
                        wording=question.wording,
                        surfaces=options.get("surfaces"),
                    )
                else:
                    found[corpus.name] = search_corpus(
                        corpus, question.text, **question.options(), **options
                    )
        except ParameterError:
            raise
        except IrError as error:
            if left_out is None:
                raise
            problems.append(error)
            left_out(corpus.name, error)
    if problems and not found:
        raise problems[0]
    return found


def _without_candidates(question: Question, kinds: Sequence[str] | None) -> set[str]:
    """Return the corpora in which nothing has ``kinds`` and passes the filter; others may answer.

    Kinds and fields that no corpus has are told; one that is damaged is asked, and says so itself.

    Raises:
        ParameterError: when no corpus has a text of ``kinds``.
    """
    from irengine.errors import IrError
    from irengine.retrieve.filters import compile_filter
    from irengine.retrieve.unknown import fitting

    whole = {}
    for corpus in question.corpora:
        with suppress(IrError):
            corpus.store.snapshot()
            whole[corpus.name] = corpus
    passes = compile_filter(question.filter) if question.filter else None
    return set(whole) - set(fitting(whole, passes, tuple(kinds) if kinds else None))


def scales_differ(
    question: Question, found: Mapping[str, Sequence[SearchHit]], options: Mapping[str, Any]
) -> bool:
    """Whether the scores of the corpora that were asked do not mean the same in all of them.

    Those of one embedder do, alone or in fixed shares with words; BM25 scores hang on what else is
    in a corpus, and those of ranks or of a reranker on what else was found.
    """
    from irengine.several import embedder_of

    by_meaning = question.mode == "dense" or (
        question.mode == "hybrid" and options.get("fusion") in (None, "convex")
    )
    embedders = {embedder_of(corpus) for corpus in question.corpora if found.get(corpus.name)}
    worded = by_meaning and not question.lists
    one = worded and "rerank" not in options and len(embedders) == 1
    return len(found) > 1 and not one


def merged(found: Mapping[str, Sequence[SearchHit]], *, by_rank: bool) -> list[SearchHit]:
    """Return the hits of all corpora as one ranking: by score, or ``by_rank``.

    By rank the score becomes that of reciprocal rank fusion, ``1 / (60 + rank)`` (Cormack et al.,
    2009). Corpora share no artifacts, so this takes their first answers in turn. Of equals that of
    the corpus named first comes first.
    """
    from irengine.retrieve import DFLT_RRF_K

    if not by_rank and len(found) == 1:
        return list(next(iter(found.values())))
    hits = [
        replace(hit, score=1.0 / (DFLT_RRF_K + rank)) if by_rank else hit
        for hits in found.values()
        for rank, hit in enumerate(hits, 1)
    ]
    return sorted(hits, key=lambda hit: -hit.score)


def hit_data(
    rank: int,
    hit: SearchHit,
    query: str,
    *,
    full: bool = False,
    indexed: IndexedFiles | None = None,
    store: CorpusStore | None = None,
) -> dict[str, Any]:
    """Return one answer as JSON data: the hit, where it is, and a snippet with match spans.

    ``spans`` are ``[start, end)`` code-point offsets into ``snippet``, with ``full`` those of the
    whole ``text`` are in ``text_spans``. ``file`` compares the file the answer points at with the
    one that was ``indexed``: see :data:`irengine.freshness.FileState`; ``gone`` and ``changed``
    are true for the two that matter. ``docid`` is the beginning of the content's hash in ``store``.
    """
    from irengine.text import highlight, match_spans

    snippet = highlight(hit.text, query)
    pointer = hit.pointer
    path = pointer if isinstance(pointer, str) else None
    spans = match_spans(hit.text, query)
    whole = {"text_spans": [list(span) for span in spans]} if full else {}
    state = "unknown" if indexed is None else indexed.state(hit.artifact_id, path)
    return {
        "rank": rank,
        **hit.to_dict(),
        "title": title_of(hit.artifact_id, hit.metadata),
        "docid": None if store is None else docid_of(store, hit.artifact_id),
        "path": path,
        "line": _line_of(hit, spans, snippet.windows),
        "file": state,
        "gone": state == "gone",
        "changed": state == "stale",
        "snippet": snippet.text,
        "spans": [list(span) for span in snippet.spans],
        **whole,
    }


def _line_of(
    hit: SearchHit, spans: Sequence[tuple[int, int]], windows: Sequence[tuple[int, int]]
) -> int | None:
    """Return the line of the first match the snippet shows; without a match, the text's first.

    ``None`` when the text knows no lines.
    """
    first_line = hit.metadata.get("line_start")
    if not isinstance(first_line, int):
        return None
    shown = [start for start, _ in spans if any(a <= start < b for a, b in windows)]
    return first_line + hit.text.count("\n", 0, shown[0] if shown else 0)


def title_of(artifact_id: str, metadata: Any) -> str:
    """Return what to call an artifact: its title or name, else its file name, else its id."""
    names: Iterable[Any] = (metadata.get(key) for key in ("title", "name", "filename"))
    return next((name for name in names if isinstance(name, str) and name.strip()), artifact_id)


def docid_of(store: CorpusStore, artifact_id: str) -> str | None:
    """Return ``#`` and six digits of the hash of an artifact's file, or of what it is made of."""
    from irengine.base import ledger_key

    entry = store.get_ledger_entry(ledger_key(artifact_id)) or {}
    digest = entry.get("digest") or entry.get("input_hash")
    return f"#{digest[:_DOCID]}" if isinstance(digest, str) else None
