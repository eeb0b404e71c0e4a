"""The walk: what it commits, in which order, and that it always ends."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irengine import ParameterError, SearchHit, WalkState, traverse
from irengine.traverse import walking


class Graph:
    """A policy over plain numbers: ``edges`` lead on, ``scores`` rank, ``routers`` give no hit."""

    def __init__(self, edges, seeds, scores=None, routers=(), enough=None):
        self.edges, self.seeds, self.scores = edges, seeds, scores or {}
        self.routers, self.enough = set(routers), enough
        self.asked = []

    def seed(self, state, store):
        return self.seeds

    def score(self, state, node, store):
        return self.scores.get(node, 0.0)

    def select(self, state, scored):
        return sorted(scored, key=lambda entry: -entry[2])

    def expand(self, state, node, store):
        self.asked.append(node)
        return self.edges.get(node, ())

    def node_id(self, node):
        return node

    def stop(self, state):
        return self.enough is not None and len(state.results) >= self.enough

    def to_hit(self, state, node, score, depth):
        if node in self.routers:
            return None
        return SearchHit(str(node), "x", score, "", {"depth": depth})


def walk(policy, **options):
    return [hit.artifact_id for hit in traverse("q", None, policy=policy, **options)]


def test_a_walk_commits_level_by_level_and_returns_the_best_first():
    policy = Graph({1: [2, 3], 2: [4], 4: [5]}, [1], {1: 0.1, 2: 0.5, 3: 0.9, 4: 0.7, 5: 1.0})
    hits = traverse("q", None, policy=policy)
    assert [(hit.artifact_id, hit.metadata["depth"]) for hit in hits] == [
        ("3", 1), ("4", 2), ("2", 1), ("1", 0),
    ]  # fmt: skip
    assert policy.asked == [1, 3, 2]


def test_depth_zero_commits_seeds_only():
    assert walk(Graph({1: [2]}, [1]), max_depth=0) == ["1"]


def test_no_seeds_no_budget_no_hits():
    assert walk(Graph({}, [])) == []
    assert walk(Graph({}, [1, 2]), node_budget=0) == []
    assert walk(Graph({}, [1, 2]), k=0) == []


def test_a_node_is_committed_once_and_equal_scores_keep_their_order():
    circle = Graph({1: [2, 1], 2: [3, 1], 3: [1]}, [1, 1, 2])
    assert walk(circle, max_depth=10) == ["1", "2", "3"]


def test_the_budget_counts_hits_and_what_only_leads_on_has_its_own():
    routers = range(100, 110)
    policy = Graph({r: range(r * 10, r * 10 + 10) for r in routers}, routers, routers=routers)
    assert len(walk(policy, node_budget=64, k=1000)) == 64
    only_routers = Graph({n: [n + 1, n + 1000] for n in range(5000)}, [0], routers=range(9999))
    assert walk(only_routers, max_depth=1000, node_budget=7) == []
    assert len(only_routers.asked) == 7


def test_a_level_ends_where_the_budget_does():
    policy = Graph({1: [3]}, [1, 2], {1: 1.0})
    assert walk(policy, node_budget=1) == ["1"]


def test_enough_is_asked_after_a_hit_and_never_after_a_router():
    policy = Graph({1: [2, 3]}, [1], routers=[1], enough=0)
    assert walk(policy) == ["2"]


def test_a_score_that_is_no_number_ranks_last():
    assert walk(Graph({}, [1, 2, 3], {1: math.nan, 2: -5.0, 3: 1.0})) == ["3", "2", "1"]


def test_a_policy_sees_what_was_done():
    seen = []

    class Watching(Graph):
        def expand(self, state, node, store):
            seen.append((state.query, sorted(state.visited), len(state.results), store))
            return super().expand(state, node, store)

    traverse("q", "the store", policy=Watching({1: [2]}, [1]), max_depth=2)
    assert seen == [("q", [1], 1, "the store"), ("q", [1, 2], 2, "the store")]
    assert WalkState("q", 2, 64) == WalkState("q", 2, 64, set(), [], {})


@pytest.mark.parametrize(
    "wrong", [{"max_depth": -1}, {"node_budget": True}, {"k": 1.5}, {"node_budget": "7"}]
)
def test_bounds_are_whole_numbers(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        walk(Graph({}, [1]), **wrong)


def test_a_walk_needs_text_and_a_policy():
    with pytest.raises(ParameterError, match="query"):
        traverse(None, None, policy=Graph({}, []))
    with pytest.raises(TypeError, match="no seed"):
        traverse("q", None, policy=object())


class Adversary(Graph):
    """Breaks every rule at random: endless, forgetful, and dishonest about where it is."""

    def __init__(self, seed, endless):
        super().__init__({}, [])
        self.rng, self.endless, self.calls = random.Random(seed), endless, 0

    def _nodes(self):
        if self.endless and self.rng.random() < 0.3:
            return itertools.cycle([0]) if self.rng.random() < 0.5 else itertools.count()
        return [self.rng.randrange(500) for _ in range(self.rng.randrange(40))]

    def seed(self, state, store):
        return self._nodes()

    def score(self, state, node, store):
        return self.rng.choice([math.nan, math.inf, -math.inf, self.rng.random()])

    def select(self, state, scored):
        self._tamper(state)
        if self.rng.random() < 0.3:
            return itertools.cycle([(node, -(10**9), 1.0) for node, _, _ in scored])
        return [(node, -(10**9), score) for node, _, score in scored] * 3

    def expand(self, state, node, store):
        self.calls += 1
        self._tamper(state)
        return self._nodes()

    def to_hit(self, state, node, score, depth):
        self._tamper(state)
        hit = SearchHit(str(node), "x", score, "", {"depth": depth})
        return None if self.rng.random() < 0.5 else hit

    def _tamper(self, state):
        state.visited.clear()
        state.results.clear()
        state.budget = state.max_depth = 10**9


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    depth=st.integers(0, 6),
    budget=st.integers(0, 30),
    endless=st.booleans(),
)
def test_a_walk_ends_within_its_bounds_whatever_the_policy(seed, depth, budget, endless):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "MAX_FRONTIER", 300)
        policy = Adversary(seed, endless)
        hits = traverse("q", None, policy=policy, max_depth=depth, node_budget=budget, k=10**6)
    assert len(hits) <= budget
    assert len({hit.artifact_id for hit in hits}) == len(hits)
    assert all(hit.metadata["depth"] <= depth for hit in hits)
    assert policy.calls <= 2 * budget


def test_an_endless_frontier_is_cut_off():
    class Endless(Graph):
        def expand(self, state, node, store):
            return itertools.repeat(node)

        def seed(self, state, store):
            return itertools.count()

    hits = traverse("q", None, policy=Endless({}, []), node_budget=3)
    assert [hit.artifact_id for hit in hits] == ["0", "1", "2"]
