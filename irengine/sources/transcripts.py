"""One Claude Code transcript (JSON lines) as turns: what was asked, and what came of it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Transcript", "parse_transcript"]

_MAX_LINE = 32_000_000
# Lines that cannot hold a prompt, an answer or a title, and are often huge. The quotes are bare
# only where they are JSON's own: inside a JSON string they would be escaped.
_TOOL_RESULT = b'"type":"tool_result"'

# What the harness wraps around, or puts in place of, what the person typed.
_INJECTED = re.compile(
    r"<(system-reminder|local-command-(?:stdout|stderr|caveat)|command-(?:stdout|stderr|contents)"
    r"|ide_[a-z_]+|bash-(?:stdout|stderr)|task-notification|user-prompt-submit-hook)>"
    r".*?</\1>",
    re.DOTALL,
)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_BASH = re.compile(r"<bash-input>\s*(.*?)\s*</bash-input>", re.DOTALL)
_NOT_TYPED = ("[Request interrupted", "Caveat: The messages below were generated")
_TITLE_KEYS = ("customTitle", "aiTitle", "title", "summary")
_TITLE_RANK = {"custom-title": 3, "ai-title": 2, "title": 2, "summary": 1}


@dataclass(slots=True)
class _Turn:
    uuid: str
    prompt: str
    timestamp: str
    cwd: str
    branch: str
    texts: list[str] = field(default_factory=list)
    last_text: str = ""
    after_tools: list[str] = field(default_factory=list)
    model: str = ""
    used_tools: bool = False


@dataclass(slots=True)
class Transcript:
    """A session: its id, its title (``""`` for none) and its turn records in order.

    ``broken`` counts the lines that are no JSON; the last line of a session that is being
    written often is one.
    """

    session_id: str
    title: str = ""
    records: list[dict[str, Any]] = field(default_factory=list)
    broken: int = 0


def parse_transcript(path: str | os.PathLike[str]) -> Transcript:
    """Read a transcript.

    A turn is a prompt a person typed (no tool result, no injected text, no side chain) with all
    the assistant's text up to the next prompt. ``assistant_summary`` is the text after the last
    tool call, or the last text there is; ``assistant_full`` is all of it.

    Raises:
        OSError: when the file cannot be read.
    """
    source = Path(path)
    transcript = Transcript(source.stem)
    turns: dict[str, _Turn] = {}
    current: _Turn | None = None
    title_rank = 0
    for entry in _entries(source, transcript):
        kind = entry.get("type")
        if kind == "user":
            prompt = _prompt(entry)
            if prompt:
                uuid = str(entry.get("uuid") or f"line-{len(turns)}")
                current = turns.setdefault(uuid, _turn(uuid, prompt, entry))
        elif kind == "assistant":
            if current is not None:
                _answer(current, entry)
        else:
            rank, title = _title(entry)
            if title and rank >= title_rank:
                title_rank, transcript.title = rank, title
    transcript.records = [_record(transcript, turn) for turn in turns.values()]
    return transcript


def _entries(path: Path, transcript: Transcript) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        while line := file.readline(_MAX_LINE):
            if not line.endswith(b"\n") and len(line) >= _MAX_LINE:
                transcript.broken += 1
                while (rest := file.readline(_MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                continue
            if _TOOL_RESULT in line or not line.strip():
                continue
            try:
                entry = json.loads(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                transcript.broken += 1
                continue
            if isinstance(entry, dict) and not entry.get("isSidechain"):
                yield entry


def _blocks(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the content blocks of a message; plain text as one text block."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, Mapping)]


def _prompt(entry: Mapping[str, Any]) -> str:
    """Return what a person typed, or ``""`` for an entry nobody typed."""
    if entry.get("isMeta") or entry.get("isCompactSummary") or entry.get("toolUseResult"):
        return ""
    blocks = _blocks(entry)
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    typed = (_typed(text) for text in texts if isinstance(text, str))
    return "\n\n".join(text for text in typed if text)


def _typed(text: str) -> str:
    text = _INJECTED.sub("", text).strip()
    if text.startswith(_NOT_TYPED):
        return ""
    if command := _COMMAND.search(text):
        arguments = _ARGUMENTS.search(text)
        name = command[1] if command[1].startswith("/") else f"/{command[1]}"
        # A command without arguments ("/clear") asks nothing.
        return f"{name} {arguments[1]}" if arguments and arguments[1] else ""
    if bash := _BASH.search(text):
        return f"! {bash[1]}"
    return text


def _turn(uuid: str, prompt: str, entry: Mapping[str, Any]) -> _Turn:
    def text(key: str) -> str:
        value = entry.get(key)
        return value if isinstance(value, str) else ""

    return _Turn(uuid, prompt, text("timestamp"), text("cwd"), text("gitBranch"))


def _answer(turn: _Turn, entry: Mapping[str, Any]) -> None:
    if entry.get("isApiErrorMessage"):
        return
    message = entry.get("message")
    model = message.get("model") if isinstance(message, Mapping) else None
    if isinstance(model, str) and not model.startswith("<"):
        turn.model = model
    for block in _blocks(entry):
        if block.get("type") == "tool_use":
            turn.used_tools = True
            turn.after_tools = []
        elif block.get("type") == "text":
            text = block.get("text")
            if isinstance(text, str) and text.strip():
                turn.last_text = text.strip()
                turn.texts.append(turn.last_text)
                turn.after_tools.append(turn.last_text)


def _title(entry: Mapping[str, Any]) -> tuple[int, str]:
    rank = _TITLE_RANK.get(str(entry.get("type")), 0)
    found = next((entry[key] for key in _TITLE_KEYS if isinstance(entry.get(key), str)), "")
    return (rank, " ".join(found.split())) if rank else (0, "")


def _record(transcript: Transcript, turn: _Turn) -> dict[str, Any]:
    return {
        "id": f"{transcript.session_id}#{turn.uuid}",
        "user_prompt": turn.prompt,
        "assistant_summary": "\n\n".join(turn.after_tools) or turn.last_text,
        "assistant_full": "\n\n".join(turn.texts),
        "session_id": transcript.session_id,
        "project": Path(turn.cwd).name,
        "cwd": turn.cwd,
        "git_branch": turn.branch,
        "timestamp": turn.timestamp,
        "model": turn.model,
        "has_tool_use": turn.used_tools,
        "session_title": transcript.title,
    }
