"""Reports: Markdown below the docs folders of projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from irengine.errors import SourceError, SourceMissing
from irengine.sources import (
    CorpusSource,
    _project_of,
    iter_pocket_repos,
    iter_report_doc_folders,
    report_exclude_reason,
)


def write(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a report")
    return root


@pytest.fixture
def projects(tmp_path):
    root = write(
        tmp_path / "pp",
        "i/dol/docs/design.md",
        "i/dol/docs/adr/one.md",
        "i/dol/docs/README.md",
        "i/dol/docs/.cache/x.md",
        "i/dol/docs/build/y.md",
        "i/dol/docs/page.html",
        "i/dol/misc/docs/old.md",
        "i/_pocket/tool/docs/plan.md",
        "i/_pocket/loose/docs/no.md",
        "i/dol/sub/docs/not-a-project.md",
        "node_modules/x/docs/no.md",
        ".venv/lib/docs/no.md",
        "i/.hidden/docs/no.md",
    )
    for repo in ("i/dol", "i/dol/sub", "i/_pocket/tool"):
        (root / repo / ".git").mkdir()
    (root / "i/_pocket/worktree").mkdir()
    (root / "i/_pocket/worktree/.git").write_text("gitdir: elsewhere")
    write(root, "i/_pocket/worktree/docs/no.md")
    return root


FOUND = [
    "i/_pocket/tool/docs/plan.md",
    "i/dol/docs/adr/one.md",
    "i/dol/docs/design.md",
    "i/dol/misc/docs/old.md",
]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("A B.md", "allcaps"),
        ("1.md", "allcaps"),
        ("A-B.md", None),
        (".hid.md", None),
        ("a/.x/b.md", "excluded_dir"),
        ("build/x.md", "excluded_dir"),
        ("a/b.md", None),
    ],
)
def test_why_a_file_is_no_report(path, reason):
    folder = Path("/p/i/.odd/build/docs")  # folders above do not count here
    assert report_exclude_reason(folder / path, folder) == reason


def test_own_exclusions_replace_the_defaults_but_dotted_folders_stay_out():
    folder = Path("/p/docs")
    own = {"exclude_dirs": {"old"}}
    assert report_exclude_reason(folder / "build/x.md", folder, **own) is None
    assert report_exclude_reason(folder / "old/x.md", folder, **own) == "excluded_dir"
    assert report_exclude_reason(folder / ".x/x.md", folder, **own) == "excluded_dir"


def test_where_reports_are(projects):
    found = [path.relative_to(projects).as_posix() for path in iter_report_doc_folders(projects)]
    assert found == ["i/dol/docs", "i/dol/misc/docs", "i/_pocket/tool/docs"]
    assert list(iter_pocket_repos(projects)) == [projects / "i/_pocket/tool"]


def test_the_reports_of_a_root(projects):
    source = CorpusSource.from_md_reports(projects_root=projects)
    assert (source.name, list(source.scope)) == ("reports", FOUND)
    raw = source.scope["i/dol/docs/adr/one.md"]
    assert raw["text"] == "a report"
    fields = source.metadata_of("i/dol/docs/adr/one.md", raw)
    assert fields["project"] == "dol"
    assert fields["path"] == str(projects / "i/dol/docs/adr/one.md")
    assert fields["filename"] == "one.md"
    assert source.metadata_of("unknown", None) == {}
    pocket = "i/_pocket/tool/docs/plan.md"
    assert source.metadata_of(pocket, source.scope[pocket])["project"] == "tool"


def test_shallow(projects):
    source = CorpusSource.from_md_reports(projects_root=projects, recursive=False)
    assert list(source.scope) == [item for item in FOUND if "adr" not in item]


def test_own_exclusions(projects):
    source = CorpusSource.from_md_reports(projects_root=projects, exclude_dirs=["adr"])
    assert "i/dol/docs/build/y.md" in source.scope
    assert "i/dol/docs/adr/one.md" not in source.scope
    assert "i/dol/docs/.cache/x.md" not in source.scope


def test_a_root_without_report_folders_is_an_error_and_no_empty_corpus(projects):
    import irengine as ir

    ir.register("reports", "reports", projects_root=str(projects), embedder="light")
    built = ir.build_corpus("reports")
    assert len(built) == len(FOUND)
    (projects / "i").rename(projects.parent / "elsewhere")
    with pytest.raises(SourceMissing, match="no report folder below"):
        ir.build_corpus("reports")
    [result] = ir.maintain()
    assert (result.outcome, result.error_code) == ("failed", "path-not-found")
    assert len(ir.open_corpus("reports")) == len(FOUND)
    (projects.parent / "elsewhere").rename(projects / "i")
    assert ir.build_corpus("reports").report.unchanged == len(FOUND)


def test_the_configured_root(projects, monkeypatch):
    monkeypatch.setenv("PP", "/nowhere")
    monkeypatch.setenv("IR_PROJECTS_ROOT", str(projects))
    assert len(CorpusSource.from_md_reports().scope) == len(FOUND)
    monkeypatch.delenv("IR_PROJECTS_ROOT")
    with pytest.raises(SourceMissing):
        CorpusSource.from_md_reports()
    monkeypatch.delenv("PP")
    with pytest.raises(SourceError, match="no projects root") as caught:
        CorpusSource.from_md_reports()
    assert "IR_PROJECTS_ROOT" in caught.value.hint


@pytest.mark.parametrize(
    ("relative", "project"),
    [("i/dol/docs/x.md", "dol"), ("i/x.md", "x.md"), ("x.md", "x.md"), ("", "")],
)
def test_project_of_a_path(relative, project):
    assert _project_of(relative) == project
