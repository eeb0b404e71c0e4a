"""Commands that look: search, ls, info, verify, in real processes."""

import json
import os
import subprocess
import sys
import unicodedata

import pytest


def ids(hits):
    return [hit["artifact_id"] for hit in hits]


def harmless(text):
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return not any(
        (unicodedata.category(c) in ("Cc", "Cs") and c != "\n")
        or unicodedata.bidirectional(c) in bidi
        for c in text
    )


class TestSearch:
    def test_answers_with_place_and_snippet(self, built):
        done = built("search", "-c", "notes", "where", "are", "the", "flowers", "-k", "1")
        assert done.returncode == 0
        head, place, *text = done.stdout.splitlines()
        assert "████████" in head
        assert "All about bees" in head
        assert place.strip() == f"notes{os.sep}bees.md:8"
        assert "flowers" in "".join(text)
        assert "\x1b" not in done.stdout + done.stderr

    def test_json_has_everything(self, built):
        (hit,) = built.json("search", "dance", "-c", "notes", "-n", "1", "--mode", "lexical")
        assert hit["rank"] == 1
        assert hit["artifact_id"] == "bees.md"
        assert hit["source"] == "notes"
        assert hit["title"] == "All about bees"
        assert hit["path"] == str(built.base / "notes" / "bees.md")
        assert hit["line"] == 8
        assert hit["gone"] is False
        (start, end), *_ = hit["spans"]
        assert hit["snippet"][start:end] == "dance"
        assert "text_spans" not in hit

    def test_full_shows_the_whole_text(self, built):
        (hit,) = built.json("search", "dance", "-c", "notes", "-n1", "--mode=lexical", "--full")
        (start, end), *_ = hit["text_spans"]
        assert hit["text"][start:end] == "dance"
        done = built("search", "dance", "-c", "notes", "-n1", "--mode=lexical", "--full")
        assert "winter" in done.stdout.lower()

    def test_an_identifier_is_found_as_it_is(self, built):
        assert ids(built.json("search", "DEC-0054", "-c", "notes"))[0] == "sub/cloud.md"

    def test_filter_and_surfaces(self, built):
        hits = built.json("search", "bees", "-c", "notes", "--filter", '{"filename": "whales.md"}')
        assert ids(hits) == ["whales.md"]
        assert built.json("search", "bees", "-c", "notes", "--surfaces", "chunk,no-such-kind")

    def test_nothing_found_is_ok_and_an_empty_list(self, built):
        assert built.json("search", "qqqq", "-c", "notes", "--mode", "lexical") == []
        done = built("search", "qqqq", "-c", "notes", "--mode", "lexical")
        assert (done.returncode, done.stdout) == (0, "")
        assert "no answers in notes" in done.stderr

    def test_a_blank_query_finds_nothing(self, built):
        assert built.json("search", "  ", "-c", "notes") == []

    def test_several_corpora_are_merged_by_rank(self, built):
        hits = built.json("search", "zebra", "-c", "notes", "-c", "papers", "--mode", "lexical")
        assert {hit["source"] for hit in hits} == {"notes", "papers"}
        assert [hit["rank"] for hit in hits] == [1, 2]
        done = built("search", "zebra", "-c", "notes", "-c", "papers", "--mode", "lexical")
        assert "merged by rank from 2 corpora" in done.stderr
        assert "in papers" in done.stdout

    def test_several_corpora_of_one_embedder_are_merged_by_score(self, built):
        found = {name: built.json("search", "zebra", "-c", name) for name in ("notes", "papers")}
        alone = sorted((-hit["score"], hit["source"]) for hits in found.values() for hit in hits)
        hits = built.json("search", "zebra", "-c", "papers", "-c", "notes")
        assert [(-hit["score"], hit["source"]) for hit in hits] == alone[: len(hits)]
        assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))

    def test_one_corpus_without_answers_spoils_nothing(self, built):
        hits = built.json("search", "whales", "-c", "papers", "-c", "notes", "--mode", "lexical")
        assert ids(hits) == ["whales.md"]

    def test_without_a_corpus_every_built_one_is_searched(self, built):
        hits = built.json("search", "zebra", "--mode", "lexical")
        assert {hit["source"] for hit in hits} == {"notes", "papers"}

    def test_hostile_text_reaches_no_terminal(self, built):
        for full in ((), ("--full",)):
            done = built("search", "zebra", "-c", "notes", "--mode", "lexical", *full)
            assert "runs" in done.stdout
            assert harmless(done.stdout)
        (hit,) = built.json("search", "zebra", "-c", "notes", "--mode", "lexical")
        assert "\x1b[2J\u202e" in hit["text"]

    @pytest.mark.parametrize("width", ["40", "72"])
    def test_text_fits_the_width(self, built, width):
        done = built("search", "bees", "-c", "notes", COLUMNS=width)
        lines = done.stdout.splitlines()
        assert max(len(line) for line in lines if ".md" not in line) <= int(width)

    def test_a_c_locale_loses_nothing(self, built):
        env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
        done = built("search", "dance", "-c", "notes", "--json", **env)
        assert done.returncode == 0
        assert done.stdout.isascii()
        assert json.loads(done.stdout)[0]["artifact_id"] == "bees.md"
        assert built("search", "dance", "-c", "notes", **env).stdout.isascii()

    def test_a_closed_pipe_is_quiet(self, built):
        shell = " ".join(built.command("search", "-c", "notes", "bees", "--full"))
        done = subprocess.run(
            ["bash", "-c", f"{shell} | true; echo ${{PIPESTATUS[0]}}"],
            capture_output=True,
            text=True,
            env={**built.env, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=built.base,
        )
        assert done.stdout == "0\n"
        assert done.stderr == ""


class TestNotFound:
    @pytest.mark.parametrize(
        "words",
        [
            ("search", "bees", "-c", "note"),
            ("info", "note"),
            ("verify", "note"),
            ("forget", "note", "x"),
            ("build", "note"),
            ("rm", "note"),
        ],
    )
    def test_a_typo_names_near_corpora_and_creates_nothing(self, built, words):
        before = sorted(built.base.rglob("*"))
        done = built(*words)
        assert done.returncode == 3
        assert done.stdout == ""
        assert done.stderr == (
            "error: there is no corpus named 'note'\nhint: did you mean notes?\n"
        )
        assert sorted(built.base.rglob("*")) == before

    def test_as_json(self, built):
        done = built("search", "bees", "-c", "note", "--json")
        assert (done.returncode, done.stdout) == (3, "")
        assert json.loads(done.stderr)["code"] == "corpus-not-found"

    def test_a_corpus_that_is_not_built_says_how(self, built):
        done = built("search", "bees", "-c", "empty")
        assert done.returncode == 3
        assert "hint: irtui build empty" in done.stderr

    def test_nothing_built_at_all(self, irtui):
        done = irtui("search", "bees")
        assert done.returncode == 3
        assert "hint: irtui try FOLDER" in done.stderr
        assert list(irtui.base.iterdir()) == []


class TestUsage:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("search",), "QUERY is missing"),
            (("search", "x", "--mode", "fuzzy"), "--mode cannot be 'fuzzy'"),
            (("search", "x", "-k", "-1"), "--limit must be at least 0"),
            (("search", "x", "--filter", "{"), "--filter: this is no JSON"),
            (("search", "x", "-c", "notes", "--filter", '{"a": {"$near": 1}}'), r"$near"),
            (("serch", "x"), "no command 'serch'"),
            (("--nope",), "no option --nope"),
            (("ls", "extra"), "'extra'"),
        ],
    )
    def test_usage_errors(self, built, words, message):
        done = built(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert "Traceback" not in done.stderr

    def test_as_json(self, built):
        done = built("search", "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert set(json.loads(done.stderr)) == {"code", "message", "hint"}


class TestLooking:
    def test_ls(self, built):
        rows = {row["name"]: row for row in built.json("ls")}
        assert list(rows) == ["notes", "papers", "empty"]
        assert rows["notes"]["artifacts"] == 5
        assert rows["notes"]["embedder_id"] == "hashing__dim512"
        assert rows["empty"]["built"] is False
        assert "not built" in built("ls").stdout

    def test_ls_of_nothing(self, irtui):
        assert irtui.json("ls") == []
        assert "irtui try" in irtui("ls").stderr
        assert list(irtui.base.iterdir()) == []

    def test_info(self, built):
        data = built.json("info", "notes")
        assert data["definition"]["params"]["root"] == str(built.base / "notes")
        assert data["policy"]["reindex"] == {"on": "source-change"}
        assert data["bytes"] > 0
        assert data["last_build"]["outcome"] == "done"
        shown = built("info", "notes").stdout
        assert "5 items" in shown
        assert "not built" in built("info", "empty").stdout

    def test_verify(self, built):
        assert built.json("verify", "notes")["ok"] is True
        assert "sound" in built("verify", "notes").stdout

    def test_commands(self, built):
        assert {spec["name"] for spec in built.json("commands")} >= {"try", "search", "build"}
