"""A hit is expanded to the passage around it, from what is stored, by a policy."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irengine.base import Record, SearchHit
from irengine.errors import CorpusNotFound, NoLedgerEntry, ParameterError, StaleLedger
from irengine.index import Corpus, build
from irengine.retrieve import records_for_artifact, search
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.strategy import Chunked, Package

module = importlib.import_module("irengine.expand")
Passage, SeedNotFound = module.Passage, module.SeedNotFound
expand, parent_policy = module.expand, module.parent_policy
sentence_window_policy = module.sentence_window_policy

LINES = [f"Sentence number {n} tells of topic{n} alone." for n in range(12)]
NOTE = "\n".join(LINES)


@pytest.fixture
def note() -> Corpus:
    source = CorpusSource.from_mapping(
        {"note": NOTE}, name="notes", strategy=Chunked(chunk_size=60, overlap=0)
    )
    return build(source, store=CorpusStore.memory(), embedder="light")


@pytest.fixture
def package() -> Corpus:
    readme = "\n\n".join(LINES)
    source = CorpusSource.from_mapping(
        {"pkg": {"name": "pkg", "description": "About bees", "readme": readme}},
        name="packages",
        strategy=Package(chunk_size=60, overlap=0),
    )
    return build(source, store=CorpusStore.memory(), embedder="light")


def hit_on(corpus: Corpus, query: str, **kwargs: Any) -> SearchHit:
    return search(corpus, query, mode="lexical", **kwargs)[0]


def bare(index: int | None = 0, kind: str = "chunk", artifact: str = "note") -> SearchHit:
    return SearchHit(artifact, kind, 1.0, "its own text", surface_index=index)


def test_the_default_takes_one_neighbour_on_each_side(note):
    hit = hit_on(note, "topic5")
    passage = expand(hit, note)
    assert passage.text == "\n".join(LINES[4:7])
    assert passage.lines == ((5, 7),)
    assert len(passage.record_ids) == 3


def test_identity_and_score_are_those_of_the_hit(note):
    hit = hit_on(note, "topic5")
    passage = expand(hit, note, policy=parent_policy())
    told = passage.to_dict()
    assert told.pop("lines") == [[1, 12]]
    assert told == {
        "artifact_id": "note",
        "surface_kind": "chunk",
        "score": hit.score,
        "text": NOTE,
        "record_ids": [record.id for record in records_for_artifact(note, "note")],
        "source": "notes",
        "surface_index": hit.surface_index,
    }


def test_a_passage_without_lines_does_not_tell_of_lines():
    told = Passage("a", "k", 1, "t").to_dict()
    assert sorted(told) == [
        "artifact_id",
        "record_ids",
        "score",
        "source",
        "surface_index",
        "surface_kind",
        "text",
    ]


@pytest.mark.parametrize(
    ("query", "k", "first", "last"),
    [("topic0", 1, 0, 2), ("topic11", 2, 9, 12), ("topic5", 0, 5, 6), ("topic5", 99, 0, 12)],
)
def test_the_window_is_cut_at_the_ends(note, query, k, first, last):
    passage = expand(hit_on(note, query), note, policy=sentence_window_policy(k))
    assert passage.text == "\n".join(LINES[first:last])


def test_the_window_stays_within_the_kind_of_the_hit(package):
    passage = expand(hit_on(package, "topic0"), package)
    assert passage.surface_kind == "readme_chunk"
    assert passage.text == "\n\n".join(LINES[:2])
    about = expand(hit_on(package, "bees", surfaces=["description"]), package)
    assert about.text == "pkg: About bees"
    assert about.lines == ()


def test_the_parent_is_every_kind_in_plan_order(package):
    passage = expand(hit_on(package, "topic3"), package, policy=parent_policy())
    assert passage.text == "pkg: About bees\n\n" + "\n\n".join(LINES)


def test_overlapping_chunks_are_stitched_without_stammer():
    source = CorpusSource.from_mapping(
        {"note": NOTE}, name="n", strategy=Chunked(chunk_size=120, overlap=60)
    )
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    assert len(records_for_artifact(corpus, "note")) > 3
    passage = expand(hit_on(corpus, "topic5"), corpus, policy=parent_policy())
    assert passage.text == NOTE


def test_the_lines_are_those_of_the_file(tmp_path):
    (tmp_path / "n.md").write_text("---\ntitle: x\n---\n" + NOTE)
    source = CorpusSource.from_files(tmp_path, name="n", strategy=Chunked(chunk_size=60, overlap=0))
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    ((first, last),) = expand(hit_on(corpus, "topic5"), corpus).lines
    assert (tmp_path / "n.md").read_text().splitlines()[first - 1 : last] == LINES[4:7]


# -- policies of one's own --------------------------------------------------------------------


def test_what_a_policy_returns_is_deduplicated_and_put_in_order(note):
    passage = expand(
        bare(), note, policy=lambda hit, siblings: [siblings[8], siblings[2], siblings[8]]
    )
    assert passage.text == f"{LINES[2]}\n\n{LINES[8]}"
    assert passage.lines == ((3, 3), (9, 9))


@pytest.mark.parametrize("nothing", [[], (), None])
def test_a_policy_that_takes_nothing_leaves_the_hit_as_it_is(note, nothing):
    hit = replace(bare(), metadata={"line_start": 3, "line_end": 4})
    passage = expand(hit, note, policy=lambda hit, siblings: nothing)
    assert (passage.text, passage.record_ids) == ("its own text", ())
    assert passage.lines == ((3, 4),)


def test_a_policy_may_only_choose_among_siblings(note, package):
    stranger = records_for_artifact(package, "pkg")[0]
    for chosen in ([stranger], ["not a record"], [None]):
        with pytest.raises(ValueError, match="not siblings"):
            expand(bare(), note, policy=lambda hit, siblings, chosen=chosen: chosen)


def test_a_record_altered_by_a_policy_is_not_what_is_shown(note):
    def forging(hit: SearchHit, siblings: list[Record]) -> list[Record]:
        return [replace(siblings[0], text="forged")]

    assert expand(bare(), note, policy=forging).text == LINES[0]


@settings(max_examples=40, deadline=None)
@given(chosen=st.lists(st.integers(0, 11)))
def test_any_choice_gives_its_records_each_once_in_order(chosen):
    corpus = shared_note()
    siblings = records_for_artifact(corpus, "note")
    passage = expand(bare(), corpus, policy=lambda hit, all_: [all_[n] for n in chosen])
    expected = sorted(set(chosen))
    assert list(passage.record_ids) == [siblings[n].id for n in expected]
    assert [line for line in passage.text.splitlines() if line] == (
        [LINES[n] for n in expected] or ["its own text"]
    )


_shared: list[Corpus] = []


def shared_note() -> Corpus:
    if not _shared:
        source = CorpusSource.from_mapping(
            {"note": NOTE}, name="notes", strategy=Chunked(chunk_size=60, overlap=0)
        )
        _shared.append(build(source, store=CorpusStore.memory(), embedder="light"))
    return _shared[0]


# -- what cannot be expanded ------------------------------------------------------------------


@pytest.mark.parametrize("k", [-1, True, 1.5, "2", None])
def test_a_window_is_a_whole_number_from_zero(k):
    with pytest.raises(ValueError, match=">= 0"):
        sentence_window_policy(k)


def test_a_hit_without_position_has_no_window_but_a_parent(note):
    with pytest.raises(ValueError, match="surface_index") as caught:
        expand(bare(None), note)
    assert "parent_policy" in caught.value.hint
    assert expand(bare(None), note, policy=parent_policy()).text == NOTE


@pytest.mark.parametrize("hit", [bare(99), bare(0, kind="description")])
def test_a_hit_that_is_not_stored_is_not_found(note, hit):
    with pytest.raises(SeedNotFound, match="any more"):
        expand(hit, note)
    assert issubclass(SeedNotFound, ValueError)


def test_an_artifact_the_corpus_does_not_know_is_a_key_error(note):
    with pytest.raises(NoLedgerEntry, match="no ledger entry"):
        expand(bare(artifact="other"), note)


def test_a_torn_store_says_so(note):
    note.store.delete_record(records_for_artifact(note, "note")[3].id)
    with pytest.raises(StaleLedger, match="stale ledger"):
        expand(bare(), note)


def test_a_corpus_is_a_handle_a_store_or_a_name(note):
    source = CorpusSource.from_mapping(
        {"note": NOTE}, name="kept", strategy=Chunked(chunk_size=60, overlap=0)
    )
    build(source, embedder="light")
    assert expand(bare(3), note).text == expand(bare(3), note.store).text
    assert expand(bare(3), "kept").text == expand(bare(3), note).text
    with pytest.raises(CorpusNotFound):
        expand(bare(3), "nowhere")
    with pytest.raises(ParameterError, match="expected a corpus"):
        expand(bare(3), 7)
    with pytest.raises(ParameterError, match="a policy is a function"):
        expand(bare(3), note, policy="window")
