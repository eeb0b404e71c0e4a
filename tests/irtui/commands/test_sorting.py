"""Answers in the order of a field, and in that of when their files were written."""

from __future__ import annotations

import os

from irengine.base import SearchHit
from irtui.commands import run
from irtui.commands.listing import in_order


def ids(hits):
    return [hit.artifact_id for hit in hits]


def test_files_in_the_order_of_their_last_edit(tmp_path):
    for age, name in enumerate(["c.md", "a.md", "b.md"]):
        (tmp_path / name).write_text(f"# {name}\n\nBees dance.\n")
        os.utime(tmp_path / name, (2**30 - age, 2**30 - age))
    run("try", path=tmp_path, embedder="light")
    for query in ("ext:md sort:-modified_at", "bees sort:-modified_at"):
        found = run("try", path=tmp_path, query=query, embedder="light").data
        assert [row["artifact_id"] for row in found] == ["c.md", "a.md", "b.md"]
    os.utime(tmp_path / "b.md")  # a touch counts at once
    found = run("try", path=tmp_path, query="ext:md sort:-modified_at", embedder="light").data
    assert [row["artifact_id"] for row in found] == ["b.md", "c.md", "a.md"]


def test_what_the_metadata_say_of_it_counts_more(tmp_path):
    file = tmp_path / "a.md"
    file.write_text("x")
    metadata = {"path": str(file), "modified_at": "1999-01-01"}
    hits = [
        SearchHit("old", "chunk", 3.0, "", metadata),
        SearchHit("new", "chunk", 2.0, "", {"path": str(file)}),
        SearchHit("none", "chunk", 1.0, ""),
    ]
    assert ids(in_order(hits, ("modified_at", True))) == ["new", "old", "none"]
    assert ids(in_order(hits, ("modified_at", False))) == ["old", "new", "none"]
