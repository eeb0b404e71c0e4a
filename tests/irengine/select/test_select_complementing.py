"""A request for several things has several answers."""

from __future__ import annotations

import pytest

from irengine import CorpusSource, CorpusStore, SearchHit, build, discover, search, select
from irengine.select.complementing import complements

TOOLS = {
    "weather": "Forecast the weather of a city for the coming days.",
    "weather_now": "Report the weather of a city at this moment.",
    "currency": "Convert an amount of money from one currency into another.",
    "email": "Send an email with a subject and attachments.",
    "poem": "Write a poem in the style of an author.",
}
BOTH = "forecast the weather of the city, then convert the money into another currency"


def hit(name, score, **terms):
    held = {"terms": terms} if terms else None
    return SearchHit(name, "x", score, "", explanation={"mode": "hybrid", "lexical": held})


def places(*hits, chosen=(0,), rel=0.9, most=2):
    shares = [each.score / hits[0].score for each in hits]
    return complements(hits, shares, chosen, rel=rel, most=most)


def test_what_says_something_new_needs_a_smaller_share():
    best = hit("a", 1.0, weather=8.0, city=2.0)
    assert places(best, hit("b", 0.71, money=3.0)) == [1]
    assert places(best, hit("b", 0.69, money=3.0)) == []
    assert places(best, hit("b", 0.69, money=3.0), rel=0.8) == [1]


def test_new_is_a_part_of_the_query_by_the_weight_of_its_words():
    best = hit("a", 1.0, weather=8.5)
    assert places(best, hit("b", 0.8, weather=9.0, the=1.4)) == []
    assert places(best, hit("b", 0.8, money=1.5)) == [1]
    assert places(best, hit("b", 0.8, weather=8.5)) == []


def test_each_is_held_against_all_before_it_and_there_are_no_more_than_asked_for():
    hits = [
        hit("a", 1.0, weather=4.0),
        hit("b", 0.8, money=3.0),
        hit("c", 0.79, money=3.0),
        hit("d", 0.78, poem=3.0),
        hit("e", 0.77, email=3.0),
    ]
    assert places(*hits, most=9) == [1, 3, 4]
    assert places(*hits, most=1) == [1]
    assert places(*hits, chosen=(0, 1), most=9) == [3, 4]
    assert places(*hits, most=0) == []


def test_without_words_nothing_complements():
    assert places(hit("a", 1.0), hit("b", 0.8, money=3.0)) == []
    assert places(SearchHit("a", "x", 1.0, ""), SearchHit("b", "x", 0.8, "")) == []


@pytest.fixture(scope="module")
def corpus():
    source = CorpusSource.from_mapping(TOOLS, name="tools")
    return build(source, store=CorpusStore.memory(), embedder="light")


def test_discover_commits_to_an_answer_for_each_thing_asked_for(corpus):
    found = discover(corpus, BOTH)
    scores = {h.artifact_id: h.score for h in search(corpus, BOTH, mode="hybrid")}
    top = max(scores.values())
    assert 0.7 <= min(scores["weather"], scores["currency"]) / top < 0.9
    assert found.ids == sorted(["weather", "currency"], key=lambda name: -scores[name])
    assert found.reason == "rel_threshold"
    assert found.signals["n_selected"] == 2
    assert found.signals["n_complementary"] == 1
    assert found.signals["min_ratio"] == pytest.approx(
        min(scores["weather"], scores["currency"]) / top
    )
    assert len(discover(corpus, BOTH, max_k=1).ids) == 1
    assert len(discover([corpus], BOTH).ids) == 2


def test_only_the_default_rule_over_magnitudes_looks_for_complements(corpus):
    one = discover(corpus, BOTH, mode="dense")
    assert "n_complementary" not in one.signals
    for options in ({"strategy": "rel_threshold"}, {"fusion": "rrf"}):
        assert "n_complementary" not in discover(corpus, BOTH, **options).signals
    assert len(select(search(corpus, BOTH, mode="hybrid")).selected) == 1
