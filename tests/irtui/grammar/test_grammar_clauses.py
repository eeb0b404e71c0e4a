"""``FIELD OP VALUE``: typed, of any element, fail-closed; JSON filters beside it."""

from __future__ import annotations

import pytest

from irengine.retrieve import matches_filter
from irtui.grammar import GrammarError, clause_filter, filter_option, filter_options

NOTE = {
    "title": "Deploy guide: a=b",
    "tags": ["rust", "db"],
    "priority": 9,
    "ratio": 0.5,
    "modified_at": "2026-01-01T15:30:00+00:00",
    "created_at": "2025-12-31T23:30:00Z",
    "date": "2026-01-01",
    "days": ["2024-01-01", "2026-05-01"],
    "scores": [1, 12],
    "draft": False,
    "version": "0401",
    "path": "/notes/2026_06_16.md",
}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("tags=rust", True),
        ("tags = Rust", False),
        ("meta.tags=rust", True),
        ("meta.tags=go", False),
        # of several values one has to pass, for != as well
        ("tags!=rust", True),
        ("tags!=db", True),
        ("title!=x", True),
        ("draft!=false", False),
        # what lacks the field passes nothing
        ("missing=x", False),
        ("missing!=x", False),
        ("missing~x", False),
        ("missing!~x", False),
        # the first operator from the left, the longer one first
        ("title=Deploy guide: a=b", True),
        ("title ~ GUIDE: A=B", True),
        ("priority>=9", True),
        ("priority==9", True),
        # numbers compare as numbers
        ("priority>=10", False),
        ("priority<10", True),
        ("priority>-1", True),
        ("ratio<=0.50", True),
        ('priority="9"', False),
        ("scores>10", True),
        ("scores>12", False),
        ("version=0401", True),
        # texts with texts
        ("title>A", True),
        ("title~^D", False),
        ("title!~guide", False),
        ("tags!~rus", True),
        ("path~2026_06_16.md", True),
        ("path~2026%06", False),
        ("path~2026?06", False),
        # dates: a day is a whole day, an instant an instant, whatever the offset
        ("modified_at>=2026-01-01", True),
        ("modified_at<=2026-01-01", True),
        ("modified_at>2026-01-01", False),
        ("modified_at<2026-01-01", False),
        ("modified_at=2026-01-01", True),
        ("modified_at=2026-01-01T15:30:00+00:00", True),
        ("modified_at=2026-01-01T16:30:00+01:00", True),
        ("modified_at>2026-01-01T15:00:00Z", True),
        ("modified_at!=2026-01-01", False),
        ("modified_at!=2026-01-02", True),
        ("modified_at>=2026", True),
        ("modified_at<2026", False),
        ("modified_at>2025-12", True),
        ("created_at<2026-01-01", True),
        ("date>=2026-01-01", True),
        ("date=2026-01", True),
        ("meta.date>2025-12-31", True),
        ("days>2026-01-01", True),
        ("days>2026-05-01", False),
        ("days!=2024-01-01", True),
        ("title>2020-01-01", False),
    ],
)
def test_a_clause(clause, expected):
    assert matches_filter(NOTE, clause_filter(clause)) is expected
    assert (
        matches_filter(NOTE, clause_filter(f"  {clause}  ", fields=[*NOTE, "missing"])) is expected
    )


def test_every_other_day_differs_from_a_day():
    several = {"days": ["2024-01-01"]}
    assert not matches_filter(several, clause_filter("days!=2024-01-01"))
    assert matches_filter({"days": [7]}, clause_filter("days!=2024-01-01"))


@pytest.mark.parametrize(
    ("clause", "message", "column"),
    [
        ("", "FIELD OP VALUE", 1),
        ("title", "FIELD OP VALUE", 1),
        ("=x", "name of a field is missing", 1),
        ("  >= 3", "name of a field is missing", 3),
        ("year>=", "a value is missing", 5),
        ("year = ", "a value is missing", 6),
        ("two words=3", "no name of a field", 1),
        ("3d=3", "no name of a field", 1),
        ("date>=2024-02-30", "no date 2024-02-30", 7),
        ('{"year": }', "no JSON", 10),
        ('{"a": 1} x', "no JSON", 10),
        ("title!~" + "x" * 300, "!~ takes a text", 0),
    ],
)
def test_a_bad_clause_is_an_error_with_its_place(clause, message, column):
    with pytest.raises(GrammarError, match=message) as caught:
        filter_option(clause)
    if column:
        assert caught.value.column == column
        assert caught.value.excerpt.split("\n")[1].startswith(" " * (column - 1) + "^")


def test_an_unknown_field_is_refused_with_the_nearest_name():
    with pytest.raises(GrammarError, match="no field 'tagz'") as caught:
        clause_filter("tagz=rust", fields=NOTE)
    assert caught.value.hint == "did you mean tags?"


def test_known_fields_may_have_any_name_and_reach_into_mappings():
    metadata = {"due date": 3, "meta": {"by": "Ada"}, "Größe": 5}
    for clause in ("due date=3", "meta.by=Ada", "größe>4"):
        assert matches_filter(metadata, clause_filter(clause, fields=metadata))


def test_fields_may_have_other_names():
    made = clause_filter("path~bees", renamed={"path": "filename"})
    assert matches_filter({"filename": "Bees.md", "path": "/x"}, made)


def test_several_options_must_all_hold_and_json_is_the_language_of_the_engine():
    assert filter_options([]) is None
    assert filter_option('{"year": {"$gte": 2020}}') == {"year": {"$gte": 2020}}
    both = filter_options(["tags=rust", '{"priority": {"$gt": 8}}'])
    assert matches_filter(NOTE, both)
    assert not matches_filter({**NOTE, "priority": 1}, both)


@pytest.mark.parametrize("text", ['{"a":' * 5000, '{"a": ' + "9" * 5000 + "}"])
def test_json_that_python_cannot_read_is_a_plain_error(text):
    with pytest.raises(GrammarError):
        filter_option(text)
