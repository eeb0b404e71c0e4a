"""Queries as calls of the engine: text to search with, a filter, a wording, and what steers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irengine.errors import is_slip, nearest
from irtui.grammar.problems import Problem, Span, raise_first
from irtui.grammar.query.parsing import parse_query
from irtui.grammar.query.printing import print_clause
from irtui.grammar.query.syntax import (
    Between,
    Clause,
    Compare,
    Empty,
    Field,
    Match,
    OneOf,
    Phrase,
    Query,
    StartsWith,
    Term,
    Text,
)
from irtui.grammar.values import (
    DATE_FORMS,
    Condition,
    Value,
    any_of,
    between,
    compared,
    date_problem,
    equal_to,
    known_name,
    on_field,
    range_problem,
    starting_with,
    value_problem,
)

if TYPE_CHECKING:
    from irengine.retrieve.wording import Wording, Words

__all__ = ["MODES", "STEERING", "CompiledQuery", "compile_query"]

MODES: Mapping[str, str] = {
    "hybrid": "hybrid",
    "dense": "dense",
    "vec": "dense",
    "vector": "dense",
    "lexical": "lexical",
    "lex": "lexical",
    "bm25": "lexical",
}
"""What may follow ``mode:``, and the engine's name for it."""

STEERING = ("has", "in", "limit", "mode", "near", "sort")
"""Names before a colon that are no metadata fields."""

SORTED_BY = ("score", "modified_at")
"""What may follow ``sort:`` besides the metadata fields."""

_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """What a query asks of the engine.

    Attributes:
        text: the free words, verbatim, with the words of what must be there; to search with.
        filter: a filter in the engine's language, or ``None``.
        required, excluded: phrases and words an answer must hold, or must not.
        corpora, excluded_corpora: names after ``in:`` and ``-in:``.
        mode: ``hybrid``, ``dense`` or ``lexical``; ``None`` = not said.
        sort: a key and whether it descends; ``None`` = not said.
        limit: how many answers; ``None`` = not said.
        near: the id after ``near:``, or ``None``.
        problems: what was passed over, or does not stand for what it seems to.
    """

    text: str
    filter: dict[str, Any] | None = None
    required: tuple[Phrase | Term, ...] = ()
    excluded: tuple[Phrase | Term, ...] = ()
    corpora: tuple[str, ...] = ()
    excluded_corpora: tuple[str, ...] = ()
    mode: str | None = None
    sort: tuple[str, bool] | None = None
    limit: int | None = None
    near: str | None = None
    problems: tuple[Problem, ...] = ()

    def wording(self) -> Wording | None:
        """Return the conditions on words for ``search(…, wording=…)``."""
        from irengine.retrieve.wording import Wording

        made = Wording(tuple(map(_words, self.required)), tuple(map(_words, self.excluded)))
        return made or None


def _words(clause: Phrase | Term) -> Words:
    from irengine.retrieve.wording import Words

    return Words(clause.text, whole=isinstance(clause, Phrase), prefix=clause.prefix)


def compile_query(
    query: Query | str,
    *,
    fields: Collection[str] | None = None,
    kind_of: Callable[[str], str] | None = None,
    finished: bool = False,
    strict: bool = False,
) -> CompiledQuery:
    """Return what ``query`` asks for.

    Args:
        query: a parsed query, or its text.
        fields: the metadata fields there are. ``name:value`` of another name is text, with a
            remark; a name like that of a field is taken for misspelt, which is a problem. ``None``
            takes every name for a field.
        kind_of: what a field holds: ``dates``, ``numbers``, or ``""`` for anything.
        finished: raise the first condition whose field is misspelt, or whose value is missing or
            cannot be. What is quoted may still end with the text: somebody pasted it.
        strict: raise the first problem that is more than such a remark.

    Raises:
        GrammarError: with ``strict``, for what stops too early, or has a value that cannot be; with
            ``finished``, for such a value.
    """
    if isinstance(query, str):
        query = parse_query(query)
    return _Compiler(query, fields, kind_of).compiled(finished=finished, strict=strict)


class _Compiler:
    def __init__(
        self,
        query: Query,
        fields: Collection[str] | None,
        kind_of: Callable[[str], str] | None,
    ) -> None:
        self.query = query
        self.fields = fields
        self.kind_of = kind_of
        self.filters: list[dict[str, Any]] = []
        self.required: list[Phrase | Term] = []
        self.excluded: list[Phrase | Term] = []
        self.kept: list[tuple[str, Span]] = []
        self.corpora: dict[bool, list[str]] = {False: [], True: []}
        self.steering: dict[str, Any] = {}
        self.faults: list[Problem] = list(query.problems)
        self.remarks: list[Problem] = []

    def compiled(self, *, finished: bool, strict: bool) -> CompiledQuery:
        for clause in self.query.clauses:
            self._clause(clause)
        if strict:
            raise_first(self.query.source, self.faults)
        elif finished:
            raise_first(self.query.source, [each for each in self.faults if not self._opens(each)])
        parts = self.filters
        return CompiledQuery(
            text=self._text(),
            filter=None if not parts else parts[0] if len(parts) == 1 else {"$and": parts},
            required=tuple(self.required),
            excluded=tuple(self.excluded),
            corpora=tuple(dict.fromkeys(self.corpora[False])),
            excluded_corpora=tuple(dict.fromkeys(self.corpora[True])),
            problems=tuple(sorted([*self.faults, *self.remarks], key=lambda found: found.span)),
            **self.steering,
        )

    def _opens(self, problem: Problem) -> bool:
        """Return whether something is merely not closed."""
        return problem.incomplete and self.query.source[problem.span.start] in '"('

    def _clause(self, clause: Clause) -> None:
        if isinstance(clause, Field):
            self._field(clause)
            return
        if isinstance(clause, Text):
            self.kept.append((clause.text, clause.span))
            return
        if clause.sign == "-":
            self.excluded.append(clause)
            return
        self.required.append(clause)
        self.kept.append((clause.text, clause.span))

    def _text(self) -> str:
        """Join what is kept by what stands between it, where that is blank."""
        source = self.query.source
        pieces: list[str] = []
        end = 0
        for text, span in self.kept:
            if pieces:
                between = source[end : span.start]
                pieces.append(between if between and not between.strip() else " ")
            pieces.append(text)
            end = span.end
        return "".join(pieces)

    def _fault(self, clause: Field, message: str, hint: str = "", *, typing: bool = False) -> None:
        """Note that a clause makes no sense; ``typing`` says that it may still be typed."""
        incomplete = typing and clause.span.end == len(self.query.source)
        self.faults.append(Problem(message, clause.span, hint, incomplete))

    def _field(self, clause: Field) -> None:
        if clause.name in STEERING:
            self._steer(clause)
            return
        name = clause.name if self.fields is None else known_name(clause.name, self.fields)
        empty = isinstance(clause.match, Empty)
        if name is None or (empty and self.fields is None):
            if not empty:
                self._unknown(clause, clause.name, "in quotes it is text")
            source = self.query.source[slice(*clause.span)]
            self.kept.append((source or print_clause(clause), clause.span))
            return
        if empty:
            self._unfinished(clause)
            return
        conditions = self._conditions(clause, name)
        if conditions:
            self._filter(on_field(name, conditions), clause)

    def _unknown(self, clause: Field, name: str, otherwise: str) -> None:
        """Note that there is no field ``name``: a mistake where it is one there is, misspelt."""
        message = f"there is no field {name!r}"
        fields = self.fields or ()
        near = nearest(name, fields)
        if near and is_slip(name, fields):
            self._fault(clause, message, f"{near} {otherwise}".rstrip())
        else:
            message += "; it is searched for as text" if otherwise else ""
            self.remarks.append(Problem(message, clause.span, near))

    def _filter(self, made: dict[str, Any], clause: Field) -> None:
        self.filters.append({"$not": made} if clause.negated else made)

    def _unfinished(self, clause: Field) -> None:
        if not any(problem.span.start >= clause.span.start for problem in self.query.problems):
            message = f"a value is missing after {clause.name}:"
            hint = "the value follows the colon at once; in quotes it is text"
            self.faults.append(Problem(message, clause.span, hint, incomplete=True))

    def _conditions(self, clause: Field, name: str) -> list[Condition]:
        match = clause.match
        for value in _values(match):
            if problem := date_problem(value):
                self._fault(clause, problem, DATE_FORMS)
                return []
        if isinstance(match, Between) and (problem := range_problem(match.low, match.high)):
            self._fault(clause, problem, typing=True)
            return []
        if problem := self._kind_problem(name, match):
            hint = "" if problem.endswith("number") else DATE_FORMS
            self._fault(clause, problem, hint, typing=True)
            return []
        if isinstance(match, OneOf):
            return [made for value in match.values for made in equal_to(value, any_case=True)]
        if isinstance(match, Compare):
            return compared(match.operator, match.value)
        if isinstance(match, Between):
            return between(match.low, match.high)
        return starting_with(match.text) if isinstance(match, StartsWith) else []

    def _kind_problem(self, name: str, match: Match) -> str:
        """Return what keeps a condition from holding of dates or numbers, or ``""``."""
        kind = "" if self.kind_of is None else self.kind_of(name)
        if isinstance(match, StartsWith) and kind == "numbers":
            return f"{match.text + '*'!r:.60} is no number"
        operator = match.operator if isinstance(match, Compare) else "="
        return next(
            (
                problem
                for value in _values(match)
                for part in _ends(value)
                if (problem := value_problem(operator, part, kind))
            ),
            "",
        )

    # --- what steers a search ---------------------------------------------------------------

    def _steer(self, clause: Field) -> None:
        if isinstance(clause.match, Empty):
            self._unfinished(clause)
            return
        words = (
            [value.text for value in clause.match.values if value.text.strip()]
            if isinstance(clause.match, OneOf)
            else []
        )
        if not words:
            self._fault(clause, f"{clause.name}: takes a name or a number as it is")
        elif clause.name == "in":
            self.corpora[clause.negated] += words
        elif clause.name == "has":
            self._has(clause, words)
        elif clause.negated or len(words) > 1:
            self._fault(clause, f"{clause.name}: takes one value, without a minus")
        else:
            self._set(clause, words[0])

    def _has(self, clause: Field, words: list[str]) -> None:
        names = []
        for word in words:
            name = word if self.fields is None else known_name(word, self.fields)
            if name is None:
                self._unknown(clause, word, "")
            names.append(name or word)
        self._filter(any_of([{name: {"$exists": True}} for name in names]), clause)

    def _set(self, clause: Field, word: str) -> None:
        value: Any = word
        if clause.name == "mode":
            value = MODES.get(word.lower())
            if value is None:
                hint = nearest(word.lower(), MODES) or f"modes: {', '.join(MODES)}"
                self._fault(clause, f"there is no mode {word!r}", hint)
        elif clause.name == "limit":
            number = Value(word).number
            value = number if isinstance(number, int) and 0 <= number <= _MOST else None
            if value is None:
                self._fault(clause, f"limit: takes a whole number, not {word!r:.40}")
        elif clause.name == "sort":
            value = self._sort_key(clause, word)
        if value is None:
            return
        if clause.name in self.steering:
            self._fault(clause, f"{clause.name}: is given twice; the last one counts")
        self.steering[clause.name] = value

    def _sort_key(self, clause: Field, word: str) -> tuple[str, bool] | None:
        key = word.removeprefix("-")
        if not key:
            self._fault(clause, "sort: takes the name of a field")
            return None
        if self.fields is None or key in SORTED_BY:
            return key, key != word
        known = known_name(key, self.fields)
        if known is None:
            choices = [*self.fields, *SORTED_BY]
            hint = nearest(key, choices) or f"sort by {', '.join(sorted(choices))}"
            self._fault(clause, f"there is no field {key!r} to sort by", hint, typing=True)
            return None
        return known, key != word


def _ends(value: Value) -> list[Value]:
    """Return the ends of what is written like a range, else the value itself."""
    ends = [] if value.quoted else [Value(end) for end in value.text.split("..") if end]
    return ends if len(ends) == 2 else [value]


def _values(match: Match) -> list[Value]:
    if isinstance(match, OneOf):
        return list(match.values)
    if isinstance(match, Compare):
        return [match.value]
    if isinstance(match, Between):
        return [end for end in (match.low, match.high) if end is not None]
    return []
