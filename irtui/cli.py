"""The command line: words in, one command run, its result shown, an exit status out.

Standard output carries results only: with a format for programs it is valid or empty. Everything
else (errors, hints, warnings, notes, progress) goes to standard error.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

from irtui import exit_codes
from irtui.commands.arguments import parse_arguments
from irtui.commands.context import Context
from irtui.commands.output import Output, check_shown_fields, is_for_programs, split_output
from irtui.commands.registry import all_commands, lookup
from irtui.commands.spec import Command, Result, UsageError
from irtui.remarks import Remarks, write_quietly
from irtui.signals import Interrupts, Terminated

__all__ = ["main"]

_BEFORE_THE_VERB = ("--json", "--jsonl", "--quiet", "-q", "--verbose", "-v")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status. Nothing is raised."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    remarks = Remarks(json_errors=is_for_programs(_before_dashes(words)))
    with Interrupts(_say_stopping, _leave_at_once) as interrupts, warnings.catch_warnings():
        warnings.showwarning = remarks.warn_once()
        try:
            status = _run(words, interrupts, remarks)
            _print("")
        except BrokenPipeError:
            _silence_stdout()
            return exit_codes.OK
        except _OutputLost as lost:
            _silence_stdout()
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
    words = [*words[verb : verb + 1], *words[:verb], *words[verb + 1 :]]
    first = (
        words[0]
        if words
        else "tui"
        if sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()
        else "--help"
    )
    if first == "tui":
        from irtui.tui.start import start

        return start(words[1:])
    if first in ("--help", "-h"):
        return _print(_overview())
    if first in ("--version", "-V", "version"):
        from irengine import __version__

        return _print(f"irtui {__version__}\n")
    if first == "--maintain":
        from irtui.headless import maintain_headless

        return maintain_headless(words[1:], interrupts, _print, remarks)
    if first == "help":
        return _print(_help(lookup(words[1])) if len(words) > 1 else _overview())
    if first.startswith("-"):
        raise UsageError(f"irtui has no option {first}", hint="see irtui --help")
    command = lookup(first)
    if {"--help", "-h"} & set(_before_dashes(words[1:])):
        return _print(_help(command))
    arguments, output = split_output(command, parse_arguments(command, words[1:]))
    remarks.quiet, remarks.json_errors = output.quiet, output.json_errors
    remarks.as_events = output.progress == "jsonl"
    _read_stdin(command, arguments)
    result = _execute(command, arguments, output, interrupts, remarks)
    status = _show(command, result, output, remarks)
    if status == exit_codes.INTERRUPTED and interrupts.terminated:
        return exit_codes.TERMINATED
    return status


def _execute(
    command: Command,
    arguments: dict[str, Any],
    output: Output,
    interrupts: Interrupts,
    remarks: Remarks,
) -> Result:
    """Run the handler with progress and a way to cancel it."""
    from irtui.logs import shown_logs
    from irtui.render.progress import progress_on

    with shown_logs(remarks.say), progress_on(sys.stderr, output.progress, output.quiet) as shown:
        context = Context(
            progress=shown.update,
            on_cancel=interrupts.watch,
            confirm=_confirm,
            note=shown.quietly(remarks.note),
        )
        return command.handler(context, **arguments)


def _read_stdin(command: Command, arguments: dict[str, Any]) -> None:
    """Put the lines of standard input in the place of a ``-``."""
    for param in command.params:
        if param.stdin and "-" in arguments[param.name] and sys.stdin is not None:
            lines = [line.rstrip("\r\n") for line in sys.stdin]
            at = arguments[param.name].index("-")
            arguments[param.name][at : at + 1] = [line for line in lines if line]


def _show(command: Command, result: Result, output: Output, remarks: Remarks) -> int:
    """Write the result in the form that was asked for; return the exit status."""
    from irtui.render.shapes import rows_of

    shape = command.output.full() if result.options.get("full") else command.output
    check_shown_fields(command, result.data, output.fields)
    if output.form:
        from irtui.render.formats import formatted

        text = formatted(
            result.data,
            shape,
            output.form,
            fields=output.fields,
            ascii_only=(sys.stdout.encoding or "").lower().replace("-", "") != "utf8",
            terminal=sys.stdout.isatty(),
            envelope=_envelope(command, result) if output.envelope else None,
        )
        _print(text, raw=output.form == "files")
    else:
        from irtui.render.look import look_of
        from irtui.render.views import show, show_fields

        look = look_of(sys.stdout)
        if output.fields:
            _print(show_fields(result.data, shape, output.fields, look))
        else:
            _print(show(result.view, result.data, result.options, look))
    if output.form in ("", "csv", "tsv", "md", "files"):
        for note in result.notes:
            remarks.note(note)
    empty = output.fail_empty and not rows_of(result.data, shape)
    return result.status or (exit_codes.FAILED if empty else exit_codes.OK)


def _envelope(command: Command, result: Result) -> dict[str, Any]:
    return {
        "schema": command.output.schema,
        "command": command.name,
        "status": result.status,
        "notes": list(result.notes),
    }


class _OutputLost(Exception):
    """Standard output takes no more: it is closed, or its disk is full."""


def _print(text: str, *, raw: bool = False) -> int:
    """Write results at once: before remarks, also when both go to one file.

    ``raw`` writes the names of files as the bytes they are, where a program reads them.
    """
    buffer = getattr(sys.stdout, "buffer", None)
    try:
        if raw and buffer is not None and not sys.stdout.isatty():
            buffer.write(text.encode(sys.getfilesystemencoding(), "surrogateescape"))
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _OutputLost(error.strerror or str(error)) from error
    return exit_codes.OK


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


def _open_missing_streams() -> None:
    """Stand in for streams the process was started without (``>&-``).

    Python has ``None`` for them. What goes to standard error then is lost; what goes to standard
    output fails when it is written, as it would have.
    """
    if sys.stdout is None:
        sys.stdout = _stand_in(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stand_in(os.O_WRONLY)


def _stand_in(mode: int) -> TextIO:
    # The lowest free number is the missing one; a process started by this one needs it as well.
    number = os.open(os.devnull, mode)
    os.set_inheritable(number, True)
    return open(number, "w", encoding="utf-8", closefd=False)


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


def _silence_stdout() -> None:
    """Point standard output at nothing: the interpreter flushes it once more at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
