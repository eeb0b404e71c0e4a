"""``fuse_hits``: several rankings become one, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from irengine.base import SearchHit
from irengine.errors import ParameterError
from irengine.retrieve import fuse_hits


def hit(artifact_id: str, score: float, *, source: str | None = None, **metadata: Any) -> SearchHit:
    return SearchHit(artifact_id, "document", score, artifact_id, metadata, source)


def ids(fused: Sequence[SearchHit]) -> list[str]:
    return [one.artifact_id for one in fused]


def test_ranks_count_and_scores_do_not():
    fused = fuse_hits({"A": [hit("x", 0.9), hit("y", 0.8)], "B": [hit("z", 9)]})
    assert ids(fused) == ["x", "z", "y"]
    assert [one.score for one in fused] == pytest.approx([1 / 61, 1 / 61, 1 / 62])
    assert [one.source for one in fused] == ["A", "B", "A"]
    assert fused[1].metadata == {"source_score": 9.0, "source_rank": 1}


def test_one_identity_in_a_source_counts_once_and_across_sources_it_adds_up():
    found = {
        "A": [hit("x1", 0.9, path="/p"), hit("x2", 0.8, path="/p")],
        "B": [hit("y", 1.0), hit("x3", 0.5, path="/p")],
    }
    fused = fuse_hits(found, identity="pointer")
    assert ids(fused) == ["x1", "y"]
    assert fused[0].score == pytest.approx(1 / 61 + 1 / 62)
    assert fused[0].metadata["fused_sources"] == ["A", "B"]
    assert ids(fuse_hits(found)) == ["x1", "y", "x2", "x3"]
    assert ids(fuse_hits(found, identity=lambda one: one.text[:1])) == ["x1", "y"]


def test_a_single_source_passes_through_with_its_own_scores():
    found = [hit("a", 3.0), hit("b", 7.0), hit("a", 1.0)]
    fused = fuse_hits({"A": found, "B": []}, weights={"A": 9.0})
    assert [(one.artifact_id, one.score, dict(one.metadata)) for one in fused] == [
        ("b", 7.0, {}),
        ("a", 3.0, {}),
    ]
    assert fuse_hits({}) == []
    assert fuse_hits({"A": []}) == []


def test_weights_say_how_far_a_source_is_trusted():
    found = {"A": [hit("x", 1.0)], "B": [hit("y", 1.0)]}
    assert ids(fuse_hits(found, weights={"B": 2.0, "elsewhere": 5.0})) == ["y", "x"]


def test_one_corpus_under_two_keys_is_one_source():
    fused = fuse_hits({"A": [hit("x", 1.0, source="s")], "B": [hit("x", 0.5, source="s")]})
    assert ids(fused) == ["x"]
    assert fused[0].metadata["fused_sources"] == ["A", "B"]
    assert fused[0].source == "s"


def test_the_key_none_tags_nothing():
    fused = fuse_hits({None: [hit("x", 1.0)], "B": [hit("x", 1.0)]})
    assert [one.source for one in fused] == [None, "B"]


def test_k_cuts_and_nothing_given_is_changed():
    given = [hit("x", 1.0, path="/p")]
    assert ids(fuse_hits({"A": given, "B": [hit("y", 1.0)]}, k=1)) == ["x"]
    assert given == [hit("x", 1.0, path="/p")]


@pytest.mark.parametrize(
    "bad", [{"identity": "name"}, {"rrf_k": 0}, {"weights": {"A": "much"}}, {"rrf_k": "60"}]
)
def test_arguments_that_mean_nothing_are_refused(bad):
    with pytest.raises(ParameterError):
        fuse_hits({"A": [hit("x", 1.0)], "B": [hit("y", 1.0)]}, **bad)
