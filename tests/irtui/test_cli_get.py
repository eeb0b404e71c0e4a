"""``get`` and ``multi-get``: every name a document has, every part of it, and what is missing."""

import io
import json
import os
import subprocess
import sys

import pytest

from irengine.store import built_names

GUIDE = """---
title: The guide
---

# Guide

Intro.

```sh
# not a heading
```

## Setup

Run `make`.

### Details

More.

## Use

Enjoy.
"""
FILES = {
    "guide.md": GUIDE,
    "a/same.md": "# One\n\nfirst of two\n",
    "b/same.md": "# Two\n\nsecond of two\n",
    "2026_06_16.md": "# Underscores\n",
    "2026-06-16.md": "# Dashes\n",
    "100% sure.md": "# Percent\n",
    "facade": "skipped: no extension\n",
    "facade.md": "# Facade\n",
    "deep/er/only-here.md": "# Deep\n",
    "Zażółć.md": "# Gęślą\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory, build_in):
    base = tmp_path_factory.mktemp("get")
    for name, text in FILES.items():
        file = base / "vault" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (base / "other").mkdir()
    (base / "other" / "guide.md").write_text("# Another guide\n")
    build_in(base, "vault", "other")
    return base


@pytest.fixture
def env(base, work_in, capsys):
    work_in(base)
    capsys.readouterr()


@pytest.fixture
def run(env, run_here):
    return run_here


@pytest.fixture
def got(run):
    def got(*words):
        status, out, err = run("get", *words, "--json")
        assert status == 0, err
        return json.loads(out)

    return got


class TestNames:
    @pytest.mark.parametrize(
        ("target", "artifact_id"),
        [
            ("a/same.md", "a/same.md"),
            ("vault/guide.md", "guide.md"),
            ("./vault/a/same.md", "a/same.md"),
            ("only-here.md", "deep/er/only-here.md"),
            ("er/only-here.md", "deep/er/only-here.md"),
            ("ONLY-here.md", "deep/er/only-here.md"),
            ("only-here", "deep/er/only-here.md"),
            ("2026_06_16.md", "2026_06_16.md"),
            ("100% sure.md", "100% sure.md"),
            ("facade", "facade.md"),
            ("Zaz\u0307o\u0301łc\u0301.md", "Zażółć.md"),
            ('"a/same.md"', "a/same.md"),
        ],
    )
    def test_lead_to_the_document(self, got, target, artifact_id):
        assert got(target)["artifact_id"] == artifact_id

    def test_an_absolute_path_does(self, got, base):
        assert got(str(base / "vault" / "guide.md"))["artifact_id"] == "guide.md"

    def test_a_path_from_here_does(self, got, base, monkeypatch):
        monkeypatch.chdir(base / "vault" / "b")
        assert got("./same.md")["artifact_id"] == "b/same.md"
        assert got("../a/same.md")["artifact_id"] == "a/same.md"

    def test_a_docid_does_in_any_case_and_length(self, got):
        docid = got("a/same.md")["docid"]
        assert len(docid) == 7
        for word in (docid, docid.upper(), docid[1:], f"'{docid}'"):
            assert got(word)["artifact_id"] == "a/same.md"

    def test_search_says_the_docid(self, got, run):
        _, out, _ = run("search", "first of two", "-c", "vault", "-m", "lexical", "--jsonl", "-n1")
        assert json.loads(out)["docid"] == got("a/same.md")["docid"]

    def test_the_exact_id_wins_over_the_end_of_a_path(self, run, got):
        assert got("guide.md", "-c", "vault")["title"] == "The guide"
        status, out, err = run("get", "guide.md")
        assert (status, out) == (3, "")
        assert "'guide.md' is in several corpora: other/guide.md, vault/guide.md" in err
        assert "name one: -c other" in err

    def test_what_was_tried_before_it_was_registered_is_meant_once(self, run, base):
        run("try", str(base / "vault"), "-e", "light")
        status, out, err = run("get", "a/same.md", "--json")
        (tried,) = (name for name in built_names() if name.startswith("try-"))
        run("rm", tried, "--purge", "--yes")
        assert status == 0, err
        assert json.loads(out)["source"] == "vault"

    def test_an_ambiguous_end_lists_the_candidates(self, run):
        status, out, err = run("get", "same.md")
        assert (status, out) == (3, "")
        assert "'same.md' may be any of: a/same.md, b/same.md" in err
        code = json.loads(run("get", "same.md", "--json")[2])["code"]
        assert code == "ambiguous-item"

    @pytest.mark.parametrize("target", ["2026?06?16.md", "2026%", "_____06_16.md", "same_md"])
    def test_nothing_is_a_wildcard(self, run, target):
        status, out, err = run("get", target)
        assert (status, out) == (3, "")
        assert f"there is no artifact {target!r}" in err

    def test_a_near_miss_is_named(self, run):
        assert "did you mean" in run("get", "gide.md")[2]
        assert "did you mean deep/er/only-here.md?" in run("get", "only-he")[2]

    def test_a_file_that_is_left_out_is_told_apart(self, run, base):
        status, _, err = run("get", "./vault/facade")
        assert status == 3
        assert "is not indexed in vault" in err
        assert "irtui coverage --verbose vault" in err

    def test_show_understands_the_same_names(self, run, got):
        docid = got("a/same.md")["docid"]
        assert json.loads(run("show", docid, "--json")[1])["artifact_id"] == "a/same.md"
        assert run("show", "same.md")[0] == 3

    @pytest.mark.parametrize(
        "target",
        ["", " ", "/", "//", "..", "../../..", "~nobody-here/x", "a\0b", "#", "#zzzzzz", ":", ":1"]
        + ["x" * 5000, "\ud83d", "\x1b[2J", "[", "{", "guide.md:0", "$x", "*", "(a", "a\nb"],
    )
    def test_whatever_is_typed_is_not_found_and_no_crash(self, run, target):
        for command in ("get", "show"):
            status, out, err = run(command, target, "-c", "vault")
            assert (status, out) == (3, "")
            assert "internal" not in err
            assert "\x1b" not in err
        status, out, _ = run("multi-get", target, "-c", "vault", "--json")
        data = json.loads(out)
        assert status == (3 if data["not_found"] else 0)


class TestParts:
    def test_the_whole_is_the_file(self, run):
        status, out, err = run("get", "vault/guide.md")
        assert (status, out) == (0, GUIDE)
        assert err.startswith("note: vault/guide.md #")

    def test_a_range_of_lines_is_said_as_it_is_written_here(self, run):
        status, _, err = run("get", "vault/guide.md:11-12")
        assert status == 3 and "vault/guide.md:11:2 is lines 11-12" in err
        assert "is lines" not in run("get", "nothing.md:11-12")[2]

    @pytest.mark.parametrize("title", ["Setup", "setup", "## Setup", "Guide > Setup"])
    def test_a_section_runs_to_the_next_heading_of_its_level(self, got, title):
        data = got("vault/guide.md", "--section", title)
        assert data["text"] == "## Setup\n\nRun `make`.\n\n### Details\n\nMore.\n"
        assert (data["section"], data["from"], data["lines"]) == ("Setup", 13, 7)

    def test_a_heading_in_a_fence_is_none(self, run):
        status, out, err = run("get", "vault/guide.md", "--section", "not a heading")
        assert (status, out) == (3, "")
        assert "sections: Guide, Setup, Details, Use" in err

    def test_a_section_that_is_not_there_names_near_ones(self, run):
        assert "did you mean Setup?" in run("get", "vault/guide.md", "--section", "Setp")[2]

    @pytest.mark.parametrize(
        "words", [("vault/guide.md", "--from", "5", "--lines", "3"), ("vault/guide.md:5:3",)]
    )
    def test_lines_are_those_of_the_file(self, got, words):
        data = got(*words)
        assert data["text"] == "# Guide\n\nIntro.\n"
        assert (data["from"], data["lines"], data["total_lines"]) == (5, 3, 23)

    def test_the_place_of_a_search_can_be_given(self, got):
        assert got("vault/guide.md:21")["text"].startswith("## Use")

    def test_beyond_the_end_is_nothing(self, run):
        status, out, err = run("get", "vault/guide.md", "--from", "99")
        assert (status, out) == (0, "")
        assert "nothing from line 99 of 23" in err

    def test_max_chars_cuts_and_says_so(self, run, got):
        data = got("vault/guide.md", "--max-chars", "5")
        assert (data["text"], data["truncated"], data["characters"]) == ("---\nt", True, len(GUIDE))
        _, out, err = run("get", "vault/guide.md", "--max-chars", "5")
        assert out == "---\nt\n"
        assert f"{len(GUIDE) - 5} more characters" in err

    def test_lines_may_be_numbered(self, run):
        _, out, _ = run("get", "vault/guide.md:5:1", "-N")
        assert out == "5 # Guide\n"

    @pytest.mark.parametrize(
        "words", [("--section", "Use", "--from", "3"), ("--from", "0"), ("--lines", "-1")]
    )
    def test_what_contradicts_itself_is_a_usage_error(self, run, words):
        assert run("get", "vault/guide.md", *words)[0] == 2


class TestFreshness:
    def test_a_gone_file_is_printed_as_it_was_indexed(self, env, run, base):
        file = base / "vault" / "b" / "same.md"
        kept = file.read_text()
        file.unlink()
        try:
            status, out, err = run("get", "b/same.md")
        finally:
            file.write_text(kept)
        assert status == 0
        assert "second of two" in out
        assert "the file is gone" in err


class TestSeveral:
    def test_found_and_not_found(self, run):
        status, out, err = run("multi-get", "a/same.md", "nope", "b/same.md", "same.md", "--json")
        data = json.loads(out)
        assert status == 3
        assert [row["artifact_id"] for row in data["found"]] == ["a/same.md", "b/same.md"]
        assert [row["target"] for row in data["not_found"]] == ["nope", "same.md"]
        assert data["not_found"][1]["code"] == "ambiguous-item"
        assert data["not_found"][1]["candidates"] == ["a/same.md", "b/same.md"]
        assert err == ""

    def test_people_see_what_is_missing(self, run):
        status, out, err = run("multi-get", "a/same.md", "nope")
        assert status == 3
        assert out.startswith("==> vault/a/same.md #")
        assert "error: there is no artifact 'nope'" in err

    @pytest.mark.parametrize("command", ["multi-get", "disclose"])
    @pytest.mark.parametrize("form", ["--jsonl", "--csv", "--files", "--quiet"])
    def test_beside_rows_alone_what_is_missing_is_an_error(self, run, command, form):
        status, _, err = run(command, "a/same.md", "nope", form)
        assert (status, "there is no artifact 'nope'" in err) == (3, True)

    @pytest.mark.parametrize(
        ("pattern", "ids"),
        [
            ("{a,b}/same.md", ["a/same.md", "b/same.md"]),
            ("*/same.md", ["a/same.md", "b/same.md"]),
            ("vault/*.md", None),
            ("same.*", ["a/same.md", "b/same.md"]),
            ("deep/**", ["deep/er/only-here.md"]),
            ("deep/*", []),
            ("2026[_]*", ["2026_06_16.md"]),
            ("2026[!_]*", ["2026-06-16.md"]),
            ("a/same.md,deep/er/only-here.md", ["a/same.md", "deep/er/only-here.md"]),
        ],
    )
    def test_patterns_and_lists(self, run, pattern, ids):
        _, out, _ = run("multi-get", pattern, "--json")
        found = [row["artifact_id"] for row in json.loads(out)["found"]]
        if ids is None:
            assert found == sorted(name for name in FILES if "/" not in name and "." in name)
        else:
            assert found == ids

    def test_takes_the_docids_get_takes(self, run, got):
        docid = got("a/same.md")["docid"]
        _, out, _ = run("multi-get", docid, "--json")
        assert json.loads(out)["found"][0]["artifact_id"] == "a/same.md"

    def test_each_document_once_in_the_order_asked_for(self, run):
        _, out, _ = run("multi-get", "b/same.md", "*/same.md", "--json", "--fields", "artifact_id")
        assert [row["artifact_id"] for row in json.loads(out)["found"]] == [
            "b/same.md",
            "a/same.md",
        ]

    def test_files_are_their_paths(self, run, base):
        _, out, _ = run("multi-get", "*/same.md", "--files")
        assert out.splitlines() == [str(base / "vault" / name / "same.md") for name in "ab"]

    def test_a_dash_reads_targets_from_standard_input(self, base):
        done = subprocess.run(
            [sys.executable, "-m", "irtui", "multi-get", "-", "--jsonl", "--lines", "1"],
            input="a/same.md\n\n100% sure.md\n",
            capture_output=True,
            text=True,
            cwd=base,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                **{
                    f"IR_{kind.upper()}_DIR": str(base / kind)
                    for kind in ("data", "config", "cache")
                },
            },
        )
        assert done.returncode == 0, done.stderr
        texts = [json.loads(line)["text"] for line in done.stdout.splitlines()]
        assert texts == ["# One\n", "# Percent\n"]


@pytest.fixture
def undecodable(tmp_path, build_in, work_in):
    """Two corpora that hold a file whose name is no UTF-8; its name as the shell passes it."""
    name = os.fsdecode(b"caf\xff.md")
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        try:
            (tmp_path / folder / name).write_text("# Coffee\n")
        except OSError:
            pytest.skip("this file system takes no such name")
    build_in(tmp_path, "one", "two")
    work_in(tmp_path)
    return name


def test_a_name_that_is_no_utf_8_is_found_as_the_shell_passes_it(undecodable, run_here, tmp_path):
    for word in (undecodable, f"one/{undecodable}", str(tmp_path / "one" / undecodable)):
        for command in ("get", "links", "disclose"):
            status, out, err = run_here(command, word, "-c", "one")
            assert status == 0, (command, err)
    status, _, err = run_here("get", f"x{undecodable}")
    assert status == 3
    assert r"no artifact 'xcaf\xff.md' in 2 corpora" in err
    assert r"did you mean caf\xff.md?" in err


def test_names_on_standard_input_need_be_no_utf_8(undecodable, run_here, monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(os.fsencode(undecodable)), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", given)
    status, out, err = run_here("multi-get", "-", "-c", "one")
    assert status == 0 and "# Coffee" in out, err


def test_a_name_that_begins_with_a_space_is_found(tmp_path, build_in, work_in, run_here):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / " a .md").write_text("# Spaced\n")
    build_in(tmp_path, "notes")
    work_in(tmp_path)
    assert "# Spaced" in run_here("get", " a .md")[1]
