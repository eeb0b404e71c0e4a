"""The links of a folder of notes: exact after a build, and after any sequence of edits."""

from __future__ import annotations

import random
import shutil

import pytest

from irengine import CorpusGraph, CorpusSource, CorpusStore, build, default_edge_extractor
from irengine.sources import FileScope

VAULT = {
    "index.md": "# Start\n[[Bees]] and [[the hive|hives]] and [[Honey#Taste]], [[index]] itself",
    "animals/Bees.md": "---\naliases: [Apis, Honeybee]\nrelated: '[[Honey]]'\n---\n"
    "Back to [start](../index.md), see [[Wasps]] and ![[bee.png]].",
    "animals/Wasps.md": "Unlike [[apis]]. `[[code]]`\n\n```\n[[fenced]]\n```\n[[nowhere]]",
    "animals/Hive.md": "---\nalias: The Hive\n---\n[[Bees]] [x](./Wasps.md#sting) [y](missing.md)",
    "food/Honey.md": "[[Notes]] made by [[animals/Bees|bees]] [site](https://example.org/Bees.md)",
    "food/Notes.md": "[[Honey]] [pic](../pics/a.jpg) [src](../src/main.py)",
    "animals/Notes.md": "[[Notes]]",
    "blank.md": "\n\n",
    "to blank.md": "[[blank]] [b](blank.md)",
}


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "vault"
    for name, text in VAULT.items():
        write(root, name, text)
    return root


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def built(root, store=None, **options):
    source = CorpusSource.from_files(root, name="vault")
    store = store if store is not None else CorpusStore.memory()
    options.setdefault("allow_shrink", True)
    return build(source, store=store, embedder="light", **options)


def graph_of(store_or_corpus):
    """Return everything a graph says, for comparison."""
    graph = CorpusGraph(store_or_corpus)
    edges = {i: {t: graph.neighbors(i, edge_type=t) for t in graph.edge_types(i)} for i in graph}
    links = {i: graph.links(i) for i in graph}
    reverse = {i: sorted(graph.reverse_neighbors(i, edge_type="LINK")) for i in graph}
    return list(graph), edges, links, reverse, graph.unresolved()


def test_a_vault_has_exactly_the_edges_its_notes_write(vault):
    graph = CorpusGraph(built(vault))
    edges = {i: graph.neighbors(i, edge_type="LINK") for i in graph}
    assert edges == {
        "animals/Bees.md": ["index.md", "animals/Wasps.md"],
        "animals/Hive.md": ["animals/Bees.md", "animals/Wasps.md"],
        "animals/Notes.md": [],
        "animals/Wasps.md": ["animals/Bees.md"],
        "blank.md": [],
        "food/Honey.md": ["food/Notes.md", "animals/Bees.md"],
        "food/Notes.md": ["food/Honey.md"],
        "index.md": ["animals/Bees.md", "animals/Hive.md", "food/Honey.md"],
        "to blank.md": ["blank.md"],
    }
    assert graph.neighbors("animals/Bees.md", edge_type="RELATED") == ["food/Honey.md"]
    assert graph.edge_types("animals/Bees.md") == ["RELATED", "LINK"]
    assert graph.neighbors("animals/Bees.md")[0] == "food/Honey.md"


def test_dangling_links_are_listed_with_what_was_written(vault):
    found = [
        (link.source, link.kind, link.written) for link in CorpusGraph(built(vault)).unresolved()
    ]
    assert found == [
        ("animals/Hive.md", "path", "missing.md"),
        ("animals/Wasps.md", "wiki", "nowhere"),
    ]


def test_links_say_which_heading_they_mean(vault):
    graph = CorpusGraph(built(vault))
    assert [(link.written, link.heading, link.target) for link in graph.links("index.md")] == [
        ("Bees", "", "animals/Bees.md"),
        ("the hive", "", "animals/Hive.md"),
        ("Honey", "Taste", "food/Honey.md"),
        ("index", "", "index.md"),
    ]


def test_notes_that_link_to_a_note_are_its_reverse_neighbours(vault):
    graph = CorpusGraph(built(vault))
    assert graph.reverse_neighbors("animals/Bees.md", edge_type="LINK") == [
        "animals/Hive.md",
        "animals/Wasps.md",
        "food/Honey.md",
        "index.md",
    ]
    assert graph.fan_in("animals/Bees.md", edge_type="LINK") == 4
    assert graph.max_fan_in(edge_type="LINK") == 4


def test_a_person_finds_notes_by_alias_and_the_way_between_them(vault):
    graph = CorpusGraph(built(vault))
    assert graph.find("honeybee") == "animals/Bees.md"
    assert graph.path("food/Notes.md", "animals/Wasps.md") == [
        "food/Notes.md",
        "food/Honey.md",
        "animals/Bees.md",
        "animals/Wasps.md",
    ]
    assert graph.path("blank.md", "index.md") == []


def test_a_note_without_text_is_a_node_and_a_target(vault):
    graph = CorpusGraph(built(vault))
    assert "blank.md" in graph
    assert graph["blank.md"] == []
    assert graph.reverse_neighbors("blank.md", edge_type="LINK") == ["to blank.md"]


def test_unchanged_notes_are_not_read_when_their_links_change(vault, monkeypatch):
    store = CorpusStore.local("vault")
    read = []
    original = FileScope._read
    monkeypatch.setattr(FileScope, "_read", lambda *a: read.append(a[1]) or original(*a))
    built(vault, store)
    built(vault, store)  # by now every file is older than a tick of the clock
    read.clear()
    write(vault, "nowhere.md", "here after all")
    (vault / "animals/Wasps.md").rename(vault / "food/Missing.md")
    built(vault, store)
    assert sorted(read) == ["food/Missing.md", "nowhere.md"]
    graph = CorpusGraph(store)
    assert graph.neighbors("food/Missing.md", edge_type="LINK") == ["animals/Bees.md", "nowhere.md"]
    assert [link.written for link in graph.unresolved()] == ["Wasps", "./Wasps.md"]


def test_a_nearer_note_takes_over_and_gives_back(vault):
    store = CorpusStore.memory()
    built(vault, store)
    assert CorpusGraph(store).neighbors("food/Honey.md") == ["food/Notes.md", "animals/Bees.md"]
    (vault / "food/Notes.md").rename(vault / "Notes.md")
    built(vault, store)
    assert CorpusGraph(store).neighbors("food/Honey.md") == ["Notes.md", "animals/Bees.md"]
    (vault / "Notes.md").unlink()
    built(vault, store)
    assert CorpusGraph(store).neighbors("food/Honey.md") == ["animals/Notes.md", "animals/Bees.md"]


def test_a_changed_note_that_cannot_be_read_keeps_its_links(vault, monkeypatch):
    store = CorpusStore.memory()
    built(vault, store)
    before = graph_of(store)
    write(vault, "index.md", "no links any more")

    def closed(scope, artifact_id, found):
        raise scope._fail(artifact_id, "unreadable", "permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(FileScope, "_read", closed)
        assert len(built(vault, store).report.errors) + len(built(vault, store).report.skipped)
    assert graph_of(store) == before
    built(vault, store)
    assert CorpusGraph(store).neighbors("index.md") == []


def test_a_forgotten_note_leaves_dangling_links_and_comes_back(vault):
    store = CorpusStore.local("vault")
    built(vault, store)
    before = graph_of(store)
    store.forget(["animals/Bees.md"])
    graph = CorpusGraph(store)
    assert graph.neighbors("animals/Wasps.md") == []
    assert "apis" in [link.written for link in graph.unresolved()]
    built(vault, store)
    assert graph_of(store) == before


def test_edges_of_an_extractor_and_links_of_the_text_live_side_by_side(vault):
    write(vault, "pkg.md", "---\ndeps: [numpy]\nparent: index.md\n---\n[[Bees]]")
    store = CorpusStore.local("vault")
    built(vault, store, edge_extractor=default_edge_extractor)
    everything = {"REF": ["numpy"], "PARENT": ["index.md"], "LINK": ["animals/Bees.md"]}

    def edges():
        graph = CorpusGraph(store)
        return {t: graph.neighbors("pkg.md", edge_type=t) for t in graph.edge_types("pkg.md")}

    assert edges() == everything
    built(vault, store)
    assert edges() == everything
    write(vault, "pkg.md", "---\ndeps: [scipy]\nparent: index.md\n---\n[[Wasps]]")
    built(vault, store)
    assert edges() == {**everything, "LINK": ["animals/Wasps.md"]}
    built(vault, store, edge_extractor=default_edge_extractor)
    assert edges() == {**everything, "REF": ["scipy"], "LINK": ["animals/Wasps.md"]}


def test_a_build_that_changes_nothing_publishes_nothing(vault):
    store = CorpusStore.local("vault")
    built(vault, store)
    built(vault, store)  # by now every file is older than a tick of the clock
    before = store.snapshot().generation
    assert built(vault, store, rehash=True).report.nothing_changed
    assert store.snapshot().generation == before


def test_a_mapping_says_nothing_by_itself():
    source = CorpusSource.from_mapping({"a": "[[b]]", "b": "x"}, name="m")
    store = CorpusStore.memory()
    build(source, store=store, embedder="light")
    assert list(store.link_items()) == []


NAMES = ["a", "b", "Note", "note", "index"]
FOLDERS = ["", "x/", "x/y/", "z/"]


def random_note(rng):
    targets = [*NAMES, "x/a", "../b", "gone", "Alias", "y/note", "x/"]
    kinds = ("[[{}]]", "[[{}|shown]]", "[t]({}.md)", "[t]({})", "`[[{}]]`", "![[{}]]")
    body = " ".join(rng.choice(kinds).format(rng.choice(targets)) for _ in range(rng.randrange(5)))
    front = ""
    if rng.random() < 0.3:
        front = f"---\naliases: [{rng.choice(['Alias', 'alias', 'b'])}]\n"
        front += f"related: '[[{rng.choice(targets)}]]'\n---\n"
    return front + (body if rng.random() < 0.9 else " \n")


@pytest.mark.parametrize(
    ("kind", "seed"), [*(("memory", seed) for seed in range(6)), ("local", 6), ("local", 7)]
)
def test_any_sequence_of_edits_ends_in_the_graph_of_a_fresh_build(tmp_path, kind, seed):
    rng = random.Random(seed)
    root = tmp_path / "vault"
    root.mkdir()
    store = CorpusStore.memory() if kind == "memory" else CorpusStore.local("vault")
    for step in range(12):
        for _ in range(rng.randrange(1, 4)):
            files = sorted(p for p in root.rglob("*.md") if p.is_file())
            action = rng.random()
            if action < 0.5 or not files:
                name = rng.choice(FOLDERS) + rng.choice(NAMES) + ".md"
                write(root, name, random_note(rng))
            elif action < 0.7:
                rng.choice(files).unlink()
            elif action < 0.9:
                target = root / (rng.choice(FOLDERS) + rng.choice(NAMES) + ".md")
                target.parent.mkdir(parents=True, exist_ok=True)
                rng.choice(files).rename(target)
            else:
                shutil.rmtree(root / "x", ignore_errors=True)
        built(root, store, full=True)
        assert graph_of(store) == graph_of(built(root)), f"step {step}"
