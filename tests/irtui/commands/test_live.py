"""Corpora that stay open: the same answers as the command, described piece by piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from irengine.errors import CorpusNotFound
from irtui.commands.curating import change_definition
from irtui.commands.kept import Kept
from irtui.commands.levels import REVEALED, revealed
from irtui.commands.live import Live, problem_data
from irtui.commands.runner import run
from irtui.commands.sample import sample_folder

NOTES = {
    "bees.md": "# Bees\n\nBees dance where flowers are.\n\n## Winter\n\nThey keep warm.\n",
    "whales.md": "---\ntags: [sea]\n---\n\n# Whales\n\nWhales sing across oceans, and dance.\n",
    "rain.md": "---\ntags: [sky]\n---\n\n# Rain\n\nRain falls on flowers and oceans.\n",
}


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("IR_DATA_DIR", "IR_CONFIG_DIR", "IR_CACHE_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    build("notes", folder)
    return folder


def build(name: str, folder: Path) -> None:
    run("register", name=name, kind="files", root=str(folder), embedder="light", replace=True)
    run("build", names=[name])


@pytest.mark.parametrize("query", ["dance", "oceans tags:sea", "-dance flowers", "tags:sky"])
def test_the_hits_are_those_of_the_command(notes: Path, query: str) -> None:
    answer = Live().answer(query, names=["notes"], tier="hybrid", limit=10)
    rows = answer.rows(0, 10)
    keys = [row.pop("key") for row in rows]
    assert json.dumps(rows) == json.dumps(run("search", query=[query], corpus=["notes"]).data)
    assert keys == answer.keys() and len(set(keys)) == len(keys) > 0


def test_the_words_come_first_and_are_no_other_than_the_lexical_mode(notes: Path) -> None:
    answer = Live().answer("dance", names=["notes"], tier="lexical")
    told = run("search", query=["dance"], corpus=["notes"], mode="lexical").data
    assert answer.mode == "lexical"
    assert [row["artifact_id"] for row in answer.rows(0, 9)] == [h["artifact_id"] for h in told]


def test_what_a_field_never_holds_is_a_problem_while_it_is_typed(notes: Path) -> None:
    (notes / "year.md").write_text("---\nyear: 2024\n---\n\n# Year\n\nOceans.\n")
    build("notes", notes)
    (problem,) = Live().answer("year:x oceans", names=["notes"]).problems
    assert (problem["message"], problem["start"]) == ("'x' is no number", 0)


def test_rows_are_described_by_ranges_with_their_ranks(notes: Path) -> None:
    answer = Live().answer("oceans flowers dance", names=["notes"], tier="hybrid")
    assert answer.count == 3
    assert [row["rank"] for row in answer.rows(1, 3)] == [2, 3]
    assert answer.rows(3, 9) == []


def test_more_says_whether_a_greater_limit_may_help(notes: Path) -> None:
    live = Live()
    short = live.answer("oceans flowers dance", names=["notes"], tier="hybrid", limit=2)
    assert (short.count, short.more) == (2, True)
    assert not live.answer("oceans", names=["notes"], tier="lexical", limit=50).more
    assert not live.answer("oceans limit:1", names=["notes"], tier="lexical").more


@pytest.mark.parametrize("query", ['"dan', "tags:", "(", "-", "in:", "in:no", "in:not* dance", "+"])
def test_half_typed_text_is_no_error(notes: Path, query: str) -> None:
    Live().answer(query, names=["notes"], tier="lexical")


def test_problems_have_places(notes: Path) -> None:
    answer = Live().answer('dance "flow', names=["notes"], tier="lexical")
    (problem,) = answer.problems
    assert problem["incomplete"] and problem["start"] >= 6


def test_a_corpus_that_cannot_be_asked_is_left_out_by_name(notes: Path) -> None:
    answer = Live().answer("dance", names=["notes", "nobody"], tier="lexical")
    assert answer.corpora == ("notes",)
    assert answer.left_out["nobody"]["code"] == "corpus-not-found"
    with pytest.raises(CorpusNotFound, match="nobody"):
        Live().answer("dance", names=["nobody"], tier="lexical")
    with pytest.raises(CorpusNotFound):
        Live().answer("dance", names=[], tier="lexical")
    with pytest.raises(ValueError, match="tier"):
        Live().answer("dance", names=["notes"], tier="best")


def test_in_chooses_among_what_is_built(notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("# X\n\nA dance of ships.\n")
    build("other", other)
    live = Live()
    assert live.answer("dance in:other", names=["notes"], tier="lexical").corpora == ("other",)
    both = live.answer("dance", names=["notes", "other"], tier="lexical")
    assert both.corpora == ("notes", "other")
    assert live.answer("dance -in:other", names=["notes", "other"], tier="lexical").corpora == (
        "notes",
    )


def test_a_new_generation_is_read_without_opening_anything(notes: Path) -> None:
    live = Live()
    before = live.state(["notes"])["notes"]
    (notes / "new.md").write_text("# New\n\nSomething about dance.\n")
    run("build", names=["notes"])
    after = live.state(["notes"])["notes"]
    assert after["generation"] > before["generation"] and after["items"] == before["items"] + 1
    keys = live.answer("dance", names=["notes"], tier="lexical").keys()
    assert "notes\0new.md" in keys


def test_a_corpus_with_other_vectors_is_opened_again(notes: Path) -> None:
    live = Live()
    assert live.answer("dance", names=["notes"], tier="hybrid").count
    change_definition(live, "notes", {"embedder": "hashing__dim64"})
    run("build", names=["notes"], switch_embedder=True)
    assert live.state(["notes"])["notes"]["embedder"] != "hashing__dim512"
    assert live.answer("dance", names=["notes"], tier="hybrid").count


def test_a_corpus_that_was_removed_is_a_problem_and_comes_back(notes: Path) -> None:
    live = Live()
    assert live.answer("dance", names=["notes"], tier="lexical").count == 2
    run("rm", name="notes", purge=True, yes=True)
    assert live.state(["notes"])["notes"]["problem"]["code"] == "corpus-not-found"
    build("notes", notes)
    assert live.answer("dance", names=["notes"], tier="lexical").count == 2


def test_what_is_asked_by_default(notes: Path, tmp_path: Path, monkeypatch: Any) -> None:
    live = Live()
    assert live.default_names() == ["notes"]
    run("try", path=str(notes), query=[], embedder="light")
    assert live.default_names() == ["notes"]
    assert [name.startswith("try-") for name in live.names()] == [False, True]
    monkeypatch.chdir(notes)
    assert live.default_names() == ["notes"]


def test_each_level_reveals_more(notes: Path) -> None:
    live = Live()
    row = live.answer("dance", names=["notes"], tier="lexical").rows(0, 1)[0]
    told = [revealed(live, row, level, query="dance") for level in range(len(REVEALED))]
    assert [each["level"] for each in told] == [0, 1, 2, 3, 4]
    document = (notes / row["artifact_id"]).read_text()
    assert told[4]["text"] == document
    for each in told[1:]:
        marked = [each["text"][start:end] for start, end in each["spans"]]
        assert marked and {word.casefold() for word in marked} == {"dance"}
    assert f"id: {row['artifact_id']}" in told[0]["text"] and told[0]["spans"] == []
    assert told[2]["text"] in document or told[2]["text"].strip() in document
    cut = revealed(live, row, 9, max_chars=5)
    assert (cut["level"], cut["text"], cut["truncated"]) == (4, document[:5], True)
    assert cut["characters"] == len(document)


def test_an_error_is_told_in_three_words() -> None:
    assert problem_data(CorpusNotFound("gone", hint="build it")) == {
        "code": "corpus-not-found",
        "message": "gone",
        "hint": "build it",
    }
    assert problem_data(ValueError("x"))["message"] == "ValueError: x"


def test_the_sample_is_there_and_links_within_itself() -> None:
    import re

    files = {file.name: file.read_text(encoding="utf-8") for file in sample_folder().iterdir()}
    assert len(files) >= 8
    targets = {t for text in files.values() for t in re.findall(r"\]\(([^)]+)\)", text)}
    assert targets and targets <= set(files)


class TestKept:
    def test_what_is_written_is_read(self, tmp_path: Path) -> None:
        kept = Kept(tmp_path / "deep" / "app.json")
        for query in ("one", "two", " secret", "one", "  "):
            kept.asked(query)
        kept.searches["x"] = "tags:x"
        kept.sets["s"] = [{"key": "a\0b", "row": {}}]
        kept.layout["share"] = 40
        assert kept.write() == ""
        again = Kept(kept.file)
        assert again.history == ["two", "one"]
        assert (again.searches, again.sets, again.layout) == (
            kept.searches,
            kept.sets,
            kept.layout,
        )
        assert {file.name for file in kept.file.parent.iterdir()} <= {"app.json", "app.json.lock"}

    def test_two_processes_keep_what_the_other_changed(self, tmp_path: Path) -> None:
        file = tmp_path / "app.json"
        first = Kept(file)
        first.searches |= {"old": "a", "both": "a"}
        first.layout["theme"] = "ir-dark"
        first.asked("zero")
        first.write()
        app, shell = Kept(file), Kept(file)
        shell.sets["s"] = [{"key": "a\0b", "row": {}}]
        shell.layout["theme"] = "ir-light"
        del shell.searches["old"]
        shell.write()
        app.asked("one")
        app.searches["both"] = "b"
        assert app.write() == ""
        now = Kept(file)
        assert list(now.sets) == ["s"] and now.layout == {"theme": "ir-light"}
        assert (now.searches, now.history) == ({"both": "b"}, ["zero", "one"])
        assert (app.searches, list(app.sets)) == ({"both": "b"}, ["s"])

    @pytest.mark.parametrize("text", ["{", "[]", '{"history": 3, "sets": {"a": [1]}}', "[" * 99999])
    def test_a_damaged_file_counts_as_empty(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "app.json"
        file.write_text(text)
        kept = Kept(file)
        assert (kept.history, kept.searches, kept.layout) == ([], {}, {})
        assert kept.sets in ({}, {"a": []})

    def test_history_is_bounded(self, tmp_path: Path) -> None:
        kept = Kept(tmp_path / "app.json")
        for number in range(600):
            kept.asked(f"q{number}")
        assert len(kept.history) == 500 and kept.history[-1] == "q599"

    def test_what_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        problem = Kept(tmp_path / "file" / "app.json").write()
        assert "cannot be written" in problem
