"""The language of command lines, scripts, queries and filters: pure text in, data out.

Reading is lenient: half-typed input gives what is understood so far and problems with their places.
Scripts ask for strictness and get a :class:`GrammarError` with line, column and a caret. Everything
that is read can be printed, and what is printed reads the same. The engine is imported only where
a filter or a wording is made, and a name of this package where it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irtui.grammar.binding import plain_words, query_text
    from irtui.grammar.clauses import clause_filter, filter_option, filter_options
    from irtui.grammar.conditions import condition_filter, holds
    from irtui.grammar.lines import Parsed, parse_line, parse_script
    from irtui.grammar.printing import print_condition, print_statement, print_word
    from irtui.grammar.problems import GrammarError, Problem, Span, marked, place_of
    from irtui.grammar.query import (
        CompiledQuery,
        Query,
        compile_query,
        parse_query,
        print_query,
    )

_HOMES = {
    "binding": "plain_words query_text",
    "clauses": "clause_filter filter_option filter_options",
    "conditions": "condition_filter holds",
    "lines": "Parsed parse_line parse_script",
    "printing": "print_condition print_statement print_word",
    "problems": "GrammarError Problem Span marked place_of",
    "query": "CompiledQuery Query compile_query parse_query print_query",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "CompiledQuery",
    "GrammarError",
    "Parsed",
    "Problem",
    "Query",
    "Span",
    "clause_filter",
    "compile_query",
    "condition_filter",
    "filter_option",
    "filter_options",
    "holds",
    "marked",
    "parse_line",
    "parse_query",
    "parse_script",
    "place_of",
    "plain_words",
    "print_condition",
    "print_query",
    "print_statement",
    "print_word",
    "query_text",
]


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
