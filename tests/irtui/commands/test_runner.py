"""Running commands in this process: typed values in, a result or a helpful error out."""

import pytest

from irengine.errors import CorpusNotFound
from irtui.commands import run
from irtui.commands.context import Context
from irtui.commands.spec import UsageError


def test_defaults_are_filled_in(tmp_path):
    (tmp_path / "a.md").write_text("# Bees\n\nBees dance.\n")
    assert run("try", path=tmp_path, embedder="light").view == "tried"
    result = run("try", path=tmp_path, query=["bees"], embedder="light", limit=1)
    assert [row["artifact_id"] for row in result.data] == ["a.md"]


def test_an_alias_runs_the_same():
    assert run("list").data == run("ls").data == []


def test_a_filter_may_be_an_object(tmp_path):
    (tmp_path / "a.md").write_text("---\nyear: 2024\n---\n# Bees\n")
    found = run("try", path=tmp_path, query="bees", embedder="light", filter=[{"year": 2024}])
    assert len(found.data) == 1


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"quary": "x"}, "no parameter 'quary'"),
        ({}, "QUERY is missing"),
        ({"query": ["x"], "limit": "ten"}, "--limit must be a whole number"),
        ({"query": ["x"], "limit": -1}, "--limit must be at least 0"),
        ({"query": ["x"], "limit": True}, "--limit cannot be True"),
        ({"query": ["x"], "mode": "fuzzy"}, "--mode cannot be 'fuzzy'"),
        ({"query": ["x"], "full": "yes"}, "--full is true or false"),
        ({"query": [b"x"]}, "QUERY cannot be"),
        ({"query": ["x"], "json": True}, "no parameter 'json'"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(params, message):
    with pytest.raises(UsageError) as caught:
        run("search", **params)
    assert message in caught.value.message


def test_a_near_parameter_is_named():
    with pytest.raises(UsageError) as caught:
        run("search", query="x", limt=3)
    assert caught.value.hint == "did you mean limit?"


def test_errors_of_the_engine_are_raised():
    with pytest.raises(CorpusNotFound):
        run("info", name="nope")


def test_notes_and_progress_go_to_the_context(tmp_path):
    (tmp_path / "a.md").write_text("# Bees\n")
    phases = []
    run("try", Context(progress=lambda e: phases.append(e.phase)), path=tmp_path, embedder="light")
    assert "embed" in phases
