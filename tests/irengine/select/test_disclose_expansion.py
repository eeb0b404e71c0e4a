"""A disclosure can carry the passage around the match, from the corpus the hit is from."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from irengine.base import SearchHit
from irengine.errors import CorpusNotFound, StaleLedger
from irengine.index import Corpus, build
from irengine.retrieve import records_for_artifact, search
from irengine.select.disclosing import DISCLOSURE_LEVELS, Disclosure, disclose, reveal
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.strategy import Chunked


def window(hit: SearchHit, siblings: Any) -> Any:
    at = [record.surface_index for record in siblings].index(hit.surface_index)
    return siblings[max(0, at - 1) : at + 2]


def corpus_of(name: str, word: str = "bee", store: CorpusStore | None = None) -> Corpus:
    text = "\n".join(f"{word} sentence number{n} stands here." for n in range(6))
    source = CorpusSource.from_mapping(
        {"note": text}, name=name, strategy=Chunked(chunk_size=40, overlap=0)
    )
    return build(source, store=store or CorpusStore.memory(), embedder="light")


def found(corpus: Corpus) -> SearchHit:
    return search(corpus, "number3", mode="lexical")[0]


def shown(*hits: SearchHit, **kwargs: Any) -> list[Disclosure]:
    kwargs.setdefault("level", "metadata")
    kwargs.setdefault("expand", window)
    return disclose(SimpleNamespace(selected=list(hits)), **kwargs)


PASSAGE = "\n".join(f"bee sentence number{n} stands here." for n in (2, 3, 4))


@pytest.mark.parametrize("level", DISCLOSURE_LEVELS)
def test_expansion_goes_with_every_level(level):
    corpus = corpus_of("bees")
    (told,) = shown(found(corpus), level=level, corpus=corpus)
    assert told.passage == PASSAGE
    assert told.summary == "bee sentence number3 stands here."
    assert "expansion" not in told.metadata
    assert (told.body, told.to_dict()["passage"]) == (None, PASSAGE)


def test_the_corpus_is_a_handle_a_store_a_name_or_one_by_source():
    corpus = corpus_of("bees", store=CorpusStore.local("bees"))
    hit = found(corpus)
    for given in (corpus, corpus.store, "bees", {"bees": corpus}, {"bees": "bees"}):
        assert shown(hit, corpus=given)[0].passage == PASSAGE


def test_a_hit_without_source_is_from_the_single_corpus():
    corpus = corpus_of("bees")
    hit = replace(found(corpus), source=None)
    assert shown(hit, corpus=corpus)[0].passage == PASSAGE
    (told,) = shown(hit, corpus={"bees": corpus})
    assert told.metadata["expansion"] == "no_corpus_for_source"


def test_each_hit_is_expanded_from_its_own_source():
    bees, cars = corpus_of("bees"), corpus_of("cars", "car")
    one, other = shown(found(cars), found(bees), corpus={"bees": bees, "cars": cars})
    assert one.passage == PASSAGE.replace("bee", "car")
    assert other.passage == PASSAGE


@pytest.mark.parametrize("given", ["the other", "by source"])
def test_a_stranger_of_the_same_id_is_not_expanded(given):
    bees, cars = corpus_of("bees"), corpus_of("cars", "car")
    (told,) = shown(found(bees), corpus=cars if given == "the other" else {"cars": cars})
    assert told.passage is None
    assert told.metadata["expansion"] == "no_corpus_for_source"


def test_an_unknown_artifact_is_noted():
    corpus = corpus_of("bees")
    (told,) = shown(replace(found(corpus), artifact_id="other"), corpus=corpus)
    assert (told.passage, told.metadata["expansion"]) == (None, "no_ledger_entry")


def test_a_surface_that_is_gone_is_noted():
    from importlib import import_module

    policy = import_module("irengine.expand").sentence_window_policy()
    corpus = corpus_of("bees")
    (told,) = shown(replace(found(corpus), surface_index=99), corpus=corpus, expand=policy)
    assert (told.passage, told.metadata["expansion"]) == (None, "seed_not_found")


def test_a_torn_store_is_an_error():
    corpus = corpus_of("bees")
    hit = found(corpus)
    corpus.store.delete_record(records_for_artifact(corpus, "note")[0].id)
    with pytest.raises(StaleLedger, match="stale ledger"):
        shown(hit, corpus=corpus)


def test_the_mistakes_of_a_policy_are_errors():
    corpus = corpus_of("bees")
    with pytest.raises(ZeroDivisionError):
        shown(found(corpus), corpus=corpus, expand=lambda hit, siblings: [1 / 0])
    with pytest.raises(ValueError, match="not siblings"):
        shown(found(corpus), corpus=corpus, expand=lambda hit, siblings: ["x"])


def test_expand_and_corpus_go_together():
    corpus = corpus_of("bees")
    with pytest.raises(ValueError, match="corpus="):
        shown(found(corpus))
    with pytest.raises(ValueError, match="expand="):
        shown(found(corpus), expand=None, corpus=corpus)
    with pytest.raises(ValueError, match="expand="):
        shown(found(corpus), expand=None, corpus={})
    with pytest.raises(CorpusNotFound):
        shown(corpus="nowhere")


def test_a_pipeline_may_name_its_corpora_without_expanding(tmp_path):
    (tmp_path / "a.md").write_text("they hum")
    source = CorpusSource.from_files(tmp_path, name="notes")
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    hit = replace(search(corpus, "hum")[0], source=None)
    (told,) = reveal(SimpleNamespace(selected=[hit]), level="body", corpora=corpus)
    assert (told.body, told.passage) == ("they hum", None)


def test_nothing_of_the_hit_is_changed():
    corpus = corpus_of("bees")
    hit = replace(found(corpus), artifact_id="other")
    before = dict(hit.metadata)
    shown(hit, corpus=corpus)
    assert dict(hit.metadata) == before
