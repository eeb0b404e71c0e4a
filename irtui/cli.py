"""The command line: words in, one command run, its result shown, an exit status out.

Standard output carries results only: with ``--json`` it is valid JSON or empty. Everything else
(errors, hints, warnings, notes, progress) goes to standard error.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from irtui import exit_codes
from irtui.commands.arguments import parse_arguments
from irtui.commands.context import Context
from irtui.commands.registry import all_commands, lookup
from irtui.commands.spec import Command, Result, UsageError
from irtui.signals import Interrupts, Terminated

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status. Nothing is raised."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    as_json = "--json" in _before_dashes(words)
    with Interrupts(_say_stopping, _leave_at_once) as interrupts, warnings.catch_warnings():
        warnings.showwarning = _warnings_shown_once()
        try:
            status = _run(words, interrupts)
            _print("")
        except BrokenPipeError:
            _silence_stdout()
            return exit_codes.OK
        except _OutputLost as lost:
            _silence_stdout()
            _report("output", f"cannot write to standard output: {lost}", "", as_json)
            return exit_codes.FAILED
        except (KeyboardInterrupt, Terminated) as stop:
            return _stopped(isinstance(stop, Terminated), as_json)
        except UsageError as error:
            _report(error.code, error.message, error.hint, as_json)
            return exit_codes.USAGE
        except Exception as error:  # noqa: BLE001 - the one catch-all of this front end
            return _failed(error, interrupts, as_json)
    return status


def _run(words: list[str], interrupts: Interrupts) -> int:
    """Dispatch on the first word."""
    while words and words[0] in ("--json", "--verbose", "-v") and len(words) > 1:
        words = [words[1], words[0], *words[2:]]
        if words[0].startswith("-"):
            break
    first = words[0] if words else "--help"
    if first in ("--help", "-h"):
        return _print(_overview())
    if first in ("--version", "-V", "version"):
        from irengine import __version__

        return _print(f"irtui {__version__}\n")
    if first == "--maintain":
        from irtui.headless import maintain_headless

        return maintain_headless(words[1:], interrupts, _print, _say)
    if first == "help":
        return _print(_help(lookup(words[1])) if len(words) > 1 else _overview())
    if first.startswith("-"):
        raise UsageError(f"irtui has no option {first}", hint="see irtui --help")
    command = lookup(first)
    if {"--help", "-h"} & set(_before_dashes(words[1:])):
        return _print(_help(command))
    arguments = parse_arguments(command, words[1:])
    result = _execute(command, arguments, interrupts)
    _show(result, as_json=bool(arguments.get("json")))
    if result.status == exit_codes.INTERRUPTED and interrupts.terminated:
        return exit_codes.TERMINATED
    return result.status


def _execute(command: Command, arguments: dict[str, Any], interrupts: Interrupts) -> Result:
    """Run the handler with progress on a terminal and a way to cancel it."""
    from irtui.logs import shown_logs
    from irtui.render.progress import ProgressLine

    with shown_logs(_say), ProgressLine(sys.stderr) as progress:
        context = Context(
            progress=progress.update,
            on_cancel=interrupts.watch,
            confirm=_confirm,
            note=progress.quietly(lambda text: _say("note", text)),
        )
        return command.handler(context, **arguments)


def _show(result: Result, *, as_json: bool) -> None:
    if as_json:
        from irtui.render.jsonout import to_json

        ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        _print(to_json(result.data, ascii_only=ascii_only) + "\n")
        return
    from irtui.render.look import look_of
    from irtui.render.views import show

    _print(show(result.view, result.data, result.options, look_of(sys.stdout)))
    for note in result.notes:
        _say("note", note)


class _OutputLost(Exception):
    """Standard output takes no more: it is closed, or its disk is full."""


def _print(text: str) -> int:
    """Write results at once: before remarks, also when both go to one file."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _OutputLost(error.strerror or str(error)) from error
    return exit_codes.OK


def _say(word: str, text: str) -> None:
    """Write one line to standard error."""
    from irtui.render.look import look_of, paint

    style = {"error": "bad", "warning": "warn"}.get(word, "dim")
    _write(sys.stderr, paint([[(style, f"{word}:"), ("", f" {text}")]], look_of(sys.stderr)))


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        return  # nobody is left to tell


def _report(code: str, message: str, hint: str, as_json: bool) -> None:
    """Tell about a failure: two lines for people, one JSON line for programs."""
    if as_json:
        from irtui.render.jsonout import to_json

        error = {"code": code, "message": message, "hint": hint}
        _write(sys.stderr, to_json(error, indent=None, ascii_only=True) + "\n")
        return
    _say("error", message)
    if hint:
        _say("hint", hint)


def _failed(error: Exception, interrupts: Interrupts, as_json: bool) -> int:
    """Report an error of the engine, or a crash; return the exit status."""
    from irengine.errors import IrError

    if not isinstance(error, IrError):
        from irtui.crash import crash_message

        message, hint = crash_message(error)
        _report("internal", message, hint, as_json)
        return exit_codes.INTERNAL
    status = exit_codes.exit_code(error)
    if status == exit_codes.INTERRUPTED and interrupts.terminated:
        status = exit_codes.TERMINATED
    _report(error.code, error.message, error.hint, as_json)
    return status


def _stopped(terminated: bool, as_json: bool) -> int:
    word = "terminated" if terminated else "interrupted"
    _report(word, word, "", as_json)
    return exit_codes.TERMINATED if terminated else exit_codes.INTERRUPTED


def _warnings_shown_once() -> Callable[..., None]:
    """Return a ``showwarning`` that says each thing once a command, wherever it comes from."""
    said: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del category, filename, lineno, file, line
        text = str(message)
        if text not in said:
            said.add(text)
            _say("warning", text)

    return show


def _confirm(question: str) -> bool:
    """Ask on the terminal; where there is none the answer is no."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from irtui.render.clean import clean_line

    _write(sys.stderr, f"{clean_line(question)} [y/N] ")
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
