"""Passages: what a reranker reads of a candidate."""

from __future__ import annotations

import pytest

import irengine as ir
from irengine.errors import ParameterError
from irengine.rerank import passage_texts

LONG = " ".join(f"word{i}" for i in range(400))


@pytest.fixture(scope="module")
def notes():
    return ir.build(
        ir.CorpusSource.from_mapping(
            {"long": LONG, "short": "a short note"},
            name="notes",
            strategy=ir.Chunked(max_tokens=64, overlap=16),
        ),
        store=ir.CorpusStore.memory(),
        embedder="light",
    )


@pytest.fixture(scope="module")
def hits(notes):
    found = ir.search(notes, "word3 word390 note", k=20, per_artifact=False)
    assert len({hit.artifact_id for hit in found}) < len(found)
    return found


def test_the_surface_is_the_text_that_matched(notes, hits):
    assert passage_texts(notes, hits) == [hit.text for hit in hits]


def test_the_artifact_is_all_its_texts_each_stretch_once(notes, hits):
    texts = passage_texts(notes, hits, "artifact", max_chars=100_000)
    whole = {"long": LONG, "short": "a short note"}
    assert texts == [whole[hit.artifact_id] for hit in hits]


def test_an_artifact_is_cut(notes, hits):
    assert {len(text) for text in passage_texts(notes, hits, "artifact", max_chars=9)} == {9}
    assert max(map(len, passage_texts(notes, hits, "artifact"))) == 2000


def test_a_function_is_told_the_candidate(notes, hits):
    def title(corpus, candidate):
        assert set(candidate) == {
            "artifact_id", "surface_kind", "surface_index", "text", "metadata"
        }  # fmt: skip
        return f"{corpus.name}/{candidate['artifact_id']}"

    assert passage_texts(notes, hits, title) == [f"notes/{hit.artifact_id}" for hit in hits]


def test_what_the_ledger_does_not_know_is_read_as_it_matched(hits):
    other = ir.build(
        ir.CorpusSource.from_mapping({"other": "x"}, name="other"),
        store=ir.CorpusStore.memory(),
        embedder="light",
    )
    assert passage_texts(other, hits, "artifact") == [hit.text for hit in hits]


@pytest.mark.parametrize("text", ["surface", "artifact", lambda corpus, metadata: ""])
@pytest.mark.parametrize("most", [0, -1, True, 1.5, "9"])
def test_the_length_is_checked_for_every_choice(notes, hits, text, most):
    with pytest.raises(ParameterError, match="rerank_max_chars must be a whole number"):
        passage_texts(notes, hits, text, max_chars=most)


@pytest.mark.parametrize("text", ["artefact", "", None, 3])
def test_another_choice_is_refused(notes, hits, text):
    with pytest.raises(ParameterError, match="unknown rerank_text"):
        passage_texts(notes, hits, text)
