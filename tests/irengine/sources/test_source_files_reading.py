"""Links in a folder, and reading its files: what is odd, closed, huge, gone, or no text."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from irengine.errors import (
    ItemError,
    UnknownItem,
)
from irengine.sources import FileScope

# -- links ----------------------------------------------------------------------------------


def test_a_loop_of_links_ends_and_lists_each_file_once(tmp_path, tree, ids):
    root = tree(tmp_path / "root", "a.md", "sub/b.md")
    (root / "man").symlink_to(".")
    (root / "sub/up").symlink_to("..")
    for follow in (False, True):
        assert ids(root, follow_links=follow) == ["a.md", "sub/b.md"]


def test_a_link_out_of_the_root_never_stops_the_walk(tmp_path, tree, reasons):
    tree(tmp_path / "other", "x.md")
    root = tree(tmp_path / "root", "a.md", "z/b.md")
    (root / "Library").symlink_to(tmp_path / "other")
    (root / "link.md").symlink_to(tmp_path / "other/x.md")
    (root / "broken.md").symlink_to("nowhere")
    (root / "self.md").symlink_to("self.md")
    scope = FileScope(root)
    assert list(scope) == ["a.md", "z/b.md"]
    assert reasons(scope) == {
        "Library/": "link-not-followed",
        "link.md": "link-not-followed",
        "broken.md": "broken-link",
        "self.md": "broken-link",
    }


def test_links_are_followed_when_asked_for_each_file_once(tmp_path, tree, ids):
    other = tree(tmp_path / "other", "x.md", "deep/y.md")
    root = tree(tmp_path / "root", "real/a.md")
    (root / "Library").symlink_to(other)
    (root / "Again").symlink_to(other / "deep")
    (root / "alias").symlink_to("real")
    (other / "back").symlink_to(root)
    assert ids(root, follow_links=True) == ["Again/y.md", "Library/x.md", "real/a.md"]


def test_a_link_to_a_file_inside_is_listed_only_when_its_target_is_not(tmp_path, tree, ids):
    root = tree(tmp_path, "a.md", ".hidden/b.md")
    (root / "to-a.md").symlink_to("a.md")
    (root / "to-b.md").symlink_to(".hidden/b.md")
    (root / "to-b-too.md").symlink_to(".hidden/b.md")
    assert ids(root) == ["a.md", "to-b-too.md"]


def test_a_root_may_be_a_link(tmp_path, tree):
    tree(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")
    scope = FileScope(tmp_path / "link")
    assert list(scope) == ["a.md"]
    assert scope.roots == (tmp_path / "real",)


# -- what cannot be read --------------------------------------------------------------------


def test_a_pipe_is_never_opened(tmp_path, tree, reasons):
    root = tree(tmp_path, "a.md")
    os.mkfifo(root / "pipe.md")
    scope = FileScope(root)
    assert list(scope) == ["a.md"]
    assert reasons(scope) == {"pipe.md": "not-a-file"}


def test_a_file_that_turned_into_a_pipe_is_not_waited_for(tmp_path, tree):
    root = tree(tmp_path, "a.md")
    scope = FileScope(root)
    assert len(scope) == 1
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")
    with pytest.raises(ItemError) as caught:
        scope["a.md"]
    assert caught.value.code == "not-a-file"


def test_binary_empty_and_too_large_files_are_told(tmp_path, tree, reasons):
    root = tree(tmp_path, "a.md", "empty.md", text="")
    (root / "a.md").write_text("a")
    (root / "bin.md").write_bytes(b"\xff\0\xff")
    (root / "big.md").write_text("x" * 101)
    scope = FileScope(root, max_bytes=100)
    assert list(scope) == ["a.md", "bin.md"]
    assert reasons(scope) == {"empty.md": "empty", "big.md": "too-large"}
    with pytest.raises(ItemError, match="'bin.md'.*not text") as caught:
        scope["bin.md"]
    assert caught.value.code == "binary"
    assert str(root) in caught.value.message
    assert reasons(scope)["bin.md"] == "binary"


def test_a_file_that_grew_past_the_limit_is_not_read(tmp_path, tree):
    root = tree(tmp_path, "a.md")
    scope = FileScope(root, max_bytes=100)
    assert len(scope) == 1
    (root / "a.md").write_text("x" * 1000)
    with pytest.raises(ItemError) as caught:
        scope["a.md"]
    assert caught.value.code == "too-large"


def test_what_is_closed_is_told_and_stays_indexed(tree, reasons, without_privileges):
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder) / "root", "a.md", "closed.md", "shut/b.md")
        assert FileScope(root)["a.md"]["text"] == "some text"  # everything is imported by now
        Path(folder).chmod(0o755)
        (root / "closed.md").chmod(0)
        (root / "shut").chmod(0)
        scope = FileScope(root)
        try:
            with without_privileges():
                assert list(scope) == ["a.md", "closed.md"]
                with pytest.raises(ItemError) as caught:
                    scope["closed.md"]
        finally:
            (root / "shut").chmod(0o700)
    assert caught.value.code == "unreadable"
    assert reasons(scope) == {"shut/": "unreadable", "closed.md": "unreadable"}
    assert scope.keeps("shut/b.md")
    assert scope.keeps("closed.md")
    assert not scope.keeps("gone.md")


def test_a_file_removed_since_the_listing(tmp_path, tree):
    root = tree(tmp_path, "a.md")
    scope = FileScope(root)
    assert len(scope) == 1
    (root / "a.md").unlink()
    with pytest.raises(ItemError) as caught:
        scope["a.md"]
    assert caught.value.code == "vanished"
    assert not isinstance(caught.value, KeyError)


def test_an_unknown_id_is_a_key_error_with_a_message(tmp_path, tree):
    scope = FileScope(tree(tmp_path, "a.md"))
    with pytest.raises(UnknownItem, match="'nope'") as caught:
        scope["nope"]
    assert isinstance(caught.value, KeyError)
    assert scope.get("nope") is None
    assert "nope" not in scope
    assert "a.md" in scope


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbftitle: no\r\nbody", "title: no\nbody"),
        ("naïve".encode("utf-16"), "naïve"),
        ("Größe im Text".encode("latin-1"), "Größe im Text"),
    ],
)
def test_any_encoding_is_read(tmp_path, monkeypatch, data, text):
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "a.md").write_bytes(data)
    assert FileScope(tmp_path)["a.md"]["text"] == text


def test_a_byte_order_mark_hides_no_frontmatter(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nbody\r\n")
    raw = FileScope(tmp_path)["a.md"]
    assert (raw["title"], raw["text"], raw["line_offset"]) == ("x", "body\n", 3)


def test_odd_frontmatter_is_noted_with_its_file(tmp_path):
    (tmp_path / "a.md").write_text("---\na: 1\na: 2\n---\nbody")
    scope = FileScope(tmp_path)
    scope["a.md"]
    [note] = scope.notes
    assert (note.id, note.reason) == ("a.md", "duplicate-key")
