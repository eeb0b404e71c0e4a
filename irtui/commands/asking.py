"""From the words of a query and filter options to what the engine is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context
from irtui.commands.listing import in_order
from irtui.commands.where import asked_corpora, named

if TYPE_CHECKING:
    from irengine.base import SearchHit
    from irengine.errors import IrError
    from irengine.index import Corpus
    from irengine.retrieve.wording import Wording
    from irtui.grammar import CompiledQuery, Problem

__all__ = ["Question", "ask", "ask_these", "known_fields"]

_LOOKED_AT = 200  # values of a field that are read as dates
_SORTED = 10  # answers among which a sort chooses, if no more are wanted


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood.

    Attributes:
        corpora: where to look.
        asked: the query as it was typed.
        text: what is embedded and ranked by; blank when only conditions were given.
        mode: ``hybrid``, ``dense`` or ``lexical``.
        filter, wording: conditions on metadata and on words.
        limit: how many answers, when the query says so.
        sort: a field and whether it descends, likewise.
        notes: what was passed over.
        problems: the same and what is only half typed, with the places.
    """

    corpora: tuple[Corpus, ...]
    asked: str
    text: str
    mode: str
    filter: dict[str, Any] | None = None
    wording: Wording | None = None
    limit: int | None = None
    sort: tuple[str, bool] | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def options(self) -> dict[str, Any]:
        """Return the arguments of a search."""
        return {"mode": self.mode, "filter": self.filter, "wording": self.wording}

    @property
    def lists(self) -> bool:
        """Whether conditions alone say what is listed: there is no text to rank by."""
        conditions = (self.filter, self.wording, self.sort)
        return not self.text.strip() and any(each is not None for each in conditions)

    def candidates(self, shown: int) -> int:
        """Return how many answers are ranked where ``shown`` are wanted.

        What is sorted is chosen among the best ten at least, so that a small limit shows the
        first by the field, not the best alone.
        """
        return shown if self.sort is None or not shown else max(shown, _SORTED)

    def first(self, hits: list[SearchHit], shown: int) -> list[SearchHit]:
        """Return the first ``shown`` of ranked or listed ``hits``, sorted as the query says."""
        among = hits if self.lists else hits[: self.candidates(shown)]
        return in_order(among, self.sort)[:shown]


def ask(
    context: Context,
    words: Sequence[str],
    names: Sequence[str],
    filters: Sequence[Any],
    mode: str,
    *,
    left_out: Callable[[str, IrError], None] | None = None,
) -> Question:
    """Read a query in the query language and find the corpora it is for.

    Where none is named, what only ``try`` made is asked only while no registered corpus is built:
    it would answer everything twice, or for a folder that was looked at once. Names after ``in:``
    say where to look, within ``names`` where both are given.

    Raises:
        CorpusNotFound: as for :func:`asked_corpora`.
        GrammarError: for a filter option that is none.
    """
    from irengine.errors import CorpusNotFound
    from irtui.grammar import compile_query

    text = " ".join(words)
    steering = compile_query(text)
    wanted = named(names)
    if steering.corpora:
        within = named(steering.corpora)
        wanted = [name for name in within if name in wanted] if wanted else within
        if not wanted:
            raise CorpusNotFound(f"in:{within[0]} is not among the corpora named by -c")
    corpora = asked_corpora(wanted, context=context, left_out=left_out, tried=False)
    outside = set(named(steering.excluded_corpora))
    corpora = [corpus for corpus in corpora if corpus.name not in outside]
    if not corpora:
        raise CorpusNotFound("the query excludes every corpus it is for")
    return ask_these(context, corpora, words, filters, mode)


def ask_these(
    context: Context,
    corpora: Sequence[Corpus],
    words: Sequence[str],
    filters: Sequence[Any],
    mode: str,
) -> Question:
    """Read a query for corpora that are known already.

    Raises:
        GrammarError: for a filter option that is none; on a command line also for a condition
            whose value is missing or cannot be, in strict use for anything that stops too early.
    """
    from irtui.grammar import compile_query

    text = " ".join(words)
    fields = known_fields(corpora)
    kinds = _kinds_in(corpora)
    query = compile_query(
        text, fields=fields, kind_of=kinds, finished=context.finished, strict=context.strict
    )
    conditions = [*_filters(filters, fields, kinds), *([query.filter] if query.filter else [])]
    return Question(
        tuple(corpora),
        text,
        query.text,
        query.mode or mode,
        None if not conditions else conditions[0] if len(conditions) == 1 else {"$and": conditions},
        query.wording(),
        query.limit,
        query.sort,
        tuple(_notes(query)),
        query.problems,
    )


def known_fields(corpora: Sequence[Corpus]) -> list[str] | None:
    """Return the metadata fields of the corpora, sorted; ``None`` while nothing is indexed."""
    names = {name for corpus in corpora for name in corpus.store.snapshot().fields()}
    return sorted(names) or None


def _kinds_in(corpora: Sequence[Corpus]) -> Callable[[str], str]:
    """Return a function that says what a field holds: ``dates``, ``numbers``, or ``""``.

    All the different values of a field are looked at, though of dates beyond the first ones only
    how they begin.
    """
    from irengine.retrieve.columns import column
    from irengine.retrieve.dates import parse_moment

    def kind_of(name: str) -> str:
        parts = [part for corpus in corpora for part in corpus.store.snapshot().segments]
        found = [held[1] for part in parts if (held := column(part.columns, name))]
        values = [
            each
            for several in found
            for value in several
            for each in (value if isinstance(value, list) else [value])
        ]
        if not values:
            return ""
        if all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values):
            return "numbers"
        dated = all(isinstance(each, str) and each[4:5] == "-" for each in values)
        return "dates" if dated and all(map(parse_moment, values[:_LOOKED_AT])) else ""

    return kind_of


def _filters(
    filters: Sequence[Any], fields: list[str] | None, kind_of: Callable[[str], str]
) -> list[dict[str, Any]]:
    from irtui.grammar import GrammarError, filter_option

    try:
        return [
            each if isinstance(each, dict) else filter_option(each, fields=fields, kind_of=kind_of)
            for each in filters
        ]
    except GrammarError as error:
        error.message = f"--filter: {error.message}"
        raise


def _notes(query: CompiledQuery) -> list[str]:
    """Return what the query says and is not done; what is only half typed is no such thing."""
    said = [
        f"{problem.message} ({problem.hint})" if problem.hint else problem.message
        for problem in query.problems
        if not problem.incomplete
    ]
    if query.near is not None:
        said.append(f"near: is not searched by; irtui similar {query.near} lists neighbours")
    return said
