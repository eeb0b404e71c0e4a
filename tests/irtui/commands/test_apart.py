"""Corpora open in another process: the same answers, and what happens when that process ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from irengine.errors import IrError
from irtui.commands.apart import Apart
from irtui.commands.live import Live
from irtui.commands.runner import run


def folders(base: Path) -> dict[str, str]:
    return {f"IR_{name.upper()}_DIR": str(base / name) for name in ("data", "config", "cache")}


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("garden")
    notes = base / "notes"
    notes.mkdir()
    for number in range(12):
        (notes / f"bed{number}.md").write_text(f"# Bed {number}\n\nWater bed {number} at dawn.\n")
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in folders(base).items():
            patch.setenv(variable, value)
        run("register", name="garden", kind="files", root=str(notes), embedder="light")
        run("build", names=["garden"])
    yield base


@pytest.fixture(autouse=True)
def _its_folders(garden: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del private_folders  # set before these
    for variable, value in folders(garden).items():
        monkeypatch.setenv(variable, value)


@pytest.fixture(scope="module")
def apart(garden: Path) -> Iterator[Apart]:
    del garden
    apart = Apart()
    yield apart
    apart.close()


def same(answer: Any) -> dict[str, Any]:
    facts = ("query", "tier", "mode", "more", "corpora", "generations", "count")
    return {name: getattr(answer, name) for name in facts}


def test_answers_are_the_same_here_and_there(apart: Apart) -> None:
    here = Live()
    for tier in ("lexical", "hybrid"):
        there = apart.answer("water bed 3", names=["garden"], tier=tier)
        near = here.answer("water bed 3", names=["garden"], tier=tier)
        assert same(there) == same(near) and there.keys() == near.keys()
        assert there.rows(0, 5) == near.rows(0, 5)
    assert apart.state(["garden"]) == here.state(["garden"])
    assert apart.read("garden", "bed1.md", query="dawn") == here.read(
        "garden", "bed1.md", query="dawn"
    )
    assert apart.count("water", names=["garden"]) == 12
    assert apart.run("ls").data == here.run("ls").data


def test_errors_keep_their_code_message_and_hint(apart: Apart) -> None:
    with pytest.raises(IrError) as caught:
        apart.answer("water", names=["nowhere"])
    assert caught.value.code == "corpus-not-found" and "nowhere" in caught.value.message


def test_a_better_tier_describes_the_same_hits(apart: Apart) -> None:
    words = apart.answer("water bed 3", names=["garden"], tier="lexical")
    first = words.rows(0, 3)
    again = apart.answer("water bed 3", names=["garden"], tier="hybrid", after=words)
    assert {row["key"]: row["snippet"] for row in first}.items() <= {
        row["key"]: row["snippet"] for row in again.rows(0, again.count)
    }.items()


def test_a_process_that_was_killed_is_started_anew(apart: Apart) -> None:
    answer = apart.answer("water", names=["garden"])
    process = apart._process
    assert process is not None
    process._process.kill()
    process._process.wait()
    assert apart.count("water", names=["garden"]) == 12
    with pytest.raises(IrError) as caught:
        answer.rows(0, 2)
    assert caught.value.code == "hits-gone"


def test_closing_ends_the_process() -> None:
    apart = Apart()
    assert "garden" in apart.known()
    process = apart._process
    assert process is not None
    apart.close()
    assert process._process.poll() is not None
