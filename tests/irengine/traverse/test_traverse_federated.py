"""Walks over several corpora whose links lead into each other."""

from __future__ import annotations

import pytest

from irengine import (
    CorpusSource,
    CorpusStore,
    FederatedGraph,
    ParameterError,
    SearchHit,
    build,
    collapsed_tree_policy,
    discover,
    link_policy,
    reverse_dependency_policy,
    traverse,
)

ROWS = {
    "notes": {
        "plan": ("rotate the signing keys every spring", {"LINK": ["todo", ["skills", "deploy"]]}),
        "todo": ("buy bread", {}),
        "diary": ("a walk by the sea", {"LINK": ["plan"]}),
    },
    "skills": {
        "deploy": ("put a new release on the servers", {"REF": ["Click", ["packages", "Dol"]]}),
        "test": ("run all the checks", {}),
    },
    "packages": {
        "dol": ("mappings over files", {"REF": ["numpy"]}),
        "i2": ("pipelines", {"REF": ["DOL", ["skills", "test"]]}),
    },
}


def corpus(name, embedder="light"):
    rows = ROWS[name]
    return build(
        CorpusSource.from_mapping({i: text for i, (text, _) in rows.items()}, name=name),
        store=CorpusStore.memory(),
        embedder=embedder,
        edge_extractor=lambda item, fields: rows[item][1],
    )


@pytest.fixture(scope="module")
def corpora():
    return [corpus(name) for name in ROWS]


def walk(corpora, policy, query="rotate the signing keys", **bounds):
    return traverse(query, corpora, policy=policy, **bounds)


def ids(hits):
    return {(hit.source, hit.artifact_id) for hit in hits}


def told(hits):
    keys = ("walk_depth", "seed", "via")
    return {
        (h.source, h.artifact_id): tuple(h.metadata[k] for k in keys if k in h.metadata)
        for h in hits
    }


PLAN, DEPLOY = ("notes", "plan"), ("skills", "deploy")


def test_a_link_is_followed_into_another_corpus(corpora):
    policy = link_policy(edge_types=["LINK", "REF"], seed_k=1, mode="lexical", backwards=False)
    assert told(walk(corpora, policy)) == {
        PLAN: (0,),
        ("notes", "todo"): (1, PLAN, PLAN),
        DEPLOY: (1, PLAN, PLAN),
        ("packages", "dol"): (2, PLAN, DEPLOY),
    }
    assert ids(walk(corpora, policy, max_depth=1)) == {PLAN, ("notes", "todo"), DEPLOY}
    assert len(walk(corpora, policy, node_budget=2)) == 2


def test_backwards_out_of_another_corpus(corpora):
    policy = link_policy(seed_k=1, mode="lexical")
    found = told(walk(corpora, policy, "a new release on the servers"))
    assert found[PLAN] == (1, DEPLOY, DEPLOY)
    assert found["notes", "diary"] == (2, DEPLOY, PLAN)


def test_a_corpus_that_is_not_walked_ends_a_link(corpora):
    policy = link_policy(edge_types=["LINK", "REF"], seed_k=1, mode="lexical")
    assert DEPLOY not in ids(walk([corpora[0], corpora[2]], policy))
    assert DEPLOY not in ids(walk(corpora[0], policy))


def test_one_corpus_in_a_list_gives_the_same_hits_with_pairs(corpora):
    policy = link_policy(seed_k=1, mode="lexical")
    alone, listed = walk(corpora[0], policy), walk(corpora[:1], policy)
    assert [(h.artifact_id, h.score) for h in alone] == [(h.artifact_id, h.score) for h in listed]
    assert [h.metadata.get("via") for h in alone] == [None, "plan", "plan"]
    assert [h.metadata.get("via") for h in listed] == [None, PLAN, PLAN]


def test_dependents_are_found_in_every_corpus(corpora):
    policy = reverse_dependency_policy(seeds=["dol"], fan_in_weight=0.5, proximity_weight=0.25)
    hits = {(h.source, h.artifact_id): h for h in walk(corpora, policy, "pipelines over files")}
    assert set(hits) == {("packages", "dol"), ("packages", "i2"), DEPLOY}
    assert hits[DEPLOY].metadata["seed"] == ("packages", "dol")
    assert hits["packages", "dol"].metadata["fan_in"] == 2
    base = hits["packages", "dol"].explanation["cosine"]
    assert hits["packages", "dol"].score == pytest.approx(base + 0.5 + 0.25)
    by_pair = walk(corpora, reverse_dependency_policy(seeds=[("skills", "test")]), "pipelines")
    assert ids(by_pair) == {("skills", "test"), ("packages", "i2")}


def test_a_graph_of_the_corpora_is_walked_as_they_are(corpora):
    for policy in (link_policy(), reverse_dependency_policy(seeds=["dol"])):
        assert walk(FederatedGraph(corpora), policy) == walk(corpora, policy)


def test_results_do_not_depend_on_the_order_of_the_corpora(corpora):
    for policy in (
        link_policy(edge_types=["LINK", "REF"]),
        reverse_dependency_policy(seeds=["dol", "click", ("skills", "test")]),
    ):
        one, other = (walk(order, policy, k=99) for order in (corpora, corpora[::-1]))
        assert {(h.source, h.artifact_id, h.score) for h in one} == {
            (h.source, h.artifact_id, h.score) for h in other
        }


def test_summaries_of_every_corpus_are_seeds(corpora):
    hits = walk(corpora, collapsed_tree_policy(seed_k=1), "put a release on the servers")
    assert hits[0].artifact_id == "deploy"
    assert {hit.source for hit in hits} == set(ROWS)


def test_other_embedders_count_by_their_own_best():
    calls = []

    def bright(texts, *, input_type="document"):
        calls.extend(texts)
        return [[1.0, 0.05 * len(text.split()), 0.0] for text in texts]

    light, other = corpus("notes"), corpus("skills", bright)
    calls.clear()
    hits = walk([light, other], link_policy(seed_k=3, mode="dense"), "rotate the signing keys")
    best = {
        source: max(h.score for h in hits if h.source == source) for source in ("notes", "skills")
    }
    assert best == {"notes": pytest.approx(1.0), "skills": pytest.approx(1.0)}
    assert calls == ["rotate the signing keys"]


def test_corpora_of_one_embedder_embed_the_query_once():
    calls = []

    def counting(texts, *, input_type="document"):
        calls.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    both = [corpus("notes", counting), corpus("skills", counting)]
    calls.clear()
    walk(both, link_policy(), "only once")
    assert calls == ["only once"]


def test_what_is_discovered_leads_on(corpora):
    found = discover(corpora, "rotate the signing keys")
    assert [(each.source, each.artifact_id) for each in found.results] == [PLAN]
    graph = FederatedGraph(corpora)
    assert graph.neighbors(PLAN) == [("notes", "todo"), DEPLOY]


def test_a_policy_may_walk_a_federated_graph_itself(corpora):
    class Links:
        def seed(self, state, graph):
            return [PLAN]

        def score(self, state, node, graph):
            return 1.0 / (1 + len(graph.neighbors(node)))

        def select(self, state, scored):
            return scored

        def expand(self, state, node, graph):
            return graph.neighbors(node)

        def node_id(self, node):
            return node

        def stop(self, state):
            return False

        def to_hit(self, state, node, score, depth):
            return SearchHit(node[1], "node", score, "", {"walk_depth": depth}, node[0])

    graph = FederatedGraph(corpora)
    hits = traverse("keys", graph, policy=Links(), max_depth=3)
    assert ids(hits) == {
        PLAN, DEPLOY, ("notes", "todo"), ("skills", "click"), ("packages", "dol"),
        ("packages", "numpy"),
    }  # fmt: skip


def test_what_cannot_be_walked_is_named(corpora):
    policy = link_policy()
    with pytest.raises(ParameterError, match="empty"):
        walk([], policy)
    with pytest.raises(ParameterError, match="twice"):
        walk([corpora[0], corpora[0]], policy)
    stores = FederatedGraph({each.name: each.store for each in corpora})
    for wrong in (["notes"], [corpora[0].store], "notes", stores):
        with pytest.raises(TypeError, match="open Corpus"):
            walk(wrong, policy)
