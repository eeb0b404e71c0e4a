"""What people type from habit is answered with how it is said here."""

import pytest

NOTES = {
    "bees.md": "# Bees\n\nBees dance.\n",
    "two\nlines.md": "# Bees\n\nBees keep warm.\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory, build_in):
    base = tmp_path_factory.mktemp("hints")
    (base / "notes").mkdir()
    for name, text in NOTES.items():
        (base / "notes" / name).write_text(text)
    build_in(base, "notes")
    return base


@pytest.fixture
def run(base, work_in, run_here, capsys):
    work_in(base)
    capsys.readouterr()
    return run_here


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("get", "bees.md", "--lines", "8-10"), "--from 8 --lines 3, or NAME:8:3"),
        (("search", "bees", "--sort", "title"), "sort:title within the query"),
        (("search", "bees", "--sort=-title"), "sort:title within the query"),
        (("search", "bees", "--sort", "--csv"), "sort:FIELD within the query"),
        (("notes",), "irtui try notes QUESTION"),
        (("notes/bees.md", "dance"), "irtui try notes/bees.md QUESTION"),
    ],
)
def test_habits_are_answered(run, words, hint):
    status, out, err = run(*words)
    assert (status, out) == (2, "") and hint in err


def test_names_of_several_lines_can_be_told_apart(run, base):
    words = ("search", "-c", "notes", "bees", "-m", "lexical")
    expected = {str(base / "notes" / name) for name in NOTES}
    for flag in ("-0", "--null"):
        status, out, err = run(*words, flag)
        assert (status, err) == (0, "")
        assert out.endswith("\0") and set(out[:-1].split("\0")) == expected
    assert "-0 tells where each name ends" in run(*words, "--files")[2]
    assert run("-c", " ".join([*words, "-0"]))[1] == out


def test_a_place_past_the_end_is_said(run):
    for command in ("get", "multi-get"):
        status, out, err = run(command, "bees.md:99")
        assert status == 0 and "nothing from line 99 of 3" in err


def test_discover_says_the_line_as_search_does(run):
    _, out, _ = run("discover", "-c", "notes", "bees dance")
    assert "    notes/bees.md:1\n" in out


def test_discover_says_that_it_does_not_sort(run):
    assert "sort: is passed over" in run("discover", "-c", "notes", "bees dance sort:title")[2]
