"""Packages: source folders of a manifest, or what is installed."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from irengine.errors import SourceError, SourceMissing
from irengine.sources import CorpusSource, package_repo_dirs


def repo(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text, encoding="utf-8")
    return folder


def only(*folders: Path, **options) -> dict:
    scope = CorpusSource.from_packages(repos=folders, **options).scope
    [key] = scope
    return scope[key]


PYPROJECT = """
[project]
name = "x"
description = "From pyproject."
dependencies = ["numpy>=1", "rich"]
"""
SETUP = """
[metadata]
description = From setup.
[options]
install_requires =
    numpy>=1
    # a comment
    rich; python_version > "3"
"""


def test_a_package_is_described(tmp_path):
    folder = repo(tmp_path / "x", pyproject_toml=PYPROJECT, README_md="# X\n\nRead me.")
    source = CorpusSource.from_packages(repos=[folder])
    raw = source.scope["x"]
    assert raw == {
        "name": "x",
        "description": "From pyproject.",
        "readme": "# X\n\nRead me.",
        "owner": "ours",
        "deps": ["numpy>=1", "rich"],
        "path": str(folder),
    }
    assert source.metadata_of("x", raw) == {"path": str(folder)}
    plan = source.indexing_strategy.decompose("x", raw, source.metadata_of("x", raw))
    assert plan.filter_fields["has_readme"] is True
    assert [surface.kind for surface in plan.surfaces] == ["description", "readme_chunk"]


def test_each_fact_comes_from_the_first_file_that_tells_it(tmp_path):
    setup = only(repo(tmp_path / "a", setup_cfg=SETUP))
    assert setup["description"] == "From setup."
    assert setup["deps"] == ["numpy>=1", 'rich; python_version > "3"']
    both = only(repo(tmp_path / "b", setup_cfg=SETUP, pyproject_toml="[tool.x]\n"))
    assert both["description"] == "From setup."
    empty = only(repo(tmp_path / "c", setup_cfg=SETUP, pyproject_toml="[project]\ndependencies=[]"))
    assert (empty["description"], empty["deps"]) == ("From setup.", [])
    node = only(repo(tmp_path / "d", package_json=json.dumps({"description": "From npm."})))
    assert node["description"] == "From npm."


def test_a_folder_with_nothing_in_it_is_a_package(tmp_path):
    record = only(repo(tmp_path / "bare"))
    assert (record["name"], record["description"], record["deps"]) == ("bare", "", [])


@pytest.mark.parametrize(
    ("setup", "deps"),
    [
        ("[options]\ninstall_requires = a; b", ["a", "b"]),
        ("[options]\ninstall_requires = file: req.txt", []),
        ("[metadata]\ndescription = attr: x.y\n[options]\n", []),
        ("[options]\ninstall_requires = 100%% x\n", ["100%% x"]),
        ("[options]\ninstall_requires = a\ninstall_requires = b\n", ["b"]),
    ],
)
def test_setup_cfg(tmp_path, setup, deps):
    record = only(repo(tmp_path / "x", setup_cfg=setup))
    assert (record["description"], record["deps"]) == ("", deps)


@pytest.mark.parametrize(
    ("files", "warning"),
    [
        ({"setup_cfg": "no section\n"}, "setup.cfg"),
        ({"pyproject_toml": "not = = toml"}, "pyproject.toml"),
        ({"pyproject_toml": "project = 3"}, "not a table"),
    ],
)
def test_what_cannot_be_parsed_is_warned_about(tmp_path, files, warning):
    folder = repo(tmp_path / "x", package_json='{"description": "npm"}', **files)
    with pytest.warns(UserWarning, match=warning):
        assert only(folder)["description"] == "npm"


def test_readmes(tmp_path):
    rst = repo(tmp_path / "a", README_rst="rst", README_txt="txt")
    assert only(rst)["readme"] == "rst"
    latin = repo(tmp_path / "b")
    (latin / "README.md").write_bytes("Größe".encode("latin-1"))
    assert only(latin)["readme"] == "Größe"
    assert only(repo(tmp_path / "c", README_md="abcdef"), readme_chars=3)["readme"] == "abc"


def test_folders_of_one_name_are_all_kept_and_one_folder_counts_once(tmp_path):
    folders = [repo(tmp_path / place) for place in ("t/a", "u/a", "v/u/a", "t/b")]
    (tmp_path / "link").symlink_to(tmp_path / "t/a")
    scope = CorpusSource.from_packages(repos=[*folders, folders[0], tmp_path / "link"]).scope
    first, second, third, fourth = list(scope)
    assert (first, second, fourth) == ("a", "a@u", "b")
    assert third.startswith("a@u~")
    assert [scope[key]["path"] for key in scope] == [str(folder) for folder in folders]


def test_exclusions(tmp_path, monkeypatch):
    folders = [repo(tmp_path / place) for place in ("i/a", "i/b", "j/a")]
    monkeypatch.setenv("IR_PROJECTS_ROOT", str(tmp_path))

    def kept(exclude):
        return list(CorpusSource.from_packages(repos=folders, exclude=exclude).scope)

    assert kept(["i/*"]) == ["a"]
    assert kept(["*/a"]) == ["b"]
    assert kept("i/b") == ["a", "a@j"]
    assert kept(None) == ["a", "b", "a@j"]


def test_the_exclude_file(tmp_path, private_folders):
    (private_folders / "config").mkdir()
    (private_folders / "config/exclude").write_text("*/b  # not ours\n")
    folders = [repo(tmp_path / "a"), repo(tmp_path / "b")]
    assert list(CorpusSource.from_packages(repos=folders).scope) == ["a"]


def test_a_manifest(tmp_path, monkeypatch):
    a, b = repo(tmp_path / "a"), repo(tmp_path / "b")
    manifest = tmp_path / "my.pth"
    manifest.write_text(f"{b}\n# x\nimport os\nrelative\n{tmp_path}/gone\n{a}\n{b}/\n")
    assert package_repo_dirs(manifest) == [b, a]
    assert list(CorpusSource.from_packages(manifest=manifest).scope) == ["b", "a"]
    monkeypatch.setenv("PTH_FILEPATH", str(manifest))
    assert list(CorpusSource.from_packages().scope) == ["b", "a"]


def test_a_missing_manifest(tmp_path, monkeypatch):
    with pytest.raises(SourceMissing) as caught:
        package_repo_dirs(tmp_path / "no.pth")
    assert isinstance(caught.value, FileNotFoundError)
    monkeypatch.delenv("PTH_FILEPATH", raising=False)
    with pytest.raises(SourceError, match="no manifest"):
        package_repo_dirs()
    with pytest.raises(SourceMissing):
        CorpusSource.from_packages(repos=[tmp_path / "nope"])
    (tmp_path / "my.pth").write_text(f"{tmp_path}/gone\n{tmp_path}/away\n")
    with pytest.raises(SourceMissing, match="none of the folders"):
        CorpusSource.from_packages(manifest=tmp_path / "my.pth")


def test_a_fingerprint_follows_the_metadata(tmp_path):
    folder = repo(tmp_path / "a", README_md="one")
    scope = CorpusSource.from_packages(repos=[folder]).scope
    before = scope.fingerprint("a")
    assert scope.fingerprint("a") == before
    (folder / "README.md").write_text("another")
    assert scope.fingerprint("a") != before
    assert scope.fingerprint("nope") is None


def test_without_any_argument_the_installed_distributions(monkeypatch):
    monkeypatch.delenv("PTH_FILEPATH", raising=False)
    source = CorpusSource.from_packages()
    names = {key.lower(): key for key in source.scope}
    raw = source.scope[names["numpy"]]
    assert raw["description"]
    assert raw["version"] == version("numpy")
    assert Path(raw["path"]).name == "numpy"
    assert raw["owner"] == "installed"
    pytest_record = source.scope[names["pytest"]]
    assert any(dep.startswith("pluggy") for dep in pytest_record["deps"])
    assert not any("extra ==" in dep for dep in pytest_record["deps"])
    assert list(source.scope) == sorted(source.scope, key=str.lower)
    fields = source.metadata_of("x", raw)
    assert set(fields) == {"path", "version"}
    assert "numpy" not in CorpusSource.from_packages(exclude=["num*"]).scope
