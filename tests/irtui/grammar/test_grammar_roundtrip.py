"""What is printed reads the same, and nothing that can be typed breaks a reader."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from irtui.grammar import (
    GrammarError,
    compile_query,
    filter_option,
    parse_line,
    parse_query,
    parse_script,
    print_query,
    print_statement,
)

_spec = importlib.util.spec_from_file_location(
    "grammar_strategies", Path(__file__).with_name("strategies.py")
)
strategies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(strategies)


@settings(max_examples=500, deadline=None)
@given(strategies.statement)
def test_a_statement_is_printed_so_that_it_reads_the_same(statement):
    text = print_statement(statement)
    parsed = parse_line(text)
    assert parsed.problems == ()
    assert parsed.statement == statement


@settings(max_examples=500, deadline=None)
@given(strategies.query)
def test_a_query_is_printed_so_that_it_reads_the_same(query):
    assert parse_query(print_query(query)).clauses == query.clauses


@settings(max_examples=500, deadline=None)
@given(strategies.hostile)
@example("-*")
def test_whatever_is_typed_is_read_and_what_was_understood_prints(text):
    for parsed in parse_script(text):
        assert 0 <= parsed.span.start <= parsed.span.end <= len(text)
        for found in (*parsed.tokens, *parsed.problems):
            assert 0 <= found.span.start <= found.span.end <= len(text) + 1
        if parsed.statement is not None and parsed.state == "complete":
            again = parse_line(print_statement(parsed.statement))
            assert again.statement == parsed.statement
    parse_line(text)


@settings(max_examples=500, deadline=None)
@given(strategies.hostile)
@example("-*")
def test_whatever_is_typed_is_a_query(text):
    query = parse_query(text)
    assert parse_query(print_query(query)).clauses == query.clauses
    for clause in query.clauses:
        assert 0 <= clause.span.start < clause.span.end <= len(text)
    compiled = compile_query(query)
    assert compile_query(query, fields=["year"]).text is not None
    if not set(text) & set("\"'\\+-*:"):
        assert compiled.text == text.strip()


@given(strategies.hostile)
def test_strict_reading_raises_nothing_but_its_own_error(text):
    for read in (
        lambda: parse_script(text, strict=True),
        lambda: parse_line(text, strict=True),
        lambda: compile_query(text, strict=True),
        lambda: filter_option(text),
    ):
        try:
            read()
        except GrammarError as error:
            assert error.message
            assert error.excerpt.rstrip().endswith("^")
            assert error.line >= 1
            assert error.column >= 1


@pytest.mark.parametrize(
    "unit",
    ['"', "'", "(", "((", "not ", "\\", "\x00", "😀", "-", '-"', "a|", "a:(", "x:(\\", "$1.", "> ",
     "| where (", "| where not ", "#", "中", "a\\\n", "=", "..", "*", "assert ", "a,"],
)  # fmt: skip
def test_a_hundred_thousand_characters_are_read_in_one_pass(unit):
    text = (unit * (100_000 // len(unit) + 1))[:100_000]
    for start in ("", "discover ", "discover x | where "):
        for parsed in parse_script(start + text):
            if parsed.statement is not None:
                print_statement(parsed.statement)
    compiled = compile_query(text, fields=["a", "x"])
    assert len(compiled.text) <= len(text)
    print_query(parse_query(text))
