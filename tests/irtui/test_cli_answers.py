"""Commands that commit, reveal, explain and follow links, in real processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

VAULT = {
    "keys.md": "---\ntitle: Signing keys\naliases: [key rotation]\nrelated: [incidents]\n---\n"
    "# Signing keys\n\nWe rotate the signing keys monthly. See [[incidents#march|March]].\n\n"
    "## Where\n\nIn [the vault](sub/vault.md), and in [[nowhere]].\n",
    "incidents.md": "# Incidents\n\nIn March a laptop was lost. [[key rotation]] came at once.\n",
    "sub/vault.md": "# Vault\n\nA box with two locks. Back to [keys](../keys.md).\n",
    "garden.md": "# Garden\n\nTomatoes want sun and water.\n",
}
SKILL = "---\nname: plot\ndescription: Draw a heat map of a table.\n---\n\nRun scripts/plot.py.\n"


@pytest.fixture(scope="module")
def vault(irtui_in: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two built corpora: linked notes, and one skill with a script and a hostile link."""
    base: Path = tmp_path_factory.mktemp("vault")
    run = irtui_in(base)
    for name, text in VAULT.items():
        file = base / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    skill = base / "skills" / "plot"
    (skill / "scripts").mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL)
    (skill / "scripts" / "plot.py").write_text("print('a heat map')\n")
    (base / "secret.txt").write_text("the secret")
    (skill / "leak.txt").symlink_to(base / "secret.txt")
    for words in (
        ("register", "notes", "files", "--root", "notes", "--embedder", "light"),
        ("register", "tools", "skills", "--root", "skills", "--embedder", "light"),
        ("build", "notes", "tools"),
    ):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    return run


class TestDiscover:
    def test_commits_to_what_fits_and_says_why_not_more(self, vault):
        done = vault("discover", "-c", "notes", "tomatoes", "want", "water")
        assert done.returncode == 0
        assert "Garden" in done.stdout
        assert done.stdout.splitlines()[-1] == "1 of 4 candidates: the next is clearly weaker"

    def test_over_several_corpora_each_result_says_where_it_is_from(self, vault):
        found = vault.json("discover", "heat", "map", "of", "a", "table", "--level", "bundled")
        assert [result["source"] for result in found["results"]] == ["tools"]
        assert found["results"][0]["body"] == SKILL
        assert found["signals"]["per_source"]["notes"]["abstained"]

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (("??",), "abstain:empty_query"),
            (("tomatoes", "-c", "notes", "--min-score", "5"), "abstain:below_floor"),
            (("tomatoes", "-c", "notes", "-f", '{"tags": "none"}'), "abstain:no_candidates"),
        ],
    )
    def test_nothing_that_fits_is_an_answer_with_a_status(self, vault, words, reason):
        found = vault.json("discover", *words, status=1)
        assert (found["results"], found["reason"]) == ([], reason)
        done = vault("discover", *words)
        assert done.returncode == 1
        assert done.stdout.startswith("nothing committed to: ")

    def test_auto_without_a_calibration_says_so(self, vault):
        done = vault("discover", "-c", "notes", "tomatoes", "--min-score", "auto")
        assert done.returncode == 0
        assert "no calibration is stored" in done.stderr

    @pytest.mark.parametrize(
        "words", [("--min-score", "high"), ("--strategy", "best"), ("--max", "0"), ("--level", "x")]
    )
    def test_options_that_mean_nothing_are_refused(self, vault, words):
        assert vault("discover", "tomatoes", *words).returncode == 2


class TestRerank:
    def test_the_best_candidates_are_read_again(self, vault):
        words = ("-c", "notes", "a laptop was stolen", "--rerank", "maxsim")
        found = vault.json("search", *words)
        assert found[0]["artifact_id"] == "incidents.md"
        assert vault.json("discover", *words)["results"][0]["artifact_id"] == "incidents.md"
        told = vault.json("explain", "incidents.md", *words)
        assert told["rank"] == 1
        assert told["explanation"]["rerank"] == told["best_score"] == found[0]["score"]
        assert "rerank: " in vault("explain", "incidents.md", *words).stdout

    def test_a_name_that_stands_for_none_is_refused(self, vault):
        done = vault("search", "-c", "notes", "keys", "--rerank", "maxsum")
        assert done.returncode == 2
        assert "unknown rerank spec 'maxsum'" in done.stderr
        assert "did you mean maxsim?" in done.stderr


class TestShow:
    def test_finds_by_name_and_alias(self, vault):
        for which in ("keys.md", "keys", "key rotation"):
            told = vault.json("show", which)
            assert (told["artifact_id"], told["source"]) == ("keys.md", "notes")
            assert told["body"] == VAULT["keys.md"]

    def test_lists_and_shows_the_files_beside_a_skill_but_none_outside(self, vault):
        told = vault.json("show", "plot", "-c", "tools", "--level", "bundled")
        files = {file["path"]: file for file in told["files"]}
        assert files["scripts/plot.py"]["size"] == 20
        assert files["leak.txt"]["note"]
        done = vault("show", "plot", "-c", "tools", "--file", "scripts/plot.py")
        assert "print('a heat map')" in done.stdout
        for name in ("leak.txt", "../../secret.txt", str(vault.base / "secret.txt")):
            done = vault("show", "plot", "-c", "tools", "--file", name)
            assert done.returncode != 0
            assert "the secret" not in done.stdout + done.stderr

    def test_an_unknown_artifact_is_answered_with_near_ones(self, vault):
        done = vault("show", "vaul")
        assert done.returncode == 3
        assert "did you mean sub/vault.md?" in done.stderr


class TestExpand:
    def test_stitches_the_whole(self, vault):
        told = vault.json("expand", "keys", "--whole")
        assert "We rotate" in told["text"]
        assert "the vault" in told["text"]
        assert told["lines"][0][0] == 6

    def test_a_part_that_is_not_there(self, vault):
        done = vault("expand", "keys", "-p", "9")
        assert done.returncode == 3
        assert "its parts are 0 to" in done.stderr


class TestExplain:
    def test_shows_what_each_word_added(self, vault):
        told = vault.json("explain", "keys.md", "rotate", "the", "signing", "keys")
        assert told["rank"] == 1
        assert told["explanation"]["lexical"]["terms"]["rotat"] > 0
        text = vault("explain", "keys.md", "rotate", "the", "signing", "keys").stdout
        assert "rank 1 of 4 in notes" in text
        assert "rotat" in text

    def test_an_artifact_that_is_not_ranked(self, vault):
        words = ("explain", "garden.md", "rotate", "--mode", "lexical")
        assert vault.json(*words, status=1)["rank"] is None
        assert "it is not in this ranking" in vault(*words).stderr


class TestLinks:
    def test_a_walk_reaches_what_a_search_misses(self, vault):
        lost = ("laptop", "lost", "-c", "notes", "-m", "lexical")
        assert [hit["artifact_id"] for hit in vault.json("search", *lost)] == ["incidents.md"]
        walked = vault.json("walk", *lost, "--depth", "2")
        assert [(hit["artifact_id"], hit["depth"], hit["via"]) for hit in walked] == [
            ("incidents.md", 0, None),
            ("keys.md", 1, "incidents.md"),
            ("sub/vault.md", 2, "keys.md"),
        ]
        assert "1 away, linked from incidents.md" in vault("walk", *lost).stdout

    def test_the_shortest_path(self, vault):
        steps = vault.json("path", "incidents", "vault", "-c", "notes")
        assert [step["id"] for step in steps] == ["incidents.md", "keys.md", "sub/vault.md"]
        assert steps[1]["edges"][0] == {"type": "LINK", "forward": True}
        done = vault("path", "garden", "keys", "-c", "notes")
        assert done.returncode in (1, 3)
        assert "garden.md" in done.stderr

    def test_links_in_both_directions_and_those_that_lead_nowhere(self, vault):
        rows = {(r["from"], r["type"], r["to"]) for r in vault.json("links", "keys", "-c", "notes")}
        assert ("keys.md", "LINK", "sub/vault.md") in rows
        assert ("incidents.md", "LINK", "keys.md") in rows
        assert ("keys.md", "RELATED", "incidents.md") in rows
        (dangling,) = vault.json("links", "--unresolved", "-c", "notes")
        assert (dangling["from"], dangling["to"]) == ("keys.md", "nowhere")

    def test_over_several_corpora_nodes_say_where_they_are(self, vault):
        steps = vault.json("path", "incidents", "notes/sub/vault.md")
        assert [step["id"] for step in steps] == [
            ["notes", "incidents.md"], ["notes", "keys.md"], ["notes", "sub/vault.md"],
        ]  # fmt: skip
        assert steps[1]["edges"][0] == {"type": "LINK", "forward": True}
        assert "notes/keys.md" in vault("path", "incidents", "vault").stdout
        walked = vault.json("walk", "laptop", "lost", "-m", "lexical", "-c", "notes", "-c", "tools")
        assert [(hit["source"], hit["artifact_id"], hit["via"]) for hit in walked] == [
            ("notes", "incidents.md", None),
            ("notes", "keys.md", ["notes", "incidents.md"]),
            ("notes", "sub/vault.md", ["notes", "keys.md"]),
        ]
        assert vault.json("path", "notes/keys", "notes/key rotation")[0]["id"] == steps[1]["id"]
        parted = vault("path", "plot", "keys")
        assert parted.returncode == 1
        assert "no path from tools/plot to notes/keys.md" in parted.stderr
        for words in (("path", "keys", "nobody"), ("path", "keys", "tools/nobody")):
            unknown = vault(*words)
            assert (unknown.returncode, "no artifact" in unknown.stderr) == (3, True)
        assert vault("links", "--unresolved").returncode == 2

    def test_what_no_edge_and_no_score_can_be_is_said(self, vault):
        for command in (("walk", "laptop"), ("path", "keys", "incidents")):
            done = vault(*command, "-c", "notes", "--type", "LINKS")
            assert (done.returncode, "did you mean LINK" in done.stderr) == (2, True)
        done = vault("discover", "laptop", "--min-score", "0.5")
        assert (done.returncode, "name one: -c notes" in done.stderr) == (2, True)

    def test_similar_lists_the_nearest_first(self, vault):
        rows = vault.json("similar", "keys", "-c", "notes", "-n", "2")
        assert len(rows) == 2
        assert rows[0]["score"] >= rows[1]["score"]
        assert all(row["artifact_id"] != "keys.md" for row in rows)


def test_packages_are_walked_along_what_they_depend_on(irtui_in, tmp_path):
    run = irtui_in(tmp_path)
    projects = {"tables": [], "plots": ["tables>=1"], "report": ["plots"]}
    for name, deps in projects.items():
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text(
            f'[project]\nname = "{name}"\nversion = "1"\n'
            f'description = "the {name} package"\ndependencies = {deps}\n'
        )
    repos = json.dumps([str(tmp_path / "src" / name) for name in projects])
    for words in (
        ("register", "mine", "packages", "--param", f"repos={repos}", "--embedder", "light"),
        ("build", "mine"),
    ):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    steps = run.json("path", "report", "tables", "-c", "mine", "--directed")
    assert [step["id"] for step in steps] == ["report", "plots", "tables"]
    walked = run.json("walk", "the", "tables", "package", "-m", "lexical", "-k", "3", "--backwards")
    assert {hit["artifact_id"] for hit in walked} == set(projects)
