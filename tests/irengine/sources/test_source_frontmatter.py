"""Frontmatter: forgiving, typed, and never at the body's expense."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.sources.frontmatter import split_frontmatter


def fields_of(yaml: str) -> dict:
    return split_frontmatter(f"---\n{yaml}\n---\nbody\n").fields


def reasons_of(yaml: str) -> list[str]:
    return [reason for reason, _ in split_frontmatter(f"---\n{yaml}\n---\nbody\n").notes]


def test_fields_body_and_the_lines_above_it():
    found = split_frontmatter("---\ntitle: A\nn: 3\n---\nbody\n")
    assert found.fields == {"title": "A", "n": 3}
    assert (found.body, found.line_offset, found.notes) == ("body\n", 4, [])


@pytest.mark.parametrize(
    ("text", "body", "offset"),
    [
        ("---\ntitle: x\n---", "", 2),  # the block ends with the file
        ("---\ntitle: x\n...\nbody", "body", 3),
        ("--- \ntitle: x\n---\t\nbody", "body", 3),
        ("---\n---\nbody", "body", 2),
        ("---\n# only a comment\n---\nbody", "body", 3),
    ],
)
def test_where_a_block_ends(text, body, offset):
    found = split_frontmatter(text)
    assert (found.body, found.line_offset) == (body, offset)


@pytest.mark.parametrize(
    "text",
    [
        "no frontmatter",
        "\n---\ntitle: x\n---\n",  # not on the first line
        "---\ntitle: x\nand no end",
        "---\nA paragraph between two rules.\n---\nmore",
        "---\n- a list\n---\nmore",
        "---\n*emphasis* is no alias\n---\nmore",
        "----\ntitle: x\n----\n",
        "",
    ],
)
def test_prose_is_left_alone(text):
    found = split_frontmatter(text)
    assert (found.body, found.fields, found.line_offset, found.notes) == (text, {}, 0, [])


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("k: 42", 42),
        ("k: -1.5", -1.5),
        ("k: 1.5e+3", 1500.0),
        ("k: 1e3", "1e3"),  # a short commit id
        ("k: true", True),
        ("k: False", False),
        ("k: NO", "NO"),  # a country
        ("k: yes", "yes"),
        ("k: 12:30", "12:30"),  # a time of day
        ("k: 007", "007"),
        ("k: 1_000", "1_000"),
        ("k: .inf", ".inf"),
        ("k: 99999999999999999999999", "99999999999999999999999"),
        ('k: "42"', "42"),
        ("k: !!str 42x", "42x"),
        ("k: !custom thing", "thing"),
        ("k: 2024-01-02", "2024-01-02"),
        ("k: 2024-1-2", "2024-01-02"),
        ("k: 2024-02-31", "2024-02-31"),
        ("k: 2024-01-02 03:04", "2024-01-02T03:04:00"),
        ("k: 2024-01-02T03:04:05Z", "2024-01-02T03:04:05+00:00"),
        ("k: 2024-01-02T03:04:05.5+01:00", "2024-01-02T03:04:05.500000+01:00"),
        ("k: 2024-01-02 03:04:05 -5", "2024-01-02T03:04:05-05:00"),
        ("k: [a, 1, true, 2024-01-02, ~]", ["a", 1, True, "2024-01-02"]),
        ("k: {a: 1, b: {c: d}}", {"a": 1, "b": {"c": "d"}}),
        ("k: |\n  two\n  lines", "two\nlines"),
        ("k: >\n  one\n  line", "one line"),
        ("k:\tžluť", "žluť"),
    ],
)
def test_values_are_typed(yaml, value):
    found = fields_of(yaml)["k"]
    assert found == value
    assert type(found) is type(value)


def test_absent_values_are_no_fields():
    assert fields_of("a:\nb: ~\nc: null\nd: ''") == {"d": ""}


@pytest.mark.parametrize(
    ("yaml", "fields"),
    [
        ("tags: a, b", {"tags": ["a", "b"]}),
        ("tags: a b", {"tags": ["a", "b"]}),
        ("tags: '#a #b/c'", {"tags": ["a", "b/c"]}),
        ("tags: a", {"tags": ["a"]}),
        ("tags:\n- a\n- 2024", {"tags": ["a", "2024"]}),
        ("tags: 2024", {"tags": ["2024"]}),
        ("aliases: The Note, Other", {"aliases": ["The Note", "Other"]}),
        ("keywords: one two, three", {"keywords": ["one two", "three"]}),
        ("authors: A, B", {"authors": "A, B"}),  # any other text stays text
    ],
)
def test_tags_aliases_and_keywords_are_always_lists(yaml, fields):
    assert fields_of(yaml) == fields


def test_a_duplicate_key_is_told_with_its_lines_and_costs_nothing_else():
    found = split_frontmatter("---\na: 1\ntags: [x, y]\na: 2\n---\nbody")
    assert found.fields == {"a": 2, "tags": ["x", "y"]}
    [(reason, sentence)] = found.notes
    assert reason == "duplicate-key"
    assert "'a'" in sentence
    assert "2 and 4" in sentence


@pytest.mark.parametrize(
    ("yaml", "fields"),
    [
        ("title: Foo: bar\nn: 1", {"title": "Foo: bar", "n": 1}),
        ("title: @home\nn: 1", {"title": "@home", "n": 1}),
        ("title: [draft] a note\nn: 1", {"title": "[draft] a note", "n": 1}),
        ("date: {{date}}\nn: 1", {"n": 1}),  # a template's placeholder
        ("bad: 'open\nn: 1\ntags: [x]", {"bad": "'open", "n": 1, "tags": ["x"]}),
        ("a:\n\t- x\n\t- y\nn: 1", {"a": ["x", "y"], "n": 1}),  # tabs
        (
            "t: a: b\nlist:\n  - x\n  - y\nm:\n  z: 1",
            {"t": "a: b", "list": ["x", "y"], "m": {"z": 1}},
        ),
        ("list:\n  - @x\n  - y\nn: 1", {"list": ["@x", "y"], "n": 1}),
    ],
)
def test_one_bad_line_costs_that_line_at_most(yaml, fields):
    found = split_frontmatter(f"---\n{yaml}\n---\nbody\n")
    assert found.fields == fields
    assert found.body == "body\n"
    assert "invalid-yaml" in [reason for reason, _ in found.notes]


def test_invalid_yaml_is_told_with_its_line():
    found = split_frontmatter("---\nn: 1\ntitle: Foo: bar\n---\nbody")
    assert "line 3" in found.notes[0][1]


def test_duplicate_keys_in_a_broken_block_are_told_too():
    assert "duplicate-key" in reasons_of("a: x: y\nb: 1\nb: 2")


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(
            f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "a: &a {k: v}\n"
        + "\n".join(
            f"{b}: &{b} {{<<: [{','.join([f'*{a}'] * 9)}]}}"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "a: &a [*a]",
        "a: " + "[" * 3000 + "]" * 3000,
        "a: " + "{b: " * 500 + "1" + "}" * 500,
        "a: " + "x" * 300_000,
        "a: [" + "x, " * 50_000 + "]",
        "a: [\na" + " " * 200_000 + "b",
    ],
    ids=["lists", "merges", "cycle", "deep-lists", "deep-maps", "long", "wide", "blank"],
)
def test_bombs_are_bounded(yaml):
    begun = time.process_time()
    found = split_frontmatter(f"---\n{yaml}\nn: 1\n---\nbody")
    assert time.process_time() - begun < 20
    assert found.body == "body"
    assert len(repr(found.fields)) < 200_000


def test_a_value_too_large_does_not_cost_the_others():
    found = split_frontmatter("---\nwide: [" + "x, " * 6_000 + "]\n---\nbody")
    assert "wide" not in found.fields
    assert [reason for reason, _ in found.notes] == ["frontmatter-too-large"]


@given(st.text(max_size=200))
def test_any_text_keeps_its_body(text):
    text = text.replace("\r", "")
    found = split_frontmatter(f"---\n{text}\n---\nbody")
    assert found.body.endswith("body")
    whole = f"---\n{text}\n---\nbody"
    assert whole.endswith(found.body)
    assert whole[: len(whole) - len(found.body)].count("\n") == found.line_offset
