"""What every prompt does with a line, and the plain prompt for terminals that only write lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from irtui import exit_codes
from irtui.grammar.lines import parse_script
from irtui.remarks import Remarks, write_quietly
from irtui.shell.front import Front, process_front
from irtui.shell.running import run_line
from irtui.shell.session import Session
from irtui.signals import Interrupts, Terminated

__all__ = ["Runner", "needs_more", "plain_loop"]


class Runner:
    """Runs typed lines one after the other; ctrl-c ends the one that runs and nothing else."""

    def __init__(
        self,
        session: Session,
        write: Callable[..., Any],
        confirm: Callable[[str], bool],
        stopping: Callable[[], None] | None = None,
    ) -> None:
        self.session = session
        self.remarks = Remarks()
        self._write = write
        self._confirm = confirm
        self._stopping = stopping

    def run(self, text: str) -> int:
        """Run what was typed, which may be several lines; return the status of the last.

        Raises:
            Terminated: when the process shall end.
        """
        session = self.session
        status = exit_codes.OK
        for parsed in parse_script(text):
            line = parsed.text.strip()
            if not line:
                continue
            session.lines.append(line)
            with Interrupts(self._stopping) as interrupts:
                front = self._front(interrupts)
                try:
                    status = run_line(session, line, front)
                except KeyboardInterrupt:
                    write_quietly(sys.stderr, "\n")
                    self.remarks.report("interrupted", "interrupted")
                    status = session.status = exit_codes.INTERRUPTED
            if interrupts.terminated:
                raise Terminated
            if session.settings.timing:
                self.remarks.note(f"{session.seconds:.3f} s")
            if session.over or status == exit_codes.INTERRUPTED:
                break
        return status

    def _front(self, interrupts: Interrupts) -> Front:
        theme = self.session.settings.theme
        return process_front(self.remarks, interrupts, self._write, self._confirm, theme)


def needs_more(text: str) -> bool:
    """Return whether more lines have to be typed: a quote, a parenthesis or a pipe is open."""
    if not text.strip():
        return False
    return parse_script(text)[-1].state == "incomplete" and _is_open(text)


def _is_open(text: str) -> bool:
    """Return whether a line break would leave the last statement unfinished."""
    continued = parse_script(text + "\n")
    more = parse_script(text + "\nx")
    return len(more) == len(continued) and len(more[-1].text) > len(continued[-1].text)


def plain_loop(runner: Runner, out: Any = None) -> int:
    """Read lines until the input or the session ends; return the status of the last command.

    The prompt goes to standard output when that is a terminal, else to standard error.
    """
    session = runner.session
    stream = out or (sys.stdout if sys.stdout.isatty() else sys.stderr)
    text = ""
    with Interrupts():
        while not session.over:
            try:
                write_quietly(stream, "... " if text else "ir> ")
                line = sys.stdin.readline()
                if not line:
                    write_quietly(stream, "\n")
                    break
                text += line
                body = text.rstrip("\r\n")
                if needs_more(body) and line.strip():
                    continue
                text = ""
                runner.run(body)
            except KeyboardInterrupt:  # nothing was running
                write_quietly(stream, "\n")
                text = ""
    return session.status
