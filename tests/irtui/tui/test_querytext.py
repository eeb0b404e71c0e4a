"""The text of a query is the truth: chips are read from it, edits are made to it."""

from __future__ import annotations

import pytest

from irtui.tui.querytext import (
    chips,
    cycled_mode,
    with_field,
    without,
    without_filters,
    without_last,
)


def test_chips_are_the_clauses_that_are_no_free_words() -> None:
    found = chips('rotate "log files" tags:ops -draft year:>=2024 sort:-year begin*')
    assert [chip.label for chip in found] == [
        '"log files"',
        "tags:ops",
        "not draft",
        "year:>=2024",
        "sort:-year",
        "begin*",
    ]
    assert [chip.label for chip in found if chip.steers] == ["sort:-year"]


def test_a_chip_stands_where_it_says() -> None:
    text = "a tags:x  -b c"
    assert [text[chip.start : chip.end] for chip in chips(text)] == ["tags:x", "-b"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("rotate tags:ops keys", "rotate keys"),
        ("tags:ops keys", "keys"),
        ("rotate tags:ops", "rotate"),
        ("tags:ops", ""),
        ("rotate  tags:ops  keys", "rotate keys"),
    ],
)
def test_taking_a_clause_away_leaves_no_gap(text: str, left: str) -> None:
    assert without(text, chips(text)[0]) == left


def test_the_last_filter_goes_first_and_what_steers_stays() -> None:
    text = "keys tags:ops -draft sort:-year"
    text = without_last(text)
    assert text == "keys tags:ops sort:-year"
    text = without_last(text)
    assert text == "keys sort:-year"
    assert without_last(text) == text


def test_only_free_words_are_left_without_filters() -> None:
    assert without_filters('how do "log files" -x rotate tags:(a|b)') == "how do rotate"


def test_a_field_is_put_in_the_place_of_itself() -> None:
    assert with_field("keys", "sort", "-year") == "keys sort:-year"
    assert with_field("keys sort:title", "sort", "-year") == "keys sort:-year"
    assert with_field("keys sort:title", "sort", "") == "keys"
    assert with_field("", "tags", "ops") == "tags:ops"
    assert with_field("keys -tags:old", "tags", "ops") == "keys -tags:old tags:ops"


def test_the_mode_is_written_where_it_is_not_the_default() -> None:
    assert cycled_mode("keys", "lexical") == "keys mode:lexical"
    assert cycled_mode("keys mode:lexical", "hybrid") == "keys"
