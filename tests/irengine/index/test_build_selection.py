"""Two definitions under one name do not remove each other's files."""

from __future__ import annotations

import pytest

from irengine import CorpusSource, build
from irengine.errors import ShrinkRefused
from irengine.sources import TEXT_PATTERN
from irengine.store import CorpusStore


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "notes"
    root.mkdir()
    for name in ("a.md", "b.txt", "c.txt"):
        (root / name).write_text(f"A zebra in {name}.\n")
    return root


@pytest.fixture
def built(folder):
    """A function that builds the folder with some options and returns the report."""
    store = CorpusStore.memory()

    def run(*, pattern=None, full=True, allow_shrink=False, **options):
        if pattern is not None:
            options["pattern"] = pattern
        source = CorpusSource.from_files(folder, name="notes", **options)
        corpus = build(source, store=store, embedder="light", full=full, allow_shrink=allow_shrink)
        return corpus.report

    return run


def test_files_that_a_narrower_pattern_leaves_out_are_not_removed_unasked(built):
    assert built(pattern=TEXT_PATTERN).added == 3
    with pytest.raises(ShrinkRefused, match=r"2 files .*'b\.txt'.* built with pattern") as caught:
        built()
    assert "allow_shrink=True" in caught.value.hint
    assert built(pattern=TEXT_PATTERN).unchanged == 3
    assert built(allow_shrink=True).removed == 2
    assert built().unchanged == 1


def test_a_wider_pattern_adds_and_what_is_really_gone_is_removed(built, folder):
    assert built().added == 1
    assert built(pattern=TEXT_PATTERN).added == 2
    (folder / "b.txt").unlink()
    (folder / "c.txt").unlink()
    assert built().removed == 2


def test_other_options_count_too(built, folder):
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "d.md").write_text("A zebra in hiding.\n")
    assert built(hidden=True).added == 2
    with pytest.raises(ShrinkRefused, match="built with hidden True"):
        built()


def test_a_build_that_removes_nothing_makes_the_next_one_look(built):
    assert built(pattern=TEXT_PATTERN).added == 3
    assert built(full=False).removed == 0
    with pytest.raises(ShrinkRefused, match="several selections"):
        built()


def test_an_ignore_file_leaves_out_what_it_names_at_once(built, folder):
    assert built(pattern=TEXT_PATTERN).added == 3
    (folder / ".gitignore").write_text("b.txt\n")
    assert built(pattern=TEXT_PATTERN).removed == 1
