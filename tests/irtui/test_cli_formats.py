"""Every command in every format: what is on standard output can be read, or there is nothing."""

import csv
import io
import json
import shlex

import pytest

from irtui.cli import main
from irtui.commands import run as dispatch
from irtui.commands.arguments import parse_arguments
from irtui.commands.context import Context
from irtui.commands.output import split_output
from irtui.commands.registry import all_commands, lookup
from irtui.grammar import GrammarError
from irtui.render.shapes import rows_of
from tests.irtui.conftest import write_notes

LIGHT = ("--embedder", "light")

READING = {
    "search": ("search", "bees", "-c", "notes"),
    "search nothing": ("search", "qqqq", "-c", "notes", "-m", "lexical"),
    "search two": ("search", "zebra", "-c", "notes", "-c", "papers"),
    "discover": ("discover", "bees", "dance", "-c", "notes"),
    "discover nothing": ("discover", "qqqq", "-c", "notes", "-m", "lexical"),
    "show": ("show", "bees.md", "-c", "notes"),
    "expand": ("expand", "bees.md", "-c", "notes"),
    "explain": ("explain", "bees.md", "dance", "-c", "notes"),
    "get": ("get", "bees.md", "-c", "notes"),
    "multi-get": ("multi-get", "bees.md", "sub/*.md", "-c", "notes"),
    "multi-get nothing": ("multi-get", "nope", "-c", "notes"),
    "disclose": ("disclose", "bees.md", "whales.md", "-c", "notes"),
    "disclose nothing": ("disclose", "nope", "-c", "notes"),
    "facets": ("facets", "tags", "-c", "notes"),
    "facets nothing": ("facets", "tags", "qqqq", "-c", "notes"),
    "walk": ("walk", "bees", "-c", "notes"),
    "path": ("path", "bees.md", "whales.md", "-c", "notes"),
    "similar": ("similar", "bees.md", "-c", "notes"),
    "links": ("links", "bees.md", "-c", "notes"),
    "ls": ("ls",),
    "info": ("info", "notes"),
    "verify": ("verify", "notes"),
    "coverage": ("coverage", "notes"),
    "themes": ("themes",),
    "completion": ("completion", "fish"),
    "commands": ("commands",),
    "maintain": ("maintain", "--dry-run"),
    "build": ("build", "notes"),
    "try": ("try", "notes", *LIGHT),
    "try asked": ("try", "notes", "bees", *LIGHT),
}
WRITING = {
    "register": ("register", "more", "files", "--root", "notes"),
    "forget": ("forget", "notes", "plain.txt"),
    "rm": ("rm", "papers"),
    "theme": ("theme", "ir-light"),
    "edit": ("edit", "papers", "--every-hours", "6"),
}
FAILING = {
    "search": ("search", "bees", "-c", "nope"),
    "discover": ("discover", "bees", "-f", "titel=x"),
    "show": ("show", "nope"),
    "expand": ("expand", "bees.md", "-c", "notes", "--part", "99"),
    "explain": ("explain", "nope", "bees"),
    "get": ("get", "nope"),
    "walk": ("walk", "bees", "-c", "notes", "-c", "nope"),
    "path": ("path", "a", "b", "-c", "nope"),
    "similar": ("similar", "nope"),
    "links": ("links",),
    "ls": ("ls", "--fields", "nope"),
    "info": ("info", "nope"),
    "verify": ("verify", "nope"),
    "coverage": ("coverage", "nope"),
    "completion": ("completion", "tcsh"),
    "commands": ("commands", "--nope"),
    "maintain": ("maintain", "-c", "nope"),
    "build": ("build", "nope"),
    "try": ("try", "no-such-folder"),
    "register": ("register", "notes", "files"),
    "forget": ("forget", "notes", "nope"),
    "rm": ("rm", "nope"),
    "multi-get": ("multi-get", "bees.md", "-c", "nope"),
    "disclose": ("disclose", "bees.md", "-c", "nope"),
    "facets": ("facets", "tgas", "-c", "notes"),
    "serve-web": ("serve-web", "--port", "high"),
    "eval": ("eval", "no-such-folder"),
    "watch": ("watch", "nope"),
    "schedule": ("schedule", "--install", "--remove"),
    "themes": ("themes", "--fields", "nope"),
    "theme": ("theme", "ir-lihgt"),
    "edit": ("edit", "nope", "--every-hours", "6"),
}


def folders(base):
    return {f"IR_{kind.upper()}_DIR": str(base / kind) for kind in ("data", "config", "cache")}


def set_up(base):
    """Build two corpora of notes in ``base``, which is also the working directory."""
    write_notes(base / "notes")
    (base / "papers").mkdir()
    (base / "papers" / "zebra.md").write_text("# Zebras\n\nA zebra has stripes.\n")
    for name in ("notes", "papers"):
        assert main(["register", name, "files", "--root", name, *LIGHT]) == 0
    assert main(["build"]) == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    base = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in folders(base).items():
            patch.setenv(name, value)
        patch.chdir(base)
        set_up(base)
    return base


@pytest.fixture
def here(shared, monkeypatch, capsys):
    """The folder of two built corpora that no test changes, as working directory."""
    for name, value in folders(shared).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(shared)
    capsys.readouterr()
    return shared


@pytest.fixture
def own(tmp_path, monkeypatch, private_folders, capsys):
    """The same for a test that changes something."""
    monkeypatch.chdir(tmp_path)
    set_up(tmp_path)
    capsys.readouterr()
    return tmp_path


@pytest.fixture
def run(here, capsys):
    """Return a function that runs a command here: ``(status, stdout, stderr)``."""
    return runner(capsys)


@pytest.fixture
def change(own, capsys):
    """The same where things may be changed."""
    return runner(capsys)


def runner(capsys):
    def run(*words):
        status = main(words)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


def test_every_command_is_among_the_cases():
    names = {command.name for command in all_commands()}
    apart = {"eval", "watch", "schedule", "serve-web"}  # each has tests of its own
    assert {words[0] for words in (*READING.values(), *WRITING.values())} == names - apart
    assert {words[0] for words in FAILING.values()} == names


def test_what_reads_is_the_same_in_every_format(change):
    run = change
    for words in READING.values():
        shape = lookup(words[0]).output
        status, out, err = run(*words, "--json")
        assert status in (0, 1, 3), err
        data = json.loads(out)
        rows = rows_of(data, shape)
        for row in rows:
            assert set(row) <= {*shape.fields, "error"}, words

        again, out, _ = run(*words, "--jsonl")
        assert again == status
        assert [set(json.loads(line)) for line in out.splitlines()] == [set(row) for row in rows]

        for form, separator in (("--csv", ","), ("--tsv", "\t")):
            again, out, _ = run(*words, form)
            assert again == status
            table = list(csv.reader(io.StringIO(out), delimiter=separator))
            assert tuple(table[0]) == shape.columns
            assert len(table) == len(rows) + 1
            assert {len(row) for row in table} == {len(shape.columns)}

        again, out, _ = run(*words, "--md")
        assert again == status
        assert bool(out) == bool(rows) or out.startswith("| ")

        again, out, _ = run(*words, "--envelope")
        envelope = json.loads(out)
        assert (envelope["schema"], envelope["command"]) == (shape.schema, words[0])
        assert envelope["status"] == again == status
        assert type(envelope["data"]) is type(data)


@pytest.mark.parametrize("words", WRITING.values(), ids=WRITING)
def test_what_writes_tells_it_as_json(change, words):
    status, out, err = change(*words, "--json")
    assert status == 0, err
    assert set(json.loads(out)) <= set(lookup(words[0]).output.fields)


@pytest.mark.parametrize("words", FAILING.values(), ids=FAILING)
@pytest.mark.parametrize("form", ["--json", "--jsonl", "--envelope", "--csv"])
def test_a_failure_leaves_standard_output_empty(run, words, form):
    status, out, err = run(*words, form)
    assert status in (1, 2, 3)
    assert out == ""
    if form != "--csv":
        assert {"code", "message", "hint"} <= set(json.loads(err.splitlines()[-1]))
    if form == "--json":
        status, out, err = run("-c", shlex.join([*words, form]))
        assert status in (1, 2, 3) and out == "" and err


class TestFields:
    def test_are_chosen_and_ordered(self, run):
        _, out, _ = run("search", "bees", "-c", "notes", "-n1", "--json", "--fields", "title,rank")
        assert out == '[\n  {\n    "title": "All about bees",\n    "rank": 1\n  }\n]\n'

    def test_reach_into_metadata(self, run):
        words = ("search", "dance", "-c", "notes", "-n1", "-m", "lexical", "--fields")
        _, out, _ = run(*words, "tags,metadata.filename", "--jsonl")
        assert json.loads(out) == {"tags": ["insects"], "metadata.filename": "bees.md"}

    def test_are_those_of_the_rows_of_an_object(self, run):
        _, out, _ = run(
            "multi-get", "bees.md", "nope", "-c", "notes", "--json", "--fields", "docid"
        )
        data = json.loads(out)
        assert [set(row) for row in data["found"]] == [{"docid"}]
        assert data["not_found"][0]["target"] == "nope"

    def test_make_a_table_for_people(self, run):
        _, out, _ = run("ls", "--fields", "name,built")
        assert out == "name    built\nnotes   yes\npapers  yes\n"

    @pytest.mark.parametrize(
        ("words", "hint"),
        [
            (("ls", "--fields", "nam"), "did you mean name?"),
            (("search", "bees", "--fields", "titel"), "did you mean title?"),
            (("build", "--fields", "rekords"), "did you mean records, errors?"),
        ],
    )
    def test_a_typo_names_near_ones(self, run, words, hint):
        status, out, err = run(*words)
        assert (status, out) == (2, "")
        assert hint in err

    def test_a_wrong_one_is_found_before_anything_is_written(self, run):
        words = ("register", "more", "files", "--root", "notes", "--fields", "nope")
        assert run(*words)[0] == 2
        assert "more" not in run("ls", "--tsv")[1]


class TestPeopleAndPrograms:
    def test_two_formats_exclude_each_other(self, run):
        status, out, err = run("ls", "--csv", "--tsv")
        assert (status, out) == (2, "")
        assert "--csv and --tsv exclude each other" in err

    def test_files_are_paths_once_each(self, run, here):
        _, out, _ = run("search", "bees", "whales", "-c", "notes", "--files")
        paths = out.splitlines()
        assert str(here / "notes" / "bees.md") in paths
        assert len(paths) == len(set(paths))

    def test_quiet_leaves_out_remarks_but_not_errors(self, run):
        assert "no answers" in run("search", "qqqq", "-m", "lexical")[2]
        assert run("search", "qqqq", "-m", "lexical", "--quiet") == (0, "", "")
        assert run("-q", "search", "qqqq", "-m", "lexical") == (0, "", "")
        assert "no corpus" in run("search", "x", "-c", "nope", "-q")[2]

    def test_finding_nothing_fails_when_asked_to(self, run):
        assert run("search", "qqqq", "-m", "lexical", "--fail-empty", "--json")[:2] == (1, "[]\n")
        assert run("search", "bees", "-c", "notes", "--fail-empty")[0] == 0

    def test_errors_may_be_json_alone(self, run):
        status, _, err = run("info", "nope", "--json-errors")
        assert (status, json.loads(err)["code"]) == (3, "corpus-not-found")

    def test_unicode_is_real_and_control_characters_are_escaped(self, change, own):
        run = change
        (own / "notes" / "ü.md").write_text("# Ärger 日本 \x1b[31m\n", encoding="utf-8")
        run("build", "notes")
        _, out, _ = run("search", "Ärger", "-c", "notes", "-n1", "--jsonl", "--fields", "text")
        assert "Ärger 日本" in out
        assert "\\u001b" in out

    def test_a_table_keeps_one_line_a_row(self, run):
        _, out, _ = run("search", "bees", "-c", "notes", "--tsv", "--full")
        assert len(out.splitlines()) == 1 + len(
            json.loads(run("search", "bees", "-c", "notes", "--json")[1])
        )
        assert "text" in out.splitlines()[0].split("\t")


def without_times(data):
    """Return ``data`` without what depends on when and how fast it was made."""
    if isinstance(data, dict):
        timed = ("seconds", "texts_per_second", "started", "generation", "next")
        return {key: without_times(value) for key, value in data.items() if key not in timed}
    return [without_times(value) for value in data] if isinstance(data, list) else data


class TestTheDispatcher:
    def test_hands_back_what_the_command_line_writes(self, change):
        for words in READING.values():
            command = lookup(words[0])
            change(*words)  # the second time nothing is new
            arguments, _ = split_output(command, parse_arguments(command, words[1:]))
            told = dispatch(words[0], **arguments).data
            written = json.loads(change(*words, "--json")[1])
            assert without_times(json.loads(json.dumps(told))) == without_times(written), words

    def test_takes_plain_values(self, run):
        words = ("search", "bees", "-f", "tags=insects", "-k", "2", "--json")
        found = dispatch("search", query="bees", filter="tags=insects", limit=2)
        assert found.data == json.loads(run(*words)[1])

    def test_is_strict_for_scripts(self, run):
        assert dispatch("search", query='"bees', corpus="notes").data
        with pytest.raises(GrammarError) as caught:
            dispatch("search", Context(strict=True), query='"bees', corpus="notes")
        assert caught.value.excerpt == '"bees\n^'


class TestTheSpecification:
    def test_tells_what_each_command_gives(self, run):
        specs = {spec["name"]: spec for spec in json.loads(run("commands", "--json")[1])}
        assert specs["search"]["output"]["schema"] == 1
        assert {"rank", "score", "title"} <= set(specs["search"]["output"]["fields"])
        assert specs["discover"]["output"]["rows"] == "results"
        groups = {param["name"]: param["group"] for param in specs["ls"]["params"]}
        assert groups["json"] == "output"

    def test_an_evaluation_has_its_shape(self, run, here):
        folder = here / "small"
        (folder / "qrels").mkdir(parents=True)
        (folder / "corpus.jsonl").write_text(
            '{"_id": "1", "title": "", "text": "bees dance"}\n'
            '{"_id": "2", "title": "", "text": "whales sing"}\n'
        )
        (folder / "queries.jsonl").write_text('{"_id": "q", "text": "bees"}\n')
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t1\t1\n")
        status, out, err = run("eval", "small", "-e", "light", "--variant", "lexical", "--json")
        assert status == 0, err
        assert set(json.loads(out)) <= set(lookup("eval").output.fields)
