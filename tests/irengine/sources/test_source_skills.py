"""Skills: folders with a SKILL.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irengine.errors import ParameterTypeError, SourceError, SourceMissing
from irengine.sources import CorpusSource, default_skill_roots


def skill(folder: Path, name: str | None = None, description: str = "Does it.", more: str = ""):
    folder.mkdir(parents=True, exist_ok=True)
    named = "" if name is None else f"name: {name}\n"
    text = f"---\n{named}description: {description}\n{more}---\n# Body of it\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return home


def test_a_skill_is_name_description_pointers_and_fields(tmp_path):
    folder = skill(tmp_path / "kit/pdf", "pdf", "Reads PDF.", "license: MIT\npath: /etc/x\n")
    source = CorpusSource.from_skills(roots=[tmp_path])
    assert (source.name, list(source.scope)) == ("skills", ["pdf"])
    raw = source.scope["pdf"]
    assert raw["text"] == "# Body of it\n"
    fields = source.metadata_of("pdf", raw)
    assert fields == {
        "license": "MIT",
        "fm_path": "/etc/x",
        "parent": "kit",
        "skill_path": str(folder / "SKILL.md"),
        "base_path": str(folder),
    }
    plan = source.indexing_strategy.decompose("pdf", raw, fields)
    assert [(s.kind, s.text) for s in plan.surfaces] == [("capability", "pdf\n\nReads PDF.")]


def test_a_skill_without_a_name_is_named_after_its_folder(tmp_path):
    skill(tmp_path / "unnamed")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare/skill.md").write_text("no frontmatter")
    skill(tmp_path / "odd", "[x]")
    assert list(CorpusSource.from_skills(roots=[tmp_path]).scope) == ["bare", "odd", "unnamed"]


def test_skills_of_one_name_are_all_kept(tmp_path):
    for place in ("a/kit/pdf", "b/kit/pdf", "c/kit/pdf", "c/kit/other"):
        skill(tmp_path / place, "pdf", place)
    scope = CorpusSource.from_skills(roots=[tmp_path]).scope
    first, second, third, fourth = list(scope)
    assert (first, second) == ("pdf", "pdf@kit")
    assert third.startswith("pdf@kit~")
    assert fourth.startswith("pdf@kit~")
    assert sorted(scope[key]["description"] for key in scope) == [
        "a/kit/pdf",
        "b/kit/pdf",
        "c/kit/other",
        "c/kit/pdf",
    ]
    assert [note.reason for note in scope.notes] == ["duplicate-name"] * 3
    assert list(CorpusSource.from_skills(roots=[tmp_path]).scope) == list(scope)


def test_one_file_through_two_roots_counts_once(tmp_path):
    folder = skill(tmp_path / "real/kit/pdf", "pdf")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/pdf").symlink_to(folder)
    roots = [tmp_path / "linked", tmp_path / "real", tmp_path / "real/kit"]
    scope = CorpusSource.from_skills(roots=roots).scope
    assert list(scope) == ["pdf"]
    assert scope["pdf"]["skill_path"] == str(tmp_path / "linked/pdf/SKILL.md")


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (None, ["docx", "pdf"]),
        ("p*", ["pdf"]),
        (["docx", "x"], ["docx"]),
        (lambda record: record["description"] == "b", ["docx"]),
    ],
)
def test_filters(tmp_path, wanted, kept):
    skill(tmp_path / "pdf", "pdf", "a")
    skill(tmp_path / "docx", "docx", "b")
    assert list(CorpusSource.from_skills(roots=[tmp_path], filter=wanted).scope) == kept


def test_a_filter_of_another_kind(tmp_path):
    with pytest.raises(ParameterTypeError):
        CorpusSource.from_skills(roots=[tmp_path], filter=3)


def test_the_folders_agents_use(home):
    skill(home / ".claude/skills/mine", "mine")
    skill(home / ".agents/skills/other", "other")
    project = home.parent / "work"
    (project / ".git").mkdir()
    skill(project / ".claude/skills/local", "local")
    assert default_skill_roots() == [
        home / ".claude/skills",
        home / ".agents/skills",
        project / ".claude/skills",
    ]
    scope = CorpusSource.from_skills().scope
    assert {key: scope[key]["parent"] for key in scope} == {
        "mine": "user",
        "other": "user",
        "local": "work",
    }


def test_a_project_is_found_from_its_subfolders(home, monkeypatch):
    project = home.parent / "work"
    (project / ".git").mkdir()
    (project / "deep/er").mkdir(parents=True)
    skill(project / ".claude/skills/local", "local")
    monkeypatch.chdir(project / "deep/er")
    assert list(CorpusSource.from_skills().scope) == ["local"]


def test_plugins(home):
    plugins = home / ".claude/plugins"
    installed = skill(plugins / "cache/market/tool/1.0/skills/a", "a").parent.parent
    skill(plugins / "marketplaces/market/plugins/unused/skills/b", "b")
    assert list(CorpusSource.from_skills().scope) == ["a", "b"]
    listed = {"version": 2, "plugins": {"tool@market": [{"installPath": str(installed)}]}}
    (plugins / "installed_plugins.json").write_text(json.dumps(listed))
    assert list(CorpusSource.from_skills().scope) == ["a"]


def test_no_skills_folder_at_all(home):
    with pytest.raises(SourceError, match="no skills folder") as caught:
        CorpusSource.from_skills()
    assert "roots" in caught.value.hint


def test_a_given_folder_must_exist(tmp_path):
    with pytest.raises(SourceMissing):
        CorpusSource.from_skills(roots=[tmp_path / "nope"])


def test_a_skill_that_is_no_text_is_told(tmp_path):
    skill(tmp_path / "good", "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/SKILL.md").write_bytes(b"\0\1\2")
    scope = CorpusSource.from_skills(roots=[tmp_path]).scope
    assert list(scope) == ["good"]
    assert [(s.reason, s.id) for s in scope.skipped] == [("binary", str(tmp_path / "bad/SKILL.md"))]


def test_a_changed_skill_is_seen(tmp_path):
    folder = skill(tmp_path / "a", "a", "before")
    scope = CorpusSource.from_skills(roots=[tmp_path]).scope
    assert scope["a"]["description"] == "before"
    skill(folder, "a", "after")
    assert scope["a"]["description"] == "before"  # as listed
    assert list(scope) == ["a"]
    assert scope["a"]["description"] == "after"


def test_records_of_a_fetcher():
    records = [
        {"name": "a", "description": "x", "parent": "p", "skill_path": "/s/a/SKILL.md"},
        {"name": "a", "description": "y", "parent": "p"},
        {"name": "a", "description": "z", "parent": "p"},
        {"base_path": "/s/from-folder", "description": "w"},
        "not a record",
    ]
    source = CorpusSource.from_skills(fetcher=lambda: records)
    keys = list(source.scope)
    assert keys[:2] == ["a", "a@p"]
    assert keys[2].startswith("a@p~")
    assert keys[3] == "from-folder"
    assert len(keys) == 4
    assert [item.reason for item in source.scope.skipped] == ["bad-record"]
    assert source.metadata_of("a", source.scope["a"]) == {
        "parent": "p",
        "skill_path": "/s/a/SKILL.md",
    }


@pytest.mark.data
def test_real_skills(collection):
    source = CorpusSource.from_skills(roots=[collection("tree-kdense-skills")])
    records = [source.scope[key] for key in source.scope]
    assert len(records) == 134
    assert all(record["description"] for record in records)
    assert source.scope.skipped == []
