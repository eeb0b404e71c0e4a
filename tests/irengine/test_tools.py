"""Search as a tool: results and errors are JSON, and a bound tool shows one corpus only."""

from __future__ import annotations

import inspect
import json
from datetime import date

import numpy as np
import pytest

import irengine
from irengine.index import build
from irengine.select import discover
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.tools import _clean, make_search, search, search_tool

ITEMS = {
    "pdf": {"name": "pdf", "text": "fill and split pdf forms", "year": 2024},
    "csv": {"name": "csv", "text": "clean and join csv tables", "year": 2020},
    "git": {"name": "git", "text": "rebase and bisect git branches", "year": 2022},
    "tex": {"name": "tex", "text": "typeset papers in latex", "year": 2021},
    "map": {"name": "map", "text": "draw maps of cities", "year": 2023},
}


def corpus_of(items, name="kit", store=None):
    source = CorpusSource.from_mapping(
        items, name=name, metadata_of=lambda item, raw: {"name": raw["name"], "year": raw["year"]}
    )
    return build(source, store=store or CorpusStore.memory(), embedder="light")


@pytest.fixture
def kit():
    return corpus_of(ITEMS)


@pytest.fixture
def built(private_folders):
    """The same corpus, built under a name."""
    return corpus_of(ITEMS, store=CorpusStore.local("kit"))


def ids(found) -> list[str]:
    return [result["artifact_id"] for result in found["results"]]


class TestSearch:
    def test_it_returns_the_few_results_worth_acting_on_as_json(self, kit):
        found = search("fill pdf forms", corpus=kit, mode="lexical")
        assert ids(found) == ["pdf"]
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert not found["abstained"] and "error" not in found
        assert found["results"][0]["name"] == "pdf"
        assert found["results"][0]["metadata"]["year"] == 2024

    def test_it_is_what_discover_says(self, kit):
        said = discover(kit, "split pdf", k=8).to_dict()
        assert search("split pdf", corpus=kit) == json.loads(json.dumps(said))

    def test_a_corpus_is_named_or_several_are(self, built):
        assert ids(search("split pdf", corpus="kit", mode="lexical")) == ["pdf"]
        found = search("split pdf", corpus=["kit"], mode="lexical")
        assert [(r["source"], r["artifact_id"]) for r in found["results"]] == [("kit", "pdf")]

    @pytest.mark.filterwarnings("ignore:nothing passes the filter")
    def test_a_field_nobody_has_is_an_error_an_agent_can_read(self, kit):
        found = search("pdf", corpus=kit, filter={"yaer": 2024})
        assert found["error"]["code"] == "bad-filter"
        assert found["error"]["hint"] == "did you mean year?"
        assert search("pdf", corpus=[kit], filter={"yaer": 2024})["error"] == found["error"]
        for passing in ({"yaer": {"$ne": 2024}}, {"year": 1}):
            assert "error" not in search("zzzz", corpus=kit, mode="lexical", filter=passing)

    def test_a_filter_holds(self, kit):
        found = search("and", corpus=kit, mode="lexical", filter={"year": {"$lt": 2022}})
        assert ids(found) == ["csv"]

    def test_how_many_and_by_which_rule_is_the_callers(self, kit):
        many = search("and", corpus=kit, mode="lexical", strategy="top_k", max_k=2)
        assert len(many["results"]) == 2
        assert many["strategy"] == "top_k"
        one = search("and", corpus=kit, mode="lexical", strategy="top_k", max_k=1)
        assert ids(one) == ids(many)[:1]

    def test_below_the_floor_nothing_is_a_result(self, kit):
        found = search("split pdf", corpus=kit, mode="lexical", min_score=1000.0)
        assert found["abstained"] and found["results"] == [] and found["reason"]

    def test_the_body_is_disclosed_when_asked_for(self, tmp_path, private_folders):
        (tmp_path / "pdf.md").write_text("# Forms\n\nSplit pdf files.\n")
        source = CorpusSource.from_files(tmp_path, name="notes")
        corpus = build(source, store=CorpusStore.memory(), embedder="light")
        (result,) = search("split pdf", corpus=corpus, disclose_level="body")["results"]
        assert "Split pdf files." in result["body"]
        (result,) = search("split pdf", corpus=corpus)["results"]
        assert result["body"] is None

    def test_a_reranker_orders_the_candidates(self, kit):
        def last_wins(query, passages):
            return [float("maps" in passage["text"]) for passage in passages]

        found = search("and of in", corpus=kit, rerank=last_wins, strategy="top_k", max_k=1)
        assert ids(found) == ["map"]


class TestErrors:
    @pytest.mark.parametrize(
        ("asked", "code"),
        [
            ({"corpus": "nowhere"}, "corpus-not-found"),
            ({"mode": "psychic"}, "bad-parameter"),
            ({"filter": {"year": {"$near": 3}}}, "bad-filter"),
            ({"k": "many"}, "bad-parameter"),
            ({"disclose_level": "everything"}, "bad-parameter"),
            ({"strategy": "best"}, "bad-parameter"),
            ({"max_k": 0}, "bad-parameter"),
            ({"query": 3}, "bad-parameter"),
        ],
    )
    def test_what_a_caller_can_mend_is_a_result_that_says_how(self, built, asked, code):
        options = {"query": "split pdf", "corpus": "kit", **asked}
        found = search(options.pop("query"), **options)
        assert found["error"]["code"].startswith(code)
        assert found["error"]["message"] and "hint" in found["error"]
        assert (found["results"], found["abstained"]) == ([], True)
        assert found["reason"] == f"error:{found['error']['code']}"
        json.dumps(found, allow_nan=False)

    def test_an_error_has_every_key_of_a_result(self, built):
        found = search("split pdf", corpus="kit")
        assert search("split pdf", corpus="nowhere").keys() == {*found, "error"}

    def test_a_fault_of_the_program_is_raised(self, kit):
        def broken(hits):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            search("split pdf", corpus=kit, strategy=broken)


class TestABoundTool:
    def test_it_shows_a_query_and_a_depth_only(self, built):
        tool = make_search("kit", k=5, mode="lexical")
        parameters = inspect.signature(tool).parameters
        assert list(parameters) == ["query", "k"]
        assert parameters["k"].default == 5
        assert ids(tool("split pdf")) == ids(tool("split pdf", k=3)) == ["pdf"]

    @pytest.mark.parametrize(
        ("corpus", "name", "expected"),
        [
            ("my-notes", None, "search_my_notes"),
            ("my-notes", "The Kit!", "search_The_Kit"),
            ("--", None, "search_corpus"),
            (["a", "b"], None, "search_corpus"),
            ("日本", None, "search_corpus"),
        ],
    )
    def test_its_name_is_one_a_host_can_show(self, corpus, name, expected):
        assert make_search(corpus, name=name).__name__ == expected

    def test_its_description_is_its_docstring(self):
        assert make_search("kit", description="Find tools.").__doc__ == "Find tools."
        assert "Search kit " in make_search("kit").__doc__

    def test_the_corpus_is_looked_up_when_it_is_called(self, private_folders):
        tool = make_search("kit", mode="lexical")
        assert tool("split pdf")["error"]["code"] == "corpus-not-found"
        corpus_of(ITEMS, store=CorpusStore.local("kit"))
        assert ids(tool("split pdf")) == ["pdf"]

    def test_its_other_options_are_bound(self, kit):
        tool = make_search(
            kit, mode="lexical", strategy="top_k", max_k=2, filter={"year": {"$gt": 2020}}
        )
        assert len(tool("and")["results"]) == 2
        assert make_search(kit, mode="lexical", min_score=1000.0)("split pdf")["abstained"]


def test_the_package_exports_both():
    assert irengine.search_tool is search_tool is search
    assert irengine.make_search is make_search


@pytest.mark.parametrize("name", ["collection", "corpora", "limit", "filters", "minScore"])
def test_a_parameter_of_another_name_is_refused(kit, name):
    tool = make_search(kit)
    with pytest.raises(TypeError, match=name):
        tool("split pdf", **{name: "kit"})
    with pytest.raises(TypeError, match=name):
        search_tool("split pdf", corpus=kit, **{name: "kit"})


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (float("nan"), None),
        (float("-inf"), None),
        (np.float32(0.5), 0.5),
        (np.array(3), 3),
        (np.array([1.5, np.nan]), [1.5, None]),
        (np.bool_(True), True),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        ({1: date(2026, 1, 2)}, {"1": "2026-01-02"}),
        ("\ud800", "\ufffd"),
        (b"bytes", "bytes"),
    ],
)
def test_what_json_does_not_have_is_made_into_what_it_has(value, clean):
    assert _clean(value) == clean
    json.dumps(_clean(value), allow_nan=False).encode()
