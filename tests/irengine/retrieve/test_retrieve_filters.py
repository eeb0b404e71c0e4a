"""The filter language: what each operator says, what is refused, and rows against mappings."""

from __future__ import annotations

from datetime import date, datetime, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irengine.base import Record
from irengine.errors import FilterError
from irengine.retrieve import matches_filter, validate_filter
from irengine.retrieve.filters import compile_filter
from irengine.store.rows import prepare
from irengine.store.segment import build_segment


def segment_of(*metadata: dict):
    """Return a real segment whose rows carry the given metadata."""
    records = [
        Record(Record.make_id(f"a{i}", "text", 0), f"a{i}", "text", 0, "x", np.ones(2), fields)
        for i, fields in enumerate(metadata)
    ]
    return build_segment([prepare(record) for record in records])


def passes(metadata: dict, filter: dict) -> bool:
    """Return the verdict on ``metadata``: of the mapping, and of a stored row, which must agree."""
    verdict = matches_filter(metadata, filter)
    mask = compile_filter(filter).predicate.mask(segment_of(metadata, {"other": 1}))
    assert bool(mask[0]) == verdict
    return verdict


TABLE = [
    # bare value and $eq
    ({"f": 2024}, {"f": 2024}, True),
    ({"f": 2024}, {"f": 2024.0}, True),
    ({"f": True}, {"f": 1}, True),
    ({"f": 2024}, {"f": "2024"}, False),
    ({"f": "x"}, {"f": {"$eq": "x"}}, True),
    ({"f": ["a", "b"]}, {"f": ["a", "b"]}, True),
    ({"f": ["a", "b"]}, {"f": ["b", "a"]}, False),
    ({"f": ["a", "b"]}, {"f": ("a", "b")}, True),
    ({}, {"f": None}, False),
    ({"f": None}, {"f": None}, True),
    ({"f": None}, {"f": 0}, False),
    # $ne
    ({"f": 1}, {"f": {"$ne": 2}}, True),
    ({"f": 1}, {"f": {"$ne": 1}}, False),
    ({}, {"f": {"$ne": 1}}, True),
    ({"f": None}, {"f": {"$ne": None}}, False),
    ({"f": ["py"]}, {"f": {"$ne": ["py"]}}, False),
    # $any
    ({"f": [1, 5]}, {"f": {"$any": {"$gt": 3}}}, True),
    ({"f": [1, 3]}, {"f": {"$any": {"$gt": 3}}}, False),
    ({"f": [1, 9]}, {"f": {"$any": {"$gt": 3, "$lt": 6}}}, False),
    ({"f": ["a", "b"]}, {"f": {"$any": {"$ne": "a"}}}, True),
    ({"f": ["a"]}, {"f": {"$any": {"$ne": "a"}}}, False),
    ({"f": 5}, {"f": {"$any": {"$gt": 3}}}, True),
    ({"f": []}, {"f": {"$any": {"$ne": "a"}}}, False),
    ({}, {"f": {"$any": {"$ne": "a"}}}, False),
    # $in
    ({"f": "a"}, {"f": {"$in": ["a", "b"]}}, True),
    ({"f": "c"}, {"f": {"$in": ["a", "b"]}}, False),
    ({"f": ["c", "a"]}, {"f": {"$in": ["a", "b"]}}, True),
    ({"f": ["c"]}, {"f": {"$in": {"a", "b"}}}, False),
    ({"f": []}, {"f": {"$in": ["a"]}}, False),
    ({}, {"f": {"$in": ["a"]}}, False),
    ({"f": None}, {"f": {"$in": [None]}}, True),
    ({"f": 1}, {"f": {"$in": ["a", 1.0]}}, True),
    ({"f": "a"}, {"f": {"$in": []}}, False),
    # $nin
    ({"f": "a"}, {"f": {"$nin": ["a"]}}, False),
    ({"f": "c"}, {"f": {"$nin": ["a"]}}, True),
    ({"f": ["a", "c"]}, {"f": {"$nin": ["a"]}}, False),
    ({"f": []}, {"f": {"$nin": ["a"]}}, True),
    ({}, {"f": {"$nin": ["a"]}}, True),
    # ranges
    ({"f": 3}, {"f": {"$gt": 2, "$lte": 3}}, True),
    ({"f": 3}, {"f": {"$gt": 3}}, False),
    ({"f": 3}, {"f": {"$gte": 3}}, True),
    ({"f": 3}, {"f": {"$lt": 3.5}}, True),
    ({"f": "3"}, {"f": {"$gt": 2}}, False),
    ({"f": 3}, {"f": {"$gt": "2"}}, False),
    ({"f": True}, {"f": {"$gt": 0}}, True),
    ({"f": [2, 1]}, {"f": {"$gt": [1, 9]}}, True),
    ({"f": [2]}, {"f": {"$gt": 1}}, False),
    ({"f": ["a"]}, {"f": {"$gt": [1]}}, False),
    ({}, {"f": {"$gt": 1}}, False),
    ({"f": None}, {"f": {"$gt": 1}}, False),
    # $exists
    ({"f": None}, {"f": {"$exists": True}}, True),
    ({"f": None}, {"f": {"$exists": False}}, False),
    ({}, {"f": {"$exists": False}}, True),
    ({}, {"f": {"$exists": 1}}, False),
    # structure
    ({}, {}, True),
    ({}, {"f": {}}, True),
    ({"f": 1, "g": 2}, {"f": 1, "g": 3}, False),
    ({}, {"$and": []}, True),
    ({}, {"$or": []}, False),
    ({}, {"$not": {}}, False),
    ({"f": 1}, {"$or": [{"f": 2}, {"f": 1}]}, True),
    ({"f": 1}, {"$and": [{"f": 1}, {"f": {"$gt": 5}}]}, False),
    ({"f": 1}, {"$not": {"f": 2}}, True),
]


@pytest.mark.parametrize(("metadata", "filter", "expected"), TABLE)
def test_the_table_of_the_language(metadata, filter, expected):
    assert passes(metadata, filter) is expected


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({"tags": "rust"}, True),
        ({"tags": {"$eq": "db"}}, True),
        ({"tags": "go"}, False),
        ({"tags": {"$ne": "rust"}}, False),
        ({"tags": {"$ne": "go"}}, True),
        ({"tags": {"$is": "rust"}}, False),
        ({"tags": {"$is": ["rust", "db"]}}, True),
        ({"tags": {"$all": ["db", "rust"]}}, True),
        ({"tags": {"$all": ["db", "go"]}}, False),
        ({"tags": {"$all": []}}, True),
        ({"tags": {"$in": [["rust", "db"]]}}, True),
        ({"tags": {"$contains": "rust"}}, True),
        ({"tags": {"$contains": "rus"}}, False),
        ({"tags": {"$regex": "^ru"}}, True),
        ({"tags": {"$regex": "^st"}}, False),
    ],
)
def test_a_list_field_matches_by_its_elements_or_as_a_whole(filter, expected):
    assert passes({"tags": ["rust", "db"]}, filter) is expected


def test_text_is_searched_by_substring_and_by_pattern():
    path = {"path": "docs/guide/Install.md", "size": 12}
    assert passes(path, {"path": {"$contains": "guide/"}})
    assert not passes(path, {"path": {"$contains": "Guide/"}})
    assert not passes(path, {"size": {"$contains": "1"}})
    assert passes({"sizes": [1, 2]}, {"sizes": 1})
    assert passes(path, {"path": {"$regex": r"(?i)/install\.(md|txt)$"}})
    assert not passes(path, {"size": {"$regex": "1"}})
    assert not passes(path, {"nothing": {"$regex": "."}})


def test_dotted_names_reach_into_mappings_and_a_literal_name_wins():
    nested = {"meta": {"author": {"name": "Ada"}, "n": 3}}
    assert passes(nested, {"meta.author.name": "Ada"})
    assert passes(nested, {"meta.n": {"$gte": 3}})
    assert passes(nested, {"meta.missing": {"$exists": False}})
    assert passes({"meta.n": 1, "meta": {"n": 3}}, {"meta.n": 1})
    assert passes({"meta.n": None, "meta": {"n": 3}}, {"meta.n": None})
    assert passes({"a.b": {"c": 1}, "a": {"b": {"c": 2}}}, {"a.b.c": 1})
    assert passes({"a": {"b.c": 2}}, {"a.b.c": 2})
    assert not passes({"a": "text"}, {"a.b": {"$exists": True}})
    assert not passes({".a": 1}, {"a": {"$exists": True}})


def test_a_path_through_a_list_reads_its_elements():
    book = {"authors": [{"name": "Ada"}, {"name": "Bo"}, "anonymous"]}
    assert passes(book, {"authors.name": "Bo"})
    assert passes(book, {"authors.name": ["Ada", "Bo"]})
    assert not passes(book, {"authors.age": {"$exists": True}})


def test_rows_of_one_segment_may_spell_a_path_in_different_ways():
    segment = segment_of(
        {"m.x": 1}, {"m": {"x": 1}}, {"m": {"x": 2}}, {"m": {"y": 1}}, {}, {"m.x": 2, "m": {"x": 1}}
    )
    mask = compile_filter({"m.x": 1}).predicate.mask(segment)
    assert mask.tolist() == [True, True, False, False, False, False]
    mask = compile_filter({"m.x": {"$exists": False}}).predicate.mask(segment)
    assert mask.tolist() == [False, False, False, True, True, False]


@pytest.mark.parametrize(
    ("value", "condition", "expected"),
    [
        ("2026-01-05", {"$gte": "2026-01-05"}, True),
        ("2026-01-05T23:59:59Z", {"$lte": "2026-01-05"}, True),
        ("2026-01-05T10:00:00Z", {"$gt": "2026-01-05"}, False),
        ("2026-01-06", {"$gt": "2026-01-05T10:00:00Z"}, True),
        ("2026-01-05T12:00:00+02:00", {"$lt": "2026-01-05T10:30:00Z"}, True),
        ("2026-01-05T12:00:00+02:00", {"$gte": "2026-01-05T10:00:00"}, True),
        ("2026-01-05 10:00", {"$gte": "2026-01-05T10:00:00.000Z"}, True),
        ("2026-01-31", {"$lte": "2026-01"}, True),
        ("2026-02-01", {"$lte": "2026-01"}, False),
        ("not a date", {"$gte": "2026-01-05"}, True),  # plain text order
        ("2026-02-30", {"$gt": "2026-02-28"}, True),  # no such day: plain text order
        ("2026-01-05", {"$gte": date(2026, 1, 5)}, True),
        ("2026-01-05", {"$lt": datetime(2026, 1, 6, tzinfo=timezone.utc)}, True),
        (20260105, {"$gte": "2026-01-05"}, False),
    ],
)
def test_iso_dates_compare_as_dates_and_instants(value, condition, expected):
    assert passes({"date": value}, {"date": condition}) is expected


@pytest.mark.parametrize(
    ("filter", "named"),
    [
        ({"year": {"$gtt": 3}}, r"'year'.*\$gtt.*did you mean \$gt"),
        ({"year": {"gt": 3}}, r"'year'.*'gt'"),
        ({"$nor": [{}]}, r"\$nor.*\$and, \$or, \$not"),
        ({"$gt": 3}, r"\$gt belongs inside"),
        ({"year": {"$not": {"$gt": 3}}}, r"'year'.*\$not.*around"),
        ({"tags": {"$in": "rust"}}, r"'tags': \$in takes a list.*'rust'"),
        ({"tags": {"$nin": None}}, r"\$nin takes a list.*null"),
        ({"tags": {"$all": {"a": 1}}}, r"\$all takes a list.*a mapping"),
        ({"year": {"$gt": None}}, r"'year': \$gt"),
        ({"year": {"$lte": {"x": 1}}}, r"'year': \$lte"),
        ({"year": {"$any": 3}}, r"'year': \$any takes operators"),
        ({"year": {"$any": {}}}, r"'year': \$any takes operators"),
        ({"year": {"$any": {"$gtt": 3}}}, r"'year': \$any.*\$gtt"),
        ({"year": {"$any": {"$in": 3}}}, r"'year': \$any \$in takes a list"),
        ({"year": {"$exists": "no"}}, r"\$exists takes true or false"),
        ({"year": {"$regex": "("}}, r"'year': \$regex.*not a valid pattern"),
        ({"year": {"$regex": 3}}, r"\$regex takes a pattern"),
        ({"$and": {"a": 1}}, r"\$and takes a list"),
        ({"$or": [1]}, r"\$or takes a list"),
        ({"$not": [{}]}, r"\$not takes one filter"),
        ({3: 4}, r"the key 3"),
        ({"": 1}, r"name of a field is empty"),
        ({"$not": {" ": 1}}, r"\$not the name of a field is empty"),
        ({"year": {"$gt": [1, None]}}, r"'year': \$gt: a list with null"),
        ({"year": {"$lte": [{"x": 1}]}}, r"'year': \$lte: a list with .*a mapping"),
        ({"title": {"$contains": ["a"]}}, r"'title': \$contains takes .*list"),
        ({"title": {"$contains": 5}}, r"'title': \$contains takes .*the int 5.*bare value"),
        ({"title": {"$contains": None}}, r"'title': \$contains takes .*null"),
        ({"year": float("nan")}, r"year.*nan"),
        ({"year": object()}, r"year.*object"),
        ("year", r"a filter is a mapping"),
        ([{"a": 1}], r"a filter is a mapping"),
    ],
)
def test_a_bad_filter_is_refused_and_named(filter, named):
    with pytest.raises(FilterError, match=named):
        validate_filter(filter)


def test_no_bad_operator_hides_behind_a_verdict_that_is_already_clear():
    for filter in (
        {"missing": {"$in": "text"}},
        {"a": 2, "b": {"$nope": 1}},
        {"$or": [{"a": 1}, {"b": {"$nope": 1}}]},
    ):
        with pytest.raises(FilterError):
            matches_filter({"a": 1}, filter)


def test_a_filter_nested_without_end_is_refused():
    loop: dict = {}
    loop["$not"] = loop
    with pytest.raises(FilterError, match="nested"):
        validate_filter(loop)


def test_numpy_scalars_are_operands():
    assert passes({"n": 3}, {"n": {"$gte": np.int64(3), "$lt": np.float32(3.5)}})
    assert passes({"n": True}, {"n": np.bool_(True)})


def test_equal_filters_share_a_key_whatever_the_order_of_their_fields():
    one = compile_filter({"a": 1, "b": {"$in": ("x", "y")}})
    other = compile_filter({"b": {"$in": ["x", "y"]}, "a": 1})
    assert one.key == other.key != compile_filter({"a": 1}).key


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(a|aa)+$",
        r"(a?){30}a{30}",
        r"(\w+\s?)*!",
        r"(.)\1",
        r"\w*\w*\w*\w*!",
        "a" * 300,
        "a?" * 40 + "b",
    ],
)
def test_patterns_that_could_run_for_ever_are_refused(pattern):
    with pytest.raises(FilterError):
        validate_filter({"f": {"$regex": pattern}})


@pytest.mark.parametrize(
    "pattern", [r"^src/.*\.py$", r"\w+@\w+\.\w+", r"(?i)colou?r", r"^v\d+\.\d+", r".*x.*", "a|b|c"]
)
def test_everyday_patterns_are_accepted(pattern):
    validate_filter({"f": {"$regex": pattern}})


scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b", "2026-01-05"])
values = scalars | st.lists(scalars, max_size=3)
fields = st.sampled_from(["f", "g", "m.x"])
metadata_rows = st.dictionaries(
    st.sampled_from(["f", "g", "m.x", "m"]),
    values | st.dictionaries(st.sampled_from(["x", "y"]), values, max_size=2),
    max_size=4,
)
conditions = st.one_of(
    values,
    st.fixed_dictionaries({"$ne": values}),
    st.fixed_dictionaries({"$in": st.lists(scalars, max_size=3)}),
    st.fixed_dictionaries({"$nin": st.lists(scalars, max_size=3)}),
    st.fixed_dictionaries({"$gt": st.integers(-2, 2) | st.sampled_from(["a", "2026-01"])}),
    st.fixed_dictionaries({"$exists": st.booleans()}),
    st.fixed_dictionaries({"$contains": st.sampled_from(["a", "2026", ""])}),
    st.fixed_dictionaries({"$is": values}),
)
filters = st.recursive(
    st.dictionaries(fields, conditions, max_size=2),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"$and": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$or": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(metadata_rows, min_size=1, max_size=6), filters)
def test_a_mask_says_of_every_row_what_the_filter_says_of_its_metadata(rows, filter):
    mask = compile_filter(filter).predicate.mask(segment_of(*rows))
    assert mask.tolist() == [matches_filter(row, filter) for row in rows]


@settings(max_examples=100, deadline=None)
@given(metadata_rows, fields, scalars, st.lists(scalars, max_size=3))
def test_the_laws_of_the_operators(metadata, field, value, choices):
    def holds(condition):
        return matches_filter(metadata, {field: condition})

    assert holds({"$ne": value}) is not holds(value)
    assert holds({"$nin": choices}) is not holds({"$in": choices})
    assert holds({"$in": choices}) is any(holds(choice) for choice in choices)
    assert holds({"$eq": value}) or not holds({"$is": value})
