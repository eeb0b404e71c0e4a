"""Folders follow the environment at each call; names never share a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from irengine import config
from irengine.errors import InvalidName


def test_folders_follow_the_environment_at_each_call(monkeypatch, tmp_path):
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "one"))
    assert config.data_dir() == tmp_path / "one"
    monkeypatch.setenv("IR_DATA_DIR", "~/two")
    assert config.data_dir() == Path.home() / "two"
    monkeypatch.setenv("IR_DATA_DIR", "")
    assert config.data_dir().name == "irengine"


def test_looking_leaves_no_trace(private_folders):
    config.registry_path()
    config.corpus_dir("notes")
    config.embeddings_cache_dir("model")
    assert config.excluded_patterns() == []
    assert list(private_folders.iterdir()) == []


def test_a_plain_name_is_its_own_folder_name():
    assert [config.safe_name(n) for n in ("notes", "my-notes_2", "v1.2")] == [
        "notes",
        "my-notes_2",
        "v1.2",
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("a/b", "a_b", "a b", "a\\b"),
        ("é", "ü", "中文", "한국어"),
        ("Notes", "notes", "NOTES"),
        ("con", "con.md", "CON"),
        ("x" * 61, "x" * 62),
        (".hidden", "hidden", "hidden."),
    ],
)
def test_different_names_never_share_a_folder(names):
    slugs = [config.safe_name(name) for name in names]
    assert len({slug.lower() for slug in slugs}) == len(names)
    assert all(slug.isascii() and "/" not in slug and len(slug) < 100 for slug in slugs)


def test_composed_and_decomposed_spellings_are_one_name():
    assert config.safe_name("caf\u00e9") == config.safe_name("cafe\u0301")


@pytest.mark.parametrize(
    "name",
    ["", "  ", ".", "..", "...", "a\nb", "a\x00", "\ud800", "../x", "a/../b", "a/.", "..\\x"],
)
def test_names_that_cannot_be_folders_are_refused(name):
    with pytest.raises(InvalidName):
        config.safe_name(name)


def test_exclusion_patterns_drop_comments_and_blanks():
    path = config.exclude_path()
    path.parent.mkdir(parents=True)
    path.write_text("# head\n\nold/*  # why\nc#/*\n", encoding="utf-8")
    assert config.excluded_patterns() == ["old/*", "c#/*"]
