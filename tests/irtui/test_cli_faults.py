"""What a terminal, a disk or a damaged corpus does to a command; each was reported once."""

import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from irtui.commands.arguments import parse_arguments
from irtui.commands.registry import lookup
from irtui.signals import Interrupts

LIGHT = ("--embedder", "light")


@pytest.fixture
def run(run_here):
    return run_here


@pytest.fixture
def two(run, tmp_path, private_folders):
    """Two registered, built corpora ``left`` and ``right``; returns their folder."""
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}\n\nA zebra on the {name}.\n")
        assert run("register", name, "files", "--root", str(tmp_path / name), *LIGHT)[0] == 0
    assert run("build")[0] == 0
    return tmp_path


def test_one_file_whose_name_is_no_utf_8_is_tried(run, tmp_path):
    file = tmp_path / os.fsdecode(b"bad\xff.md")
    try:
        file.write_text("# Zebra\n\nStripes.\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    status, out, _ = run("try", str(file), "stripes", *LIGHT, "--json")
    assert status == 0 and [hit["title"] for hit in json.loads(out)] == ["Zebra"]


def test_a_folder_whose_name_is_no_utf_8_is_spelled_in_errors(run, tmp_path):
    folder = tmp_path / os.fsdecode(b"bad\xff")
    assert r"bad\xff does not exist" in run("try", str(folder))[2]
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    status, _, err = run("register", "x", "files", "--root", str(folder), *LIGHT)
    assert status == 1 and r"bad\xff cannot be registered, because its name is no UTF-8" in err


def test_a_pipe_is_not_tried(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    status, _, err = run("try", str(tmp_path / "pipe.md"), "x", *LIGHT)
    assert status == 1 and "is a pipe or a device" in err
    assert "nothing here yet" in run("ls")[2]


def test_a_file_that_gives_no_text_is_an_error_and_leaves_nothing(run, tmp_path):
    files = {"empty.md": b"", "blank.md": b" \n\n", "x.bin": b"\0\1\2\xff" * 9, "y.pdf": b"%PDF\0"}
    said = {
        "empty.md": "empty.md is empty",
        "blank.md": "no text is in",
        "x.bin": "it is not text",
        "y.pdf": "--extract",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        for query in ((), ("stripes",)):
            status, out, err = run("try", str(tmp_path / name), *query, *LIGHT)
            assert (status, out) == (1, "") and said[name] in err and "\\A" not in err
    (tmp_path / "large.md").write_text("# Zebra\n")
    assert run("try", str(tmp_path / "large.md"), *LIGHT)[0] == 0
    assert "--max-bytes" in run("try", str(tmp_path / "large.md"), "--max-bytes", "3")[2]
    (tmp_path / "large.md").write_text("")
    assert run("try", str(tmp_path / "large.md"))[0] == 1
    assert json.loads(run("ls", "--json")[1]) == []


def test_a_link_to_itself_is_no_missing_file(run, tmp_path):
    (tmp_path / "self.md").symlink_to("self.md")
    link = str(tmp_path / "self.md")
    for words in (("try", link), ("register", "x", "files", "--root", link)):
        status, _, err = run(*words, *LIGHT)
        assert status == 1 and "Too many levels of symbolic links" in err


def test_blank_files_are_counted_apart(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Zebra\n")
    (notes / "blank.md").write_text(" \n")
    assert run("register", "notes", "files", "--root", str(notes), *LIGHT)[0] == 0
    for counts in ("2 added", "2 unchanged"):
        out = run("build", "notes", "--verbose")[1]
        assert counts in out and "1 of them blank" in out and "note blank.md blank" in out
    assert "2 of 2, 1 of them blank" in run("coverage", "notes")[1]
    assert json.loads(run("build", "notes", "--json")[1])[0]["blank"] == 1


def damage(private_folders, name):
    for file in (private_folders / "data" / "corpora" / name).rglob("*"):
        if file.is_file() and file.name not in ("CURRENT.json", "LOCK", "corpus.json"):
            file.write_bytes(b"")


class TestADamagedCorpus:
    @pytest.fixture(autouse=True)
    def damaged(self, two, private_folders):
        damage(private_folders, "left")

    def test_is_listed_as_damaged(self, run):
        status, out, err = run("ls")
        assert status == 0
        assert "damaged" in next(line for line in out.splitlines() if line.startswith("left"))
        assert "note: left: " in err

    def test_is_left_out_of_a_search(self, run):
        status, out, err = run("search", "zebra", "--mode", "lexical", "--json")
        assert status == 0
        assert [hit["source"] for hit in json.loads(out)] == ["right"]
        assert "left is left out" in err

    def test_is_named_in_the_hint(self, run):
        status, _, err = run("search", "zebra", "-c", "left", "--mode", "lexical")
        assert status == 1
        assert "irtui verify left --repair" in err

    def test_can_be_removed(self, run):
        status, _, err = run("rm", "left", "--purge", "--yes")
        assert status == 0, err
        assert "left" not in run("ls")[1]


class TestFilesOfAnswers:
    def test_an_edited_file_is_marked(self, run, two):
        words = ("search", "zebra", "-c", "left", "--mode", "lexical")
        (hit,) = json.loads(run(*words, "--json")[1])
        assert (hit["gone"], hit["changed"]) == (False, False)
        file = two / "left" / "a.md"
        os.utime(file, (2**32, 2**32))
        (hit,) = json.loads(run(*words, "--json")[1])
        assert (hit["gone"], hit["changed"]) == (False, False)  # touched, with the same content
        file.write_text(file.read_text() + "More.\n")
        os.utime(file, (2**32, 2**32))
        (hit,) = json.loads(run(*words, "--json")[1])
        assert (hit["gone"], hit["changed"]) == (False, True)
        assert "(changed since it was indexed)" in run(*words)[1]


def test_register_takes_text_files_whatever_the_case(run, tmp_path, private_folders):
    for name in ("a.MD", "b.txt", "c.py"):
        (tmp_path / name).write_text("A zebra.\n")
    assert run("register", "n", "files", "--root", str(tmp_path), *LIGHT)[0] == 0
    assert json.loads(run("build", "n", "--json")[1])[0]["added"] == 2


@pytest.mark.parametrize("command", ["search", "discover", "walk"])
def test_what_try_made_does_not_answer_twice(run, two, command):
    assert run("try", str(two / "left"), *LIGHT)[0] == 0
    _, out, err = run(command, "zebra", "--mode", "lexical", "--json")
    found = json.loads(out)
    sources = [hit["source"] for hit in (found if command != "discover" else found["results"])]
    assert sources == ["left", "right"]
    assert "1 corpus made by try is left out; name it with -c" in err


def test_try_says_what_it_left_out_and_takes_larger_files(run, tmp_path, private_folders):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.md").write_text("A zebra.\n")
    (folder / "large.md").write_text("A zebra in a larger file.\n" * 9)
    (folder / "odd.txt").write_bytes(b"a\0b")
    words = ("try", str(folder), "zebra", "--mode", "lexical", *LIGHT)
    small = (*words, "--max-bytes", "100")
    _, out, err = run(*small)
    assert "large" not in out
    assert "left out: 2 (1 binary, 1 too-large); --verbose lists them; --max-bytes N takes" in err
    assert "left out" not in run(*small)[2]
    err = run(*small, "--verbose")[2]
    assert "skipped large.md too-large: " in err and "skipped odd.txt binary: " in err
    assert "large" in run(*words)[1]
    only = ("try", str(folder / "large.md"), "zebra", *LIGHT, "--max-bytes", "100")
    assert "100 is the most" in run(*only)[2]


def test_a_kind_of_text_nobody_has_is_refused(run, two):
    status, out, err = run("search", "zebra", "-c", "left", "--surfaces", "chapter")
    assert (status, out) == (2, "")
    assert "no surfaces of kind 'chapter'" in err and "kinds: " in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search", "zebra", "-n", "0"), "no answers were asked for"),
        (("walk", "zebra", "-n", "0"), "no answers were asked for"),
        (("similar", "a.md", "-n", "0"), "no answers were asked for"),
        (("search", ""), "the query is empty"),
        (("walk", " "), "the query is empty"),
    ],
)
def test_no_answers_because_none_were_asked_for(run, two, words, said):
    status, out, err = run(*words, "-c", "left")
    assert (status, out) == (0, "") and said in err and "no answers in" not in err


class TestHints:
    def test_a_query_that_starts_with_a_dash(self, run):
        status, _, err = run("search", "-word")
        assert status == 2
        assert "put -- before a name or word that begins with a dash" in err

    def test_files_without_a_folder(self, run):
        status, _, err = run("register", "q", "files")
        assert status == 2
        assert "irtui register q files --root FOLDER" in err

    def test_reports_without_a_folder(self, run, monkeypatch, private_folders):
        monkeypatch.delenv("IR_PROJECTS_ROOT", raising=False)
        monkeypatch.delenv("PP", raising=False)
        status, _, err = run("build", "reports")
        assert status == 1
        assert "irtui register reports reports --param projects_root=FOLDER" in err
        assert "--projects-root" not in err


@pytest.mark.parametrize("depth", [40, 100_000])
def test_a_filter_nested_too_deeply(run, two, depth):
    deep = '{"$not":' * depth + "{}" + "}" * depth
    status, _, err = run("search", "zebra", "-c", "left", "--filter", deep)
    assert status == 2
    assert "nested" in err


def test_undecodable_words_are_utf_8_unless_they_are_paths():
    command = lookup("try")
    word = "caf\udcc3\udca9"
    if os.fsencode(word) != "café".encode():
        pytest.skip("this system has another encoding of file names")
    arguments = parse_arguments(command, [word, word, "\udcff", "\ud800"])
    assert arguments["path"] == word
    assert arguments["query"] == ["café", r"\xff", "?"]


class TestStreams:
    def shell(self, irtui, redirection, *words):
        line = " ".join(irtui.command(*words))
        return subprocess.run(
            ["bash", "-c", f"{line} {redirection}"],
            capture_output=True,
            text=True,
            env={**irtui.env, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=irtui.base,
            timeout=60,
        )

    @pytest.mark.parametrize("redirection", [">&-", "> /dev/full"])
    def test_lost_results_are_one_line_and_a_failure(self, irtui, redirection):
        if "full" in redirection and not Path("/dev/full").exists():
            pytest.skip("no /dev/full here")
        done = self.shell(irtui, redirection, "--help")
        assert done.returncode == 1
        assert done.stderr.startswith("error: cannot write to standard output: ")
        assert len(done.stderr.splitlines()) == 1

    @pytest.mark.parametrize("redirection", ["2>&-", "2>&- <&-"])
    def test_nobody_needs_to_listen_to_remarks(self, irtui, redirection):
        done = self.shell(irtui, redirection, "ls", "--json")
        assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_signal_is_acknowledged_and_the_second_one_ends_it():
    said = []
    with Interrupts(lambda: said.append("stopping"), said.append) as interrupts:
        interrupts.watch(lambda: said.append("cancelled"))
        signal.raise_signal(signal.SIGINT)
        assert said == ["cancelled", "stopping"]
        interrupts.watch(None)
        with pytest.raises(KeyboardInterrupt):  # only because this process was not ended
            signal.raise_signal(signal.SIGINT)
    assert said[2:] == [130]


def test_a_malformed_registry_is_told_once_a_command(run, two, private_folders):
    # Warnings raise under the test runner; a terminal sees what the default filter lets through.
    (private_folders / "config" / "corpora.json").write_text("{")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        status, _, err = run("search", "zebra", "--mode", "lexical")
    assert status == 0
    assert err.count("is malformed") == 1


@pytest.mark.parametrize("place", ["file", "file/below", "folder"])
def test_a_file_in_the_place_of_the_data_is_said_by_every_command(
    run, tmp_path, monkeypatch, place
):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "corpora").write_text("")
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / place))
    (tmp_path / "notes").mkdir()
    notes = str(tmp_path / "notes")
    assert run("register", "notes", "files", "--root", notes, *LIGHT)[0] == 0
    commands = [
        ("ls",),
        ("info", "notes"),
        ("search", "x"),
        ("get", "x"),
        ("build", "notes"),
        ("try", notes),
        ("verify", "notes"),
        ("coverage", "notes"),
        ("rm", "notes", "--purge", "--yes"),
    ]
    for words in commands:
        status, _, err = run(*words)
        assert status == 1 and err.count(str(tmp_path / place)) == 1, (words, err)
        assert "set IR_DATA_DIR to a folder" in err


def test_a_folder_that_cannot_be_made_is_named_once(run, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "link"))
    status, _, err = run("try", str(tmp_path / "notes"), *LIGHT)
    assert status == 1 and err.count(str(tmp_path / "link")) == 1
    assert "set IR_DATA_DIR to a folder that can be written" in err
