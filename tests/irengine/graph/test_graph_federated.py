"""One graph over several corpora."""

from __future__ import annotations

import pytest

from irengine import (
    CorpusGraph,
    CorpusSource,
    CorpusStore,
    FederatedGraph,
    GraphStore,
    NoLedgerEntry,
    ParameterError,
    build,
)

EDGES = {
    "notes": {"plan": {"LINK": ["todo", ["skills", "deploy"]]}, "todo": {}},
    "skills": {"deploy": {"REF": ["Click", ["packages", "Dol"]]}, "test": {}},
    "packages": {"dol": {"REF": ["numpy"]}, "i2": {"REF": ["DOL", ["skills", "test"]]}},
}


def corpus(name):
    rows = EDGES[name]
    source = CorpusSource.from_mapping({i: f"about {i}" for i in rows}, name=name)
    return build(
        source,
        store=CorpusStore.memory(),
        embedder="light",
        edge_extractor=lambda item, fields: rows[item],
    )


@pytest.fixture
def graph():
    return FederatedGraph([corpus(name) for name in EDGES])


def test_nodes_are_pairs_and_lead_to_records(graph):
    assert isinstance(graph, GraphStore)
    assert list(graph) == [(name, i) for name, rows in EDGES.items() for i in sorted(rows)]
    assert [record.text for record in graph["skills", "deploy"]] == ["about deploy"]
    assert ("skills", "deploy") in graph
    assert ("skills", "dol") not in graph
    assert ("other", "x") not in graph
    for nobody in (("skills", "nobody"), ("nowhere", "deploy")):
        with pytest.raises(NoLedgerEntry):
            graph[nobody]
    with pytest.raises(ParameterError):
        graph["deploy"]


def test_edges_lead_from_one_corpus_into_another(graph):
    assert graph.neighbors(("notes", "plan")) == [("notes", "todo"), ("skills", "deploy")]
    assert graph.neighbors(("skills", "deploy")) == [("skills", "click"), ("packages", "dol")]
    assert graph.neighbors(("packages", "i2"), edge_type="REF") == [
        ("packages", "dol"),
        ("skills", "test"),
    ]
    assert graph.neighbors(("nowhere", "x")) == []


def test_those_that_lead_to_a_node_may_be_in_any_corpus(graph):
    assert graph.reverse_neighbors(("skills", "deploy"), edge_type="LINK") == [("notes", "plan")]
    assert graph.reverse_neighbors(("skills", "test")) == [("packages", "i2")]
    assert graph.reverse_neighbors(("packages", "dol")) == [
        ("packages", "i2"),
        ("skills", "deploy"),
    ]
    assert graph.fan_in(("packages", "DOL")) == graph.max_fan_in() == 2


def test_an_edge_can_be_followed_both_ways(graph):
    for node in graph:
        for kind in graph.edge_types(node):
            for other in graph.neighbors(node, edge_type=kind):
                assert node in graph.reverse_neighbors(other, edge_type=kind)
                assert (kind, True) in graph.edges_between(node, other)
                assert (kind, False) in graph.edges_between(other, node)
    assert graph.edges_between(("notes", "plan"), ("skills", "test")) == []
    assert graph.edge_types(("nowhere", "x")) == []
    assert FederatedGraph({"empty": CorpusStore.memory()}).max_fan_in() == 0


def test_a_path_crosses_corpora(graph):
    assert graph.path(("notes", "todo"), ("packages", "numpy")) == [
        ("notes", "todo"),
        ("notes", "plan"),
        ("skills", "deploy"),
        ("packages", "dol"),
        ("packages", "numpy"),
    ]
    assert graph.path(("notes", "todo"), ("packages", "dol"), directed=True) == []
    assert graph.path(("notes", "plan"), ("packages", "DOL"), edge_types=["LINK"]) == []
    with pytest.raises(NoLedgerEntry):
        graph.path(("notes", "plan"), ("notes", "nobody"))


def test_dependents_are_found_across_corpora():
    rows = {"x": {"REF": [["b", "y"]]}, "z": {"REF": ["x"]}}
    store, other = CorpusStore.memory(), CorpusStore.memory()
    for artifact_id, edges in rows.items():
        store.set_links(artifact_id, edges)
    graph = FederatedGraph({"a": store, "b": other})
    assert graph.dependents(("b", "y")) == {("a", "x"): 1, ("a", "z"): 2}
    assert graph.dependents(("b", "y"), max_depth=1) == {("a", "x"): 1}


def test_each_corpus_needs_a_name_of_its_own():
    with pytest.raises(ParameterError, match="no name"):
        FederatedGraph([CorpusStore.memory()])
    with pytest.raises(ParameterError, match="two corpora"):
        FederatedGraph([corpus("notes"), corpus("notes")])
    named = FederatedGraph({"n": CorpusGraph(corpus("notes")), "m": corpus("notes")})
    assert list(named.graphs) == ["n", "m"]
