"""Ignore patterns mean what they mean to git."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.sources import FileScope
from irengine.sources.gitignore import IgnorePatterns


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("a", ["a", "a/", "x/a", "x/a/"], ["ab", "a/b", "x/ba"]),
        ("/a", ["a", "a/"], ["x/a"]),
        ("a/", ["a/", "x/a/"], ["a", "x/a"]),
        ("a/b", ["a/b", "a/b/"], ["x/a/b", "a/x/b"]),
        ("*.md", ["x.md", "a/x.md", ".md"], ["x.mdx", "md"]),
        ("a/*", ["a/b", "a/b/"], ["a/", "a/b/c"]),
        ("a/**", ["a/b", "a/b/c", "a/b/"], ["a", "a/", "x/a/b"]),
        ("**/a", ["a", "x/a", "x/y/a/"], ["ba"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "b"]),
        ("/**", ["a", "a/b", "a/"], []),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("a*b*c", ["abc", "axxbxbxc", "abcc"], ["abcb", "acb", "a/bc"]),
        ("*a*a*", ["aa", "xaxax"], ["a", "xa"]),
        ("?", ["a", "x/b"], ["ab"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "[a-c]x"]),
        ("[!a]x", ["bx"], ["ax", "/x"]),
        ("[]]", ["]"], ["["]),
        ("[[:digit:]]x", ["1x"], ["ax"]),
        ("[", [], ["[", "a"]),
        (r"\#a", ["#a"], ["a"]),
        (r"\!a", ["!a"], ["a"]),
        (r"a\*", ["a*"], ["ab"]),
        ("a  ", ["a"], ["a  "]),
        (r"a\ ", ["a "], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["axb+(c)"]),
        ("éa", ["éa", "x/éa/"], ["ea"]),
    ],
)
def test_one_pattern(pattern, yes, no):
    patterns = IgnorePatterns([pattern])
    assert [path for path in yes if patterns.verdict(path) is not True] == []
    assert [path for path in no if patterns.verdict(path) is not None] == []


def test_the_last_pattern_that_matches_decides():
    patterns = IgnorePatterns(["# x", "", "*.md", "!keep.md", "keep.md/", "/sub/keep.md"])
    assert patterns.verdict("a.md") is True
    assert patterns.verdict("keep.md") is False
    assert patterns.verdict("keep.md/") is True
    assert patterns.verdict("sub/keep.md") is True
    assert patterns.verdict("a.txt") is None


def test_no_pattern_and_broken_patterns():
    assert not IgnorePatterns(["", "# only", "   "])
    patterns = IgnorePatterns(["!", "[b-a]", "ok"])
    assert patterns.broken == ["!", "[b-a]"]
    assert patterns.verdict("ok") is True


@given(st.lists(st.text("ab/*?![]\\#- .", max_size=8), max_size=5), st.text("ab/ ", max_size=8))
def test_any_lines_compile(lines, path):
    assert IgnorePatterns(lines).verdict(path) in (True, False, None)


def test_no_pattern_takes_for_ever():
    patterns = IgnorePatterns(
        ["*a" * 60 + "b", "*a" * 60 + "/c", "a/**/" * 60 + "b", "**/" * 60 + "b"]
    )
    assert patterns.verdict("a" * 250) is None
    assert patterns.verdict("a/" * 120) is None


PARTS = (
    "a",
    "b",
    "out",
    "*",
    "**",
    "[!a]",
    "[a-x]*",
    "b?",
    "o[ut][!x]",
    "x.md",
    "*.md",
    "y*",
    "?",
    "*x*d*",
)


def random_pattern(rng: random.Random) -> str:
    pattern = "/".join(rng.choice(PARTS) for _ in range(rng.randint(1, 3)))
    start = rng.choice(["", "", "", "/"])
    return rng.choice(["", "", "!"]) + start + pattern + rng.choice(["", "", "", "/"])


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to compare with")
@pytest.mark.parametrize("seed", range(12))
def test_random_trees_are_listed_as_git_lists_them(tmp_path, seed):
    rng = random.Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for _ in range(14):
        folder = tmp_path.joinpath(*rng.choices(["a", "b", "out"], k=rng.randint(0, 3)))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / rng.choice(["x.md", "y.md", "z.md"])).write_text("t")
    folders = sorted(p for p in tmp_path.rglob("*") if p.is_dir() and ".git" not in p.parts)
    for folder in [tmp_path, *rng.sample(folders, k=len(folders) // 3)]:
        lines = [random_pattern(rng) for _ in range(rng.randint(1, 4))]
        (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    command = ["git", "-C", str(tmp_path), "ls-files", "-o", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expected = sorted(item for item in listed.split("\0") if item.endswith(".md"))
    assert list(FileScope(tmp_path, exclude_dirs=())) == expected
