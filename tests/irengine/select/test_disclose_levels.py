"""What is selected is revealed level by level: a summary, the body, what others say it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from irengine.base import POINTER_KEYS, SearchHit
from irengine.index import build
from irengine.retrieve import search
from irengine.select import disclosing
from irengine.select.disclosing import DFLT_MAX_BODY_CHARS, DISCLOSURE_LEVELS, Disclosure, disclose
from irengine.sources import CorpusSource
from irengine.store import CorpusStore
from irengine.strategy import Package

READING = ("body", "bundled")


def hit(artifact: str = "a", source: str | None = None, **metadata: Any) -> SearchHit:
    return SearchHit(artifact, "chunk", 0.5, "what matched", metadata, source)


def chosen(*hits: SearchHit) -> SimpleNamespace:
    return SimpleNamespace(selected=list(hits))


def one(of: SearchHit, **kwargs: Any) -> Disclosure:
    (disclosed,) = disclose(chosen(of), **kwargs)
    return disclosed


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text("# Bees\n\nThey hum.\n", encoding="utf-8")
    return path


# -- what is always there ---------------------------------------------------------------------


def test_names_and_defaults():
    assert DISCLOSURE_LEVELS == ("metadata", "body", "bundled")
    assert DFLT_MAX_BODY_CHARS == 20_000
    assert disclosing.POINTER_KEYS is POINTER_KEYS


@pytest.mark.parametrize("level", DISCLOSURE_LEVELS)
def test_every_level_names_and_summarises(page, level):
    told = one(hit(name="Bees", path=str(page), year=2020), level=level)
    assert (told.artifact_id, told.level, told.name) == ("a", level, "Bees")
    assert (told.score, told.summary, told.pointer) == (0.5, "what matched", str(page))
    assert told.metadata == {"name": "Bees", "path": str(page), "year": 2020}
    assert told.passage is None


@pytest.mark.parametrize(("given", "said"), [({}, "a"), ({"name": ""}, "a"), ({"name": 7}, "7")])
def test_without_a_name_it_is_called_by_its_id(given, said):
    assert one(hit(**given)).name == said


def test_order_and_source_are_those_of_the_selection():
    told = disclose(chosen(hit("b", "x"), hit("a", "y"), hit("b", "y")), level="metadata")
    assert [(item.artifact_id, item.source) for item in told] == [
        ("b", "x"),
        ("a", "y"),
        ("b", "y"),
    ]
    assert disclose(chosen()) == []


@pytest.mark.parametrize("level", ("metadata", "body"))
def test_the_json_form_has_ten_keys(page, level):
    told = one(hit(path=str(page)), level=level).to_dict()
    assert sorted(told) == [
        "artifact_id",
        "body",
        "level",
        "metadata",
        "name",
        "passage",
        "pointer",
        "score",
        "source",
        "summary",
    ]
    assert json.loads(json.dumps(told)) == told


def test_nothing_given_is_changed(page):
    metadata = {"path": str(page.parent / "gone.md")}
    before = SearchHit("a", "chunk", 0.5, "t", metadata)
    told = one(before, level="bundled")
    assert "disclosure" in told.metadata
    assert before.metadata is metadata
    assert metadata == {"path": str(page.parent / "gone.md")}


# -- the body ---------------------------------------------------------------------------------


def test_metadata_reads_nothing(monkeypatch, page):
    def forbidden(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("something was looked at")

    monkeypatch.setattr("os.open", forbidden)
    monkeypatch.setattr("os.lstat", forbidden)
    assert one(hit(path=str(page)), level="metadata").body is None


@pytest.mark.parametrize("level", READING)
def test_the_body_is_the_text_of_the_file(page, level):
    told = one(hit(path=str(page)), level=level)
    assert told.body == "# Bees\n\nThey hum.\n"
    assert "disclosure" not in told.metadata


def test_the_body_is_the_default_level(page):
    assert one(hit(path=str(page))).level == "body"


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ({"skill_path": "s", "path": "p"}, "s"),
        ({"skill_path": "", "path": "p"}, "p"),
        ({"skill_path": None, "path": "p"}, "p"),
        ({"skill_path": 3, "path": "p"}, "p"),
        ({"path": ["p"]}, None),
        ({}, None),
    ],
)
def test_the_pointer_is_the_first_that_is_text(metadata, pointer):
    assert one(hit(**metadata), level="metadata").pointer == pointer


def test_without_a_pointer_there_is_no_body_and_nothing_to_note():
    told = one(hit())
    assert (told.body, told.metadata) == (None, {})


def test_a_file_that_is_gone_is_noted(tmp_path):
    told = one(hit(path=str(tmp_path / "gone.md")))
    assert told.body is None
    assert told.metadata["disclosure"] == "pointer_unreadable"
    assert "not there" in told.metadata["disclosure_detail"]


def test_an_empty_file_has_an_empty_body(page):
    page.write_text("")
    told = one(hit(path=str(page)))
    assert told.body == ""
    assert "disclosure" not in told.metadata


def test_a_long_body_is_cut_and_says_so(page):
    page.write_text("é" * (DFLT_MAX_BODY_CHARS + 1), encoding="utf-8")
    told = one(hit(path=str(page)))
    assert told.body == "é" * DFLT_MAX_BODY_CHARS
    assert told.metadata["disclosure"] == "body_truncated"
    page.write_text("é" * DFLT_MAX_BODY_CHARS, encoding="utf-8")
    assert "disclosure" not in one(hit(path=str(page))).metadata


@pytest.mark.parametrize("shift", range(5))
def test_where_reading_stops_does_not_change_how_it_is_decoded(page, shift):
    # One accented letter in all that is shown, and the read ends inside a character.
    page.write_text("é" + "a" * (8 * DFLT_MAX_BODY_CHARS - shift) + "蜂蜂蜂", encoding="utf-8")
    assert one(hit(path=str(page))).body == "é" + "a" * (DFLT_MAX_BODY_CHARS - 1)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfbees", "bees"),
        ("bees\r\nhum".encode("utf-16"), "bees\nhum"),
        (b"a\r\nb", "a\nb"),
        ("Bienen summen über Wiesen".encode("latin-1"), "Bienen summen über Wiesen"),
    ],
)
def test_any_encoding_is_read(page, data, text):
    page.write_bytes(data)
    assert one(hit(path=str(page))).body == text


@pytest.mark.parametrize("present", [1, 2, 3])
def test_the_body_of_a_folder_is_its_first_readme(tmp_path, present):
    names = ["README.md", "README.rst", "README.txt"]
    for name in names[-present:]:
        (tmp_path / name).write_text(name)
    (tmp_path / "setup.py").write_text("")
    told = one(hit(path=str(tmp_path)))
    assert told.body == names[-present]
    assert "disclosure" not in told.metadata


def test_a_folder_without_readme_is_not_unreadable(tmp_path):
    (tmp_path / "README.md").mkdir()
    told = one(hit(path=str(tmp_path)))
    assert told.body is None
    assert told.metadata["disclosure"] == "no_readme"


def test_the_body_of_a_skill_folder_is_its_skill_file(tmp_path):
    (tmp_path / "SKILL.md").write_text("do it")
    (tmp_path / "README.md").write_text("about")
    assert one(hit(skill_path=str(tmp_path))).body == "do it"
    assert one(hit(path=str(tmp_path))).body == "about"


def test_the_body_of_a_document_is_the_text_in_it(tmp_path):
    pytest.importorskip("markitdown")
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["bees", "hum"])
    book.save(tmp_path / "bees.xlsx")
    body = one(hit(path=str(tmp_path / "bees.xlsx"))).body or ""
    assert "| bees | hum |" in body


# -- a search, all the way --------------------------------------------------------------------


def test_what_a_search_finds_is_disclosed_from_its_corpus(tmp_path):
    (tmp_path / "bees.md").write_text("# Bees\n\nThey hum.\n")
    (tmp_path / "cars.md").write_text("# Cars\n\nThey honk.\n")
    corpus = build(
        CorpusSource.from_files(tmp_path, name="notes"),
        store=CorpusStore.memory(),
        embedder="light",
    )
    found = search(corpus, "hum", k=1)
    assert disclose(chosen(*found))[0].body == "# Bees\n\nThey hum.\n"


def test_a_corpus_on_this_machine_is_found_by_the_name_on_the_hit(tmp_path):
    (tmp_path / "bees.md").write_text("They hum.")
    build(CorpusSource.from_files(tmp_path, name="notes"), embedder="light")
    told = one(hit("bees.md", "notes", path=str(tmp_path / "bees.md")))
    assert told.body == "They hum."


def test_an_installed_package_shows_its_modules():
    corpus = build(
        CorpusSource.from_packages(name="installed", readme_chars=1, strategy=Package()),
        store=CorpusStore.memory(),
        embedder="light",
    )
    (found,) = [found for found in search(corpus, "pytest", k=50) if found.artifact_id == "pytest"]
    told = one(found, level="bundled")
    assert told.metadata["disclosure"] == "no_readme"
    assert "__init__.py" in {file.path for file in told.files}


# -- other places than the disk ---------------------------------------------------------------


def test_a_loader_is_given_a_copy_of_the_metadata():
    given = hit(path="nowhere", tags=["x"])

    def loader(metadata: Mapping[str, Any]) -> str:
        assert metadata == {"path": "nowhere", "tags": ["x"]}
        metadata["path"] = "changed"  # type: ignore[index]
        return "loaded"

    told = one(given, loader=loader)
    assert told.body == "loaded"
    assert told.metadata == {"path": "nowhere", "tags": ["x"]}


def test_a_loader_is_asked_even_without_a_pointer():
    assert one(hit(), loader=lambda metadata: "loaded").body == "loaded"
    told = one(hit(), loader=lambda metadata: None)
    assert (told.body, told.metadata) == (None, {})


def test_a_loader_that_has_nothing_for_a_pointer_is_noted():
    told = one(hit(path="p"), loader=lambda metadata: None)
    assert told.metadata["disclosure"] == "pointer_unreadable"


def test_the_errors_of_a_loader_are_the_callers():
    def loader(metadata: Mapping[str, Any]) -> str:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        one(hit(path="p"), loader=loader)
    assert one(hit(path="p"), level="metadata", loader=loader).body is None


@pytest.mark.parametrize(
    ("held", "body"), [("text", "text"), (b"\xef\xbb\xbfbytes", "bytes"), (3, "3"), ("", "")]
)
def test_a_store_holds_bodies_by_pointer(held, body):
    told = one(hit(path="key"), store={"key": held})
    assert told.body == body
    assert "disclosure" not in told.metadata


def test_a_long_body_of_a_store_is_cut_too():
    told = one(hit(path="key"), store={"key": "x" * (DFLT_MAX_BODY_CHARS + 1)})
    assert len(told.body or "") == DFLT_MAX_BODY_CHARS
    assert told.metadata["disclosure"] == "body_truncated"


class Broken(Mapping[str, str]):
    def __getitem__(self, key: str) -> str:
        raise ConnectionError("offline")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_a_store_that_has_nothing_or_fails_is_noted():
    for store, said in (({}, "nothing"), (Broken(), "offline")):
        told = one(hit(path="key"), store=store)
        assert told.body is None
        assert told.metadata["disclosure"] == "pointer_unreadable"
        assert said in told.metadata["disclosure_detail"]
    assert one(hit(), store=Broken()).metadata == {}


# -- what makes no sense ----------------------------------------------------------------------


@pytest.mark.parametrize("level", ["bodies", "", "Body", None, 2])
def test_an_unknown_level_is_an_error(level):
    with pytest.raises(ValueError, match="metadata, body, bundled"):
        disclose(chosen(), level=level)


def test_only_one_place_for_bodies():
    with pytest.raises(ValueError, match="either loader= or store="):
        disclose(chosen(), loader=lambda metadata: "", store={})


@pytest.mark.parametrize("given", [{"loader": "x"}, {"store": 3}, {"expand": "x", "corpus": "y"}])
def test_what_cannot_be_asked_is_an_error(given):
    with pytest.raises(TypeError):
        disclose(chosen(), **given)
