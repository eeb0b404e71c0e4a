"""What narrows a search: values and ranges of fields, counted over everything that matches.

Counting is disjunctive: a field passes over its own conditions, so that the values beside the
chosen ones stay choosable with the counts they would have. The match set is that of the query's
words and conditions (see :func:`irengine.retrieve.facets`); it is exact and does not depend on how
hits are ranked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from irtui.commands.asking import Question, ask_these
from irtui.commands.context import Context
from irtui.commands.live import Live

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["BINS", "PLUMBING", "bins_of", "field_counts", "panel"]

BINS = 16
"""How many bars a histogram has at most."""

PLUMBING = frozenset(
    [
        "char_start",
        "char_end",
        "chunk_index",
        "n_chunks",
        "line_start",
        "line_end",
        "path",
        "filename",
    ]
)
"""Fields that say where a text is; nobody narrows by them unless told to."""
_FEW_VALUES = 12
_MOST_FIELDS = 12
_FEW = 3


def panel(live: Live, text: str, *, names: Sequence[str], most: int = 6) -> dict[str, Any]:
    """Return the fields worth narrowing by, for a query as it is typed.

    Returns:
        ``query``; ``facets``, in the order of their names but the ones of the query first, each
        with ``field``, ``kind`` (``values``, ``numbers`` or ``dates``), ``chosen`` (whether the
        query has a condition on it), ``values`` (at most ``most`` of ``{value, count}``, plus the
        chosen ones), ``distinct``, and for numbers and dates ``bins`` (see :func:`bins_of`);
        ``hidden``: the names of the other fields.

    Raises:
        IrError: when no corpus opens.
    """
    corpora = _corpora(live, names)
    conditions = _conditions(text)
    fields = sorted({name for each in corpora for name in each.store.snapshot().fields()})
    worth = [name for name in fields if name in conditions or _worth(live, corpora, name)]
    worth.sort(key=lambda name: (name not in conditions, name))
    shown = worth[:_MOST_FIELDS]
    counted: dict[str, list[tuple[Any, int]]] = {}
    together = [name for name in shown if name not in conditions]
    counted |= _count(corpora, text, together)
    for name in shown:
        if name in conditions:
            counted |= _count(corpora, _without(text, name), [name])
    return {
        "query": text,
        "facets": [
            _facet(name, counted.get(name, []), conditions.get(name, frozenset()), most)
            | {"chosen": name in conditions}
            for name in shown
        ],
        "hidden": [name for name in fields if name not in shown],
    }


def field_counts(live: Live, text: str, field: str, *, names: Sequence[str]) -> dict[str, Any]:
    """Return all values of one field as :func:`panel` has them, most frequent first."""
    corpora = _corpora(live, names)
    conditions = _conditions(text)
    counts = _count(corpora, _without(text, field), [field]).get(field, [])
    told = _facet(field, counts, conditions.get(field, frozenset()), len(counts))
    return {**told, "chosen": field in conditions}


def bins_of(counts: Iterable[tuple[Any, int]], kind: str) -> list[dict[str, Any]]:
    """Return a histogram of at most :data:`BINS` bars: ``label``, ``low``, ``high``, ``count``.

    ``low`` and ``high`` are ends as the query language takes them, both included. Bars have equal
    widths: whole numbers or parts of the range; years, months or days, or several of them.
    """
    pairs = list(counts)
    if not pairs:
        return []
    return _number_bins(pairs) if kind == "numbers" else _date_bins(pairs)


def _corpora(live: Live, names: Sequence[str]) -> list[Corpus]:
    from irengine.errors import CorpusNotFound

    corpora, problems = live.opened(names)
    if not corpora:
        told = next(iter(problems.values()), {"message": "there is no corpus", "hint": ""})
        raise CorpusNotFound(told["message"], hint=told["hint"])
    return corpora


def _worth(live: Live, corpora: Sequence[Corpus], field: str) -> bool:
    """Return whether values of a field repeat, or can be put in order; remembered."""
    if field in PLUMBING:
        return False
    known = live.remembered
    mark = (
        "facet",
        field,
        tuple((each.name, each.store.snapshot().generation) for each in corpora),
    )
    if mark not in known:
        counts = _count(corpora, "", [field]).get(field, [])
        total = sum(count for _, count in counts)
        ordered = _kind([value for value, _ in counts]) != "values"
        repeat = bool(counts) and counts[0][1] > 1 and len(counts) <= max(_FEW_VALUES, total // 2)
        known[mark] = len(counts) > 1 and (ordered or repeat)
    return bool(known[mark])


def _count(
    corpora: Sequence[Corpus], text: str, fields: Sequence[str]
) -> dict[str, list[tuple[Any, int]]]:
    """Return of each field its values and how many artifacts have them, most first."""
    from irengine.retrieve import facets

    if not fields:
        return {}
    question: Question = ask_these(Context(), list(corpora), [text], [], "lexical")
    totals: dict[str, dict[tuple[str, str], list[Any]]] = defaultdict(dict)
    for corpus in corpora:
        here = [name for name in fields if name in set(corpus.store.snapshot().fields())]
        if not here:
            continue
        found = facets(
            corpus,
            question.text,
            here,
            filter=question.filter,
            wording=question.wording,
            limit=None,
        )
        for name, counts in found.items():
            for each in counts:
                mark = (type(each.value).__name__, str(each.value))
                totals[name].setdefault(mark, [each.value, 0])[1] += each.count
    return {
        name: sorted(
            ((value, count) for value, count in marks.values()),
            key=lambda pair: (-pair[1], str(pair[0])),
        )
        for name, marks in totals.items()
    }


def _facet(
    field: str, counts: list[tuple[Any, int]], chosen: frozenset[str], most: int
) -> dict[str, Any]:
    rows = [
        {"value": value, "count": count, "chosen": str(value).casefold() in chosen}
        for value, count in counts
    ]
    found = {str(row["value"]).casefold() for row in rows}
    # A value that nothing has any more can still be given up.
    gone = [
        {"value": value, "count": 0, "chosen": True}
        for value in sorted(chosen - found)
        if value and rows
    ]
    kind = _kind([value for value, _ in counts])
    shown = [*rows[:most], *(row for row in rows[most:] if row["chosen"]), *gone]
    told: dict[str, Any] = {
        "field": field,
        "kind": kind,
        "values": shown,
        "distinct": len(counts),
    }
    if kind != "values":
        told["bins"] = bins_of(counts, kind)
    return told


def _kind(values: Sequence[Any]) -> str:
    from irengine.retrieve.dates import parse_moment

    if len(values) < _FEW:
        return "values"
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return "numbers"
    if all(isinstance(value, str) and parse_moment(value) is not None for value in values):
        return "dates"
    return "values"


# --- the query ----------------------------------------------------------------------------------


def _conditions(text: str) -> dict[str, frozenset[str]]:
    """Return the fields the query narrows by, with the values it names, without their case."""
    from irtui.grammar import parse_query
    from irtui.grammar.query.syntax import Empty, Field, OneOf

    found: dict[str, frozenset[str]] = {}
    for clause in parse_query(text).clauses:
        if isinstance(clause, Field) and not clause.negated and not isinstance(clause.match, Empty):
            named: tuple[Any, ...] = ()
            if isinstance(clause.match, OneOf):
                named = clause.match.values
            before = found.get(clause.name, frozenset())
            found[clause.name] = before | {value.text.casefold() for value in named}
    return found


def _without(text: str, field: str) -> str:
    """Return the query without its conditions on a field; what must not be stays."""
    from irtui.grammar import parse_query
    from irtui.grammar.query.syntax import Field

    for clause in reversed(parse_query(text).clauses):
        if isinstance(clause, Field) and clause.name == field and not clause.negated:
            text = f"{text[: clause.span.start].rstrip()} {text[clause.span.end :].lstrip()}"
    return text.strip()


# --- histograms ---------------------------------------------------------------------------------


def _number_bins(pairs: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    low, high = min(value for value, _ in pairs), max(value for value, _ in pairs)
    whole = all(float(value).is_integer() for value, _ in pairs)
    if whole:
        low, high = int(low), int(high)
        width: float = max(1, -(-(high - low + 1) // BINS))
        number = -(-(high - low + 1) // int(width))
    else:
        number = BINS
        width = (high - low) / number or 1.0
    counts = [0] * int(number)
    for value, count in pairs:
        counts[min(len(counts) - 1, int((value - low) / width))] += count
    bars = []
    for place, count in enumerate(counts):
        begin = low + place * width
        end = begin + width - 1 if whole else begin + width
        first, last = _number(begin), _number(min(end, high) if whole else end)
        label = first if first == last else f"{first}–{last}"
        bars.append({"label": label, "low": first, "high": last, "count": count})
    return bars


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"


def _date_bins(pairs: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    texts = sorted(str(value) for value, _ in pairs)
    for length, units in ((4, 2), (7, 2), (10, 1)):
        first, last = _ordinal(texts[0][:length]), _ordinal(texts[-1][:length])
        if last - first >= units or length == 10:
            break
    width = max(1, -(-(last - first + 1) // BINS))
    number = -(-(last - first + 1) // width)
    counts = [0] * number
    for value, count in pairs:
        counts[(_ordinal(str(value)[:length]) - first) // width] += count
    bars = []
    for place, count in enumerate(counts):
        begin = _from_ordinal(first + place * width, length)
        end = _from_ordinal(min(last, first + (place + 1) * width - 1), length)
        label = begin if begin == end else f"{begin}–{end}"
        bars.append({"label": label, "low": begin, "high": end, "count": count})
    return bars


def _ordinal(text: str) -> int:
    """Return the number of a year, a month or a day, counted without gaps."""
    from datetime import date

    if len(text) == 4:
        return int(text)
    if len(text) == 7:
        return int(text[:4]) * 12 + int(text[5:7]) - 1
    return date.fromisoformat(f"{text}-01"[:10]).toordinal()  # a month counts as its first day


def _from_ordinal(number: int, length: int) -> str:
    from datetime import date

    if length == 4:
        return f"{number:04}"
    if length == 7:
        return f"{number // 12:04}-{number % 12 + 1:02}"
    return date.fromordinal(number).isoformat()
