"""The command line: words in, one command run, its result shown, an exit status out.

Standard output carries results only: with a format for programs it is valid or empty. Everything
else (errors, hints, warnings, notes, progress) goes to standard error.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.arguments import convert, parse_arguments
from irtui.commands.output import (
    NOTED,
    Output,
    check_shown_fields,
    is_for_programs,
    split_output,
)
from irtui.commands.registry import all_commands, lookup
from irtui.commands.spec import Command, Result, UsageError
from irtui.remarks import Remarks, write_quietly
from irtui.results import OutputLost, holds_text, open_missing_streams, silence_stdout, write_result
from irtui.signals import Interrupts, Terminated

if TYPE_CHECKING:
    from irtui.shell.front import Front

__all__ = ["main"]

_BEFORE_THE_VERB = ("--json", "--jsonl", "--quiet", "-q", "--verbose", "-v")
_SCRIPT = ("-c", "-f", "--command", "--file", "--keep-going", "--echo", "--quiet", "-q")
"""What a script begins with; ``-q`` does only where no verb follows it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status. Nothing is raised."""
    words = list(sys.argv[1:] if argv is None else argv)
    open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    remarks = Remarks(json_errors=is_for_programs(_before_dashes(words)))
    with Interrupts(_say_stopping, _leave_at_once) as interrupts, warnings.catch_warnings():
        warnings.showwarning = remarks.warn_once()
        try:
            status = _run(words, interrupts, remarks)
            write_result("")
        except BrokenPipeError:
            silence_stdout()
            return exit_codes.OK
        except OutputLost as lost:
            silence_stdout()
            remarks.report("output", f"cannot write to standard output: {lost}")
            return exit_codes.FAILED
        except (KeyboardInterrupt, Terminated) as stop:
            terminated = isinstance(stop, Terminated)
            word = "terminated" if terminated else "interrupted"
            remarks.report(word, word)
            return exit_codes.TERMINATED if terminated else exit_codes.INTERRUPTED
        except UsageError as error:
            remarks.report(error.code, error.message, error.hint)
            return exit_codes.USAGE
        except Exception as error:  # noqa: BLE001 - the one catch-all of this front end
            return _failed(error, interrupts, remarks)
    return status


def _run(words: list[str], interrupts: Interrupts, remarks: Remarks) -> int:
    """Dispatch on the first word."""
    verb = next((i for i, word in enumerate(words) if word not in _BEFORE_THE_VERB), 0)
    given = words
    words = [*words[verb : verb + 1], *words[:verb], *words[verb + 1 :]]
    first = words[0] if words else _without_words()
    if first in _SCRIPT or _is_script(first):
        from irtui.shell.scripts import run_words

        return run_words(given or ["-f", "-"], _front(interrupts, remarks))
    if first == "shell":
        return _shell(words[1:], interrupts, remarks)
    if first == "tui":
        return _app(words[1:], interrupts, remarks)
    if first in ("--help", "-h"):
        return write_result(_overview())
    if first in ("--version", "-V", "version"):
        from irengine import __version__

        return write_result(f"irtui {__version__}\n")
    if first == "--maintain":
        from irtui.headless import maintain_headless

        return maintain_headless(words[1:], interrupts, write_result, remarks)
    if first == "help":
        return write_result(_help(lookup(words[1])) if len(words) > 1 else _overview())
    if first.startswith("-"):
        raise UsageError(f"irtui has no option {first}", hint="see irtui --help")
    command = _command(first)
    if {"--help", "-h"} & set(_before_dashes(words[1:])):
        return write_result(_help(command))
    arguments, output = split_output(command, parse_arguments(command, words[1:]))
    remarks.quiet, remarks.json_errors = output.quiet, output.json_errors
    remarks.as_events = output.progress == "jsonl"
    _read_stdin(command, arguments)
    result = _execute(command, arguments, output, _front(interrupts, remarks))
    status = _show(command, result, output, remarks)
    if status == exit_codes.INTERRUPTED and interrupts.terminated:
        return exit_codes.TERMINATED
    return status


def _command(name: str) -> Command:
    """Return a command; a file or folder in its place is taken for something to ask.

    Raises:
        UsageError: when there is no such command.
    """
    try:
        return lookup(name)
    except UsageError as error:
        if os.path.exists(name):  # noqa: PTH110 - no pathlib at start
            from irtui.commands.engine import quoted

            near = error.hint if error.hint.startswith("did you mean") else ""
            error.hint = f"{near} to ask what is in it: irtui try {quoted(name)} QUESTION".strip()
        raise


def _without_words() -> str:
    """Return what is meant without words: the app, a script on standard input, or the overview."""
    if sys.stdin is None:
        return "--help"
    if sys.stdin.isatty():
        return "tui" if sys.stdout.isatty() else "--help"
    return "-f" if holds_text(sys.stdin) else "--help"


def _is_script(word: str) -> bool:
    """Return whether ``word`` is a file to run: what a ``#!`` line makes of one."""
    return word.endswith(".ir") and os.path.isfile(word)  # noqa: PTH113 - no pathlib at start


def _app(words: Sequence[str], interrupts: Interrupts, remarks: Remarks) -> int:
    """Open the app; without a terminal a folder and a question are answered in plain text."""
    from irtui.tui.start import start

    return start(words, lambda path, query: _run(["try", path, query], interrupts, remarks))


def _shell(words: list[str], interrupts: Interrupts, remarks: Remarks) -> int:
    """Open a prompt; what it needs from layers beside or above its own is handed in here."""
    from irtui.shell.scripts import run_words
    from irtui.shell.start import start_shell

    def open_app(options: Sequence[str]) -> int:
        return _app(options, interrupts, remarks)

    return start_shell(
        words,
        run_script=lambda: run_words(["-f", "-"], _front(interrupts, remarks)),
        write=write_result,
        confirm=_confirm,
        stopping=_say_stopping,
        open_app=open_app,
    )


def _front(interrupts: Interrupts, remarks: Remarks) -> Front:
    from irtui.shell.front import process_front

    return process_front(remarks, interrupts, write_result, _confirm)


def _execute(command: Command, arguments: dict[str, Any], output: Output, front: Front) -> Result:
    """Run the handler with progress and a way to cancel it."""
    with front.lend(output) as context:
        context.finished = True
        return command.handler(context, **arguments)


def _read_stdin(command: Command, arguments: dict[str, Any]) -> None:
    """Put the lines of standard input in the place of a ``-``."""
    for param in command.params:
        if param.stdin and "-" in arguments[param.name] and sys.stdin is not None:
            if hasattr(sys.stdin, "reconfigure"):  # names of files need be no UTF-8
                sys.stdin.reconfigure(errors="surrogateescape")
            lines = [line.rstrip("\r\n") for line in sys.stdin]
            at = arguments[param.name].index("-")
            arguments[param.name][at : at + 1] = [convert(param, line) for line in lines if line]


def _show(command: Command, result: Result, output: Output, remarks: Remarks) -> int:
    """Write the result in the form that was asked for; return the exit status."""
    from irtui.render.shapes import rows_of
    from irtui.shell.showing import data_text, envelope_of, sink_of

    shape = command.output.full() if result.options.get("full") else command.output
    check_shown_fields(command.name, result.data, output.fields, shape)
    text = data_text(
        result.data,
        shape,
        output,
        sink_of(sys.stdout),
        view=result.view,
        options=result.options,
        envelope=envelope_of(command, result),
    )
    write_result(text, raw=output.form == "files")
    if output.form == "files" and not output.null:
        names = (str(row.get(shape.file) or "") for row in rows_of(result.data, shape))
        if any("\n" in name for name in names):
            remarks.note("a name holds line ends; -0 tells where each name ends")
    if output.form in NOTED:
        for note in result.notes:
            remarks.note(note)
    if output.form != "json":
        remarks.report_missing(result.missing)
    empty = output.fail_empty and not rows_of(result.data, shape)
    return result.status or (exit_codes.FAILED if empty else exit_codes.OK)


def _failed(error: Exception, interrupts: Interrupts, remarks: Remarks) -> int:
    """Report an error of the engine, or a crash; return the exit status."""
    from irengine.errors import IrError

    if not isinstance(error, IrError):
        from irtui.crash import crash_message

        message, hint = crash_message(error)
        remarks.report("internal", message, hint)
        return exit_codes.INTERNAL
    status = exit_codes.exit_code(error)
    if status == exit_codes.INTERRUPTED and interrupts.terminated:
        status = exit_codes.TERMINATED
    told = error.to_dict()
    remarks.report(**told, excerpt=getattr(error, "excerpt", ""))
    return status


def _confirm(question: str) -> bool:
    """Ask on the terminal; where there is none the answer is no."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from irtui.render.clean import clean_line

    write_quietly(sys.stderr, f"{clean_line(question)} [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _overview() -> str:
    from irtui.render.help import overview

    return overview([command.to_dict() for command in all_commands()])


def _help(command: Command) -> str:
    from irtui.render.help import command_help

    return command_help(command.to_dict())


def _before_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def _say_stopping() -> None:
    """Say that a signal was heard. Signal handlers cannot use a buffered stream."""
    _to_terminal(b"stopping; keeping what is done (press again to stop at once)\n")


def _leave_at_once(status: int) -> None:
    """End the process as it is: a build that is cut off keeps what it committed."""
    if sys.stderr.isatty():
        _to_terminal(b"\x1b[?25h")  # a progress bar hides the cursor
    os._exit(status)


def _to_terminal(message: bytes) -> None:
    try:
        start = b"\n" if sys.stderr.isatty() else b""  # a progress bar or ^C may be on the line
        os.write(sys.stderr.fileno(), start + message)
    except (OSError, ValueError):
        return  # nobody is left to tell
