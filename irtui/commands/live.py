"""Searching again and again in one process: corpora stay open, and only what is seen is described.

What a front end needs that asks while somebody types. A hit costs a hundredth of its description
(snippet, match spans, the state of its file), so an :class:`Answer` describes hits by ranges.
Everything handed out is plain JSON data. Nothing here knows of threads, except that one
:class:`Live` may be used from several.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from irtui.commands.asking import Question, ask_these
from irtui.commands.context import Context
from irtui.commands.corpora import built_state
from irtui.commands.engine import known_names, open_built
from irtui.commands.ranking import answers, hit_data, merged, scales_differ
from irtui.commands.where import corpus_here, is_tried

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.errors import IrError
    from irengine.freshness import IndexedFiles
    from irengine.index import Corpus
    from irtui.commands.spec import Result

_T = TypeVar("_T")

__all__ = ["TIERS", "Answer", "Live", "problem_data"]

TIERS = ("lexical", "hybrid", "rerank")
"""Words alone; as the query and the front end say; that, with the best read again."""

_RERANKER = "maxsim"


def problem_data(error: IrError | Exception) -> dict[str, str]:
    """Return what a person is told of an error: ``code``, ``message`` and ``hint``."""
    return {
        "code": str(getattr(error, "code", "internal")),
        "message": str(getattr(error, "message", "") or f"{type(error).__name__}: {error}"),
        "hint": str(getattr(error, "hint", "")),
    }


@dataclass(slots=True)
class Answer:
    """A ranking whose hits are described when they are asked for.

    Attributes:
        query: the text that was asked.
        tier: one of :data:`TIERS`.
        mode: ``lexical``, ``dense`` or ``hybrid``: what it was ranked by.
        count: how many hits are ranked.
        more: whether a greater limit may give more.
        corpora: the names of those that answered.
        generations: the generation of each, at the time.
        problems: remarks on the query: ``message``, ``hint``, ``start``, ``end``, ``incomplete``.
        notes: other remarks.
        left_out: what could not be asked, by name: ``code``, ``message``, ``hint``.
        seconds: how long the ranking took.
    """

    query: str
    tier: str
    mode: str
    more: bool
    corpora: tuple[str, ...]
    generations: dict[str, int]
    problems: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    left_out: dict[str, dict[str, str]] = field(default_factory=dict)
    seconds: float = 0.0
    _hits: list[SearchHit] = field(default_factory=list, repr=False)
    _words: str = ""
    _opened: dict[str, Corpus] = field(default_factory=dict, repr=False)
    _files: dict[str, IndexedFiles] = field(default_factory=dict, repr=False)
    _described: dict[Any, dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def count(self) -> int:
        """How many hits are ranked."""
        return len(self._hits)

    def keys(self) -> list[str]:
        """Return what identifies each hit, in order: corpus, artifact, part."""
        return [_key(hit.source or "", hit.artifact_id) for hit in self._hits]

    def rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return the data of the hits ``start`` to ``stop``, as ``irtui search --json`` has it.

        ``key`` is added: see :meth:`keys`.
        """
        from irengine.freshness import IndexedFiles

        rows = []
        for rank, hit in enumerate(self._hits[start:stop], start + 1):
            source = hit.source or ""
            same = _part(hit)
            if same in self._described:  # a better tier ranks the same texts anew
                told = hit.to_dict()
                rows.append({**self._described[same], **told, "rank": rank})
                continue
            corpus = self._opened.get(source)
            if corpus is not None and source not in self._files:
                self._files[source] = IndexedFiles(corpus)
            data = hit_data(
                rank,
                hit,
                self._words,
                indexed=self._files.get(source),
                store=None if corpus is None else corpus.store,
            )
            data["key"] = _key(source, hit.artifact_id)
            self._described[same] = data
            rows.append(data)
        return rows


def _part(hit: SearchHit) -> tuple[str, str, str, int | None]:
    return hit.source or "", hit.artifact_id, hit.surface_kind, hit.surface_index


def _key(source: str, artifact_id: str) -> str:
    return f"{source}\0{artifact_id}"


class Live:
    """Open corpora, for as long as a front end runs.

    A corpus is opened when it is first asked, and again when it was removed and made anew. Each
    search reads the newest published generation.
    """

    def __init__(self) -> None:
        self._opened: dict[str, Corpus] = {}
        self._lock = threading.Lock()
        self.remembered: dict[Any, Any] = {}
        """What functions beside this class keep as long as corpora are open."""

    def call(self, function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
        """Return ``function(live, *args, **kwargs)``: where corpora are open elsewhere, there."""
        return function(self, *args, **kwargs)

    def run(self, command: str, /, **params: Any) -> Result:
        """Run a command and return its result."""
        from irtui.commands.runner import run

        return run(command, **params)

    def close(self) -> None:
        """Let go of what is open."""
        with self._lock:
            self._opened.clear()

    def names(self) -> list[str]:
        """Return the built corpora, sorted; what only ``try`` made comes last."""
        from irengine.registry import registered
        from irengine.store import built_names

        defined = registered()
        return sorted(built_names(), key=lambda name: (is_tried(name, defined), name))

    def default_names(self) -> list[str]:
        """Return what is asked when nobody chose: the corpus of this folder, else all registered.

        What only ``try`` made is asked while nothing else is built.
        """
        from irengine.registry import registered

        names = self.names()
        here = corpus_here(names)
        if here is not None:
            return [here]
        defined = registered()
        return [name for name in names if not is_tried(name, defined)] or names

    def known(self) -> list[str]:
        """Return every name there is, built or only registered."""
        return known_names()

    def opened(self, names: Sequence[str]) -> tuple[list[Corpus], dict[str, dict[str, str]]]:
        """Return the corpora of those names that open, and why the others do not."""
        from irengine.errors import IrError

        found, problems = [], {}
        for name in dict.fromkeys(names):
            try:
                found.append(self._open(name))
            except IrError as error:
                problems[name] = problem_data(error)
        return found, problems

    def opened_one(self, name: str) -> Corpus:
        """Return the corpus of that name, open.

        Raises:
            IrError: when it does not open.
        """
        return self._open(name)

    def warm(self, names: Sequence[str]) -> None:
        """Open the corpora and ask them something once, so that the first answer is fast."""
        from irengine.errors import IrError

        for corpus in self.opened(names)[0]:
            for tier in TIERS[:2]:
                try:
                    Live.answer(self, "warm", names=[corpus.name], tier=tier, limit=8).rows(0, 8)
                except IrError:
                    continue  # the first search by meaning says it, where somebody looks

    def state(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return of each corpus ``generation``, ``items``, ``texts``, ``embedder`` and ``state``.

        One that does not open has ``problem`` instead.
        """
        from irengine.registry import registered

        defined = registered()
        corpora, problems = self.opened(names)
        told: dict[str, dict[str, Any]] = {}
        for corpus in corpora:
            snapshot = corpus.store.snapshot()
            entry = defined.get(corpus.name) or {}
            told[corpus.name] = {
                "generation": snapshot.generation,
                "items": snapshot.n_artifacts,
                "texts": snapshot.count,
                "embedder": snapshot.embedder_id,
                "fields": sorted(snapshot.fields()),
                "state": built_state(corpus.name, corpus.store, entry)[1],
            }
        for name, problem in problems.items():
            told[name] = {"problem": problem}
        return told

    def answer(
        self,
        text: str,
        *,
        names: Sequence[str],
        tier: str = "lexical",
        mode: str = "hybrid",
        limit: int = 200,
        filters: Sequence[Any] = (),
        after: Answer | None = None,
    ) -> Answer:
        """Ask ``text`` in the query language; half-typed text is understood as far as it goes.

        Args:
            text: the query. ``in:`` chooses among ``names`` and other built corpora.
            names: where to look.
            tier: one of :data:`TIERS`.
            mode: how to rank, unless the query says so; the lexical tier only uses words.
            limit: how many hits are ranked at most, unless the query says so.
            filters: more filters, as for ``irtui search -f``.
            after: the answer of an earlier tier to the same text: what was described there is not
                described again.

        Raises:
            ValueError: for a tier there is not.
            IrError: when no corpus can be asked.
        """
        if tier not in TIERS:
            raise ValueError(f"tier must be one of {', '.join(TIERS)}, not {tier!r}")
        began = time.perf_counter()
        corpora, left_out = self._asked(text, names)
        question = ask_these(Context(), corpora, [text], filters, mode)
        if tier == "lexical":
            question = _by_words(question)
        most = limit if question.limit is None else question.limit
        options: dict[str, Any] = {"k": question.candidates(most)}
        if tier == "rerank":
            options["rerank"] = _RERANKER

        def leave_out(name: str, error: IrError) -> None:
            left_out[name] = problem_data(error)

        found = answers(question, options, leave_out)
        generations = {each.name: each.store.snapshot().generation for each in corpora}
        known = (
            after is not None
            and after._words == (question.text or text)
            and after.generations == generations
        )
        ranked = merged(found, by_rank=scales_differ(question, found, options))
        hits = question.first(ranked, most)
        return Answer(
            query=text,
            tier=tier,
            mode=question.mode,
            more=len(ranked) >= most and question.limit is None,
            corpora=tuple(found),
            generations=generations,
            problems=tuple(
                {
                    "message": problem.message,
                    "hint": problem.hint,
                    "start": problem.span.start,
                    "end": problem.span.end,
                    "incomplete": problem.incomplete,
                }
                for problem in question.problems
            ),
            notes=question.notes,
            left_out=left_out,
            seconds=time.perf_counter() - began,
            _hits=hits,
            _words=question.text or text,
            _opened={corpus.name: corpus for corpus in corpora},
            _described=after._described if after is not None and known else {},
        )

    def count(self, text: str, *, names: Sequence[str], most: int = 10_000) -> int:
        """Return how many artifacts ``text`` has by its words and conditions, up to ``most``."""
        return self.answer(text, names=names, tier="lexical", limit=most).count

    def read(
        self,
        source: str,
        artifact_id: str,
        *,
        query: str = "",
        max_chars: int | None = None,
        as_known: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return a document as ``irtui get --json`` does, with ``spans``: where ``query`` matches.

        With ``as_known`` returning true (somebody else wants something newer) no spans are made.

        Raises:
            IrError: when it is not there any more.
        """
        from irengine.text import match_spans
        from irtui.commands.documents import document
        from irtui.commands.targets import Found

        told = document(Found(self._open(source), artifact_id), max_chars=max_chars)
        words = _ranked_by(query)
        unwanted = as_known is not None and as_known()
        spans = match_spans(told["text"], words) if words.strip() and not unwanted else []
        return {**told, "spans": [list(span) for span in spans]}

    def _asked(
        self, text: str, names: Sequence[str]
    ) -> tuple[list[Corpus], dict[str, dict[str, str]]]:
        from irengine.errors import CorpusNotFound
        from irtui.commands.where import named
        from irtui.grammar import compile_query

        steering = compile_query(text)
        try:
            wanted = named(steering.corpora) or list(names)
            outside = set(named(steering.excluded_corpora))
        except CorpusNotFound:  # a pattern of which only the beginning is typed
            wanted, outside = list(names), set()
        known = set(self.names())
        chosen = [name for name in wanted if name not in outside]
        if steering.corpora and not known & set(chosen):
            chosen = [name for name in names if name not in outside]
        corpora, problems = self.opened(chosen)
        if not corpora:
            told = next(iter(problems.values()), None)
            if told is None:
                raise CorpusNotFound("there is no corpus to ask", hint="irtui try FOLDER")
            raise CorpusNotFound(told["message"], hint=told["hint"])
        return corpora, problems

    def _open(self, name: str) -> Corpus:
        with self._lock:
            corpus = self._opened.get(name)
            if corpus is not None and corpus.store.exists and not _embedded_anew(corpus):
                return corpus
            self._opened.pop(name, None)
            corpus = self._opened[name] = open_built(name)
            return corpus


def _embedded_anew(corpus: Corpus) -> bool:
    """Return whether the vectors are of another embedder than when it was opened."""
    return corpus.store.snapshot().embedder_id not in ("", corpus.embedder_id)


def _by_words(question: Question) -> Question:
    from dataclasses import replace

    return replace(question, mode="lexical")


def _ranked_by(query: str) -> str:
    from irtui.grammar import compile_query

    return compile_query(query).text
