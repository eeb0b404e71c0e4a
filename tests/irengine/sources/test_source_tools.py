"""Catalogues of MCP tools: found by name and description, versioned by schema too."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from irengine.errors import ParameterError, SourceError
from irengine.sources import (
    MCP_TOOL_PARAM_KEYS,
    CorpusSource,
    mcp_tool_record,
    mcp_tool_signal,
)

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "body": {}}}


@pytest.mark.parametrize(
    ("tool", "signal"),
    [
        ({"name": "ping"}, "57e57c4034fade7fbd8fe31e9959d39bc843267b4c91fd4bf98dda09c220282f"),
        (
            {"name": "send", "description": "d", "parameters": {"b": 1, "a": [2]}},
            "9d50b974006309f64b2face8ce72e5c29b09897c8a0ca0ab9e17f76a32b67801",
        ),
    ],
)
def test_fixed_signals(tool, signal):
    assert mcp_tool_signal("any", tool) == signal


def test_a_schema_change_shows_and_nothing_else_does():
    tool = {"name": "send", "description": "d", "inputSchema": SCHEMA}
    before = mcp_tool_signal("send", tool)
    reordered = {"properties": {"body": {}, "to": {"type": "string"}}, "type": "object"}
    assert mcp_tool_signal("send", {**tool, "inputSchema": reordered}) == before
    assert mcp_tool_signal("send", {**tool, "annotations": {"x": 1}}) == before
    assert mcp_tool_signal("send", {**tool, "inputSchema": {"type": "string"}}) != before


@pytest.mark.parametrize("key", MCP_TOOL_PARAM_KEYS)
def test_where_the_schema_may_be(key):
    assert mcp_tool_record({"name": "a", key: SCHEMA})["parameters"] == SCHEMA


def test_the_first_schema_counts():
    tool = {"name": "a", "input_schema": {"x": 1}, "parameters": None, "inputSchema": {"y": 1}}
    assert mcp_tool_record(tool) == {"name": "a", "description": "", "parameters": {"y": 1}}


def test_slotted_objects_are_tools():
    @dataclass(slots=True)
    class Tool:
        name: str
        description: str | None
        inputSchema: dict  # noqa: N815 - as the protocol spells it

    assert mcp_tool_record(Tool("a", None, SCHEMA)) == {
        "name": "a",
        "description": "",
        "parameters": SCHEMA,
    }


@pytest.mark.parametrize("tool", [{}, {"name": ""}, {"name": "  "}, {"name": 3}, object(), None])
def test_a_tool_has_a_name(tool):
    with pytest.raises(ValueError, match="no name"):
        mcp_tool_record(tool)


TOOLS = [
    {"name": "send", "description": "Send mail", "inputSchema": SCHEMA},
    {"name": "ping", "description": "Check"},
]


@pytest.mark.parametrize(
    "catalogue",
    [
        TOOLS,
        iter(TOOLS),
        {"tools": TOOLS},
        lambda: TOOLS,
        lambda: {"tools": TOOLS},
        {"send": {"name": "", **{k: v for k, v in TOOLS[0].items() if k != "name"}}, "x": TOOLS[1]},
    ],
    ids=["list", "iterator", "tools-list", "fetcher", "fetched-list", "mapping"],
)
def test_every_form_of_a_catalogue(catalogue):
    source = CorpusSource.from_mcp_tools(catalogue)
    assert source.name == "tools"
    assert list(source.scope) == ["send", "ping"]
    assert source.metadata_of("send", source.scope["send"]) == {"param_names": ["to", "body"]}
    assert source.metadata_of("ping", source.scope["ping"]) == {"param_names": []}
    assert source.change_signal is mcp_tool_signal


def test_only_name_and_description_are_searchable():
    source = CorpusSource.from_mcp_tools(TOOLS)
    plan = source.indexing_strategy.decompose("send", source.scope["send"])
    assert [surface.text for surface in plan.surfaces] == ["send\n\nSend mail"]


def test_a_name_comes_once():
    with pytest.raises(ValueError, match="duplicate tool name 'a'"):
        CorpusSource.from_mcp_tools([{"name": "a"}, {"name": "a"}])


def test_what_is_no_catalogue():
    with pytest.raises(ParameterError):
        CorpusSource.from_mcp_tools(3)
    with pytest.raises(SourceError, match="returned None"):
        CorpusSource.from_mcp_tools(lambda: None)
