"""Mappings, and records a function returns."""

from __future__ import annotations

import dataclasses
from collections import namedtuple

import pytest

from irengine.errors import (
    FetcherAttributeError,
    FetcherImportError,
    InvalidName,
    ParameterError,
    ParameterTypeError,
    SourceError,
    UnknownItem,
)
from irengine.sources import CorpusSource, content_hash_signal, resolve_fetcher
from irengine.strategy import Chunked, WholeText

THIS = __name__


def some_records():
    return [{"id": "a", "text": "hi"}]


class Catalogue:
    @staticmethod
    def records():
        return [{"id": "b", "text": "ho"}]


NOT_CALLABLE = 3


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Make this module importable under a plain name, whatever pytest calls it."""
    import sys

    monkeypatch.setitem(sys.modules, "fetchers_under_test", sys.modules[THIS])


# -- the dataclass --------------------------------------------------------------------------


def test_from_mapping_keeps_the_mapping():
    mapping = {"a": "x"}
    source = CorpusSource.from_mapping(mapping, name="n")
    assert source.scope is mapping
    assert source.indexing_strategy == WholeText()
    assert (source.change_signal, source.embedder) == (content_hash_signal, "default")
    assert source.metadata_of is None
    assert list(source.items()) == [("a", "x")]


def test_a_source_is_mutable_and_can_be_replaced():
    source = CorpusSource("n", {"a": "x"})
    source.embedder = "light"
    copy = dataclasses.replace(source, indexing_strategy=Chunked())
    assert (copy.name, copy.embedder, copy.indexing_strategy) == ("n", "light", Chunked())


@pytest.mark.parametrize("name", ["", "..", "a\nb"])
def test_a_name_no_corpus_can_have(name):
    with pytest.raises(InvalidName):
        CorpusSource.from_mapping({}, name=name)


@pytest.mark.parametrize("scope", [[{"id": 1}], None, 3, "text"])
def test_a_scope_is_a_mapping(scope):
    with pytest.raises(ParameterTypeError, match="must map ids"):
        CorpusSource.from_mapping(scope, name="n")


def test_the_common_options_work_everywhere(tmp_path):
    def fields(artifact_id, raw):
        return {"extra": artifact_id, "project": "mine"}

    (tmp_path / "a.md").write_text("x")
    (tmp_path / "p").mkdir()
    (tmp_path / "team/app/docs").mkdir(parents=True)
    (tmp_path / "team/app/docs/report.md").write_text("done")
    (tmp_path / "s/one").mkdir(parents=True)
    (tmp_path / "s/one/SKILL.md").write_text("body")
    options = {"change_signal": lambda i, r: "v", "embedder": "light", "metadata_of": fields}
    sources = [
        CorpusSource.from_mapping({"a": "x"}, name="n", **options),
        CorpusSource.from_records(name="n", fetcher=some_records, metadata_keys=["id"], **options),
        CorpusSource.from_files(tmp_path, **options),
        CorpusSource.from_md_reports(projects_root=tmp_path, **options),
        CorpusSource.from_skills(roots=[tmp_path / "s"], **options),
        CorpusSource.from_mcp_tools([{"name": "t"}], **options),
        CorpusSource.from_claude_sessions(root=tmp_path, **options),
        CorpusSource.from_packages(repos=[tmp_path / "p"], **options),
    ]
    for source in sources:
        assert (source.change_signal("a", "b"), source.embedder) == ("v", "light")
        for artifact_id, raw in source.items():
            found = source.metadata_of(artifact_id, raw)
            assert (found["extra"], found["project"]) == (artifact_id, "mine")


def test_an_unknown_keyword_is_a_type_error_everywhere(tmp_path):
    with pytest.raises(TypeError, match="'chunk'"):
        CorpusSource.from_mapping({}, name="n", chunk=3)
    with pytest.raises(ParameterTypeError, match="'chunk'"):
        CorpusSource.from_packages(repos=[tmp_path], chunk=3)


# -- records --------------------------------------------------------------------------------


def test_records_by_id_with_lifted_metadata():
    records = [{"id": "a", "text": "hi", "project": "p"}, {"id": "b", "text": "ho"}]
    source = CorpusSource.from_records(
        name="notes", fetcher=lambda: records, metadata_keys=["project"]
    )
    assert list(source.scope) == ["a", "b"]
    assert source.metadata_of("a", source.scope["a"]) == {"project": "p"}
    assert source.metadata_of("b", source.scope["b"]) == {}
    assert source.indexing_strategy == Chunked(text_key="text", max_tokens=250)


def test_a_record_without_an_id_is_named_after_its_position():
    records = [{"text": "a"}, {"id": 0}, {"id": ""}, "plain", {"id": None}, {"id": 7}]
    source = CorpusSource.from_records(name="n", fetcher=lambda: records)
    assert list(source.scope) == ["n_0", "n_1", "n_2", "n_3", "n_4", "7"]
    assert source.scope["n_3"] == "plain"


def test_of_equal_ids_the_first_is_kept_and_the_others_are_told():
    records = [{"id": "a", "n": 1}, {"id": "a", "n": 2}, {"id": "a", "n": 1}]
    scope = CorpusSource.from_records(name="n", fetcher=lambda: records).scope
    assert dict(scope) == {"a": {"id": "a", "n": 1}}
    [skipped] = scope.skipped  # the third says the same as the first
    assert skipped.reason == "duplicate-id"
    assert "record 1" in skipped.detail


def test_records_may_be_objects():
    @dataclasses.dataclass(slots=True)
    class Slotted:
        id: str
        text: str

    class Plain:
        def __init__(self):
            self.id, self.text, self._secret = "p", "plain", 1

    pair = namedtuple("pair", "id text")
    records = [Slotted("s", "slotted"), Plain(), pair("t", "tuple")]
    scope = CorpusSource.from_records(name="n", fetcher=lambda: records).scope
    assert dict(scope) == {
        "s": {"id": "s", "text": "slotted"},
        "p": {"id": "p", "text": "plain"},
        "t": {"id": "t", "text": "tuple"},
    }


def test_a_fetcher_may_return_a_mapping_or_a_generator():
    by_id = {"a": {"text": "x"}, "b": {"id": "own", "text": "y"}}
    assert list(CorpusSource.from_records(name="n", fetcher=lambda: by_id).scope) == ["a", "own"]
    generated = CorpusSource.from_records(name="n", fetcher=lambda: ({"id": c} for c in "xy"))
    assert list(generated.scope) == ["x", "y"]


def test_no_records_is_an_empty_corpus_but_none_is_an_error():
    assert len(CorpusSource.from_records(name="n", fetcher=lambda: []).scope) == 0
    with pytest.raises(SourceError, match="'n' returned None"):
        CorpusSource.from_records(name="n", fetcher=lambda: None)


@pytest.mark.parametrize("result", [3, "text", b"bytes"])
def test_what_is_no_list_of_records(result):
    with pytest.raises(SourceError, match="not records"):
        CorpusSource.from_records(name="n", fetcher=lambda: result)


def test_a_failing_fetcher_is_named_and_its_error_chained():
    def broken():
        yield {"id": "a"}
        raise ZeroDivisionError("oops")

    with pytest.raises(
        SourceError, match=r"broken of corpus 'n' failed: ZeroDivisionError: oops"
    ) as e:
        CorpusSource.from_records(name="n", fetcher=broken)
    assert isinstance(e.value.__cause__, ZeroDivisionError)


def test_an_unknown_record():
    scope = CorpusSource.from_records(name="n", fetcher=some_records).scope
    with pytest.raises(UnknownItem, match="'zz'"):
        scope["zz"]


@pytest.mark.parametrize("keys", [[3], 3])
def test_metadata_keys_are_names(keys):
    with pytest.raises(TypeError):
        CorpusSource.from_records(name="n", fetcher=some_records, metadata_keys=keys)


# -- fetchers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        (some_records, some_records),
        ("fetchers_under_test:some_records", some_records),
        ("fetchers_under_test.some_records", some_records),
        (" fetchers_under_test:some_records ", some_records),
        ("fetchers_under_test:Catalogue.records", Catalogue.records),
    ],
)
def test_resolving(reference, found):
    assert resolve_fetcher(reference) == found


@pytest.mark.parametrize("reference", [None, 3, "", "  ", ["a:b"]])
def test_what_is_no_fetcher(reference):
    with pytest.raises(TypeError):
        resolve_fetcher(reference)


@pytest.mark.parametrize("reference", ["json", "json:", ":loads", ".loads", "json:a..b", "a:b:"])
def test_half_a_reference(reference):
    with pytest.raises((ValueError, ImportError)):
        resolve_fetcher(reference)


@pytest.mark.parametrize(
    ("reference", "named"),
    [("os.path", "a module"), ("fetchers_under_test:NOT_CALLABLE", "int 3")],
)
def test_what_is_named_has_to_be_callable(reference, named):
    with pytest.raises(ParameterTypeError, match=f"not callable: it names {named}") as caught:
        resolve_fetcher(reference)
    assert caught.value.hint == "write package.module:function"


def test_half_a_reference_is_a_value_error():
    for reference in ("json", "json:", ":loads"):
        with pytest.raises(ParameterError):
            resolve_fetcher(reference)


def test_a_module_that_is_not_there():
    with pytest.raises(FetcherImportError, match="no_such_module_x") as caught:
        resolve_fetcher("no_such_module_x:f")
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_an_attribute_that_is_not_there():
    with pytest.raises(FetcherAttributeError, match="no 'nope'") as caught:
        resolve_fetcher("json:nope")
    assert isinstance(caught.value, AttributeError)


def test_calling_what_cannot_be_called():
    with pytest.raises(TypeError, match="not callable"):
        CorpusSource.from_records(name="n", fetcher="fetchers_under_test:NOT_CALLABLE")
