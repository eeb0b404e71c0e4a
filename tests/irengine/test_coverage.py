"""Coverage: every file on disk is indexed, missing, or left out by a rule that is named."""

import json
import shutil

import pytest

import irengine as ir
from irengine.coverage import CoverageReport, corpus_coverage, reports_coverage
from irengine.errors import CorpusNotFound, ParameterError, SourceError

FILES = {
    "a.md": "# A\n\nAbout bees.\n",
    "b.md": "# B\n\nAbout whales.\n",
    "sub/c.md": "# C\n\nAbout clouds.\n",
    "blank.md": "  \n\n",
    "empty.md": "",
    "binary.md": "\0\1\2",
    "notes.txt": "not of the pattern",
    "draft.tmp.md": "ignored at the top",
    "sub/secret.md": "ignored below",
    "sub/kept.tmp.md": "brought back",
    ".hidden.md": "dotted",
    ".obsidian/x.md": "dotted folder",
    "node_modules/p/readme.md": "vendored",
    "excluded/x.md": "excluded by the corpus",
    ".gitignore": "*.tmp.md\n",
    "sub/.gitignore": "secret.md\n!kept.tmp.md\n",
}


def written(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def root(tmp_path):
    return written(tmp_path / "notes", FILES)


@pytest.fixture
def corpus(root):
    ir.register("notes", "files", root=str(root), embedder="light", exclude="excluded/")
    return ir.build_corpus("notes")


class TestACorpusOfFiles:
    def test_is_whole_after_a_build_and_names_every_rule(self, corpus):
        report = corpus_coverage("notes")
        assert report.excluded_items == {
            ".hidden.md": "hidden: .hidden.md",
            ".obsidian/x.md": "hidden: .obsidian",
            "binary.md": "binary",
            "draft.tmp.md": ".gitignore: *.tmp.md",
            "empty.md": "empty",
            "excluded/x.md": "exclude",
            "node_modules/p/readme.md": "exclude_dirs: node_modules",
            "sub/secret.md": "sub/.gitignore: secret.md",
        }
        assert (report.on_disk, report.indexed, report.should_index) == (13, 5, 5)
        assert report.coverage_ratio == 1.0
        assert report.up_to_date
        assert sum(report.excluded.values()) + report.should_index == report.on_disk

    def test_sees_what_is_missing_stale_and_vanished(self, corpus, root):
        (root / "new.md").write_text("new\n")
        (root / "a.md").write_text("# A\n\nAbout other things.\n")
        (root / "b.md").touch()
        (root / "sub/c.md").unlink()
        report = corpus_coverage("notes")
        assert (report.missing, report.stale, report.vanished) == (
            ["new.md"],
            ["a.md"],
            ["sub/c.md"],
        )
        assert (report.indexed, report.should_index) == (4, 5)
        assert report.coverage_ratio == 0.8
        ir.build_corpus("notes")
        assert corpus_coverage("notes").up_to_date

    def test_sees_a_change_of_frontmatter(self, corpus, root):
        (root / "a.md").write_text("---\ntags: [x]\n---\n# A\n\nAbout bees.\n")
        assert corpus_coverage("notes").stale == ["a.md"]

    def test_sees_a_file_that_is_newly_ignored(self, corpus, root):
        (root / ".ignore").write_text("b.md\n")
        report = corpus_coverage("notes")
        assert report.excluded_items["b.md"] == ".ignore: b.md"
        assert report.vanished == ["b.md"]

    def test_names_rules_of_the_repository_around_it(self, tmp_path):
        written(tmp_path, {"repo/.git/HEAD": "", "repo/.gitignore": "x.md\n", "repo/in/x.md": "x"})
        written(tmp_path, {"repo/in/y.md": "y"})
        ir.register("inner", "files", root=str(tmp_path / "repo" / "in"), embedder="light")
        assert corpus_coverage("inner").excluded_items == {"x.md": "../.gitignore: x.md"}

    def test_does_not_change_anything(self, corpus, root):
        (root / "new.md").write_text("new\n")
        before = corpus.store.snapshot().generation
        corpus_coverage("notes")
        assert corpus.store.snapshot().generation == before

    def test_of_a_folder_that_is_gone_is_an_error_not_a_full_house(self, corpus, root):
        shutil.rmtree(root)
        with pytest.raises(SourceError, match="does not exist"):
            corpus_coverage("notes")

    def test_of_a_folder_without_any_file_says_so(self, tmp_path):
        (tmp_path / "void").mkdir()
        ir.register("void", "files", root=str(tmp_path / "void"), embedder="light")
        report = corpus_coverage("void")
        assert (report.on_disk, report.coverage_ratio) == (0, 1.0)
        assert "is empty" in report.note

    def test_is_all_missing_before_a_build(self, root):
        ir.register("notes", "files", root=str(root), embedder="light")
        report = corpus_coverage("notes")
        assert (report.indexed, report.coverage_ratio) == (0, 0.0)
        assert "a.md" in report.missing
        assert "binary.md" not in report.missing


class TestOtherKinds:
    def test_of_skills(self, tmp_path):
        skills = {f"{name}/SKILL.md": f"---\nname: {name}\ndescription: d\n---\n" for name in "ab"}
        written(tmp_path / "skills", skills)
        ir.register("skills", "skills", roots=[str(tmp_path / "skills")], embedder="light")
        ir.build_corpus("skills")
        written(tmp_path / "skills", {"c/SKILL.md": "---\nname: c\ndescription: new\n---\n"})
        shutil.rmtree(tmp_path / "skills" / "a")
        (tmp_path / "skills/b/SKILL.md").write_text("---\nname: b\ndescription: other\n---\n")
        report = corpus_coverage("skills")
        assert (report.missing, report.stale, report.vanished) == (["c"], ["b"], ["a"])

    def test_of_records_there_is_no_disk(self):
        ir.register("rows", "records", fetcher="tests_fetcher_of_coverage:rows")
        with pytest.raises(ParameterError, match="no files"):
            corpus_coverage("rows")

    @pytest.fixture(autouse=True)
    def fetcher(self, tmp_path, monkeypatch):
        (tmp_path / "tests_fetcher_of_coverage.py").write_text(
            "def rows():\n    return [{'id': 'a', 'text': 'x'}]\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))

    def test_of_an_unknown_name_is_an_error(self):
        with pytest.raises(CorpusNotFound):
            corpus_coverage("nothing")


REPORTS = {
    "me/proj/docs/one.md": "# One\n\ntext\n",
    "me/proj/docs/deep/two.md": "# Two\n\ntext\n",
    "me/proj/misc/docs/three.md": "# Three\n\ntext\n",
    "me/proj/docs/README.md": "furniture\n",
    "me/proj/docs/build/x.md": "generated\n",
    "me/proj/docs/.x/y.md": "dotted\n",
    "me/proj/docs/blank.md": " \n",
    "me/proj/docs/data.csv": "1\n",
    "me/proj/other/no.md": "elsewhere\n",
    "me/pocket/repo/.git/HEAD": "",
    "me/pocket/repo/docs/four.md": "# Four\n\ntext\n",
}
INCLUDED = {
    "me/proj/docs/one.md",
    "me/proj/docs/deep/two.md",
    "me/proj/misc/docs/three.md",
    "me/proj/docs/blank.md",
    "me/pocket/repo/docs/four.md",
}


class TestReports:
    @pytest.fixture
    def projects(self, tmp_path):
        return written(tmp_path / "projects", REPORTS)

    def test_are_compared_with_given_ids(self, projects):
        report = reports_coverage(projects_root=projects, indexed_ids=["me/proj/docs/one.md"])
        assert set(report.missing) == INCLUDED - {"me/proj/docs/one.md"}
        assert report.excluded == {"excluded_dir": 2, "allcaps": 1}
        assert (report.on_disk, report.indexed, report.should_index) == (8, 1, 5)
        assert report.stale == []

    def test_are_whole_after_a_build_blank_ones_included(self, projects):
        ir.register("reports", "reports", projects_root=str(projects), embedder="light")
        ir.build_corpus("reports")
        report = reports_coverage()
        assert (report.coverage_ratio, report.missing, report.vanished) == (1.0, [], [])
        (projects / "me/proj/docs/one.md").unlink()
        (projects / "me/proj/misc/docs/three.md").write_text("# Three\n\nother\n")
        report = reports_coverage()
        assert report.vanished == ["me/proj/docs/one.md"]
        assert report.stale == ["me/proj/misc/docs/three.md"]

    def test_keep_to_the_rules_the_corpus_was_registered_with(self, projects):
        ir.register(
            "reports", "reports", projects_root=str(projects), embedder="light", recursive=False
        )
        ir.build_corpus("reports")
        report = reports_coverage()
        assert report.missing == []
        assert report.excluded_items["me/proj/docs/deep/two.md"] == "not-recursive"

    def test_of_a_corpus_that_is_not_built_are_all_missing(self, projects, private_folders):
        report = reports_coverage("nothing", projects_root=projects)
        assert set(report.missing) == INCLUDED
        assert not (private_folders / "data").exists()

    def test_of_a_wrong_root_are_an_error(self, tmp_path):
        with pytest.raises(SourceError, match="does not exist"):
            reports_coverage(projects_root=tmp_path / "none", indexed_ids=[])

    def test_of_a_root_without_reports_say_so(self, tmp_path):
        root = tmp_path / "projects"
        root.mkdir()
        with pytest.raises(SourceError, match="no report folder"):
            reports_coverage(projects_root=root, indexed_ids=["gone.md"])
        (root / "me/proj/docs").mkdir(parents=True)
        report = reports_coverage(projects_root=root, indexed_ids=["gone.md"])
        assert report.vanished == ["gone.md"]
        assert report.note


class TestAReport:
    def test_reads_as_a_headline_and_what_is_missing(self):
        report = CoverageReport("r", 30, 5, {}, [f"{n}.md" for n in range(25)])
        lines = str(report).splitlines()
        assert lines[0].startswith("r: 16.7% indexed")
        assert len([line for line in lines if "missing: " in line]) == 20
        assert lines[-1] == "  and 5 more missing"

    def test_says_when_all_is_well(self):
        assert "everything that should be indexed is" in str(CoverageReport("r", 2, 2, {}))

    def test_is_json(self):
        data = CoverageReport("r", 3, 1, {"allcaps": 1}, ["x"]).to_dict()
        assert json.loads(json.dumps(data)) == data
        assert data["should_index"] == 2
        assert data["coverage_ratio"] == 0.5

    def test_of_nothing_is_full(self):
        assert CoverageReport("r", 0, 0, {}).coverage_ratio == 1.0
