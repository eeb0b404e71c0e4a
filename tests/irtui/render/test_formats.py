"""Formats for programs: exact, one row a record, and harmless where a person looks."""

import csv
import io
import json

import pytest

from irtui.render.formats import formatted
from irtui.render.shapes import Shape, row_of, rows_of, unknown_fields

SHAPE = Shape(
    ("id", "text", "n", "tags", "path", "metadata"),
    ("id", "text", "n"),
    file="path",
    text="text",
    open=True,
)
HOSTILE = 'a,"b"\tc\nd\\e|f\x1b[31m\u202eg'
ROWS = [
    {
        "id": "one",
        "text": HOSTILE,
        "n": 1.5,
        "tags": ["x", "y"],
        "path": "/a",
        "metadata": {"k": 1},
    },
    {"id": "=cmd()", "text": None, "n": True, "tags": [], "path": None, "metadata": {}},
]


class TestExactness:
    def test_csv_gives_back_what_went_in(self):
        out = formatted(ROWS, SHAPE, "csv")
        assert list(csv.reader(io.StringIO(out))) == [
            ["id", "text", "n"],
            ["one", HOSTILE, "1.5"],
            ["=cmd()", "", "true"],
        ]

    def test_tsv_escapes_what_would_end_a_cell(self):
        header, line, _ = formatted(ROWS, SHAPE, "tsv").splitlines()
        assert header == "id\ttext\tn"
        assert line.split("\t")[1] == 'a,"b"\\tc\\nd\\\\e|f\x1b[31m\u202eg'

    def test_lists_are_json_in_a_cell(self):
        assert formatted(ROWS[:1], SHAPE, "tsv", fields=["tags"]) == 'tags\n["x", "y"]\n'

    def test_json_lines_are_one_a_row(self):
        lines = formatted({"rows": ROWS}, Shape(rows="rows"), "jsonl").splitlines()
        assert [json.loads(line)["id"] for line in lines] == ["one", "=cmd()"]

    def test_files_leave_out_what_has_none(self):
        assert formatted([*ROWS, ROWS[0]], SHAPE, "files") == "/a\n"


@pytest.mark.parametrize("form", ["csv", "tsv", "md", "files"])
def test_nothing_a_terminal_obeys_reaches_one(form):
    rows = [{**ROWS[0], "path": "/a\x1b[2J"}]
    out = formatted(rows, SHAPE, form, terminal=True)
    assert not set(out) & set("\x1b\x9b\u202e\x07")


def test_a_name_of_several_lines_is_one_on_a_terminal():
    rows = [{**ROWS[0], "path": "/a\nb"}]
    assert formatted(rows, SHAPE, "files", terminal=True) == "/a b\n"
    assert formatted(rows, SHAPE, "files") == "/a\nb\n"


def test_markdown_cannot_be_broken_by_data():
    table = formatted(ROWS[:1], SHAPE, "md", fields=["id", "text"])
    assert table.splitlines()[2] == '| one | a,"b" c d\\\\e\\|f␛\\[31m�g |'
    section = formatted([{"id": "# a", "text": "## b\nc", "path": "/p`q"}], SHAPE, "md")
    assert section == "## \\# a\n\n`/p'q`\n\n> ## b\n> c\n"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("json", "[]\n"),
        ("jsonl", ""),
        ("csv", "id,text,n\n"),
        ("tsv", "id\ttext\tn\n"),
        ("files", ""),
    ],
)
def test_nothing_keeps_its_shape(form, expected):
    assert formatted([], SHAPE, form) == expected


class TestShapes:
    def test_a_row_has_the_fields_that_are_asked_for(self):
        row = {"a": {"b": {"c": 1}}, "a.b": 2, "metadata": {"k": 3, "a": 4}}
        assert row_of(row, ["a.b", "a.b.c", "k", "a", "z"], Shape(open=True)) == {
            "a.b": 2,
            "a.b.c": 1,
            "k": 3,
            "a": {"b": {"c": 1}},
            "z": None,
        }
        assert row_of(row, ["k"], Shape()) == {"k": None}

    def test_one_object_is_one_row(self):
        assert rows_of({"a": 1}, Shape()) == [{"a": 1}]
        assert rows_of({"rows": []}, Shape(rows="rows")) == []

    def test_a_declared_field_is_known_without_rows(self):
        assert unknown_fields(["id", "nope"], [], SHAPE) == ["nope"]
        assert unknown_fields(["k"], ROWS, SHAPE) == []
