"""From what a search finds along links to what it misses."""

from __future__ import annotations

import pytest

from irengine import (
    CorpusSource,
    CorpusStore,
    ParameterError,
    build,
    link_policy,
    search,
    traverse,
)
from irengine.graph import SIMILAR

NOTES = {
    "hive.md": "How to inspect a bee hive in spring. See [[Smoker]].",
    "tools/Smoker.md": "Burn dry grass and close the lid quickly. [[Suppliers]]",
    "tools/Suppliers.md": "Addresses and prices, last year.",
    "diary.md": "Went to the [[hive]] today.",
    "garden.md": "Spring flowers: tulip and crocus.",
    "kitchen.md": "Bread and soup.",
}


@pytest.fixture
def corpus(tmp_path):
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = CorpusSource.from_files(tmp_path / "notes", name="notes")
    return build(source, store=CorpusStore.memory(), embedder="light")


def walk(corpus, query="inspect the bee hive", k=10, max_depth=2, **options):
    options.setdefault("seed_k", 1)
    return traverse(query, corpus, policy=link_policy(**options), k=k, max_depth=max_depth)


def told(hits):
    keys = ("walk_depth", "seed", "via")
    return {h.artifact_id: {k: h.metadata[k] for k in keys if k in h.metadata} for h in hits}


def test_a_walk_returns_the_linked_note_that_a_search_misses(corpus):
    flat = [hit.artifact_id for hit in search(corpus, "inspect the bee hive", k=3)]
    assert "tools/Smoker.md" not in flat
    walked = [hit.artifact_id for hit in walk(corpus, k=3)]
    assert walked[0] == "hive.md"
    assert "tools/Smoker.md" in walked


def test_hits_say_how_they_were_reached(corpus):
    assert told(walk(corpus)) == {
        "hive.md": {"walk_depth": 0},
        "tools/Smoker.md": {"walk_depth": 1, "seed": "hive.md", "via": "hive.md"},
        "diary.md": {"walk_depth": 1, "seed": "hive.md", "via": "hive.md"},
        "tools/Suppliers.md": {"walk_depth": 2, "seed": "hive.md", "via": "tools/Smoker.md"},
    }


def test_a_linked_note_carries_part_of_the_score_of_what_led_to_it(corpus):
    hits = {hit.artifact_id: hit for hit in walk(corpus, carry=0.25)}
    for hit in hits.values():
        cosine = hit.explanation["cosine"]
        if "via" in hit.metadata:
            expected = 0.75 * cosine + 0.25 * hits[hit.metadata["via"]].score
        else:
            expected = cosine
        assert hit.score == pytest.approx(expected, abs=1e-6)


def test_links_are_followed_forwards_only_on_request(corpus):
    assert "diary.md" not in told(walk(corpus, backwards=False))
    assert "tools/Suppliers.md" in told(walk(corpus, backwards=False))


def test_a_filter_is_a_fence(corpus):
    fenced = {"folder": {"$ne": "tools"}}
    assert set(told(walk(corpus, filter=fenced))) == {"hive.md", "diary.md"}


def test_seeds_are_searched_in_any_mode_and_edges_are_a_choice(corpus):
    assert set(told(walk(corpus, "tulip", mode="lexical"))) == {"garden.md"}
    assert set(told(walk(corpus, edge_types=["RELATED"]))) == {"hive.md"}
    similar = told(walk(corpus, edge_types=[SIMILAR], max_depth=1))
    assert similar["garden.md"]["via"] == "hive.md"
    assert walk(corpus, " ") == []


def test_a_seed_is_shown_at_the_surface_that_matched(tmp_path):
    text = "# A\n\n" + "filler words here. " * 60 + "\n\n# B\n\nthe zyzzyva paragraph\n"
    (tmp_path / "long.md").write_text(text)
    source = CorpusSource.from_files(tmp_path, name="long")
    corpus = build(source, store=CorpusStore.memory(), embedder="light")
    (hit,) = walk(corpus, "zyzzyva", mode="lexical")
    assert "zyzzyva" in hit.text


def test_bad_arguments_are_named(corpus):
    for wrong in (-0.1, 1.5, float("nan"), "1", True):
        with pytest.raises(ParameterError, match="carry"):
            link_policy(carry=wrong)
    with pytest.raises(TypeError, match="edge_types"):
        link_policy(edge_types="LINK")
    with pytest.raises(TypeError, match="open Corpus"):
        walk(corpus.store)
