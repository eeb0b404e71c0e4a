"""Command lines and scripts, read leniently: always an answer, with what is not right beside it.

::

    line      = [ name "=" ] pipeline | ":" word { word } | "assert" condition | comment
    pipeline  = command { "|" stage } [ (">" | ">>") path ]
    command   = verb { word }
    stage     = "head" [ n ] | "tail" [ n ] | "where" condition | "sort" key [ "asc" | "desc" ]
              | "fields" name { name } | "!" shell-command | one of RENDERS

A statement ends with its line, unless a quote, a parenthesis or a ``|`` is open there or a
backslash stands before the line break. ``#`` begins a comment on a fresh line, elsewhere only
between blanks, so that ``#1c9a4c`` can be an argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from irengine.errors import nearest
from irtui.grammar.conditions import read_condition
from irtui.grammar.problems import Problem, Span, place_of, raise_first
from irtui.grammar.scanning import Scanner, Token
from irtui.grammar.syntax import (
    Assertion,
    Command,
    Comment,
    Fields,
    Output,
    Pipeline,
    Render,
    Session,
    Shell,
    Sort,
    Stage,
    Statement,
    Take,
    Where,
    Word,
)

__all__ = ["RENDERS", "RESERVED", "STAGES", "Parsed", "parse_line", "parse_script"]

RENDERS = ("ids", "count", "json", "jsonl", "csv", "tsv", "md", "table", "files", "select")
"""Stages of one word."""

RESERVED = ("_", "sel", "q")
"""Names that cannot be assigned: the last result, the selection, the last query."""

_ASSIGNMENT = re.compile(r"([^\W\d]\w*)[^\S\n]+=(?=\s|\\|$)")
_GLUED = re.compile(r"[^\W\d]\w*=")
_SESSION = re.compile(r":([\w?!-]*)")
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_DFLT_COUNT = 10


@dataclass(frozen=True, slots=True)
class Parsed:
    """One statement, as far as it could be understood.

    ``statement`` is ``None`` when nothing could. Spans are places in ``source``, which may hold
    other statements as well.
    """

    source: str
    span: Span
    statement: Statement | None
    tokens: tuple[Token, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def state(self) -> Literal["complete", "incomplete", "wrong"]:
        """Whether it can run, more text could mend it, or it has to be changed."""
        if not self.problems:
            return "complete"
        wrong = any(not problem.incomplete for problem in self.problems)
        return "wrong" if wrong else "incomplete"

    @property
    def line(self) -> int:
        """The number of the line it begins in, from 1."""
        return place_of(self.source, self.span.start)[0]

    @property
    def text(self) -> str:
        """How it is written."""
        return self.source[slice(*self.span)]

    def check(self) -> Statement | None:
        """Return the statement.

        Raises:
            GrammarError: when it is not complete.
        """
        raise_first(self.source, self.problems)
        return self.statement


def parse_line(text: str, *, strict: bool = False) -> Parsed:
    """Parse one statement; what follows it is a problem.

    Raises:
        GrammarError: with ``strict``, for the first problem; never otherwise.
    """
    reader = _Reader(text)
    parsed = reader.next() or Parsed(text, Span(0, 0), None)
    second = reader.next()
    if second is not None:
        problem = Problem("this is a second command", second.span, "give one at a time")
        parsed = Parsed(
            text, parsed.span, parsed.statement, parsed.tokens, (*parsed.problems, problem)
        )
    if strict:
        parsed.check()
    return parsed


def parse_script(text: str, *, strict: bool = False) -> list[Parsed]:
    """Parse every statement of a script, comments included, in order.

    Raises:
        GrammarError: with ``strict``, for the first statement that has a problem.
    """
    reader = _Reader(text)
    statements: list[Parsed] = []
    while (parsed := reader.next()) is not None:
        if strict:
            parsed.check()
        statements.append(parsed)
    return statements


class _Reader:
    """Reads the statements of one source one after the other."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def next(self) -> Parsed | None:
        """Read the next statement; ``None`` at the end."""
        scanner = Scanner(self.source)
        scanner.at = self.at
        scanner.blank(lines=True)
        start = scanner.at
        if start >= len(self.source) and not scanner.problems:
            return None
        statement = _statement(scanner)
        scanner.blank()
        end = scanner.at
        if not scanner.at_end():
            end = scanner.source.find("\n", scanner.at)
            end = len(self.source) if end < 0 else end
            rest = scanner.source[scanner.at : scanner.at + 4]
            half_typed = "and".startswith(rest) or "or".startswith(rest)
            scanner.problem("this is not expected here", scanner.at, end, incomplete=half_typed)
        elif scanner.at_comment():
            scanner.comment()
        self.at = max(end, scanner.at)
        return Parsed(
            self.source,
            Span(start, max(start, end)),
            statement,
            tuple(scanner.tokens),
            tuple(scanner.problems),
        )


def _statement(scanner: Scanner) -> Statement | None:
    if scanner.at_comment():
        return Comment(scanner.comment())
    if scanner.peek() == ":":
        return _session(scanner)
    if (
        scanner.peek(6) == "assert"
        and scanner.source[scanner.at + 6 : scanner.at + 7].strip() == ""
    ):
        scanner.at += 6
        scanner.token("keyword", scanner.at - 6)
        condition = read_condition(scanner)
        return None if condition is None else Assertion(condition)
    return _pipeline(scanner, _assigned(scanner))


def _session(scanner: Scanner) -> Session | None:
    match = _SESSION.match(scanner.source, scanner.at)
    assert match is not None  # noqa: S101 - it is there: the caller saw the colon
    scanner.at = match.end()
    scanner.token("session", match.start())
    if not match[1]:
        scanner.problem(
            "the name of a session command is missing",
            match.start(),
            match.end(),
            hint=":help lists them",
            incomplete=scanner.at >= len(scanner.source),
        )
        return None
    words = _words(scanner)
    return Session(match[1], words)


def _assigned(scanner: Scanner) -> str | None:
    """Read ``name =``."""
    match = _ASSIGNMENT.match(scanner.source, scanner.at)
    if match is None:
        return None
    scanner.token("name", match.start(1), match.end(1))
    scanner.token("operator", match.end() - 1, match.end())
    scanner.at = match.end()
    if match[1] in RESERVED:
        scanner.problem(
            f"${match[1]} cannot be assigned", match.start(1), match.end(1), hint="use another name"
        )
    return match[1]


def _pipeline(scanner: Scanner, name: str | None) -> Pipeline | None:
    scanner.blank()
    start = scanner.at
    verb = scanner.word("verb")
    if verb is None:
        ended = not scanner.source[start:].strip()
        scanner.problem("a command is missing here", start, start + 1, incomplete=ended)
        return None
    if verb.is_bare and _GLUED.match(verb.text):
        scanner.problem(
            "there is no command of that name",
            *verb.span,
            hint="blanks stand around the = of an assignment: name = command",
        )
    command = Command(verb, _words(scanner))
    stages: list[Stage] = []
    while scanner.peek() == "|":
        scanner.at += 1
        scanner.token("pipe", scanner.at - 1)
        first = len(scanner.tokens)
        stage = _stage(scanner)
        if stage is not None:
            span = Span(scanner.tokens[first].span.start, scanner.tokens[-1].span.end)
            stages.append(replace(stage, span=span))
        scanner.blank()
    output = _output(scanner)
    return Pipeline(command, tuple(stages), output, name)


def _words(scanner: Scanner) -> tuple[Word, ...]:
    """Read the words up to a ``|``, a ``>`` or the end."""
    words: list[Word] = []
    while True:
        scanner.blank()
        if scanner.at_end() or scanner.peek() in ("|", ">"):
            return tuple(words)
        word = scanner.word()
        if word is None:
            return tuple(words)
        words.append(word)


def _output(scanner: Scanner) -> Output | None:
    if scanner.peek() != ">":
        return None
    start = scanner.at
    append = scanner.peek(2) == ">>"
    scanner.at += 2 if append else 1
    scanner.token("redirect", start)
    scanner.blank()
    path = None if scanner.at_end() else scanner.word("path")
    if path is None:
        ended = not scanner.source[scanner.at :].strip()
        scanner.problem(
            "the name of a file is missing here",
            start,
            scanner.at,
            hint=r"write \> for the sign itself",
            incomplete=ended,
        )
        return None
    return Output(path, append)


# --- stages -------------------------------------------------------------------------------


def _stage(scanner: Scanner) -> Stage | None:
    scanner.blank(lines=True)
    start = scanner.at
    if scanner.peek() == "!":
        return _shell(scanner)
    word = scanner.word("stage")
    if word is None:
        ended = not scanner.source[start:].strip()
        scanner.problem(
            "a stage is missing after |", start - 1, start, hint=_KNOWN, incomplete=ended
        )
        return None
    read = _READERS.get(word.text) if word.is_bare else None
    if read is not None:
        return read(scanner, word)
    words = _words(scanner)
    if word.text in RENDERS:
        _refuse(scanner, words, f"{word.text} takes nothing")
        return Render(word.text)
    half_typed = word.span.end == len(scanner.source) and any(
        name.startswith(word.text) for name in STAGES
    )
    scanner.problem(
        f"there is no stage {word.text!r}",
        *word.span,
        hint=nearest(word.text, STAGES) or _KNOWN,
        incomplete=half_typed,
    )
    return None


def _refuse(scanner: Scanner, words: tuple[Word, ...], message: str) -> None:
    if words:
        scanner.problem(message, words[0].span.start, words[-1].span.end)


def _shell(scanner: Scanner) -> Shell | None:
    """Read the rest of the line; it is the business of the system's shell."""
    start = scanner.at
    end = scanner.source.find("\n", start)
    end = len(scanner.source) if end < 0 else end
    scanner.at = end
    scanner.token("shell", start)
    command = scanner.source[start + 1 : end].strip()
    if not command:
        ended = end == len(scanner.source)
        scanner.problem("a command is missing after !", start, start + 1, incomplete=ended)
        return None
    return Shell(command)


def _take(scanner: Scanner, word: Word) -> Stage | None:
    words = _words(scanner)
    end: Literal["head", "tail"] = "head" if word.text == "head" else "tail"
    if not words:
        return Take(end, _DFLT_COUNT)
    _refuse(scanner, words[1:], f"{end} takes one number")
    text = words[0].text.removeprefix("-n") if words[0].is_bare else ""
    if not _COUNT.fullmatch(text):
        scanner.problem(f"{end} takes a number of rows, not {words[0].text!r:.40}", *words[0].span)
        return None
    return Take(end, int(text))


def _where(scanner: Scanner, word: Word) -> Stage | None:
    del word
    condition = read_condition(scanner)
    if condition is None:
        # What follows could not be understood; the next stage can be.
        while not scanner.at_end() and scanner.peek() != "|":
            if not scanner.blank() and scanner.word() is None:
                scanner.at += 1
        return None
    return Where(condition)


def _sort(scanner: Scanner, word: Word) -> Stage | None:
    words = _words(scanner)
    if not words:
        _missing(scanner, word, "sort needs the name of a field")
        return None
    text = words[0].text
    descending = words[0].is_bare and text.startswith("-")
    key = text[1:] if descending else text
    order = words[1].text.lower() if len(words) > 1 else ""
    if order not in ("", "asc", "desc"):
        scanner.problem("sort goes asc or desc", *words[1].span)
    _refuse(scanner, words[2:], "sort takes one field")
    if not key or key.startswith("-"):
        scanner.problem("this is no name of a field", *words[0].span)
        return None
    return Sort(key, descending != (order == "desc"))


def _fields(scanner: Scanner, word: Word) -> Stage | None:
    names: list[str] = []
    for each in _words(scanner):
        if each.is_bare:
            names += [name for name in each.text.split(",") if name]
        elif each.text:
            names.append(each.text)
    if not names:
        _missing(scanner, word, "fields needs names of fields")
        return None
    return Fields(tuple(names))


def _missing(scanner: Scanner, word: Word, message: str) -> None:
    ended = not scanner.source[scanner.at :].strip()
    scanner.problem(message, *word.span, incomplete=ended)


_READERS: dict[str, Callable[[Scanner, Word], Stage | None]] = {
    "head": _take,
    "tail": _take,
    "where": _where,
    "sort": _sort,
    "fields": _fields,
}

STAGES = (*_READERS, *RENDERS)
"""The names of all stages but ``!``."""

_KNOWN = f"stages: {', '.join(STAGES)}, ! SHELL-COMMAND"
