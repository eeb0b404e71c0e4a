"""Where a link leads, given all the notes there are."""

from __future__ import annotations

import random
import unicodedata

import pytest

from irengine.graph.resolving import NameIndex
from irengine.graph.written import WrittenLink


def resolve(ids, target, source="note.md", kind="wiki", aliases=None):
    index = NameIndex(sorted(ids), aliases or {})
    return index.resolve(WrittenLink(kind, target, ""), source)


def path(ids, target, source="note.md"):
    return resolve(ids, target, source, kind="path")


@pytest.mark.parametrize(
    "target", ["Bees", "Bees.md", "bees", "BEES.MD", "animals/Bees", "/animals/bees.md"]
)
def test_a_wikilink_names_a_file_by_name_or_path_in_any_case(target):
    assert resolve(["animals/Bees.md"], target) == "animals/Bees.md"


def test_an_exact_spelling_comes_before_a_nearer_other_one():
    ids = ["a/b/bees.md", "x/Bees.md"]
    assert resolve(ids, "Bees", "a/b/note.md") == "x/Bees.md"
    assert resolve(ids, "BEES", "a/b/note.md") == "a/b/bees.md"


def test_of_several_the_nearest_is_meant():
    ids = ["Bees.md", "a/Bees.md", "a/b/Bees.md", "c/Bees.md"]
    assert resolve(ids, "Bees", "a/b/note.md") == "a/b/Bees.md"
    assert resolve(ids, "Bees", "a/note.md") == "a/Bees.md"
    assert resolve(ids, "Bees", "c/d/note.md") == "c/Bees.md"
    assert resolve(ids, "Bees", "z/note.md") == "Bees.md"


def test_of_equally_near_ones_the_higher_then_the_first_by_id_is_meant():
    assert resolve(["a/x/Bees.md", "Bees.md"], "Bees", "a/note.md") == "Bees.md"
    assert resolve(["b/Bees.md", "a/Bees.md"], "Bees") == "a/Bees.md"


def test_a_path_from_the_root_comes_before_the_end_of_a_nearer_path():
    ids = ["animals/Bees.md", "old/animals/Bees.md"]
    assert resolve(ids, "animals/Bees", "old/note.md") == "animals/Bees.md"
    assert resolve(["x/animals/Bees.md"], "animals/Bees", "y/note.md") == "x/animals/Bees.md"
    assert resolve(["x/y/animals/Bees.md"], "y/animals/Bees", "z/n.md") == "x/y/animals/Bees.md"
    assert resolve(["x/animals/Bees.md"], "y/animals/Bees", "z/n.md") is None


def test_dots_start_at_the_folder_of_the_note():
    ids = ["Bees.md", "a/Bees.md"]
    assert resolve(ids, "./Bees", "a/note.md") == "a/Bees.md"
    assert resolve(ids, "../Bees", "a/note.md") == "Bees.md"
    assert resolve(ids, "../Bees", "note.md") is None


def test_a_name_with_a_dot_is_a_name():
    assert resolve(["tools/Node.js.md"], "Node.js") == "tools/Node.js.md"
    assert resolve(["v1.2.md", "v1.md"], "v1.2") == "v1.2.md"


def test_an_alias_is_the_last_resort():
    aliases = {"insects.md": ["Bees", "Apis"], "other.md": ["bees"]}
    assert resolve(["insects.md", "other.md"], "apis", aliases=aliases) == "insects.md"
    assert resolve(["insects.md", "other.md"], "bees", aliases=aliases) == "other.md"
    assert resolve(["insects.md", "x/Bees.md"], "Bees", aliases=aliases) == "x/Bees.md"


def test_names_compare_in_one_unicode_form():
    decomposed = unicodedata.normalize("NFD", "Café")
    assert resolve(["Café.md"], decomposed.lower()) == "Café.md"
    assert resolve(["straße.md"], "STRASSE") == "straße.md"


def test_a_markdown_destination_starts_at_the_folder_of_the_note():
    ids = ["a.md", "sub/a.md", "sub/b c.md"]
    assert path(ids, "a.md", "sub/note.md") == "sub/a.md"
    assert path(ids, "../a.md", "sub/note.md") == "a.md"
    assert path(ids, "/a.md", "sub/note.md") == "a.md"
    assert path(ids, "sub/b%20c.md") == "sub/b c.md"
    assert path(ids, "./sub//x/../a") == "sub/a.md"
    assert path(ids, "../../a.md", "sub/note.md") is None
    assert path(["100%25.md"], "100%25.md") == "100%25.md"


def test_a_folder_means_its_front_page():
    assert path(["guide/README.md"], "guide/") == "guide/README.md"
    assert path(["guide/index.md", "guide/README.md"], "guide") == "guide/index.md"
    assert path(["guide/other.md"], "guide/") is None


def test_a_bare_destination_may_be_the_only_note_of_that_name():
    assert path(["x/bees.md"], "bees.md", "y/note.md") == "x/bees.md"
    assert path(["x/bees.md", "z/bees.md"], "bees.md", "y/note.md") is None
    assert path(["x/bees.md"], "./bees.md", "y/note.md") is None


def test_related_is_a_name_or_else_a_destination():
    assert resolve(["x/bees.md"], "Bees", kind="related") == "x/bees.md"
    assert resolve(["x/b c.md"], "b%20c.md", "x/note.md", kind="related") == "x/b c.md"


@pytest.mark.parametrize(
    ("kind", "target", "source", "listed"),
    [
        ("wiki", "nothing", "a.md", True),
        ("wiki", "Node.js", "a.md", True),
        ("wiki", "../up", "a.md", False),
        ("path", "nothing.md", "a.md", True),
        ("path", "nothing", "a.md", True),
        ("path", "src/main.rs", "a.md", False),
        ("path", "../out.md", "a.md", False),
        ("path", "sub/", "a.md", False),
        ("related", "nothing", "a.md", True),
    ],
)
def test_only_links_that_mean_a_note_are_dangling(kind, target, source, listed):
    index = NameIndex(["a.md", "sub/b.md"], {})
    link = WrittenLink(kind, target, "")
    assert index.resolve(link, source) is None
    assert index.names_a_note(link, source) is listed


def test_many_notes_of_one_name_are_searched_as_few_are():
    rng = random.Random(7)
    folders = ["/".join(rng.choices("abc", k=rng.randrange(5))) for _ in range(300)]
    ids = sorted({f"{folder}/N.md".lstrip("/") for folder in folders})
    index = NameIndex(ids, {})

    def steps(one, other):
        one, other = one.split("/")[:-1], other.split("/")[:-1]
        shared = 0
        while shared < min(len(one), len(other)) and one[shared] == other[shared]:
            shared += 1
        return len(one) + len(other) - 2 * shared

    assert len(ids) > 50
    for folder in folders:
        source = f"{folder}/x/note.md".lstrip("/")
        expected = min(ids, key=lambda i: (steps(source, i), i.count("/"), i))  # noqa: B023
        assert index.resolve(WrittenLink("wiki", "N", ""), source) == expected


def test_a_person_finds_a_note_by_id_path_name_or_alias():
    index = NameIndex(["a/Bees.md", "b.md"], {"b.md": ["Bee Two"]})
    assert index.find("a/Bees.md") == "a/Bees.md"
    assert index.find("bees") == "a/Bees.md"
    assert index.find(" bee two ") == "b.md"
    assert index.find("nothing") is None
