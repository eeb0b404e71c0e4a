"""The data model keeps its ids and its small promises."""

from __future__ import annotations

import pytest

from irengine.base import (
    POINTER_KEYS,
    Record,
    SearchHit,
    best_per_artifact,
    ledger_key,
    storage_key,
    tag_source,
)


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("a",), "ca978112ca1bbdcafac231b3"),
        (("a", "b"), "596c082adde2c997e558afe1"),
        ((), "e3b0c44298fc1c149afbf4c8"),
        (("é",), "4a99557e4033c3539de2eb65"),
        (("i/dol/docs/x.md",), "f9883428ab6cb069ef575d98"),
    ],
)
def test_storage_keys_are_a_stability_contract(parts, key):
    assert storage_key(*parts) == key


def test_record_ids_follow_the_plan_global_position():
    assert Record.make_id("a", "document", 0) == "80042aae7986a580e3692db5"
    assert Record.make_id("dol", "readme_chunk", 1) == "8ebc7523c55440e026b695cb"
    assert ledger_key("a") == storage_key("a")


def test_the_sixth_positional_of_a_hit_is_its_source():
    hit = SearchHit("a", "document", 1, "text", {"path": "p"}, "notes")
    assert (hit.source, hit.surface_index) == ("notes", None)
    assert hit.to_dict() == {
        "artifact_id": "a",
        "surface_kind": "document",
        "score": 1.0,
        "text": "text",
        "metadata": {"path": "p"},
        "source": "notes",
        "surface_index": None,
    }


def test_the_pointer_is_the_first_truthy_key():
    assert POINTER_KEYS == ("skill_path", "path")
    assert SearchHit("a", "k", 0, "", {"skill_path": "", "path": "p"}).pointer == "p"
    assert SearchHit("a", "k", 0, "").pointer is None


def hit(artifact_id, score, source=None, kind="chunk"):
    return SearchHit(artifact_id, kind, score, "", {}, source)


def test_the_best_surface_stands_for_its_artifact_and_the_first_wins_a_tie():
    hits = [hit("a", 0.2), hit("b", 0.9), hit("a", 0.5, kind="x"), hit("a", 0.5, kind="y")]
    assert [(h.artifact_id, h.surface_kind) for h in best_per_artifact(hits)] == [
        ("b", "chunk"),
        ("a", "x"),
    ]


def test_the_same_id_in_two_sources_is_two_artifacts():
    assert len(best_per_artifact([hit("a", 1, "x"), hit("a", 2, "y")])) == 2


def test_existing_source_tags_win():
    tagged = tag_source([hit("a", 1), hit("b", 1, "own")], "given")
    assert [h.source for h in tagged] == ["given", "own"]
