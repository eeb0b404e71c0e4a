"""Records of one artifact, through the ledger."""

from __future__ import annotations

import pytest

from irengine.errors import CorpusNotFound, NoLedgerEntry, ParameterError, StaleLedger
from irengine.index import build
from irengine.retrieve import as_retriever, records_for_artifact, search
from irengine.sources import CorpusSource


@pytest.fixture
def package(corpus_of_records):
    return corpus_of_records(
        [
            ("pkg", "description", "a package", {}),
            ("pkg", "readme_chunk", "first", {"chunk_index": 0}),
            ("pkg", "readme_chunk", "second", {"chunk_index": 1}),
            ("other", "description", "another", {}),
        ]
    )


def test_records_come_in_the_order_of_the_plan(package):
    for handle in (package, package.store):
        records = records_for_artifact(handle, "pkg")
        assert [record.text for record in records] == ["a package", "first", "second"]
        assert [record.surface_index for record in records] == [0, 1, 2]
        assert {record.artifact_id for record in records} == {"pkg"}


def test_one_kind_can_be_asked_for(package):
    chunks = records_for_artifact(package, "pkg", surface_kind="readme_chunk")
    assert [record.surface_index for record in chunks] == [1, 2]
    assert records_for_artifact(package, "pkg", surface_kind="synopsis") == []


def test_the_record_of_a_hit_has_the_text_of_the_hit(package):
    hit = package.search("second")[0]
    record = records_for_artifact(package, hit.artifact_id)[hit.surface_index]
    assert record.text == hit.text == "second"


def test_an_artifact_the_ledger_does_not_know(package):
    with pytest.raises(NoLedgerEntry, match="no ledger entry.*'nope'") as raised:
        records_for_artifact(package, "nope")
    assert isinstance(raised.value, KeyError)


def test_a_stale_ledger_is_another_error(package):
    with package.store.writing("test") as batch:
        entry = {
            "artifact_id": "ghost",
            "version": "1",
            "embedder_id": "",
            "strategy_id": "",
            "record_ids": ["f" * 24],
        }
        batch.set_entry("ghost", entry)
        batch.commit()
    with pytest.raises(StaleLedger, match="stale ledger.*'ghost'") as raised:
        records_for_artifact(package, "ghost")
    assert isinstance(raised.value, KeyError)
    assert not isinstance(raised.value, NoLedgerEntry)


def test_a_name_opens_the_corpus_on_disk():
    build(CorpusSource.from_mapping({"a": "text of a"}, name="named"), embedder="light")
    assert [record.text for record in records_for_artifact("named", "a")] == ["text of a"]
    hits = search("named", "text", mode="hybrid", filter={"x": {"$exists": False}})
    assert [(hit.artifact_id, hit.source) for hit in hits] == [("a", "named")]
    assert as_retriever("named")("text") == search("named", "text")
    with pytest.raises(CorpusNotFound):
        records_for_artifact("unbuilt", "a")


def test_an_empty_store_is_a_store(corpus_of):
    with pytest.raises(NoLedgerEntry):
        records_for_artifact(corpus_of({}), "a")


def test_something_else_is_refused():
    with pytest.raises(ParameterError, match="expected a corpus"):
        records_for_artifact(object(), "a")
