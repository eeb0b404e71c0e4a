"""Errors of a line: where, what, and what to do about it."""

from __future__ import annotations

import re

from irtui import exit_codes
from irtui.commands.spec import UsageError
from irtui.grammar.lines import Parsed
from irtui.grammar.problems import GrammarError, Span, marked, place_of
from irtui.remarks import Remarks

__all__ = ["report", "span_of"]

_NAME = re.compile(r"""[^\s|,()"'-][^\s|,()"']*""")


def report(remarks: Remarks, error: Exception, parsed: Parsed, *, name: str = "") -> int:
    """Tell about an error of a line and return its exit status.

    Args:
        remarks: takes it.
        error: what was raised.
        parsed: the line.
        name: what to call the source; with it the message begins with ``name:line:column:``.
    """
    from irengine.errors import IrError
    from irtui.shell.running import StatusError

    if isinstance(error, StatusError):
        if name:
            line, column = place_of(parsed.source, span_of(parsed, error).start)
            place = {"file": name, "line": str(line), "column": str(column)}
            remarks.report("status", error.message, **place)
        elif error.message.startswith("the command after"):
            remarks.note(error.message)
        return error.status
    if isinstance(error, UsageError):
        code, message, hint, status = error.code, error.message, error.hint, exit_codes.USAGE
    elif isinstance(error, IrError):
        code, message, hint = error.code, error.message, error.hint
        status = exit_codes.exit_code(error)
    else:
        from irtui.crash import crash_message

        message, hint = crash_message(error)
        code, status = "internal", exit_codes.INTERNAL
    if isinstance(error, GrammarError) and error.excerpt:
        line, column, excerpt = error.line, error.column, error.excerpt
    else:
        span = span_of(parsed, error)
        line, column = place_of(parsed.source, span.start)
        # Where only one line was typed, a mark under its command says nothing.
        excerpt = marked(parsed.source, span) if name or span != _verb(parsed) else ""
    place = {"line": str(line), "column": str(column), "excerpt": excerpt}
    if name:
        place["file"] = name
    remarks.report(code, message, _of_a_line(hint), **place)
    return status


def _of_a_line(hint: str) -> str:
    """Return a hint for a place where commands are typed without the name of the program."""
    return hint.replace("see irtui ", "see ").replace("for example: irtui ", "for example: ")


def _verb(parsed: Parsed) -> Span:
    from irtui.grammar.syntax import Pipeline

    statement = parsed.statement
    return statement.command.verb.span if isinstance(statement, Pipeline) else parsed.span


def span_of(parsed: Parsed, error: Exception) -> Span:
    """Return where in its line an error most likely is: the word it names, or the verb."""
    from irtui.grammar.syntax import Assertion, Pipeline

    statement = parsed.statement
    if isinstance(statement, Assertion) or not isinstance(statement, Pipeline):
        return parsed.span
    message = str(getattr(error, "message", error))
    if (within := getattr(error, "within", None)) is not None:
        return _named_in(parsed.source, within, message)
    if statement.output is not None and message.startswith(statement.output.path.text):
        return statement.output.path.span
    for word in statement.command.words:
        flag = word.text.partition("=")[0] if word.text.startswith("--") else word.text[:2]
        if repr(word.text) in message or (word.is_option and flag in message.split()):
            return word.span
    for token in parsed.tokens:
        source = parsed.source[slice(*token.span)]
        if token.kind in ("name", "reference", "value") and _is_named(source, message):
            return token.span
    return statement.command.verb.span


def _named_in(source: str, stage: Span, message: str) -> Span:
    """Return where in a stage the name is that a message quotes, else all of the stage."""
    for found in _NAME.finditer(source, *stage):
        if _is_named(found[0], message):
            return Span(*found.span())
    return stage


def _is_named(word: str, message: str) -> bool:
    """Return whether a message quotes a word, or speaks of the reference it is."""
    if repr(word) in message:
        return True
    named = message.replace(":", " ").replace(",", " ").split()
    return word.startswith("$") and word.partition(".")[0] in named
