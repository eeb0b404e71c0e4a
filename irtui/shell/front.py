"""What runs around a command: where its results and remarks go, who can stop or answer it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irtui import exit_codes
from irtui.commands.context import Context
from irtui.commands.output import Output
from irtui.remarks import Remarks
from irtui.render.look import Look
from irtui.shell.showing import Sink

if TYPE_CHECKING:
    from subprocess import Popen

    from irtui.commands.spec import Command, Result
    from irtui.signals import Interrupts

__all__ = ["Captured", "Front", "captured_front", "process_front"]


def _handled(command: Command, context: Context, arguments: Mapping[str, Any]) -> Result:
    return command.handler(context, **arguments)


@dataclass(slots=True)
class Front:
    """The seam between a session and what it runs in.

    Attributes:
        write: takes the text of a result; with ``raw=True`` names of files as the bytes they are.
        remarks: takes notes, warnings and errors.
        sink: says what text of results is made for.
        lend: gives what a handler gets, for as long as it runs.
        pipe: runs a command of the system's shell on a text and returns its exit status.
        run: runs a command with what was lent and its arguments; by default here.
    """

    write: Callable[..., Any]
    remarks: Remarks
    sink: Callable[[], Sink]
    lend: Callable[[Output], AbstractContextManager[Context]]
    pipe: Callable[[str, str], int]
    run: Callable[[Command, Context, Mapping[str, Any]], Result] = _handled

    def write_pairs(self, lines: Sequence[tuple[str, str]]) -> None:
        """Write lines of a name and a text, aligned."""
        from irtui.render.look import paint
        from irtui.render.tables import pairs

        self.write(paint(pairs(lines), self.sink().look))


def process_front(
    remarks: Remarks,
    interrupts: Interrupts,
    write: Callable[..., Any],
    confirm: Callable[[str], bool],
    theme: str = "",
) -> Front:
    """Return the front of this process: standard output, standard error, its signals.

    Results have the colours of ``theme``, without it those of the chosen one.
    """
    import sys

    from irtui.shell.showing import sink_of

    @contextmanager
    def lend(output: Output) -> Iterator[Context]:
        from irtui.logs import shown_logs
        from irtui.render.progress import progress_on

        shown_on = progress_on(sys.stderr, output.progress, output.quiet)
        with shown_logs(remarks.say), shown_on as shown:
            yield Context(
                progress=shown.update,
                on_cancel=interrupts.watch,
                confirm=confirm,
                note=shown.quietly(remarks.note),
            )

    def pipe(command: str, text: str) -> int:
        import subprocess

        sys.stdout.flush()
        done = subprocess.run(
            command, shell=True, input=text.encode("utf-8", "surrogateescape"), check=False
        )
        return done.returncode

    return Front(write, remarks, lambda: sink_of(sys.stdout, theme), lend, pipe)


class Captured(Remarks):
    """What a line wrote and said, kept instead of shown.

    Attributes:
        said: pairs of a word (``note``, ``warning``, ``error``, ``hint``) and a text.
        written: the text of results.
    """

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []
        self.written: list[str] = []
        self._stopped = False
        self._process: Popen[bytes] | None = None

    def stop(self) -> bool:
        """End a command of the system's shell that runs; return whether one did."""
        self._stopped = True
        process = self._process
        if process is None or process.poll() is not None:
            return False
        _end_group(process)
        return True

    def piped(self, command: str, text: str) -> int:
        """Run a command of the system's shell on ``text``, keep what it says, cleaned.

        It has no terminal, so nothing it does gets on the screen. Return its exit status.
        """
        import subprocess

        from irtui.render.clean import clean

        if self._stopped:
            return exit_codes.INTERRUPTED
        self._process = process = subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=os.name != "nt",
        )
        printed, _ = process.communicate(text.encode("utf-8", "surrogateescape"))
        self.write(clean(printed.decode("utf-8", "replace")))
        return process.returncode

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self.written)

    def say(self, word: str, text: str) -> None:
        """Keep a remark."""
        self.said.append((word, text))

    def report(self, code: str, message: str, hint: str = "", **more: Any) -> None:
        """Keep an error and its hint."""
        del code, more
        self.said.append(("error", message))
        if hint:
            self.said.append(("hint", hint))

    def write(self, text: str, *, raw: bool = False) -> None:
        """Keep the text of a result."""
        del raw
        self.written.append(text)


@dataclass(slots=True)
class _Lent:
    """Lends one context to every command."""

    context: Context = field(default_factory=Context)

    @contextmanager
    def __call__(self, output: Output) -> Iterator[Context]:
        del output
        yield self.context


def _end_group(process: Popen[bytes]) -> None:
    """End a process and what it started."""
    if os.name == "nt":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def captured_front(
    captured: Captured,
    *,
    look: Look | None = None,
    context: Context | None = None,
    run: Callable[[Command, Context, Mapping[str, Any]], Result] | None = None,
) -> Front:
    """Return a front that keeps everything in ``captured``, cleaned as for a terminal.

    Args:
        captured: receives results and remarks.
        look: how wide the place is where people will see it.
        context: what handlers get; by default nobody follows, cancels or answers.
        run: runs commands elsewhere than here.
    """
    sink = Sink(look or Look(), terminal=True)
    lend = _Lent(context or Context())
    return Front(captured.write, captured, lambda: sink, lend, captured.piped, run or _handled)
