"""Facet counts come from the whole match set, by artifact."""

from __future__ import annotations

import pytest

from irengine.errors import FilterError, ParameterError
from irengine.retrieve import FacetCount, FacetRange, facet_ranges, facets


@pytest.fixture
def notes(corpus_of_records):
    rows = [
        ("n1", "chunk", "bees in spring", {"tags": ["bees", "spring"], "year": 2020, "ok": True}),
        ("n1", "chunk", "bees again", {"tags": ["bees", "spring"], "year": 2020, "ok": True}),
        ("n2", "chunk", "bees in winter", {"tags": ["bees"], "year": 2021.0, "ok": 1}),
        ("n3", "chunk", "wasps", {"tags": "wasps", "year": 2021, "by": {"name": "Ada"}}),
        ("n4", "title", "bees untagged", {"year": None, "date": "2026-01-05"}),
        ("n5", "title", "bees dated", {"tags": [], "date": "2025-03-01"}),
    ]
    return corpus_of_records(rows)


def counts(corpus, query, field, **options):
    return [(f.value, f.count) for f in facets(corpus, query, [field], **options)[field]]


def test_artifacts_are_counted_once_and_every_element_of_a_list(notes):
    assert counts(notes, "", "tags") == [("bees", 2), ("spring", 1), ("wasps", 1)]


def test_the_match_set_is_every_row_with_a_term_of_the_query(notes):
    assert counts(notes, "bee", "tags") == [("bees", 2), ("spring", 1)]
    assert counts(notes, "wasp spring", "tags") == [("bees", 1), ("spring", 1), ("wasps", 1)]
    assert counts(notes, "zebra", "tags") == []
    assert counts(notes, "?!", "tags") == []


def test_counts_do_not_stop_at_a_page(corpus_of_records):
    rows = [(f"a{i}", "text", "bees", {"parity": i % 2}) for i in range(301)]
    assert counts(corpus_of_records(rows), "bees", "parity") == [(0, 151), (1, 150)]


def test_equal_numbers_are_one_value_and_booleans_are_not_numbers(notes):
    assert counts(notes, "", "year") == [(2021, 2), (2020, 1), (None, 1)]
    assert counts(notes, "", "ok") == [(True, 1), (1, 1)]
    assert facets(notes, "", ["ok"])["ok"][0].value is True


def test_whole_numbers_beyond_every_float_are_ordered_too(corpus_of):
    sizes = {"a": 10**400, "b": 2.5, "c": 10**400 + 1}
    corpus = corpus_of(dict.fromkeys(sizes, "text"), metadata_of=lambda i, _: {"n": sizes[i]})
    assert [count.value for count in facets(corpus, "", ["n"])["n"]] == [2.5, 10**400, 10**400 + 1]


def test_filters_and_surfaces_narrow_the_match_set(notes):
    assert counts(notes, "", "year", filter={"tags": "bees"}) == [(2020, 1), (2021, 1)]
    assert counts(notes, "", "date", surfaces=["title"]) == [("2025-03-01", 1), ("2026-01-05", 1)]
    assert counts(notes, "", "date", surfaces=["chunk"]) == []


def test_a_dotted_field_is_counted(notes):
    assert counts(notes, "", "by.name") == [("Ada", 1)]


def test_the_limit_keeps_the_most_frequent(notes):
    assert counts(notes, "", "tags", limit=1) == [("bees", 2)]
    assert counts(notes, "", "tags", limit=0) == []
    assert len(counts(notes, "", "tags", limit=None)) == 3


def test_several_fields_at_once(notes):
    found = facets(notes, "wasps", ["tags", "year"])
    assert found == {"tags": [FacetCount("wasps", 1)], "year": [FacetCount(2021, 1)]}


def test_counts_add_up_over_generations_and_forget_the_dead(corpus_of_records):
    corpus = corpus_of_records([("a", "t", "bees", {"x": 1}), ("b", "t", "bees", {"x": 1})])
    with corpus.store.writing("test") as batch:
        batch.remove("a")
        batch.commit()
    assert counts(corpus, "", "x") == [(1, 1)]
    assert counts(corpus, "bees", "x") == [(1, 1)]


def test_a_field_nothing_has_is_an_error_that_names_the_nearest(notes):
    with pytest.raises(ParameterError, match="no record has a field 'tag'.*tags"):
        facets(notes, "", ["tag"])


def test_bad_arguments_are_named(notes):
    with pytest.raises(ParameterError, match="fields takes a list"):
        facets(notes, "", "tags")
    with pytest.raises(ParameterError, match="limit"):
        facets(notes, "", ["tags"], limit=-1)
    with pytest.raises(ParameterError, match="query"):
        facets(notes, None, ["tags"])
    with pytest.raises(FilterError):
        facets(notes, "", ["tags"], filter={"a": {"$b": 1}})


def test_ranges_of_numbers_and_of_dates(notes):
    found = facet_ranges(notes, "", ["year", "date", "tags"])
    assert found["year"] == FacetRange(2020, 2021, 3)
    assert found["date"] == FacetRange("2025-03-01", "2026-01-05", 2)
    assert found["tags"] is None
