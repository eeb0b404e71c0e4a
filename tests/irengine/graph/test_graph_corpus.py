"""A graph over the stored edges of one corpus."""

from __future__ import annotations

import pytest

from irengine import (
    CorpusGraph,
    CorpusNotFound,
    CorpusSource,
    CorpusStore,
    GraphStore,
    ItemError,
    NoLedgerEntry,
    ParameterError,
    build,
    canonical_node_id,
    default_edge_extractor,
)
from irengine.graph import CHILD, NEXT, PARENT, PREV, REF, normalize_dist_name
from irengine.graph.nodes import dependency_name

PACKAGES = {
    "alpha": ["Scikit_Learn>=1", "beta"],
    "beta": ["scikit-learn[extra]; python_version < '3.12'", "numpy"],
    "gamma": ["BETA", "alpha"],
    "My_Lib": ["my-lib", "numpy"],
}


def packages(deps=PACKAGES, store=None, **options):
    source = CorpusSource.from_mapping(
        {name: f"the package {name}" for name in deps},
        name="packages",
        metadata_of=lambda item, raw: {"deps": deps[item]},
    )
    options.setdefault("edge_extractor", default_edge_extractor)
    store = store if store is not None else CorpusStore.memory()
    return build(source, store=store, embedder="light", **options)


def linked(**rows):
    store = CorpusStore.memory()
    for artifact_id, edges in rows.items():
        store.set_links(artifact_id, edges)
    return store


def test_the_vocabulary_is_its_own_spelling():
    assert (NEXT, PREV, PARENT, CHILD, REF) == ("NEXT", "PREV", "PARENT", "CHILD", "REF")


@pytest.mark.parametrize(
    ("spec", "name", "normalized"),
    [
        ("Scikit_Learn[extra]>=1.2", "scikit_learn", "scikit-learn"),
        (" numpy ", "numpy", "numpy"),
        ("a.b__c-d ; python_version<'3'", "a.b__c-d", "a-b-c-d"),
        ("x@ file:///y", "x", "x"),
        ("x (>=1)", "x", "x"),
        ("x~=1", "x", "x"),
        (">=1", "", ""),
    ],
)
def test_a_requirement_names_a_package(spec, name, normalized):
    assert dependency_name(spec) == name
    assert normalize_dist_name(spec) == normalized


def test_edges_are_latent_in_deps_and_parent():
    assert default_edge_extractor("a", {"deps": ["B>=1", "b", "c_d", "", "A"], "parent": "p"}) == {
        "REF": ["b", "c_d"],
        "PARENT": ["p"],
    }
    assert default_edge_extractor("a", {"deps": ("b",), "parent": "a"}) == {"REF": ["b"]}
    assert default_edge_extractor("a", {"deps": "b", "parent": ""}) == {}
    assert default_edge_extractor("a", {}) == {}


def test_a_package_does_not_depend_on_itself_in_another_spelling_or_on_nothing():
    assert default_edge_extractor("My_Lib", {"deps": ["my-lib", "my.lib>=2", None, 3]}) == {}


def test_a_target_becomes_a_pair():
    assert canonical_node_id("dol", source="packages") == ("packages", "dol")
    assert canonical_node_id(["skills", "deploy"], source="packages") == ("skills", "deploy")
    assert canonical_node_id(("skills", "deploy"), source=None) == ("skills", "deploy")
    assert canonical_node_id("dol", source=None) == (None, "dol")


def test_a_graph_gives_records_in_plan_order_and_neighbours_as_stored():
    corpus = packages()
    graph = CorpusGraph(corpus)
    assert isinstance(graph, GraphStore)
    assert graph.source == "packages"
    assert graph.store is corpus.store
    assert [record.text for record in graph["beta"]] == ["the package beta"]
    assert graph.neighbors("alpha") == ["scikit_learn", "beta"]
    assert graph.neighbors("My_Lib") == ["numpy"]
    assert graph.neighbors("nobody") == []
    assert graph.edge_types("alpha") == ["REF"]
    assert graph.edge_types("nobody") == []
    assert list(graph) == ["My_Lib", "alpha", "beta", "gamma"]
    assert "beta" in graph and "numpy" not in graph
    with pytest.raises(NoLedgerEntry, match="no ledger entry"):
        graph["nobody"]


def test_neighbours_of_all_types_come_once():
    store = linked(a={"REF": ["b", ["s", "x"]], "PARENT": ["b", "c", ["s", "x"], "c"]})
    graph = CorpusGraph(store)
    assert graph.source is None
    assert graph.neighbors("a") == ["b", ["s", "x"], "c"]
    assert graph.neighbors("a", edge_type="PARENT") == ["b", "c", ["s", "x"]]
    assert graph.neighbors("a", edge_type="NEXT") == []
    assert graph.edge_types("a") == ["REF", "PARENT"]


def test_references_match_in_any_spelling_and_other_edges_exactly():
    graph = CorpusGraph(packages())
    for spelling in ("scikit-learn", "Scikit.Learn", "scikit_learn>=2"):
        assert graph.reverse_neighbors(spelling) == ["alpha", "beta"]
        assert graph.fan_in(spelling) == 2
    assert graph.reverse_neighbors("Beta") == ["alpha", "gamma"]
    assert graph.reverse_neighbors("nobody") == []
    other = CorpusGraph(linked(a={"PARENT": ["My_P"]}, b={"PARENT": ["my-p"]}))
    assert other.reverse_neighbors("My_P", edge_type="PARENT") == ["a"]


def test_the_largest_fan_in_counts_targets_outside_the_corpus():
    assert CorpusGraph(packages()).max_fan_in() == 2
    assert CorpusGraph(packages()).max_fan_in(edge_type="PARENT") == 0
    assert CorpusGraph(CorpusStore.memory()).max_fan_in() == 0


def test_pairs_match_exactly():
    graph = CorpusGraph(linked(a={"REF": [["skills", "My_Skill"]]}, b={"REF": ["my-skill"]}))
    assert graph.reverse_neighbors(("skills", "My_Skill")) == ["a"]
    assert graph.reverse_neighbors(["skills", "my-skill"]) == []
    assert graph.reverse_neighbors("My_Skill") == ["b"]


def test_every_spelling_of_a_node_resolves_to_one():
    graph = CorpusGraph(packages())
    assert graph.resolve("BETA") == "beta"
    assert graph.resolve("my-lib") == "My_Lib"
    assert graph.resolve(("packages", "beta")) == "beta"
    assert graph.resolve(["skills", "deploy"]) == ("skills", "deploy")
    assert graph.resolve("Scikit_Learn") == "scikit-learn"
    assert graph.resolve("BETA", edge_type="PARENT") == "BETA"
    twins = CorpusGraph(packages({"A_b": [], "a-b": [], "a.b": []}))
    assert twins.resolve("a-b") == "a-b"
    assert twins.resolve("A-B") == "A_b"
    assert CorpusGraph(packages().store).resolve(("packages", "beta")) == ("packages", "beta")


def test_all_edges_are_those_of_the_moment_they_were_first_asked_for():
    store = linked(a={"REF": ["x"]})
    graph = CorpusGraph(store)
    assert graph.reverse_neighbors("x") == ["a"]
    store.set_links("b", {"REF": ["x"]})
    assert graph.reverse_neighbors("x") == ["a"]
    assert graph.neighbors("b") == ["x"]
    assert CorpusGraph(store).reverse_neighbors("x") == ["a", "b"]


def test_graphs_of_one_published_generation_share_what_they_worked_out():
    store = CorpusStore.local("shared")
    store.set_links("a", {"REF": ["x"]})
    one, other = CorpusGraph(store), CorpusGraph(store)
    assert one.all_edges() is other.all_edges()
    store.set_links("b", {"REF": ["x"]})
    assert CorpusGraph(store).reverse_neighbors("x") == ["a", "b"]


def test_edges_are_rewritten_for_unchanged_artifacts_and_left_without_an_extractor():
    store = CorpusStore.memory()
    packages(store=store, edge_extractor=None)
    assert list(store.link_items()) == []
    ledger = dict(store.ledger_items())
    packages(store=store)
    assert store.get_links("gamma") == {"REF": ["beta", "alpha"]}
    assert dict(store.ledger_items()) == ledger
    packages(store=store, edge_extractor=None)
    assert store.get_links("gamma") == {"REF": ["beta", "alpha"]}
    packages({k: v for k, v in PACKAGES.items() if k != "gamma"}, store=store)
    assert store.get_links("gamma") == {}


def test_an_extractor_that_fails_concerns_one_artifact():
    def broken(artifact_id, fields):
        if artifact_id == "beta":
            raise ValueError("no")
        return {"REF": ["x"]}

    corpus = packages(edge_extractor=broken)
    assert [error.id for error in corpus.report.errors] == ["beta"]
    assert "edges" in corpus.report.errors[0].detail
    assert CorpusGraph(corpus).reverse_neighbors("x") == ["alpha", "gamma", "My_Lib"]
    assert issubclass(ItemError, ValueError)


def test_dependents_are_found_over_others_and_nearest_first():
    graph = CorpusGraph(packages())
    assert graph.dependents("scikit-learn") == {"alpha": 1, "beta": 1, "gamma": 2}
    assert graph.dependents("Scikit_Learn", max_depth=1) == {"alpha": 1, "beta": 1}
    assert graph.dependents("gamma") == {}
    assert list(graph.dependents("numpy")) == ["My_Lib", "beta", "alpha", "gamma"]
    circle = CorpusGraph(linked(a={"REF": ["b"]}, b={"REF": ["c"]}, c={"REF": ["a"]}))
    assert circle.dependents("a") == {"c": 1, "b": 2}
    with pytest.raises(ParameterError):
        graph.dependents("numpy", max_depth=-1)


def test_a_path_is_a_shortest_one_and_the_first_of_several():
    graph = CorpusGraph(
        linked(
            a={"LINK": ["c", "b"]}, b={"LINK": ["d"]}, c={"LINK": ["d"]}, d={"LINK": ["a"]},
            e={"REF": ["D"]}, f={"LINK": ["f"]},
        )
    )  # fmt: skip
    assert graph.path("a", "d") == ["a", "d"]
    assert graph.path("a", "d", directed=True) == ["a", "b", "d"]
    assert graph.path("d", "b", directed=True) == ["d", "a", "b"]
    assert graph.path("a", "a") == ["a"]
    assert graph.path("a", "f") == []
    assert graph.path("a", "d", edge_types=["REF"]) == []
    with pytest.raises(NoLedgerEntry):
        graph.path("a", "nowhere")


def test_a_path_goes_over_libraries_outside_the_corpus_in_any_spelling():
    graph = CorpusGraph(packages())
    assert graph.path("alpha", "My_Lib") == ["alpha", "beta", "numpy", "My_Lib"]
    assert graph.path("NumPy", "BETA") == ["numpy", "beta"]
    assert graph.edges_between("alpha", "beta") == [("REF", True)]
    assert graph.edges_between("numpy", "My_Lib") == [("REF", False)]
    assert graph.edges_between("alpha", "My_Lib") == []


def test_a_package_is_found_in_any_spelling():
    graph = CorpusGraph(packages())
    assert graph.find("my.lib") == "My_Lib"
    assert graph.find("numpy") is None
    notes = CorpusGraph(packages({"a b.md": []}))
    assert notes.find("a") is None
    assert notes.find("A B") == "a b.md"


def test_a_graph_opens_a_built_corpus_by_name():
    packages(store=CorpusStore.local("packages"))
    assert CorpusGraph("packages").reverse_neighbors("beta") == ["alpha", "gamma"]
    with pytest.raises(CorpusNotFound):
        CorpusGraph("package")
    with pytest.raises(TypeError):
        CorpusGraph(3)
