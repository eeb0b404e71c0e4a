"""The language of command lines, scripts, queries and filters: pure text in, data out.

Reading is lenient: half-typed input gives what is understood so far and problems with their places.
Scripts ask for strictness and get a :class:`GrammarError` with line, column and a caret. Everything
that is read can be printed, and what is printed reads the same. The engine is imported only where
a filter or a wording is made.
"""

from __future__ import annotations

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
