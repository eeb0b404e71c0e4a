"""Filter options: JSON in the engine's language, or ``FIELD OP VALUE``; several must all hold.

``modified_at>=2026-01-01``, ``tags=rust``, ``title ~ deploy guide``. The first operator from the
left divides field from value, the longer one where two begin there; blanks around both are dropped,
so that the value may hold blanks. A value in double quotes is a text even where it looks like a
number or a date. Of a field with several values one has to pass (also for ``!=``), and what lacks
the field passes nothing; see :mod:`irtui.grammar.values` for how values are compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from irengine.errors import nearest
from irtui.grammar.problems import GrammarError, Span, marked, place_of
from irtui.grammar.quoting import quoted_text
from irtui.grammar.values import (
    DATE_FORMS,
    NAME,
    OPERATORS,
    Value,
    compared,
    date_problem,
    known_name,
    on_field,
    value_problem,
)

__all__ = ["clause_filter", "filter_option", "filter_options"]

_OPERATOR = re.compile("|".join(map(re.escape, OPERATORS)))
_EXAMPLE = "for example year>=2024 or title~deploy"


def filter_options(
    texts: Iterable[str],
    *,
    fields: Collection[str] | None = None,
    renamed: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """Return the filter that all of ``texts`` ask for together; ``None`` when there are none.

    Raises:
        GrammarError: as :func:`filter_option`.
    """
    filters = [filter_option(text, fields=fields, renamed=renamed) for text in texts]
    if not filters:
        return None
    return filters[0] if len(filters) == 1 else {"$and": filters}


def filter_option(
    text: str,
    *,
    fields: Collection[str] | None = None,
    renamed: Mapping[str, str] | None = None,
    kind_of: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Return the filter one option asks for: a JSON object, or a clause.

    Raises:
        GrammarError: when it is neither; with the place.
    """
    if not text.lstrip().startswith("{"):
        return clause_filter(text, fields=fields, renamed=renamed, kind_of=kind_of)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        at = error.pos
        raise _error(f"this is no JSON: {error.msg}", text, at, at + 1) from None
    except RecursionError:
        raise _error("this JSON is nested too deeply", text, 0, 1) from None
    except ValueError:  # a number of thousands of digits
        raise _error("this JSON holds a number that is too long", text, 0, 1) from None
    return dict(value)


def clause_filter(
    text: str,
    *,
    fields: Collection[str] | None = None,
    renamed: Mapping[str, str] | None = None,
    kind_of: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Return the filter for one ``FIELD OP VALUE``.

    Args:
        text: the clause.
        fields: the metadata fields there are; another one is an error. ``None`` takes any name.
        renamed: other names of fields, tried first. ``meta.NAME`` is ``NAME`` in any case.
        kind_of: what a field holds: ``dates``, ``numbers``, or ``""`` for anything.

    Raises:
        GrammarError: for a missing part, an unknown field, a date that does not exist, or a
            comparison with what is none in a field of dates or numbers.
    """
    match = _OPERATOR.search(text)
    if match is None:
        hint = f"{_EXAMPLE}; operators: {' '.join(OPERATORS)}"
        raise _error("a filter is FIELD OP VALUE, or JSON", text, 0, len(text), hint)
    field, value = text[: match.start()].strip(), text[match.end() :].strip()
    if not field:
        raise _error("the name of a field is missing", text, *match.span(), _EXAMPLE)
    if not value:
        raise _error("a value is missing", text, *match.span(), '"" is the empty text')
    name = _field_name(field, text, fields, renamed or {})
    operand = Value(value)
    if value.startswith('"') and len(value) > 1:
        inner, end, closed = quoted_text(value, 0)
        if closed and end == len(value):
            operand = Value(inner, quoted=True)
    kind = "" if kind_of is None else kind_of(name)
    problem = date_problem(operand) or value_problem(match[0], operand, kind)
    if problem:
        start = text.index(value, match.end())
        hint = "" if problem.endswith("number") else DATE_FORMS
        raise _error(problem, text, start, start + len(value), hint)
    return on_field(name, compared(match[0], operand))


def _field_name(
    field: str, text: str, fields: Collection[str] | None, renamed: Mapping[str, str]
) -> str:
    name = renamed.get(field, field)
    plain = name.removeprefix("meta.")
    start = text.index(field)
    if fields is None:
        if NAME.fullmatch(plain) is None:
            raise _error(f"{field!r:.60} is no name of a field", text, start, start + len(field))
        return plain
    for candidate in (name, plain):
        if (known := known_name(candidate, fields)) is not None:
            return known
    hint = nearest(plain, fields) or f"fields: {', '.join(sorted(fields)) or 'none'}"
    raise _error(f"there is no field {field!r:.60}", text, start, start + len(field), hint)


def _error(message: str, text: str, start: int, end: int, hint: str = "") -> GrammarError:
    line, column = place_of(text, start)
    excerpt = marked(text, Span(start, end))
    return GrammarError(message, hint=hint, line=line, column=column, excerpt=excerpt)
