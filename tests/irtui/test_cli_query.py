"""Queries in the query language, filter clauses, and which corpora are asked by default."""

import json

import pytest

from irtui.cli import main

NOTES = {
    "keys.md": "---\ntags: [security, ops]\nyear: 2024\ndate: 2024-05-02\n---\n# Keys\n\n"
    "We rotate the signing keys every month. DEC-0054 approved.\n",
    "draft.md": "---\ntags: [draft]\nyear: 2025\n---\n# Draft\n\nA draft about signing keys.\n",
    "old.md": "---\nyear: 9\n---\n# Old\n\nKeys of the old house, signing nothing. See [[keys]].\n",
    "bees.md": "# Bees\n\nBees dance. See [[draft]].\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory, build_in):
    base = tmp_path_factory.mktemp("query")
    for name, text in NOTES.items():
        (base / "notes" / "in").mkdir(parents=True, exist_ok=True)
        (base / "notes" / name).write_text(text)
    (base / "papers").mkdir()
    (base / "papers" / "keys.md").write_text("# Locks and keys\n\nPiano keys.\n")
    build_in(base, "notes", "papers")
    return base


@pytest.fixture
def run(base, work_in, run_here, capsys):
    work_in(base)
    capsys.readouterr()
    return run_here


@pytest.fixture
def ids(run):
    def ids(*words, command="search"):
        status, out, err = run(command, "-c", "notes", "--json", *words)
        assert status == 0, err
        return [row["artifact_id"] for row in json.loads(out)]

    return ids


class TestTheQueryLanguage:
    @pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
    def test_phrases_and_excluded_words_hold_in_every_mode(self, ids, mode):
        assert set(ids("-m", mode, '"signing keys"')) == {"keys.md", "draft.md"}
        assert ids("-m", mode, "--", '"signing keys"', "-draft") == ["keys.md"]
        assert ids("-m", mode, "keys", "+rotate") == ["keys.md"]
        assert ids("-m", mode, "rota*") == ["keys.md"]

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("keys tags:security", ["keys.md"]),
            ("keys year:>=2024 sort:-year", ["draft.md", "keys.md"]),
            ("keys year:2020..2024", ["keys.md"]),
            ("keys has:tags sort:year", ["keys.md", "draft.md"]),
            ("keys tags:(draft|ops) sort:year", ["keys.md", "draft.md"]),
            ("keys limit:0", []),
        ],
    )
    def test_fields_and_steering(self, ids, query, expected):
        assert ids(query) == expected

    def test_conditions_alone_list_what_meets_them(self, ids):
        assert ids("has:year") == ["draft.md", "keys.md", "old.md"]
        assert ids("has:year sort:-year") == ["draft.md", "keys.md", "old.md"]
        assert ids("has:year sort:year limit:1") == ["old.md"]
        assert ids("--", "-keys") == ["bees.md"]

    def test_a_limit_cuts_what_is_sorted(self, ids, run):
        assert ids("rotate signing keys has:tags limit:1") == ["keys.md"]
        assert ids("rotate signing keys has:tags sort:-year limit:1") == ["draft.md"]
        assert ids("rotate signing keys has:tags sort:-year", "-n", "1") == ["draft.md"]
        both = ("search", "-c", "notes", "-c", "papers", "--json")
        _, out, _ = run(*both, "has:filename sort:filename limit:2")
        assert [row["artifact_id"] for row in json.loads(out)] == ["bees.md", "draft.md"]

    def test_filters_alone_list_too_and_nothing_has_a_score(self, ids, run):
        assert ids("-f", "tags=security") == ["keys.md"]
        _, out, _ = run("search", "-c", "notes", "-f", "year>=2020", "-m", "lexical")
        assert out.startswith("  1 ")
        assert "0.0000" not in out and "\u2588" not in out
        status, out, err = run("search", "-c", "notes")
        assert (status, out) == (2, "") and "QUERY is missing" in err

    def test_a_list_that_is_cut_says_so(self, run):
        assert "1 of 3; -n 3 shows all" in run("search", "-c", "notes", "has:year", "-n", "1")[2]
        assert "shows all" not in run("search", "-c", "notes", "has:year")[2]

    def test_the_mode_may_be_in_the_query(self, ids):
        assert ids("rotate mode:lex") == ["keys.md"]

    def test_in_says_where(self, run):
        _, out, _ = run("search", "keys in:papers", "--jsonl", "--fields", "source")
        assert {json.loads(line)["source"] for line in out.splitlines()} == {"papers"}
        _, out, _ = run("search", "--jsonl", "--fields", "source", "--", "keys", "-in:papers")
        assert {json.loads(line)["source"] for line in out.splitlines()} == {"notes"}
        assert run("search", "keys in:nope")[0] == 3

    def test_a_field_of_one_corpus_is_no_mistake_where_others_are_asked_too(self, run):
        both = ("search", "-c", "notes", "-c", "papers", "keys", "-m", "lexical", "--jsonl")
        status, out, err = run(*both, "-f", "tags=security")
        assert [json.loads(line)["artifact_id"] for line in out.splitlines()] == ["keys.md"]
        assert status == 0 and "nothing passes" not in err
        status, out, err = run(*both, "-f", '{"tags": {"$exists": false}}', "--fields", "source")
        assert "papers" in out and "nothing passes" not in err

    def test_half_typed_text_is_no_error(self, ids, run):
        for query in ('"signing', "-", "+", "keys (", "a:b:c"):
            status, _, err = run("search", "-c", "notes", "--", query)
            assert status == 0, (query, err)
            assert "Traceback" not in err

    def test_a_condition_without_a_value_is_an_error(self, run):
        for query in ("tags:", "year:>"):
            status, out, err = run("search", "-c", "notes", "--", query)
            assert (status, out) == (2, ""), (query, err)
            assert "a value is missing" in err

    def test_a_name_that_is_no_field_is_text_and_said(self, run):
        status, _, err = run("search", "-c", "notes", "isbn:4711")
        assert status == 0
        assert "there is no field 'isbn'; it is searched for as text" in err

    def test_a_misspelt_field_is_an_error_wherever_it_stands(self, run):
        query, option = "search -c notes keys taggs:security", "search -c notes keys -f taggs=ops"
        for words in (query.split(), option.split(), ["-c", query], ["-c", option]):
            status, out, err = run(*words)
            assert (status, out) == (2, ""), err
            assert "there is no field 'taggs'" in err and "did you mean tags?" in err

    def test_discover_walk_and_explain_read_it_too(self, run, ids):
        _, out, _ = run("discover", "-c", "notes", "--json", "signing keys tags:security")
        assert [row["artifact_id"] for row in json.loads(out)["results"]] == ["keys.md"]
        walked = ids("--depth", "2", "--", "keys", "-draft", command="walk")
        assert "keys.md" in walked
        assert "draft.md" not in walked
        words = ("explain", "keys.md", "-c", "notes", "--json")
        assert run(*words, "keys tags:security")[0] == 0
        assert run(*words, "keys tags:draft")[0] == 1


class TestFilterOptions:
    @pytest.mark.parametrize(
        ("clauses", "expected"),
        [
            (["year>=2024"], {"keys.md", "draft.md"}),
            (["year<10"], {"old.md"}),  # numbers compare as numbers
            (["year >= 2024", "tags != draft"], {"keys.md"}),
            (["tags=ops"], {"keys.md"}),
            (["title~eY"], {"keys.md"}),
            (["date=2024-05-02"], {"keys.md"}),
            (["date>2024-05-02"], set()),
            (['{"year": {"$gte": 2024}}', "tags=draft"], {"draft.md"}),
            (["meta.year>=2025"], {"draft.md"}),
        ],
    )
    def test_all_must_hold(self, ids, clauses, expected):
        words = [word for clause in clauses for word in ("-f", clause)]
        assert set(ids("keys", *words)) == expected

    @pytest.mark.parametrize(
        ("clause", "message"),
        [
            ("yeer>=2024", "did you mean year?"),
            ("year", "FIELD OP VALUE"),
            ("year>=", "a value is missing"),
            ("date>=2024-13-45", "  ^"),
            ("{", "this is no JSON"),
        ],
    )
    def test_what_is_none_shows_the_place(self, run, clause, message):
        status, out, err = run("search", "-c", "notes", "keys", "-f", clause)
        assert (status, out) == (2, "")
        assert message in err
        assert f"\n  {clause}\n" in err

    def test_as_json_the_place_is_data(self, run):
        _, out, err = run("search", "-c", "notes", "keys", "-f", "yeer>=2024", "--json")
        error = json.loads(err)
        assert out == ""
        assert (error["code"], error["line"], error["column"]) == ("syntax", "1", "1")


class TestTheDefaultCorpus:
    def sources(self, run, *words):
        _, out, err = run(
            "search", "keys", "-m", "lexical", "--jsonl", "--fields", "source", *words
        )
        return {json.loads(line)["source"] for line in out.splitlines()}, err

    def test_outside_of_all_it_is_every_one(self, run):
        assert self.sources(run)[0] == {"notes", "papers"}

    def test_inside_of_one_it_is_that_one(self, run, base, monkeypatch):
        for folder in ("notes", "notes/in"):
            monkeypatch.chdir(base / folder)
            sources, err = self.sources(run)
            assert sources == {"notes"}

    def test_a_name_or_a_pattern_says_otherwise(self, run, base, monkeypatch):
        monkeypatch.chdir(base / "notes")
        assert self.sources(run, "-c", "papers")[0] == {"papers"}
        assert self.sources(run, "-c", "*")[0] == {"notes", "papers"}
        assert self.sources(run, "-c", "p*")[0] == {"papers"}
        assert run("search", "keys", "-c", "x*")[0] == 3

    def test_people_are_told(self, run, base, monkeypatch):
        monkeypatch.chdir(base / "notes")
        assert "notes is asked, because this folder is in it" in run("search", "keys")[2]

    def test_the_innermost_folder_counts(self, run, base, monkeypatch, tmp_path, capsys):
        for kind in ("data", "config", "cache"):
            monkeypatch.setenv(f"IR_{kind.upper()}_DIR", str(tmp_path / kind))
        for name, root in (("outer", base), ("inner", base / "notes")):
            assert main(["register", name, "files", "--root", str(root), "-e", "light"]) == 0
        assert main(["build"]) == 0
        capsys.readouterr()
        monkeypatch.chdir(base / "notes" / "in")
        assert self.sources(run)[0] == {"inner"}
        monkeypatch.chdir(base / "papers")
        assert self.sources(run)[0] == {"outer"}

    def test_a_file_that_was_tried_has_no_folder(self, run, base, monkeypatch, tmp_path, capsys):
        for kind in ("data", "config", "cache"):
            monkeypatch.setenv(f"IR_{kind.upper()}_DIR", str(tmp_path / kind))
        monkeypatch.chdir(base / "notes")
        assert main(["try", "bees.md", "-e", "light"]) == 0
        assert main(["try", "../papers", "-e", "light"]) == 0
        capsys.readouterr()
        assert "is asked, because" not in run("search", "keys")[2]
