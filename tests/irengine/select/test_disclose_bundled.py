"""At level ``bundled`` the files beside a body are listed, and read on request."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from irengine.base import SearchHit
from irengine.errors import ItemError
from irengine.index import Corpus, build
from irengine.retrieve import search
from irengine.select import bundled
from irengine.select.disclosing import Disclosure, disclose
from irengine.sources import CorpusSource
from irengine.store import CorpusStore


def built(source: CorpusSource) -> Corpus:
    return build(source, store=CorpusStore.memory(), embedder="light")


def shown(hit: SearchHit, level: str = "bundled") -> Disclosure:
    (told,) = disclose(SimpleNamespace(selected=[hit]), level=level)
    return told


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


SKILL = "---\nname: pdf\ndescription: Fill in forms\n---\nRun scripts/fill.py."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(
        tmp_path / "skills" / "pdf",
        {
            "SKILL.md": SKILL,
            "reference.md": "All about forms.",
            "scripts/fill.py": "print('filled')\n",
            "scripts/deep/er/more.py": "pass",
            "scripts/__pycache__/fill.pyc": "x",
            ".git/config": "x",
            ".hidden": "x",
            "LICENSE": "MIT",
        },
    )


@pytest.fixture
def skill(folder: Path) -> SearchHit:
    return search(built(CorpusSource.from_skills(roots=[folder.parent])), "forms")[0]


def test_a_skill_comes_with_its_scripts_and_references(skill):
    told = shown(skill)
    assert told.body == SKILL
    assert [(file.path, file.size, file.note) for file in told.files] == [
        ("LICENSE", 3, None),
        ("reference.md", 16, None),
        ("scripts/deep/er/more.py", 4, None),
        ("scripts/fill.py", 16, None),
    ]
    assert not {"disclosure", "bundle"} & told.metadata.keys()


def test_their_text_is_read_on_request(skill, folder):
    told = shown(skill)
    assert told.text_of("scripts/fill.py") == "print('filled')\n"
    assert told.files[1].text(3) == "All"
    (folder / "reference.md").write_text("as it is now")
    assert told.text_of("reference.md") == "as it is now"


def test_a_file_that_is_not_listed_is_not_read(skill):
    told = shown(skill)
    with pytest.raises(KeyError, match=r"did you mean scripts/fill\.py"):
        told.text_of("scripts/fil.py")
    for path in ("../pdf/LICENSE", "SKILL.md", "/etc/passwd", ".hidden"):
        with pytest.raises(KeyError):
            told.text_of(path)


@pytest.mark.parametrize("level", ["metadata", "body"])
def test_the_levels_below_list_nothing(skill, level):
    told = shown(skill, level)
    assert told.files == ()
    assert "files" not in told.to_dict()


def test_the_json_form_lists_paths_and_sizes(skill, folder):
    (folder / "out").symlink_to("/")
    told = shown(skill).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["files"][0] == {"path": "LICENSE", "size": 3}
    assert told["files"][1] == {"path": "out/", "size": 0, "note": "link-not-followed"}


def test_another_skill_below_is_a_bundle_of_its_own(folder):
    write(folder.parent, {"SKILL.md": "---\nname: top\n---\nx", "notes.md": "x"})
    hits = search(built(CorpusSource.from_skills(roots=[folder.parent])), "top")
    (top,) = [hit for hit in hits if hit.artifact_id == "top"]
    assert [file.path for file in shown(top).files] == ["notes.md"]


def test_a_package_comes_with_its_modules(tmp_path):
    folder = write(
        tmp_path / "hive",
        {
            "README.md": "A hive.",
            "pyproject.toml": "[project]\nname='hive'\n",
            "hive/__init__.py": "",
            "hive/bee.py": "hum = 1",
            "build/lib.py": "x",
        },
    )
    (hit, *_) = search(built(CorpusSource.from_packages(repos=[folder])), "hive")
    told = shown(hit)
    assert told.body == "A hive."
    assert [file.path for file in told.files] == [
        "hive/__init__.py",
        "hive/bee.py",
        "pyproject.toml",
    ]
    assert told.text_of("hive/__init__.py") == ""


def test_a_note_comes_with_what_is_in_its_folder(tmp_path):
    write(
        tmp_path, {"day/bees.md": "hum", "day/plan.txt": "x", "day/more/far.md": "x", "top.md": "x"}
    )
    (hit,) = search(built(CorpusSource.from_files(tmp_path, name="n")), "hum", k=1)
    assert [file.path for file in shown(hit).files] == ["plan.txt"]


def test_a_folder_without_readme_still_lists_its_files(tmp_path):
    folder = write(tmp_path / "hive", {"bee.py": "hum = 1"})
    (hit, *_) = search(built(CorpusSource.from_packages(repos=[folder])), "hive")
    told = shown(hit)
    assert told.metadata["disclosure"] == "no_readme"
    assert [file.path for file in told.files] == ["bee.py"]


def test_a_body_that_is_no_text_still_has_files_beside_it(skill, folder):
    (folder / "SKILL.md").write_bytes(bytes(300))
    told = shown(skill)
    assert (told.body, told.metadata["disclosure"]) == (None, "pointer_refused")
    assert "LICENSE" in [file.path for file in told.files]


# -- hostile bundles --------------------------------------------------------------------------


def test_what_leads_out_is_listed_with_a_note_and_never_read(skill, folder, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "dangling.md").symlink_to("nowhere")
    (folder / "loop").symlink_to(".")
    (folder / "inside.md").symlink_to("LICENSE")
    os.mkfifo(folder / "pipe")
    told = shown(skill)
    assert {file.path: file.note for file in told.files if file.note} == {
        "out.md": "outside-roots",
        "dangling.md": "vanished",
        "loop/": "link-not-followed",
        "pipe": "not-a-file",
    }
    for file in told.files:
        if file.note:
            with pytest.raises(ItemError) as caught:
                file.text()
            assert caught.value.code == file.note
    assert told.text_of("inside.md") == "MIT"
    assert [file.size for file in told.files if file.path == "inside.md"] == [3]


def test_what_was_swapped_after_it_was_listed_is_refused(skill, folder, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    told = shown(skill)
    (folder / "reference.md").unlink()
    (folder / "reference.md").symlink_to(tmp_path / "secret.md")
    (folder / "scripts").rename(tmp_path / "scripts")
    (folder / "scripts").symlink_to(tmp_path / "scripts")
    for path in ("reference.md", "scripts/fill.py"):
        with pytest.raises(ItemError) as caught:
            told.text_of(path)
        assert caught.value.code == "outside-roots"
    (folder / "LICENSE").unlink()
    with pytest.raises(ItemError) as caught:
        told.text_of("LICENSE")
    assert caught.value.code == "vanished"


def test_binary_and_huge_files_are_listed_but_not_read(skill, folder):
    (folder / "form.bin").write_bytes(bytes(500))
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(1 << 40)
    told = shown(skill)
    for path, code in (("form.bin", "binary"), ("huge.txt", "too-large")):
        with pytest.raises(ItemError) as caught:
            told.text_of(path)
        assert caught.value.code == code


def test_names_that_are_no_text_are_spelled_out_and_read(skill, folder):
    try:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_text("old")
    except OSError:
        pytest.skip("this disk takes UTF-8 names only")
    told = shown(skill)
    assert told.text_of("caf\\xe9.txt") == "old"
    json.dumps(told.to_dict()).encode()


def test_a_long_list_stops_and_says_so(skill, folder, monkeypatch):
    limit = bundled.DFLT_MAX_FILES
    write(folder, {f"many/{n:04}.txt": "x" for n in range(limit)})
    told = shown(skill)
    assert len(told.files) == limit
    assert told.metadata["bundle"] == "files_omitted"


def test_a_bottomless_tree_is_listed_to_a_depth(skill, folder):
    path = folder
    for _ in range(40):
        path = path / "d"
        path.mkdir()
        (path / "f").write_text("x")
    assert 10 < len([file for file in shown(skill).files if file.path.startswith("d/")]) < 20
