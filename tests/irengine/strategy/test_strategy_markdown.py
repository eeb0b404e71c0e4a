"""Headings and fences of a Markdown text."""

from __future__ import annotations

import pytest

from irengine.strategy.markdown import first_heading, headings, outline


def titles(text):
    return [(h.level, h.title, h.line) for h in headings(text)]


def test_atx_headings_of_all_levels():
    text = "".join(f"{'#' * level} H{level}\n" for level in range(1, 8))
    assert titles(text) == [(level, f"H{level}", level) for level in range(1, 7)]


def test_setext_headings_are_one_line_paragraphs_underlined():
    assert titles("Title\n=====\n\nPart\n--\n") == [(1, "Title", 1), (2, "Part", 4)]
    assert titles("two\nlines\n---\n") == []
    assert titles("text\n\n---\n\ntext") == []


@pytest.mark.parametrize("line", ["- item", "> quote", "| a | b |", "1. one", "    code"])
def test_a_rule_below_another_block_is_no_heading(line):
    assert titles(f"{line}\n---\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# comment\n```\n",
        "~~~\n# comment\n~~~\n",
        "````\n```\n# comment\n```\n````\n",
        "```\n# comment\n~~~\n# comment\n",
        "- item\n\n  ```\n  # comment\n  ```\n",
        "<!--\n# comment\n-->\n",
        "#hashtag\n",
        "    # code\n",
        "####### seven\n",
    ],
)
def test_a_hash_that_is_no_heading(text):
    assert titles(text) == []


def test_inline_code_on_one_line_opens_no_fence():
    assert titles("```inline``` text\n# A\n") == [(1, "A", 2)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_frontmatter_left_in_the_text_is_skipped(newline):
    text = newline.join(["---", "title: x", "# comment: y", "---", "# A", ""])
    assert titles(text) == [(1, "A", 5)]


def test_a_thematic_break_at_the_top_is_no_frontmatter():
    assert titles("---\n\n# A\n\n---\n\n# B\n") == [(1, "A", 3), (1, "B", 7)]


def test_line_numbers_and_offsets_are_exact():
    text = "\ufeff# Á\r\n\r\n```\r\n# no\r\n```\r\nB\r\n---\r\nend"
    first, second = headings(text)
    assert text[first.start : first.end] == "# Á"
    assert text[second.start : second.end] == "B\r\n---"
    assert (first.line, second.line) == (1, 6)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Plain ##", "Plain"),
        ("# C#", "C#"),
        ("# *a* **b** `c` ~~d~~", "a b c d"),
        ("# keep_my_name and 2*3*4", "keep_my_name and 2*3*4"),
        ("# [text](http://x/y) ![alt](z)", "text alt"),
        ("# [[page|shown]] [[other]]", "shown other"),
        ("# Title {#anchor}", "Title"),
        ('# <a name="x"></a>Title', "Title"),
        ("# many   spaces", "many spaces"),
        ("#", ""),
    ],
)
def test_titles_are_plain_text(line, title):
    assert headings(line)[0].title == title


def test_a_title_is_never_longer_than_200():
    assert len(headings("# " + "x" * 5000)[0].title) == 200


def test_paths_follow_the_levels():
    text = "# A\n## B\n### C\n## D\n# E\n### F\n"
    assert outline(text).paths == ("A", "A > B", "A > B > C", "A > D", "E", "E > F")


def test_fences_are_spans_of_whole_lines():
    text = "a\n```py\nx\n```\nb\n~~~\nopen"
    assert [text[a:b] for a, b in outline(text).fences] == ["```py\nx\n```", "~~~\nopen"]


def test_first_heading_skips_fences_and_empty_headings():
    assert first_heading("```\n# shell\n```\n#\n## Real\n") == "Real"
    assert first_heading("\ufeff# After a BOM\n") == "After a BOM"
    assert first_heading("no heading") is None
    assert first_heading("") is None
