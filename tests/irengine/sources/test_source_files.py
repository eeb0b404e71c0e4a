"""A folder as a corpus: what is listed, under which id, and what is said about the rest."""

from __future__ import annotations

import os
import re
import unicodedata

import pytest

from irengine.errors import (
    ParameterError,
    ParameterTypeError,
    SourceError,
    SourceMissing,
)
from irengine.sources import TEXT_PATTERN, CorpusSource, FileScope

# -- the constructor ------------------------------------------------------------------------


def test_a_folder_is_a_corpus(tmp_path, tree):
    root = tree(tmp_path / "notes", "a.md", "sub/b.md", "c.txt")
    source = CorpusSource.from_files(root)
    assert source.name == "notes"
    assert list(source.scope) == ["a.md", "sub/b.md"]
    raw = source.scope["sub/b.md"]
    assert raw["text"] == "some text"
    fields = source.metadata_of("sub/b.md", raw)
    assert fields["path"] == str(root / "sub/b.md")
    assert fields["filename"] == "b.md"
    assert fields["folder"] == "sub"
    plan = source.indexing_strategy.decompose("sub/b.md", raw, fields)
    assert [surface.text for surface in plan.surfaces] == ["some text"]


def test_line_numbers_are_those_of_the_file(tmp_path):
    (tmp_path / "a.md").write_text("---\nt: 1\n---\nbody line", encoding="utf-8")
    source = CorpusSource.from_files(tmp_path, name="n")
    [surface] = source.indexing_strategy.decompose("a.md", source.scope["a.md"]).surfaces
    assert surface.metadata["line_start"] == 4


def test_a_relative_root_means_the_folder_it_named_when_it_was_given(tmp_path, monkeypatch, tree):
    tree(tmp_path / "notes", "a.md")
    monkeypatch.chdir(tmp_path)
    source = CorpusSource.from_files("notes")
    monkeypatch.chdir("/")
    assert list(source.scope) == ["a.md"]
    assert source.scope.roots == (tmp_path / "notes",)
    assert source.metadata_of("a.md", source.scope["a.md"])["path"] == str(tmp_path / "notes/a.md")


def test_a_missing_root_is_an_error_that_names_the_resolved_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceMissing, match=re.escape(str(tmp_path / "nope"))):
        CorpusSource.from_files("nope")


def test_a_file_is_no_root(tmp_path, tree):
    tree(tmp_path, "a.md")
    with pytest.raises(SourceError, match="is a file") as caught:
        CorpusSource.from_files(tmp_path / "a.md")
    assert caught.value.hint


@pytest.mark.parametrize("root", ["", None, 3, "a\0b", "~nosuchuserhere/x", "\ud800"])
def test_what_is_no_path(root):
    with pytest.raises(ParameterError):
        CorpusSource.from_files(root)


def test_a_root_that_went_away_is_an_error_not_an_empty_corpus(tmp_path, tree):
    root = tree(tmp_path / "notes", "a.md")
    scope = FileScope(root)
    assert list(scope) == ["a.md"]
    root.rename(tmp_path / "elsewhere")
    with pytest.raises(SourceError):
        list(scope)


def test_the_last_file_may_go(tmp_path, tree):
    root = tree(tmp_path, "a.md")
    scope = FileScope(root)
    assert len(scope) == 1
    (root / "a.md").unlink()
    assert list(scope) == []
    assert not scope.keeps("a.md")
    [note] = scope.notes
    assert note.reason == "no-files"
    assert "empty" in note.detail


@pytest.mark.parametrize(
    "options",
    [
        {"pattern": "("},
        {"pattern": 3},
        {"max_bytes": 0},
        {"max_bytes": True},
        {"exclude": 3},
        {"exclude": ["!"]},
        {"exclude": [3]},
        {"exclude_dirs": [3]},
    ],
)
def test_options_that_make_no_sense(tmp_path, options):
    with pytest.raises(ParameterError):
        CorpusSource.from_files(tmp_path, **options)


def test_an_unknown_keyword_is_named(tmp_path):
    with pytest.raises(ParameterTypeError, match="'patern'") as caught:
        CorpusSource.from_files(tmp_path, patern="x")
    assert isinstance(caught.value, TypeError)
    assert "pattern" in caught.value.hint


# -- what is listed -------------------------------------------------------------------------


def test_the_pattern_is_searched_in_the_id(tmp_path, tree, ids):
    root = tree(tmp_path, "a.md", "b.MD", "c.txt", "docs/d.rst", "e.py")
    assert ids(root) == ["a.md"]
    assert ids(root, pattern=r"^docs/") == ["docs/d.rst"]
    assert ids(root, pattern=TEXT_PATTERN) == ["a.md", "b.MD", "c.txt", "docs/d.rst"]
    assert ids(root, pattern=re.compile("py$")) == ["e.py"]


def test_names_of_symbols_and_names_that_slug_alike(tmp_path, tree, ids):
    names = ["$.md", "%.md", "-.md", "----=-.md", "2026-06-16.md", "2026_06_16.md", "[.md"]
    names += ["my file.md", "my-file.md", "{.md", "°.md", "README.md", "readme.md", "a\nb.md"]
    root = tree(tmp_path, *names)
    assert ids(root) == sorted(names)
    scope = FileScope(root)
    for name in names:
        assert scope[name]["path"] == str(root / name)


def test_composed_and_decomposed_names_are_one_identity_each(tmp_path, tree, ids):
    composed = unicodedata.normalize("NFC", "café.md")
    decomposed = unicodedata.normalize("NFD", "café.md")
    tree(tmp_path / "one", decomposed)
    assert ids(tmp_path / "one") == [composed]
    tree(tmp_path / "both", composed, text="composed")
    tree(tmp_path / "both", decomposed, text="decomposed")
    scope = FileScope(tmp_path / "both")
    first, second = list(scope)
    assert first == composed
    assert re.fullmatch(re.escape(composed[:-3]) + r"~[0-9a-f]{8}\.md", second)
    assert [scope[item]["text"] for item in (first, second)] == ["composed", "decomposed"]
    assert scope[second]["filename"] == composed
    assert list(FileScope(tmp_path / "both")) == [first, second]


def test_a_name_that_is_no_utf8(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("text")
    source = CorpusSource.from_files(tmp_path)
    assert list(source.scope) == ["caf\\xe9.md"]
    raw = source.scope["caf\\xe9.md"]
    assert raw["text"] == "text"
    source.metadata_of("caf\\xe9.md", raw)["path"].encode()
    assert [note.reason for note in source.scope.notes] == ["undecodable-name"]


def test_a_page_about_the_dot_is_not_hidden(tmp_path):
    for name in ("..md", ".hidden.md", "a.md"):
        (tmp_path / name).write_text("# words\n", encoding="utf-8")
    assert set(CorpusSource.from_files(tmp_path).scope) == {"..md", "a.md"}


def test_names_left_out_for_their_dot_are_counted(tmp_path, tree):
    scope = FileScope(tree(tmp_path, "a.md", ".b.md", ".c.txt", ".mine/d.md", ".git/e.md"))
    assert list(scope) == ["a.md"]
    (note,) = scope.notes  # not .c.txt, which the pattern leaves out, nor .git, which is no note
    assert (note.id, note.reason) == (".*", "hidden")
    assert note.detail.startswith("2 names start with a dot")


def test_generated_and_hidden_folders_are_left_out_unless_wanted(tmp_path, tree, ids):
    names = ["a.md", "node_modules/x/b.md", "build/c.md", ".venv/d.md", ".aidocs/e.md", ".f.md"]
    root = tree(tmp_path, *names)
    assert ids(root) == ["a.md"]
    assert ids(root, hidden=True) == [".aidocs/e.md", ".f.md", "a.md"]
    assert ids(root, hidden=[".aidocs"]) == [".aidocs/e.md", "a.md"]
    assert ids(root, exclude_dirs=["node_modules"]) == ["a.md", "build/c.md"]
    assert ids(root, exclude_dirs=(), hidden=True) == sorted(names)


@pytest.mark.parametrize(
    "exclude",
    ["drafts/", ["drafts/", "old*.md"], re.compile("^drafts/|old"), lambda item: "draft" in item],
)
def test_exclusions(tmp_path, exclude, tree, ids):
    root = tree(tmp_path, "a.md", "drafts/b.md", "sub/drafts.txt.md")
    assert "drafts/b.md" not in ids(root, exclude=exclude)
    assert "a.md" in ids(root, exclude=exclude)


# -- ignore files ---------------------------------------------------------------------------


def test_gitignore_is_honoured_as_git_does(tmp_path, tree, ids):
    names = ["a.md", "secret.md", "out/b.md", "sub/c.md", "sub/secret.md", "sub/deep/d.md"]
    root = tree(tmp_path, *names)
    (root / ".gitignore").write_text("# generated\nout/\nsecret.md\n!sub/secret.md\n/sub/deep/*\n")
    assert ids(root) == ["a.md", "sub/c.md", "sub/secret.md"]
    (root / "sub/.gitignore").write_text("c.md\n")
    assert ids(root) == ["a.md", "sub/secret.md"]
    assert ids(root, gitignore=False) == sorted(names)


def test_a_deeper_ignore_file_may_take_back(tmp_path, tree, ids):
    root = tree(tmp_path, "x.md", "sub/x.md", "sub/y.md")
    (root / ".gitignore").write_text("*.md\n")
    (root / "sub/.gitignore").write_text("!x.md\n")
    assert ids(root) == ["sub/x.md"]


def test_only_named_ignore_files_are_read(tmp_path, tree, ids):
    root = tree(tmp_path, "a.md", "b.md")
    (root / ".prettierignore").write_text("*\n!x\n")
    assert ids(root) == ["a.md", "b.md"]
    (root / ".ignore").write_text("a.md\n")
    assert ids(root) == ["b.md"]
    assert ids(root, ignore_files=[".prettierignore"]) == []


def test_ignore_files_of_the_repository_above_count_but_never_hide_the_root(tmp_path, tree, ids):
    repo = tree(tmp_path / "repo", "docs/a.md", "docs/_site/b.md", "docs/deep/c.md")
    (repo / ".git").mkdir()
    (repo / ".gitignore").write_text("docs/_site/\n")
    assert ids(repo / "docs") == ["a.md", "deep/c.md"]
    (repo / ".gitignore").write_text("*\n")
    assert ids(repo / "docs/deep") == ["c.md"]
    (tmp_path / ".gitignore").write_text("*.md\n")  # outside the repository
    assert ids(repo / "docs/deep") == ["c.md"]


def test_a_line_git_cannot_use_costs_that_line_only(tmp_path, tree, ids):
    root = tree(tmp_path, "a.md", "b.md")
    (root / ".gitignore").write_bytes(b"!\nb.md\n\xff\xfe\n")
    assert ids(root) == ["a.md"]


def test_it_is_told_when_nothing_is_left(tmp_path, tree):
    root = tree(tmp_path, "a.md", "b.txt")
    (root / ".gitignore").write_text("*\n")
    scope = FileScope(root)
    assert list(scope) == []
    [note] = scope.notes
    assert (note.id, note.reason) == ("", "no-files")
    assert "1 ignored" in note.detail
    assert r".*\.md$" in note.detail


# -- changes --------------------------------------------------------------------------------


def test_a_fingerprint_follows_the_file(tmp_path, monkeypatch, tree):
    root = tree(tmp_path, "a.md", "b.md")
    scope = FileScope(root)
    monkeypatch.setattr("irengine.sources.files._TICK", 0)
    list(scope)
    before = {item: scope.fingerprint(item) for item in scope}
    assert before["a.md"] != before["b.md"]
    assert {item: FileScope(root).fingerprint(item) for item in scope} == before
    (root / "a.md").write_text("other text")
    list(scope)
    assert scope.fingerprint("a.md") != before["a.md"]
    assert scope.fingerprint("b.md") == before["b.md"]
    assert scope.fingerprint("nope") is None


def test_the_digest_of_the_file_read_last_tells_a_touch_from_an_edit(tmp_path, tree):
    scope = FileScope(tree(tmp_path, "a.md", "b.md"))
    assert scope.digest("a.md") is None
    scope["a.md"]
    before = scope.digest("a.md")
    os.utime(tmp_path / "a.md", (1, 1))
    scope["a.md"]
    assert scope.digest("a.md") == before is not None
    (tmp_path / "a.md").write_text("other text")
    scope["a.md"]
    assert scope.digest("a.md") not in (None, before)
    assert scope.digest("b.md") is None


def test_a_moved_root_has_other_fingerprints(tmp_path, monkeypatch, tree):
    monkeypatch.setattr("irengine.sources.files._TICK", 0)
    root = tree(tmp_path / "one", "a.md")
    before = FileScope(root).fingerprint("a.md")
    root.rename(tmp_path / "two")
    assert FileScope(tmp_path / "two").fingerprint("a.md") != before  # its `path` is another


def test_a_file_written_this_moment_has_no_fingerprint(tmp_path, monkeypatch, tree):
    monkeypatch.setattr("irengine.sources.files._TICK", 60_000_000_000)
    assert FileScope(tree(tmp_path, "a.md")).fingerprint("a.md") is None


def test_iterating_lists_anew(tmp_path, tree):
    root = tree(tmp_path, "a.md")
    scope = FileScope(root)
    assert list(scope) == ["a.md"]
    tree(root, "b.md")
    (root / "a.md").rename(root / "c.md")
    assert len(scope) == 1
    assert list(scope) == ["b.md", "c.md"]
    assert len(scope) == 2


def test_looking_creates_nothing(tmp_path, private_folders, tree):
    source = CorpusSource.from_files(tree(tmp_path, "a.md"))
    assert dict(source.items())
    assert list(private_folders.iterdir()) == []


@pytest.mark.data
def test_fourteen_thousand_names(collection):
    scope = FileScope(collection("tree-tldr"))
    listed = list(scope)
    assert len(listed) > 14_000
    assert len(set(listed)) == len(listed)
    assert scope.skipped == []
    for name in ("[.md", "$.md", "%.md"):
        found = [item for item in listed if item.rpartition("/")[2] == name]
        assert found
        assert scope[found[0]]["title"]
