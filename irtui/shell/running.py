"""One line of a session: read, filled in, run, shown."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from irtui import exit_codes
from irtui.commands.arguments import parse_arguments
from irtui.commands.output import NOTED, Output, check_shown_fields, split_output
from irtui.commands.registry import lookup, misspelt
from irtui.commands.spec import Command, Result, UsageError
from irtui.grammar.lines import Parsed, parse_line
from irtui.grammar.problems import GrammarError, Span
from irtui.grammar.syntax import Assertion, Comment, Pipeline
from irtui.grammar.syntax import Session as Meta
from irtui.shell.asserting import check
from irtui.shell.front import Front
from irtui.shell.meta import PLAIN_VERBS, run_meta
from irtui.shell.names import held_of, rows_meant
from irtui.shell.session import Held, Session
from irtui.shell.showing import envelope_of
from irtui.shell.stages import Shown, apply_stages
from irtui.shell.targets import write_to
from irtui.shell.verbs import VERBS
from irtui.shell.words import Bound, bind

__all__ = ["StatusError", "run_line", "run_statement"]


class StatusError(Exception):
    """A command ran to its end, yet did not do all of what a later line may rely on.

    Attributes:
        message: what ended how.
        status: the exit status it gives.
        within: the stage that ended so; ``None`` for the command of the line.
    """

    def __init__(self, command: str, status: int, within: Span | None = None) -> None:
        self.message = f"{command} ended with status {status}"
        super().__init__(self.message)
        self.within = within
        self.status = status if 0 < status < 256 else exit_codes.FAILED


def run_line(session: Session, text: str, front: Front) -> int:
    """Run one line in ``session``, report what goes wrong to ``front``, return the exit status.

    Results go to ``front.write`` as text. Nothing is raised but ``KeyboardInterrupt`` and what
    ends the process; this is for front ends that show one line after the other.
    """
    from irtui.shell.reporting import report

    parsed = parse_line(text)
    try:
        return run_statement(session, parsed, front)
    except Exception as error:  # noqa: BLE001 - the one catch-all of a session's lines
        session.status = report(front.remarks, error, parsed)
        return session.status


def run_statement(session: Session, parsed: Parsed, front: Front) -> int:
    """Run one parsed statement and return the exit status of its command.

    Raises:
        GrammarError: for a line that is not in the language, or speaks of what is not there.
        UsageError: for arguments that make no sense.
        AssertionFailed: for an ``assert`` that does not hold.
        StatusError: for a command that changes something and ended with a status other than 0.
        IrError: what the engine raises.
    """
    statement = parsed.check()
    if statement is None or isinstance(statement, Comment):
        return exit_codes.OK
    if isinstance(statement, Meta):
        return run_meta(session, statement, front)
    if isinstance(statement, Assertion):
        check(session, statement.condition)
        return exit_codes.OK
    command = statement.command
    if command.verb.text in PLAIN_VERBS and not statement.stages and statement.output is None:
        return run_meta(session, Meta(PLAIN_VERBS[command.verb.text], command.words), front)
    return _run_pipeline(session, parsed, statement, front)


def _run_pipeline(session: Session, parsed: Parsed, pipeline: Pipeline, front: Front) -> int:
    began = time.perf_counter()
    verb = pipeline.command.verb
    notes: tuple[str, ...] = ()
    command: Command | None = None
    output = Output()
    missing: tuple[Mapping[str, Any], ...] = ()
    envelope: dict[str, Any] = {}
    if verb.ref is not None:
        if pipeline.command.words:
            raise GrammarError("a result takes no arguments", hint="put | before a stage")
        held = _held(session, pipeline)
    elif verb.text in VERBS:
        held = VERBS[verb.text].run(session, pipeline.command.words, front)
        if pipeline.command.words and not (pipeline.stages or pipeline.output or pipeline.name):
            # What was said on the way is the answer; $1 and $_ stay what they are.
            session.status = exit_codes.OK
            return exit_codes.OK
    else:
        command, words = _command(session, pipeline, front)
        held, output, result, envelope = _call(session, command, words, front, parsed)
        notes, missing = () if output.quiet else result.notes, result.missing
    if not output.form and session.settings.form:
        output = replace(output, form=session.settings.form)
    shown_held, shown = apply_stages(session, held, pipeline.stages, output)
    session.seconds = time.perf_counter() - began
    # Rows of another result have new numbers only where they are seen as a list.
    seen = shown.special not in ("ids", "count") and not (shown.shell or pipeline.output)
    numbered = pipeline.name is None and (verb.ref is None or seen)
    session.take(shown_held, numbered=numbered)
    if pipeline.name is not None:
        session.named[pipeline.name] = shown_held
        if session.interactive:
            front.remarks.note(f"${pipeline.name} has {len(shown_held.rows)} rows")
    status = _show(session, pipeline, shown_held, shown, front, envelope)
    if shown.output.form in NOTED:
        for note in notes:
            front.remarks.note(note)
    if shown.output.form != "json":
        front.remarks.report_missing(missing)
    if shown.picked is not None:
        picked = len(session.selection.rows)
        front.remarks.note(f"{shown.picked} selected, {picked} in all")
    if output.fail_empty and not shown_held.rows:
        status = status or exit_codes.FAILED
    session.status = status
    strict = output.fail_empty or (command is not None and command.effect != "read")
    if status and strict:
        raise StatusError(verb.text, status)
    return status


def _held(session: Session, pipeline: Pipeline) -> Held:
    """Return the result a line begins with, or the rows of the listing it names."""
    ref = pipeline.command.verb.ref
    if ref is None or ref.field or ref.name == "q":
        raise GrammarError(
            "a line begins with a command or a result",
            hint=":vars lists what there is; a field stands in a condition or an argument",
        )
    if not ref.name.isdigit():
        return held_of(session, ref)
    held, rows = rows_meant(session, ref)
    return replace(held, data=[dict(row) for row in rows], shape=replace(held.shape, rows=""))


def _command(session: Session, pipeline: Pipeline, front: Front) -> tuple[Command, tuple[Any, ...]]:
    verb, words = pipeline.command.verb, pipeline.command.words
    try:
        return lookup(verb.text), words
    except UsageError as error:
        if not session.interactive:
            raise
        near = error.hint if error.hint.startswith("did you mean") else ""
        if near and len(words) == 0:
            raise
        near = near if misspelt(verb.text) else ""
    if "bare" not in session.hinted or near:
        session.hinted.add("bare")
        front.remarks.note(f"read as a question: discover {verb.text} …{near and f' ({near})'}")
    return lookup("discover"), (verb, *words)


def _call(
    session: Session,
    command: Command,
    words: tuple[Any, ...],
    front: Front,
    parsed: Parsed,
) -> tuple[Held, Output, Result, dict[str, Any]]:
    """Run a command and return its result, how it is wanted, the same whole, and its envelope."""
    bound = bind(command, words, session)
    arguments, output = split_output(command, parse_arguments(command, bound.words))
    if bound.query:
        session.query = bound.query
    session.changed = session.changed or command.effect != "read"
    with _quiet(front, output), front.lend(output) as context:
        context.strict, context.finished = not session.interactive, True
        try:
            result = front.run(command, context, arguments)
        except GrammarError as error:
            _place(error, bound, words, parsed)
            raise
    shape = command.output.full() if result.options.get("full") else command.output
    check_shown_fields(command.name, result.data, output.fields, shape)
    held = Held(
        command.name,
        result.data,
        shape,
        result.view,
        dict(result.options),
        result.status,
    )
    return held, output, result, envelope_of(command, result)


class _quiet:  # noqa: N801 - used like a function
    """Let remarks be left out for the time of a command that is to be quiet."""

    def __init__(self, front: Front, output: Output) -> None:
        self._remarks, self._quiet = front.remarks, output.quiet
        self._events = output.progress == "jsonl"

    def __enter__(self) -> None:
        self._before = (self._remarks.quiet, self._remarks.as_events)
        self._remarks.quiet = self._remarks.quiet or self._quiet
        self._remarks.as_events = self._remarks.as_events or self._events

    def __exit__(self, *_: object) -> None:
        self._remarks.quiet, self._remarks.as_events = self._before


def _place(error: GrammarError, bound: Bound, words: tuple[Any, ...], parsed: Parsed) -> None:
    """Let an error in a query, or in a filter option, say where in the source it is."""
    from irtui.grammar.problems import marked, place_of

    if not error.excerpt:
        return
    offset = error.column - 1
    option = error.excerpt.partition("\n")[0]
    for word in words if error.message.startswith("--filter: ") else ():
        if word.text.endswith(option):
            begin = parsed.source.find(option, *word.span)
            at = word.span.start if begin < 0 else begin + offset
            break
    else:
        if not bound.places:
            return
        start, span = max(
            ((start, span) for start, span in bound.places if start <= offset),
            default=bound.places[0],
            key=lambda pair: pair[0],
        )
        at = min(span.start + offset - start, max(span.start, span.end - 1))
    error.line, error.column = place_of(parsed.source, at)
    error.excerpt = marked(parsed.source, Span(at, at + 1))


def _show(
    session: Session,
    pipeline: Pipeline,
    held: Held,
    shown: Shown,
    front: Front,
    envelope: dict[str, Any],
) -> int:
    """Write the result where it is wanted; return the exit status of the line."""
    if pipeline.name is not None and not pipeline.output and not shown.shell:
        return held.status
    from irtui.shell.presenting import text_of

    if pipeline.output is not None:
        from irtui.grammar.binding import plain_words
        from irtui.shell.names import value_of

        (path,) = plain_words([pipeline.output.path], lambda ref: value_of(session, ref)) or ("",)
        text = text_of(held, shown, None, envelope)
        write_to(path, text, append=pipeline.output.append)
        return held.status
    if shown.shell:
        status = front.pipe(shown.shell, text_of(held, shown, None, envelope))
        if status:
            session.status = exit_codes.FAILED
            raise StatusError("the command after !", status, pipeline.stages[-1].span)
        return held.status
    front.write(text_of(held, shown, front.sink(), envelope), raw=shown.output.form == "files")
    return held.status
