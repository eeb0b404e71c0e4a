"""Statements back to text: what is printed parses to the same statement."""

from __future__ import annotations

import re

from irtui.grammar.quoting import escapable, opens_quote
from irtui.grammar.syntax import (
    All,
    AnyOf,
    Assertion,
    Comment,
    Comparison,
    Condition,
    Fields,
    Group,
    Has,
    Not,
    Operand,
    Pipeline,
    Plain,
    Quoted,
    Ref,
    Render,
    Session,
    Shell,
    Sort,
    Stage,
    Statement,
    Take,
    Word,
)
from irtui.grammar.values import NAME, Value

__all__ = ["print_condition", "print_statement", "print_word", "quote"]

_SAFE = re.compile(r"[\w.@/+][\w.@/+-]*")
_KEYWORDS = ("and", "or", "not", "has", "in")


def print_statement(statement: Statement) -> str:
    """Return ``statement`` as one line of text (of several when quotes hold line breaks)."""
    if isinstance(statement, Comment):
        return f"#{statement.text}"
    if isinstance(statement, Session):
        return " ".join([f":{statement.name}", *map(print_word, statement.words)])
    if isinstance(statement, Assertion):
        return f"assert {print_condition(statement.condition)}"
    return _pipeline(statement)


def _pipeline(pipeline: Pipeline) -> str:
    command = pipeline.command
    first = print_word(command.verb)
    if first.startswith((":", "#")):
        first = "\\" + first
    words = [first, *map(print_word, command.words)]
    text = " | ".join([" ".join(words), *map(_stage, pipeline.stages)])
    if pipeline.name is not None:
        text = f"{pipeline.name} = {text}"
    if pipeline.output is not None:
        sign = ">>" if pipeline.output.append else ">"
        text = f"{text} {sign} {print_word(pipeline.output.path)}"
    return text


def _stage(stage: Stage) -> str:
    if isinstance(stage, Take):
        return f"{stage.end} {stage.count}"
    if isinstance(stage, Sort):
        return f"sort {_named(stage.key)}{' desc' if stage.descending else ''}"
    if isinstance(stage, Fields):
        return f"fields {' '.join(map(_named, stage.names))}"
    if isinstance(stage, Render):
        return stage.name
    if isinstance(stage, Shell):
        return f"! {stage.command}"
    return f"where {print_condition(stage.condition)}"


def _named(name: str) -> str:
    return name if _SAFE.fullmatch(name) else quote(name)


def quote(text: str, mark: str = '"') -> str:
    """Return ``text`` in quotes; the quote and the backslash in it are escaped."""
    # A backslash needs one only where it would take the meaning off what follows.
    escaped = re.sub(rf"\\(?=[\\{mark}]|\Z)|{mark}", lambda match: "\\" + match[0], text)
    return f"{mark}{escaped}{mark}"


def print_word(word: Word) -> str:
    """Return ``word`` as it has to be written: only what would mean something else is escaped."""
    pieces: list[str] = []
    for number, part in enumerate(word.parts):
        if isinstance(part, Plain):
            followed = number + 1 < len(word.parts)
            pieces.append(_plain(part.text, is_first=number == 0, is_followed=followed))
        elif isinstance(part, Quoted):
            pieces.append(quote(part.text, '"' if part.double else "'"))
        elif isinstance(part, Group):
            pieces.append(f"({part.text})")
        else:
            pieces.append(_reference(part))
    return "".join(pieces)


def _plain(text: str, *, is_first: bool, is_followed: bool) -> str:
    if is_first and text in ("=", "#") and not is_followed:
        return "\\" + text
    written: list[str] = []
    before = ""
    for at, char in enumerate(text):
        after = text[at + 1 : at + 2]
        if (
            char.isspace()
            or char == "|"
            or (char in "\"'" and opens_quote(char, before))
            or (char == "$" and before in ("", "="))
            or (char == "(" and before == ":")
            or (char == ">" and is_first and at == 0)
            or (char == "\\" and (not after or escapable(after)))
        ):
            written.append("\\")
        written.append(char)
        before = char
    return "".join(written)


def _reference(ref: Ref) -> str:
    until = "" if ref.until is None else f"-{ref.until}"
    return f"${ref.name}{until}{'.' if ref.field else ''}{ref.field}"


def print_condition(condition: Condition) -> str:
    """Return ``condition`` as text, with parentheses only where they matter."""
    if isinstance(condition, (All, AnyOf)):
        word = " and " if isinstance(condition, All) else " or "
        parts = []
        for part in condition.conditions:
            # ``and`` inside ``or`` needs none.
            loose = isinstance(condition, AnyOf) and isinstance(part, All)
            text = print_condition(part)
            parts.append(f"({text})" if isinstance(part, (All, AnyOf)) and not loose else text)
        return word.join(parts)
    if isinstance(condition, Not):
        text = print_condition(condition.condition)
        return f"not ({text})" if isinstance(condition.condition, (All, AnyOf)) else f"not {text}"
    if isinstance(condition, Has):
        return f"has {_operand(condition.left)}"
    return _comparison(condition)


def _comparison(comparison: Comparison) -> str:
    values = [
        _reference(value) if isinstance(value, Ref) else _value(value) for value in comparison.right
    ]
    right = f"({', '.join(values)})" if comparison.operator == "in" else values[0]
    return f"{_operand(comparison.left)} {comparison.operator} {right}"


def _operand(operand: Operand) -> str:
    if isinstance(operand, Ref):
        return _reference(operand)
    plain = NAME.fullmatch(operand) and operand.lower() not in _KEYWORDS
    return operand if plain else quote(operand)


def _value(value: Value) -> str:
    # A bare value may hold anything but blanks and the signs that end it.
    return quote(value.text) if value.quoted else value.text
