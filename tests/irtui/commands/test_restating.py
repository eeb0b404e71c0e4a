"""What registers a corpus again: the same definition comes out of it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from irengine import registry
from irtui.commands.arguments import parse_arguments
from irtui.commands.live import Live
from irtui.commands.output import split_output
from irtui.commands.registry import lookup
from irtui.commands.restating import restated
from irtui.commands.runner import run


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pattern": r"\.md$ with 'quotes'", "embedder": "light"},
        {"cron": "30 4 * * mon-fri", "zone": "Europe/Berlin"},
        {"every_hours": 6.5, "synopsis": True, "downtime": ["22:30-06:15", "sat 00:00-24:00"]},
        {"reindex_on": "manual", "synopsis": True, "downtime": ["any"]},
        {"strategy": "WholeText", "param": ['exclude_dirs=["a","b"]']},
    ],
)
def test_the_command_defines_the_same_corpus(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("IR_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "notes").mkdir()
    run("register", name="my notes", kind="files", root=str(tmp_path / "notes"), **options)
    before = registry.get("my notes")
    line = restated(Live(), "my notes", "command")
    assert restated(Live(), "", "all") == line
    assert json.loads(restated(Live(), "my notes", "json")) == {"name": "my notes", **before}
    assert [row["name"] for row in json.loads(restated(Live(), "", "list"))] == ["my notes"]
    program, verb, *words = shlex.split(line)
    assert program == "irtui"
    arguments, _ = split_output(lookup(verb), parse_arguments(lookup(verb), words))
    run(verb, **{**arguments, "replace": True})
    assert registry.get("my notes") == before
