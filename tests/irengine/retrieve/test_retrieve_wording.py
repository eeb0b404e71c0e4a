"""Words and phrases an answer must hold, or must not: exact, and the same in every mode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irengine.errors import ParameterError
from irengine.retrieve import search
from irengine.retrieve.wording import Wording, Words, worded_rows
from irengine.text import analyze
from irengine.text.words import words_of

MODES = ("dense", "lexical", "hybrid")

NOTES = {
    "decision": "DEC-0054 approved on Monday",
    "ticket": "PIO-1384 covers cloud-init and more",
    "ssh": "run `ssh -T git@github.com` once",
    "hive": "bees keep running the hive",
    "keeper": "a bee keeper runs; the running bees",
    "script": "JavaScript and fetchUrl",
    "java": "plain Java code",
    "cpp": "C++ templates",
    "c": "the language C",
    "accents": "Le Châtelier, žluťoučký kůň",
    "contract": "中文合約轉換體驗課問題",
    "mom": "Mom's Recipes",
    "version": "release 2026.4.10 of the tool",
    "older": "release 2026.4.1 of the tool",
}


@pytest.fixture(scope="module")
def notes():
    from irengine.index import build
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

    source = CorpusSource.from_mapping(NOTES, name="notes")
    return build(source, store=CorpusStore.memory(), embedder="light")


def found(corpus, query="bees", *, mode="dense", required=(), excluded=(), k=50):
    hits = search(corpus, query, k=k, mode=mode, wording=Wording(tuple(required), tuple(excluded)))
    return {hit.artifact_id for hit in hits}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (Words("DEC-0054"), {"decision"}),
        (Words("DEC-0054", whole=True), {"decision"}),
        (Words("dec 54"), {"decision"}),
        (Words("cloud-init", whole=True), {"ticket"}),
        (Words("ssh -T git", whole=True), {"ssh"}),
        (Words("running bees"), {"keeper"}),
        (Words("the hive", whole=True), {"hive"}),
        (Words("java"), {"java", "script"}),
        (Words("java", whole=True), {"java"}),
        (Words("url"), {"script"}),
        (Words("url", whole=True), set()),
        (Words("C++"), {"cpp"}),
        (Words("C", whole=True), {"c"}),
        (Words("chatelier"), {"accents"}),
        (Words("zlutoucky kun", whole=True), {"accents"}),
        (Words("合約轉"), {"contract"}),
        (Words("約合"), set()),
        (Words("Mom's", whole=True), {"mom"}),
        (Words("2026.4.1", whole=True), {"older"}),
        (Words("2026.4.10"), {"version"}),
        (Words("runni", prefix=True), {"hive", "keeper"}),
        (Words("RECIP", prefix=True), {"mom"}),
        (Words("cloud-in", prefix=True), {"ticket"}),
        (Words("bees runn", prefix=True), set()),
        (Words("keep runn", prefix=True), {"hive"}),
        (Words("žluť", prefix=True), {"accents"}),
        (Words("zlut", prefix=True), {"accents"}),
        (Words("轉換體", prefix=True), {"contract"}),
        (Words("nothing like it"), set()),
    ],
)
def test_what_a_wording_keeps_and_what_it_drops(notes, words, expected):
    assert found(notes, required=[words]) == expected
    assert found(notes, excluded=[words]) == set(NOTES) - expected


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_honours_it(notes, mode):
    assert found(notes, "keeper", mode=mode, required=[Words("bees")]) >= {"keeper"}
    assert "hive" not in found(notes, "bees", mode=mode, excluded=[Words("hive")])
    assert found(notes, "bees hive", mode=mode, required=[Words("keeper")]) == {"keeper"}


def test_a_lexical_search_ranks_what_a_prefix_stands_for(notes):
    hits = search(notes, "runn", mode="lexical", wording=Wording((Words("runn", prefix=True),)))
    assert {hit.artifact_id for hit in hits} == {"hive", "keeper"}
    assert all(hit.score > 0 for hit in hits)


@pytest.mark.parametrize("text", ["", "   ", "—", "( )", "\x00"])
def test_a_wording_without_words_says_nothing(notes, text):
    everything = set(NOTES)
    for words in (Words(text), Words(text, whole=True), Words(text, prefix=True)):
        assert found(notes, required=[words]) == everything
        assert found(notes, excluded=[words]) == everything


@pytest.mark.parametrize("wording", ["bees", {"required": ["bees"]}, Wording(("bees",)), 3])
def test_anything_else_than_a_wording_is_refused(notes, wording):
    with pytest.raises(ParameterError):
        search(notes, "bees", wording=wording)


# --- artifacts of several rows ------------------------------------------------------------


@pytest.fixture(params=[False, True], ids=["one segment", "a segment each"])
def chapters(corpus_of_records, request):
    return corpus_of_records(
        [
            ("one", "chunk", "alpha begins", {"n": 0}),
            ("one", "chunk", "beta follows", {"n": 1}),
            ("one", "chunk", "neither of them", {"n": 2}),
            ("two", "chunk", "alpha alone", {"n": 0}),
            ("three", "chunk", "beta and gamma", {"n": 0}),
        ],
        steps=request.param,
    )


def test_an_artifact_is_judged_by_all_its_rows(chapters):
    both = [Words("alpha"), Words("beta")]
    assert found(chapters, "follows", required=both) == {"one"}
    assert found(chapters, "begins", excluded=[Words("beta")]) == {"two"}


def test_the_row_that_is_shown_holds_a_required_wording(chapters):
    wording = Wording((Words("alpha"), Words("beta")))
    hits = search(chapters, "neither of them", wording=wording, per_artifact=False)
    assert sorted(hit.text for hit in hits) == ["alpha begins", "beta follows"]


def test_only_the_rows_that_are_searched_count(chapters):
    alpha = Wording((Words("alpha"),))
    assert search(chapters, "alpha", wording=alpha, filter={"n": {"$gt": 0}}) == []
    assert search(chapters, "alpha", wording=alpha, surfaces=[]) == []


def test_rows_that_were_replaced_do_not_count(corpus_of_records):
    corpus = corpus_of_records([("a", "chunk", "old words", {}), ("b", "chunk", "same", {})])
    with corpus.store.writing("test") as batch:
        batch.remove("a")
        batch.commit()
    assert found(corpus, "x", required=[Words("old")]) == set()
    assert found(corpus, "x", excluded=[Words("old")]) == {"b"}


# --- laws ---------------------------------------------------------------------------------

_word = st.sampled_from(["bee", "bees", "cloud-init", "C++", "Mom's", "中文", "fetchUrl", "é", "—"])
_text = st.lists(_word, max_size=5).map(" ".join) | st.text(max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(_text, min_size=1, max_size=5), text=_text, data=st.data())
def test_required_and_excluded_divide_the_artifacts(corpus_of, texts, text, data):
    corpus = corpus_of({str(i): body for i, body in enumerate(texts)})
    snapshot = corpus.store.snapshot()
    words = Words(text, whole=data.draw(st.booleans()), prefix=data.draw(st.booleans()))
    kept = worded_rows(snapshot, Wording((words,)), None).mask
    dropped = worded_rows(snapshot, Wording((), (words,)), None).mask
    if words_of(text):
        assert np.array_equal(kept, ~dropped)
    else:
        assert kept.all()
        assert dropped.all()


@given(st.text(max_size=40) | _text)
def test_a_text_holds_itself_and_its_words_are_terms_of_the_index(text):
    words = words_of(text)
    terms = set(analyze(text))
    assert all(word.terms <= terms for word in words)
    assert words == words_of(f" {text}\n")
