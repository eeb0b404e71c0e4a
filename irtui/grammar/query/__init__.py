"""The query language of every front end: read, printed, and compiled to calls of the engine."""

from __future__ import annotations

from irtui.grammar.query.compiling import CompiledQuery, compile_query
from irtui.grammar.query.parsing import parse_query
from irtui.grammar.query.printing import print_query
from irtui.grammar.query.syntax import Query

__all__ = ["CompiledQuery", "Query", "compile_query", "parse_query", "print_query"]
