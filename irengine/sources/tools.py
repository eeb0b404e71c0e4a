"""A catalogue of MCP tools, as a scope: found by name and description, versioned by schema too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from irengine.errors import ParameterError, ParameterTypeError
from irengine.sources.fetch import call_fetcher
from irengine.sources.scope import RecordScope
from irengine.sources.signals import digest_json

__all__ = [
    "MCP_TOOL_PARAM_KEYS",
    "mcp_tool_record",
    "mcp_tool_signal",
    "param_names",
    "tools_scope",
]

MCP_TOOL_PARAM_KEYS = ("parameters", "inputSchema", "input_schema")
"""Where a tool record may hold its parameter schema; the first that is not ``None`` counts."""


def mcp_tool_record(tool: Any) -> dict[str, Any]:
    """Return ``{"name", "description", "parameters"}`` of a tool, a mapping or any object.

    Other fields are dropped: they neither count for the version nor reach the index.

    Raises:
        ParameterError: when it has no name.
    """
    name = _field(tool, "name")
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"a tool has no name: {_short(tool)}")
    parameters: Any = next(
        (found for key in MCP_TOOL_PARAM_KEYS if (found := _field(tool, key)) is not None), {}
    )
    description = _field(tool, "description")
    return {
        "name": name,
        "description": str(description) if description else "",
        "parameters": dict(parameters) if isinstance(parameters, Mapping) else parameters,
    }


def mcp_tool_signal(artifact_id: str, raw: Any) -> str:
    """Return a SHA-256 over name, description and parameter schema (64 hex digits).

    A changed schema changes it, though the schema is never embedded; the order of its keys and
    every other field do not.
    """
    tool = mcp_tool_record(raw)
    fields = [tool["name"], tool["description"], tool["parameters"]]
    return digest_json(fields, ascii_only=True)


def param_names(artifact_id: str, raw: Any) -> dict[str, Any]:
    """Return the filter field of a tool: the names of its top-level parameters, in order."""
    schema = mcp_tool_record(raw)["parameters"]
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    names = [str(name) for name in properties] if isinstance(properties, Mapping) else []
    return {"param_names": names}


def tools_scope(tools: Any, name: str) -> RecordScope:
    """Return the normalised tool records of a catalogue by tool name.

    ``tools`` is an iterable of tools, a mapping from name to tool (a tool's own name wins), the
    result of an MCP ``tools/list`` call, or a fetcher of any of these.

    Raises:
        ParameterError: for a tool without a name, or a name that comes twice.
        SourceError: when a fetcher fails.
    """
    records: dict[str, dict[str, Any]] = {}
    for tool in _listed(tools, name):
        record = mcp_tool_record(tool)
        if record["name"] in records:
            raise ParameterError(
                f"duplicate tool name {record['name']!r} in corpus {name!r}",
                hint="prefix the names with their server before merging catalogues",
            )
        records[record["name"]] = record
    return RecordScope(records)


def _listed(tools: Any, corpus: str) -> Iterable[Any]:
    if isinstance(tools, str) or callable(tools):
        tools = call_fetcher(tools, corpus)
    if isinstance(tools, Mapping):
        inner = tools.get("tools")
        if isinstance(inner, (list, tuple)):
            return inner
        return [_named(key, tool) for key, tool in tools.items()]
    if not isinstance(tools, Iterable) or isinstance(tools, (bytes, bytearray)):
        raise ParameterTypeError(
            f"the tools of corpus {corpus!r} must be tool records, not {type(tools).__name__}"
        )
    return tools


def _named(key: Any, tool: Any) -> Any:
    """Return the tool, under its key when it has no name of its own."""
    if _field(tool, "name"):
        return tool
    fields = {field: _field(tool, field) for field in ("description", *MCP_TOOL_PARAM_KEYS)}
    return {"name": str(key), **fields}


def _field(tool: Any, name: str) -> Any:
    return tool.get(name) if isinstance(tool, Mapping) else getattr(tool, name, None)


def _short(tool: Any) -> str:
    text = repr(tool)
    return text if len(text) <= 200 else text[:199] + "…"
