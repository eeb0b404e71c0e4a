"""Titles, bodies and filter fields of text files."""

from __future__ import annotations

import pytest

from irengine.sources.document import extension_of, file_fields, parse_document


@pytest.mark.parametrize(
    ("filename", "text", "title"),
    [
        ("a.md", "---\ntitle: The Title\n---\n# Heading\n", "The Title"),
        ("a.md", "---\ntitle: 2024\n---\nx", "2024"),
        ("a.md", "---\ntitle: [x]\n---\n# Heading\n", "Heading"),
        ("a.md", "# Heading *one* #\n\n## Two", "Heading one"),
        ("a.md", "```sh\n# not me\n```\n\n## Me\n", "Me"),
        ("a.md", "---\nn: 1\n---\n\n# After the fields\n", "After the fields"),
        ("a.md", "Underlined\n==========\n", "Underlined"),
        ("bee keeping.md", "no heading", "bee keeping"),
        ("°.md", "no heading", "°"),
        (".hidden.md", "no heading", ".hidden"),
        ("notes.txt", "# a comment, not a heading", "proj"),
        ("log.txt", "# a comment, not a heading", "log"),
        ("a.org", "#+TITLE: Org Note\n* Head", "Org Note"),
        ("a.adoc", "= Ascii Doc\n", "Ascii Doc"),
        ("0001-fields.md", "# Summary\n\n# Motivation\n", "0001-fields"),  # says nothing
        ("README.md", "# Overview\n", "proj"),
        ("README.md", "# Bees\n", "Bees"),
        ("a.md", "x\n" * 3000 + "# Late\n", "Late"),
        ("data.csv", "---\ntitle: x\n---\n", "data"),
    ],
)
def test_the_title(filename, text, title):
    assert parse_document(text, filename, folder="proj").title == title


def test_the_body_has_no_frontmatter_and_knows_its_first_line():
    document = parse_document("---\nn: 1\n---\n\n# A\n", "a.md")
    assert (document.text, document.line_offset) == ("\n# A\n", 3)


def test_only_prose_has_frontmatter():
    text = "---\nkey: value\n---\nother: 1\n"
    assert parse_document(text, "config.yaml").text == text


def test_the_filter_fields():
    document = parse_document("---\nstatus: done\ntags: a b\n---\n# A\n", "a.md")
    raw = document.raw("/root/x/a.md", "a.md")
    assert file_fields("x/a.md", raw) == {
        "path": "/root/x/a.md",
        "filename": "a.md",
        "folder": "x",
        "ext": "md",
        "status": "done",
        "tags": ["a", "b"],
        "title": "A",
    }


def test_frontmatter_never_overwrites_where_a_file_is():
    text = "---\npath: /etc/passwd\nskill_path: /etc/shadow\nfilename: x\nheading: y\n---\nbody"
    fields = file_fields("a.md", parse_document(text, "a.md").raw("/r/a.md", "a.md"))
    assert (fields["path"], fields["filename"]) == ("/r/a.md", "a.md")
    assert "skill_path" not in fields
    assert fields["fm_path"] == "/etc/passwd"
    assert fields["fm_skill_path"] == "/etc/shadow"
    assert fields["fm_heading"] == "y"


@pytest.mark.parametrize(
    ("name", "extension"), [("a.MD", "md"), ("a", ""), (".md", ""), ("a.tar.gz", "gz"), ("a.", "")]
)
def test_extension(name, extension):
    assert extension_of(name) == extension
