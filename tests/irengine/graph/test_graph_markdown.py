"""What counts as a link in Markdown text, and what does not."""

from __future__ import annotations

import time

import pytest

from irengine.graph.markdown import split_wikilink, text_links
from irengine.graph.written import WrittenLink, written_in, written_of


def links(text):
    return list(text_links(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[Bees]]", [("wiki", "Bees")]),
        ("![[Bees]] shown in place", [("wiki", "Bees")]),
        ("[[Bees#Hives|the hives]]", [("wiki", "Bees#Hives|the hives")]),
        ("| a | [[Bees\\|b]] |", [("wiki", "Bees\\|b")]),
        ("[text](bees.md)", [("path", "bees.md")]),
        ("[text](<my bees.md>)", [("path", "my bees.md")]),
        ("[text](bees.md 'a title')", [("path", "bees.md")]),
        ('[text](bees.md "a title") more', [("path", "bees.md")]),
        ("[text](\n  bees.md\n)", [("path", "bees.md")]),
        ("[a [nested] text](bees.md)", [("path", "bees.md")]),
        ("[`code` in text](bees.md)", [("path", "bees.md")]),
        ("[text](bees_(insect).md)", [("path", "bees_(insect).md")]),
        ("[![badge](b.png)](bees.md)", [("path", "b.png"), ("path", "bees.md")]),
        ("[text][ref]\n\n[ref]: bees.md", [("path", "bees.md")]),
        ("[ref]:\n  <my bees.md> 'title'", [("path", "my bees.md")]),
    ],
)
def test_links_are_found(text, expected):
    assert links(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "`[[Bees]]`",
        "``a ` and [[Bees]]``",
        "```\n[[Bees]] [x](bees.md)\n```",
        "~~~ python\n[[Bees]]\n~~~",
        "````\n```\n[[Bees]]\n````",
        "- item\n  ```\n  [[Bees]]\n  ```",
        "> ```\n> [[Bees]]\n> ```",
        "```\nnever closed\n[[Bees]]",
        "<!-- [[Bees]] [x](bees.md) -->",
        "\\[[Bees]]",
        "\\[x](bees.md)",
        "[[]]",
        "[[two\nlines]]",
        "bees](bees.md)",
        "[text] (bees.md)",
        "[text](bees and wasps.md)",
        "[text]()",
        "[open paragraph\n\nother](bees.md)",
        "[^1]: bees.md",
    ],
)
def test_what_is_code_escaped_or_malformed_is_no_link(text):
    assert links(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a `code` [[Bees]] `code`",
        "an unclosed ` backtick\n\nand a [[Bees]] below ` it",
        "\\`[[Bees]]\\`",
        "``unequal` [[Bees]]",
        "```\ncode\n```\n[[Bees]]",
        "``` not a `fence` [[Bees]]",
        "<!-- closed --> [[Bees]]",
        "<!-- never closed [[Bees]]",
    ],
)
def test_code_ends_where_markdown_says(text):
    assert links(text) == [("wiki", "Bees")]


@pytest.mark.parametrize(
    "piece",
    ["[[", "](", "[", "`", "``` ", "\n```\n", "<!--", "\\", "[a](b", "(a)", "[x]:\n", "`a ``"],
)
def test_hostile_text_takes_linear_time(piece):
    text = "[[a]] ](x " + piece * (400_000 // len(piece))
    begun = time.process_time()
    list(text_links(text))
    assert time.process_time() - begun < 5


def test_a_wikilink_has_a_target_and_a_heading():
    assert split_wikilink("Bees") == ("Bees", "")
    assert split_wikilink(" Bees # Hives | alias ") == ("Bees", "Hives")
    assert split_wikilink("#Hives") == ("", "Hives")
    assert split_wikilink("Bees#^block") == ("Bees", "^block")


def note(text="", filename="a.md", **frontmatter):
    return {"text": text, "filename": filename, "frontmatter": frontmatter}


def said(*args, **kwargs):
    return [tuple(item) for item in written_in(note(*args, **kwargs))]


def test_a_note_says_each_link_once_in_order():
    text = "[[B]] [x](c.md#top) [[A#h]] [[B|again]]"
    assert said(text) == [("wiki", "B", ""), ("path", "c.md", "top"), ("wiki", "A", "h")]


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://example.org/a.md)",
        "[x](mailto:me@example.org)",
        "[x](//example.org/a.md)",
        "[x](#heading)",
        "[[#heading]]",
        "[[https://example.org]]",
        "![x](picture.PNG)",
        "![[picture.png|300]]",
        "[x](archive.tar.gz)",
        "[x]({{ site.url }}/a)",
        "[x](?query=1)",
    ],
)
def test_addresses_media_and_own_headings_are_no_links_to_notes(text):
    assert said(text) == []


def test_frontmatter_names_related_notes_and_aliases():
    assert said(related=["[[B]]", "c.md", "[x](d.md)"], aliases=["Bee", "Apis"]) == [
        ("alias", "Bee", ""),
        ("alias", "Apis", ""),
        ("related", "B", ""),
        ("related", "c.md", ""),
        ("related", "d.md", ""),
    ]
    assert said(related="A, B") == [("related", "A", ""), ("related", "B", "")]
    assert said(related=[["Unquoted"]]) == [("related", "Unquoted", "")]
    assert said(up="[[Parent]]", count=3, plain="no link") == [("wiki", "Parent", "")]


@pytest.mark.parametrize("filename", ["a.py", "a.rst", "a"])
def test_files_that_are_no_markdown_say_nothing(filename):
    assert said("[[B]]", filename=filename) == []


def test_a_note_may_say_ten_thousand_links_at_most():
    assert len(said("".join(f"[[n{i}]]" for i in range(20_000)))) == 10_000


def test_rows_of_other_origin_are_passed_over():
    row = {"WRITTEN": [["wiki", "B", ""], "B", ["x", "y"], ["wiki", 3, ""], None], "REF": ["b"]}
    assert written_of(row) == [WrittenLink("wiki", "B", "")]
    assert written_of({}) == []
