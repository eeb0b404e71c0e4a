"""Faults people met in search tools, from a folder to the hits: encodings, names, walks, freshness.

Every test writes real files, builds them and asks for them; where the fault was one of a command,
the command itself is run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import irengine as ir
from irtui.cli import main


def written(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def built(root: Path, store: ir.CorpusStore | None = None, **options: Any) -> ir.Corpus:
    """Index a folder in memory, or in ``store`` once more."""
    source = ir.CorpusSource.from_files(root, name="notes", **options)
    store = ir.CorpusStore.memory() if store is None else store
    return ir.build(source, store=store, embedder="light")


def found(corpus: ir.Corpus, query: str, mode: str = "lexical") -> list[str]:
    return sorted(hit.artifact_id for hit in ir.search(corpus, query, mode=mode, k=100))


def indexed(corpus: ir.Corpus) -> list[str]:
    return sorted(corpus.store.snapshot().artifact_ids())


def skipped(corpus: ir.Corpus) -> dict[str, str]:
    return {item.id: item.reason for item in corpus.report.skipped}


@pytest.fixture
def irtui(capsys: pytest.CaptureFixture[str]):
    """Return a function that runs a command: ``(status, stdout, stderr)``."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


# -- encodings ------------------------------------------------------------------------------


LOCALES = [
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


def asked_in(locale: dict[str, str], folder: Path, query: str) -> dict[str, Any]:
    """Return the one answer a command gives in a process with another locale."""
    env = {**os.environ, **locale, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = ("try", "notes", query, "--embedder", "light", "--mode", "lexical", "--json")
    command = [sys.executable, "-m", "irtui", *words]
    done = subprocess.run(command, capture_output=True, env=env, cwd=folder, timeout=60)
    assert done.returncode == 0, done.stderr
    (hit,) = json.loads(done.stdout)
    return hit


def test_the_locale_has_no_say_in_how_a_file_is_read(tmp_path):
    written(tmp_path / "notes", {"žluť.md": "# Kůň\n\nžluťoučký kůň, one of the otters\n"})
    hit = asked_in(LOCALES[1], tmp_path, "otters")
    assert hit["artifact_id"] == "žluť.md"
    assert "žluťoučký kůň" in hit["text"]
    assert hit["title"] == "Kůň"


@pytest.mark.parametrize("locale", LOCALES, ids=["c", "c-without-utf8-mode"])
def test_the_locale_has_no_say_in_what_a_query_means(tmp_path, locale):
    written(tmp_path / "notes", {"žluť.md": "žluťoučký kůň\n", "other.md": "otters\n"})
    assert asked_in(locale, tmp_path, "žluťoučký")["artifact_id"] == "žluť.md"


def test_a_file_of_bytes_that_are_no_text_is_skipped_and_spoils_nothing(tmp_path):
    files = {
        "good.md": "about otters",
        "ff.md": b"\xff" * 300,
        "zeros.md": b"\x00\x01\xff" * 300,
        "one-bad-byte.md": b"about otters, with one \xff in it",
        "latin.md": "about otters in a café".encode("cp1252"),
        "utf16.md": "about otters".encode("utf-16"),
    }
    corpus = built(written(tmp_path, files))
    assert skipped(corpus) == {"ff.md": "binary", "zeros.md": "binary"}
    for mode in ("lexical", "hybrid"):
        known = {"good.md", "latin.md", "one-bad-byte.md", "utf16.md"}
        assert set(found(corpus, "otters", mode)) == known
    assert found(corpus, "café") == ["latin.md"]


@pytest.mark.parametrize(
    "content",
    [
        "---\r\ntitle: Explicit\r\ntags: [a]\r\n---\r\nbody\r\n",
        "---\ntitle: Explicit\ntags: [a]\n---\nbody",
        "---\ntitle: Explicit\ntags: [a]\n...\nbody",
        "---\rtitle: Explicit\rtags: [a]\r---\rbody",
        "\ufeff---\ntitle: Explicit\ntags: [a]\n---\n# Other\n\nbody",
        "--- \ntitle: Explicit\ntags: [a]\n---  \nbody",
    ],
    ids=["crlf", "no-end-of-line", "dots", "cr", "bom", "spaces"],
)
def test_frontmatter_is_read_whatever_the_line_ends(tmp_path, content):
    corpus = built(written(tmp_path, {"a.md": content}))
    (hit,) = ir.search(corpus, "body", mode="lexical", filter={"tags": "a"})
    assert hit.metadata["title"] == "Explicit"
    assert "title:" not in hit.text
    line = hit.metadata["line_start"] + hit.text[: hit.text.index("body")].count("\n")
    assert "body" in content.replace("\r\n", "\n").replace("\r", "\n").split("\n")[line - 1]


def test_fields_that_end_with_the_file_are_read(tmp_path):
    corpus = built(written(tmp_path, {"a.md": "---\ntitle: Kept\nstatus: draft\n---"}))
    assert corpus.report.added == 1
    hits = ir.search(corpus, "kept", mode="lexical", filter={"status": "draft"})
    assert [hit.metadata["title"] for hit in hits] == ["Kept"]


def test_a_byte_order_mark_is_no_part_of_the_title(tmp_path):
    corpus = built(written(tmp_path, {"a.md": "\ufeff# Real title\n\nbody\n"}))
    (hit,) = ir.search(corpus, "body", mode="lexical")
    assert hit.metadata["title"] == "Real title"
    assert not hit.text.startswith("\ufeff")


# -- names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ["°.md", "----=-.md", "[.md", "{.md", "'.md", "$.md", "%.md", "#.md", "?.md", "…..md"],
        ["my file.md", "my-file.md", "my_file.md"],
        ["2026_06_16.md", "2026-06-16.md", "20260616.md"],
        ["README.md", "readme.md", "Readme.md"],
        ["a/b.md", "a-b.md", "a b.md", "a_b/.md"],
        ["con.md", "new\nline.md", "tab\t.md", "🐝.md", "x" * 240 + ".md"],
    ],
    ids=["symbols", "slug", "dates", "case", "folders", "odd"],
)
def test_files_whose_names_look_alike_or_like_nothing_are_all_indexed(tmp_path, names):
    names = [name for name in names if not name.endswith("/.md")]
    files: dict[str, str | bytes] = {
        name: f"otters number{index}" for index, name in enumerate(names)
    }
    root = written(tmp_path, files)
    if len(list(root.rglob("*.md"))) < len(names):
        pytest.skip("the disk does not tell upper from lower case")
    corpus = built(root)
    assert indexed(corpus) == sorted(names)
    for index, name in enumerate(names):
        for mode in ("lexical", "hybrid"):
            hit = ir.search(corpus, f"number{index}", mode=mode)[0]
            assert hit.artifact_id == name
            assert Path(hit.metadata["path"]) == root / name
            assert Path(hit.metadata["path"]).read_text() == hit.text
    assert built(root, corpus.store).report.unchanged == len(names)


def test_a_composed_and_a_decomposed_name_are_one_identity(tmp_path):
    composed, decomposed = (unicodedata.normalize(form, "café.md") for form in ("NFC", "NFD"))
    root = written(tmp_path, {decomposed: "about otters"})
    corpus = built(root)
    assert indexed(corpus) == [composed]
    (hit,) = ir.search(corpus, "otters", mode="lexical", filter={"filename": composed})
    assert Path(hit.metadata["path"]).exists()
    (root / decomposed).rename(root / composed)
    corpus = built(root, corpus.store)
    assert (corpus.report.added, corpus.report.removed) == (0, 0)
    (hit,) = ir.search(corpus, "café", mode="lexical")
    assert Path(hit.metadata["path"]).exists()


# -- walking --------------------------------------------------------------------------------


@pytest.mark.parametrize("follow", [False, True])
def test_a_loop_of_links_ends_and_lists_each_file_once(tmp_path, follow):
    root = written(tmp_path / "root", {"one.md": "otters", "a/two.md": "otters"})
    (root / "man").symlink_to(".")
    (root / "a" / "b").symlink_to("..")
    (root / "loop").symlink_to("loop")
    (root / "again.md").symlink_to("one.md")
    assert indexed(built(root, follow_links=follow)) == ["a/two.md", "one.md"]


@pytest.mark.parametrize("follow", [False, True])
def test_a_link_out_of_the_folder_stops_nothing_and_is_followed_when_wanted(tmp_path, follow):
    written(tmp_path / "other", {"outside.md": "otters"})
    root = written(tmp_path / "root", {"Apps/a.md": "otters", "Zeta/z.md": "otters"})
    (root / "Library").symlink_to(tmp_path / "other")
    (root / "Broken").symlink_to(tmp_path / "nowhere")
    corpus = built(root, follow_links=follow)
    outside = ["Library/outside.md"] if follow else []
    assert found(corpus, "otters") == sorted(["Apps/a.md", *outside, "Zeta/z.md"])
    assert ("Library/" in skipped(corpus)) is not follow


def test_an_unreadable_file_is_counted_and_stops_no_other(without_privileges):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        files = {name: "otters" for name in ("a.md", "b.md", "shut/c.md", "z.md")}
        root = written(Path(folder) / "root", dict(files))
        before = built(root)
        (root / "a.md").chmod(0)
        (root / "shut").chmod(0)
        try:
            with without_privileges():
                first = built(root)
                again = built(root, before.store)
        finally:
            (root / "shut").chmod(0o700)
    for corpus in (first, again):
        assert skipped(corpus) == {"a.md": "unreadable", "shut/": "unreadable"}
    assert found(first, "otters") == ["b.md", "z.md"]
    assert found(again, "otters") == sorted(files)  # what is only closed is not forgotten


def test_what_is_no_folder_is_refused_by_its_resolved_path(tmp_path, monkeypatch, irtui):
    written(tmp_path, {"file.md": "otters"})
    monkeypatch.chdir(tmp_path)
    for name in ("./nope", "file.md"):
        with pytest.raises(ir.SourceError) as caught:
            ir.CorpusSource.from_files(name)
        assert str(tmp_path / Path(name).name) in caught.value.message
        status, out, error = irtui("register", "x", "files", "--root", name)
        assert status != 0
        assert out == ""
        assert str(tmp_path / Path(name).name) in error
    status, _, error = irtui("try", "./nope", "otters")
    assert status == 3
    assert str(tmp_path / "nope") in error
    assert irtui("ls", "--json")[1].strip() == "[]"


def test_a_mask_is_an_option_or_an_error_and_never_ignored(tmp_path, monkeypatch, irtui):
    written(tmp_path / "notes", {"memory.md": "otters", "other.md": "otters"})
    monkeypatch.chdir(tmp_path)
    status, out, _ = irtui(
        *("try", "notes", "otters", "--glob", "memory.md", "--embedder", "light", "--json")
    )
    assert status == 0
    assert [hit["artifact_id"] for hit in json.loads(out)] == ["memory.md"]
    for command in (("try", "notes"), ("register", "n", "files", "--root", "notes"), ("build",)):
        status, out, error = irtui(*command, "--mask", "memory.md")
        assert (status, out) == (2, "")
        assert "--mask" in error


def test_a_dotted_folder_is_let_in_when_asked_for(tmp_path, monkeypatch, irtui):
    root = written(tmp_path / "n", {".aidocs/x.md": "otters", ".other/y.md": "", "z.md": "otters"})
    assert indexed(built(root)) == ["z.md"]
    assert indexed(built(root, hidden=[".aidocs"])) == [".aidocs/x.md", "z.md"]
    assert indexed(built(root / ".aidocs")) == ["x.md"]
    monkeypatch.chdir(tmp_path)
    out = irtui("try", "n", "otters", "--hidden", "--embedder", "light", "--json")[1]
    assert {hit["artifact_id"] for hit in json.loads(out)} == {".aidocs/x.md", "z.md"}


def test_only_ignore_files_of_search_and_of_git_leave_files_out(tmp_path, irtui):
    files = {name: "otters" for name in ("a.md", "keep.md", "out/b.md", "sub/c.md")}
    strangers = {f".{tool}ignore": "*\n!x\n" for tool in ("prettier", "docker", "npm", "eslint")}
    root = written(tmp_path / "n", {**files, **strangers})
    assert indexed(built(root)) == sorted(files)
    written(root, {".gitignore": "out/\n*.md\n!keep.md\n!c.md\n"})
    assert indexed(built(root)) == ["keep.md", "sub/c.md"]
    assert indexed(built(root, gitignore=False)) == sorted(files)
    written(root, {".gitignore": "*\n"})
    corpus = built(root)
    assert indexed(corpus) == []
    (note,) = corpus.report.notes
    assert note.reason == "no-files"
    assert "ignored" in note.detail
    _, out, error = irtui("try", str(root), "--embedder", "light")
    assert "ignored" in out + error


# -- freshness ------------------------------------------------------------------------------


def test_the_last_file_may_go_and_come_back(tmp_path):
    root = written(tmp_path / "n", {"only.md": "otters"})
    store = ir.CorpusStore.local("notes")
    for content in ("otters", None, "otters", None, "otters swim"):
        if content is None:
            (root / "only.md").unlink()
        else:
            written(root, {"only.md": content})
        corpus = built(root, store)
        assert found(corpus, "otters") == ([] if content is None else ["only.md"])
        assert len(corpus) == (content is not None)
    assert ir.search(corpus, "swim", mode="lexical")[0].text == "otters swim"
    assert store.verify().ok


def test_a_rename_and_a_move_leave_no_ghost(tmp_path):
    root = written(tmp_path / "n", {"old.md": "otters", "moved.md": "herons", "stays.md": "bees"})
    store = ir.CorpusStore.local("notes")
    built(root, store)
    (root / "old.md").rename(root / "new.md")
    (root / "node_modules").mkdir()
    (root / "moved.md").rename(root / "node_modules" / "moved.md")
    corpus = built(root, store)
    assert found(corpus, "otters") == ["new.md"]
    assert found(corpus, "old") == []
    assert found(corpus, "herons") == []
    written(root, {".gitignore": "stays.md\n"})
    corpus = built(root, store)
    assert indexed(corpus) == ["new.md"]
    assert {Path(hit.metadata["path"]).name for hit in ir.search(corpus, "otters bees")} == {
        "new.md"
    }


def test_a_hit_whose_file_is_gone_or_edited_is_not_passed_off_as_fresh(
    tmp_path, monkeypatch, irtui
):
    root = written(tmp_path / "n", {"a.md": "# A\n\notters", "b.md": "# B\n\nherons"})
    monkeypatch.chdir(tmp_path)
    assert irtui("register", "n", "files", "--root", "n", "--embedder", "light")[0] == 0
    assert irtui("build", "n")[0] == 0
    (root / "a.md").unlink()
    search = ("search", "-c", "n", "otters", "--mode", "lexical")
    (hit,) = json.loads(irtui(*search, "--json")[1])
    assert hit["gone"] is True
    assert "the file is gone" in irtui(*search)[1]
    assert irtui("build", "n")[0] == 0
    assert json.loads(irtui(*search, "--json")[1]) == []
    (kept,) = json.loads(irtui("search", "-c", "n", "herons", "-m", "lexical", "--json")[1])
    assert kept["gone"] is False


MARK = "XSECRETBODYX"


@pytest.fixture
def corrected(tmp_path) -> ir.CorpusStore:
    """The store of a folder, after another one was built under its name by mistake."""
    right = written(tmp_path / "right", {f"{n}.md": f"right number {n}" for n in range(5)})
    wrong = written(tmp_path / "wrong", {f"w{n}.md": f"{MARK} {n} " * 2000 for n in range(15)})
    store = ir.CorpusStore.local("notes")
    built(right, store)
    built(wrong, store)
    assert size(store) > 3_000_000
    assert holding(store)
    built(right, store)
    for n in range(2):  # a generation is kept for those who still read it, and then goes
        built(written(right, {f"{n}.md": f"right number {n} again"}), store)
    return store


def size(store: ir.CorpusStore) -> int:
    return sum(file.stat().st_size for file in store.path.rglob("*") if file.is_file())


def holding(store: ir.CorpusStore) -> list[str]:
    """Return the names of the files of a corpus that hold the mark."""
    files = [file for file in store.path.rglob("*") if file.is_file()]
    return [file.name for file in files if MARK.encode() in file.read_bytes()]


def test_an_update_from_the_wrong_folder_gives_its_space_back(corrected):
    assert sorted(corrected.snapshot().artifact_ids()) == [f"{n}.md" for n in range(5)]
    assert ir.search("notes", MARK, mode="lexical") == []
    assert size(corrected) < 1_000_000
    assert corrected.verify().ok


@pytest.fixture
def private(tmp_path) -> ir.CorpusStore:
    """The store of a corpus that holds the mark, with the process that wrote it still there."""
    secret = "\n\n".join(f"{MARK} {n} and more words" for n in range(60_000))
    files = {name: "otters" for name in ("a.md", "b.md", "c.md", "d.md")}
    store = ir.CorpusStore.local("private")
    root = written(tmp_path / "private", {**files, "secret.md": secret})
    built(root, store, strategy=ir.Chunked())
    assert holding(store)
    return store


def test_no_file_keeps_the_text_of_what_was_forgotten(private):
    for name in ("secret.md", "a.md", "b.md", "c.md"):  # each writes every file anew
        assert private.forget([name]) == 1
        assert holding(private) == []


def test_no_file_of_a_corpus_holds_the_text_of_another(private, tmp_path):
    root = written(tmp_path / "public", {"a.md": "otters"})
    for name in ("one", "two", "three", "four"):
        store = ir.CorpusStore.local(name)
        built(root, store)
        assert holding(store) == []
