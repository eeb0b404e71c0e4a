"""What is wrong with a command line is said, with its exit status, before anything is done."""

import json

import pytest

LIGHT = ("-e", "light")
USAGE, NOT_FOUND = 2, 3


@pytest.fixture(scope="module")
def base(tmp_path_factory, build_in):
    """Two corpora: notes with a date and a year, and lines without any field of their own."""
    folder = tmp_path_factory.mktemp("input")
    for place, text in {
        "notes/a.md": "---\ndate: 2021-03-01\nyear: 2021\ntag: x\n---\n# A\n\nOld keys.\n",
        "notes/b.md": "---\ndate: 2023-03-01\nyear: 2023\ntag: y\n---\n# B\n\nNew keys.\n",
        "lines/c.txt": "Other keys.\n",
        "file.txt": "no folder",
    }.items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text)
    build_in(folder, "notes", "lines")
    return folder


@pytest.fixture
def run(run_here, base, work_in):
    work_in(base)
    return run_here


@pytest.mark.parametrize("words", [("try", ".", "x"), ("register", "x", "files", "-r", ".")])
def test_a_working_directory_that_is_gone_is_said(run, monkeypatch, tmp_path, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    status, _, err = run(*words)
    assert status == NOT_FOUND and "a working directory that no longer exists" in err


NAMED = ("register", "x", "files", "-r", "notes")
ASK = ("search", "-c", "notes", "keys")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("nosuch",), USAGE, "there is no command"),
        (("search", "--nosuch", "x"), USAGE, "has no option --nosuch"),
        (("search",), USAGE, "QUERY is missing"),
        (("links", "-c", "notes"), USAGE, "irtui links -c notes --unresolved"),
        (("get", "-n.md"), USAGE, "write ./-n.md"),
        (("try", "-n.md"), USAGE, "write ./-n.md"),
        (("search", "-k", "many", "x"), USAGE, "must be a whole number"),
        (("search", "-m", "denze", "x"), USAGE, "cannot be 'denze'"),
        ((*ASK, "-f", "date>=last week"), USAGE, "'last week' is no date"),
        ((*ASK, "-f", "date>=2021-99-99"), USAGE, "there is no date 2021-99-99"),
        ((*ASK, "-f", "year>many"), USAGE, "'many' is no number"),
        ((*ASK, "-f", "yaer>2"), USAGE, "did you mean year?"),
        ((*ASK, "-f", '{"year": {"$gtt": 1}}'), USAGE, "there is no operator '$gtt'"),
        ((*ASK, "-f", "year"), USAGE, "a filter is FIELD OP VALUE"),
        ((*ASK, "date:>banana"), USAGE, "dates are written 2024, 2024-05 or 2024-05-31"),
        ((*ASK, "date:>"), USAGE, "a value is missing"),
        ((*ASK, "tag:"), USAGE, "a value is missing after tag:"),
        ((*ASK, "sort:daet"), USAGE, "did you mean date"),
        ((*ASK, "mode:nope"), USAGE, "there is no mode 'nope'"),
        ((*ASK, "limit:x"), USAGE, "limit: takes a whole number"),
        ((*ASK, "--surfaces", "chunks"), USAGE, "did you mean chunk? kinds: chunk"),
        (("search", "-c", "*", "keys", "--surfaces", "chunks"), USAGE, "kinds: chunk"),
        (("discover", "-c", "notes", "keys", "--surfaces", "chunks"), USAGE, "kinds: chunk"),
        ((*ASK, "--fields", "pth"), USAGE, "did you mean path"),
        ((*ASK, "--tsv", "--csv"), USAGE, "exclude each other"),
        (("search", "-c", "nots", "keys"), NOT_FOUND, "did you mean notes?"),
        (("facets", "-c", "notes", "yaer"), USAGE, "did you mean year"),
        (("get", "-c", "notes", "nope.md"), NOT_FOUND, "nope.md"),
        (("show", "-c", "notes", "nope.md"), NOT_FOUND, "nope.md"),
        (("expand", "-c", "notes", "a.md", "-p", "99"), NOT_FOUND, "has no part 99"),
        (("expand", "-c", "notes", "a.md", "-w", "-1"), USAGE, "at least 0"),
        (("info", "nots"), NOT_FOUND, "did you mean notes?"),
        (("build", "nots"), NOT_FOUND, "did you mean notes?"),
        (("rm", "nots"), NOT_FOUND, "did you mean notes?"),
        (("verify", "nots"), NOT_FOUND, "did you mean notes?"),
        (("maintain", "nots"), USAGE, "does not know what to do with 'nots'"),
        (("coverage", "nots"), NOT_FOUND, "did you mean notes?"),
        (("watch", "nots"), NOT_FOUND, "did you mean notes?"),
        (("try", "nowhere"), NOT_FOUND, "nowhere"),
        (("schedule", "--every", "5x", "--dry-run"), USAGE, "'5x' is no interval"),
        (("schedule", "--every", "0m", "--dry-run"), USAGE, "less than a minute"),
        (("schedule", "--backend", "at"), USAGE, "cannot be 'at'"),
        (("register", "x", "file", "-r", "notes"), USAGE, "choose files"),
        (("register", "x", "files"), USAGE, "needs the parameter 'root'"),
        (("register", "x", "files", "-r", "nowhere"), NOT_FOUND, "does not exist"),
        (("register", "x", "files", "-r", "file.txt"), USAGE, "file.txt is not a folder"),
        (("register", "notes", "files", "-r", "notes"), USAGE, "registered already"),
        (("register", "../x", "files", "-r", "notes"), USAGE, "cannot be a corpus name"),
        (("register", "", "files", "-r", "notes"), USAGE, "cannot be a corpus name"),
        (("register", "x", "skills", "-r", "nowhere"), NOT_FOUND, "nowhere does not exist"),
        (("register", "x", "packages", "-r", "notes"), USAGE, """--param 'repos=["FOLDER"]'"""),
        (("register", "x", "skills", "-g", "*.md"), USAGE, "--glob says nothing about"),
        (("register", "x", "records"), USAGE, "needs the parameter 'fetcher'"),
        (("register", "x", "records", "--fetcher", "os.path"), USAGE, "it names a module"),
        (("register", "x", "records", "--fetcher", "no.such:f"), USAGE, "cannot be imported"),
        (("register", "x", "records", "--fetcher", "json:nope"), USAGE, "no 'nope'"),
        ((*NAMED, "-e", "nosuch"), USAGE, "names: default, local, minilm, light"),
        ((*NAMED, "-e", "hashing__dimx"), USAGE, "malformed embedder id"),
        ((*NAMED, "-p", "("), USAGE, "is not a regular expression"),
        ((*NAMED, "--param", "hidden=maybe"), USAGE, "hidden is true, false, or names"),
        ((*NAMED, "--param", "gitignore=maybe"), USAGE, "gitignore must be true or false"),
        ((*NAMED, "--param", "rot=x"), USAGE, "did you mean root?"),
        ((*NAMED, "--param", "rot"), USAGE, "needs KEY=VALUE"),
        ((*NAMED, "--strategy", "Chunk"), USAGE, "unknown strategy"),
        ((*NAMED, "--cron", "x"), USAGE, "is not a cron expression"),
        ((*NAMED, "--cron", "@daily", "--zone", "Mars/Olympus"), USAGE, "no time zone"),
        ((*NAMED, "--synopsis", "--downtime", "5"), USAGE, "is not a window of the day"),
        ((*NAMED, "--every-hours", "-1"), USAGE, "every_hours must be a number of hours"),
    ],
)
def test_bad_input(run, base, words, status, message):
    before = sorted(path.name for path in (base / "data" / "corpora").iterdir())
    got, out, err = run(*words)
    assert (got, out) == (status, ""), err
    assert message in err and err.startswith("error: ")
    assert sorted(path.name for path in (base / "data" / "corpora").iterdir()) == before
    assert set(json.loads((base / "config" / "corpora.json").read_text())) == {"notes", "lines"}


def test_a_query_is_marked_where_it_is_wrong(run):
    _, _, err = run(*ASK, "date:>banana")
    assert "\n  keys date:>banana\n       ^^^^^^^^^^^^\n" in err


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        (("sort:-date",), ["B", "A"]),
        (("sort:date",), ["A", "B"]),
        (("keys", "sort:YEAR"), ["A", "B"]),
        (("keys", "date:>=2022"), ["B"]),
        (("keys", "-f", "date>=2022-01"), ["B"]),
        (("keys", "-f", "tag>x"), ["B"]),
        (("sort:date", 'keys "New'), ["B"]),
    ],
)
def test_what_is_right_is_answered(run, words, titles):
    status, out, err = run("search", "-c", "notes", *words, "--json", "--fields", "title")
    assert status == 0, err
    assert [row["title"] for row in json.loads(out)] == titles


def test_a_kind_that_one_of_several_corpora_has_is_enough(run, base):
    assert (
        run("register", "whole", "files", "-r", "lines", "--strategy", "WholeText", *LIGHT)[0] == 0
    )
    try:
        assert run("build", "whole")[0] == 0
        words = ("-c", "whole", "-c", "notes", "--surfaces", "document", "--mode", "lexical")
        status, out, err = run("search", "keys", *words, "--json")
        assert status == 0, err
        assert [hit["source"] for hit in json.loads(out)] == ["whole"]
    finally:
        assert run("rm", "whole", "--purge", "--yes")[0] == 0


@pytest.mark.filterwarnings("default")
def test_a_field_that_a_json_filter_misspells_is_told(run):
    status, out, err = run(*ASK, "-f", '{"yaer": 2021}', "--json")
    assert (status, out) == (0, "[]\n")
    assert "no record has a field 'yaer' (did you mean year?)" in err
