"""Scripts: ``-c LINE``, ``-f FILE`` and piped lines, read by a plain reader."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from irengine.errors import IrError
from irtui import exit_codes
from irtui.commands.spec import UsageError
from irtui.grammar.lines import parse_script
from irtui.grammar.problems import GrammarError
from irtui.remarks import Remarks, write_quietly
from irtui.results import OutputLost, holds_text
from irtui.shell.front import Front
from irtui.shell.reporting import report
from irtui.shell.running import run_statement
from irtui.shell.session import Session

__all__ = [
    "Script",
    "Source",
    "file_source",
    "run_script",
    "run_words",
    "script_of",
    "standard_input",
]


class ScriptNotRead(IrError):
    """A script that cannot be read."""

    code = "path-not-found"


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a script and what errors call it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Script:
    """What a command line asks to run."""

    sources: tuple[Source, ...]
    keep_going: bool = False
    echo: bool = False
    quiet: bool = False
    json_errors: bool = False


def script_of(words: Sequence[str]) -> Script:
    """Return the scripts that the words of a command line ask for, in their order.

    Where they name none, what is piped in is the script.

    Raises:
        UsageError: for a word that is no option, or no script at all.
        ScriptNotRead: for a file that cannot be read.
        GrammarError: for one that is no text.
    """
    sources: list[Source] = []
    flags = dict.fromkeys(("--keep-going", "--echo", "--quiet", "--json-errors"), False)
    rest = list(words)
    lines = 0
    while rest:
        word = rest.pop(0)
        flag, glued, value = word.partition("=") if word.startswith("--") else (word[:2], "", "")
        if flag in ("-c", "-f") or flag in ("--command", "--file"):
            value = value if glued else word[2:] if not word.startswith("--") else ""
            if not value and not glued:
                if not rest:
                    raise UsageError(f"{flag} needs a value", hint="see irtui --help")
                value = rest.pop(0)
            if flag in ("-c", "--command"):
                lines += 1
                sources.append(Source(f"-c{lines}" if lines > 1 else "-c", value))
            else:
                sources.append(file_source(value))
        elif not word.startswith("-"):
            sources.append(file_source(word))
        elif word in flags or word == "-q":
            flags["--quiet" if word == "-q" else word] = True
        else:
            raise UsageError(f"a script takes no {word!r}", hint="see irtui --help")
    if not sources and sys.stdin is not None and holds_text(sys.stdin):
        sources.append(file_source("-"))
    if not sources:
        raise UsageError("there is no script to run", hint="irtui -c LINE, or irtui -f FILE")
    return Script(
        tuple(sources),
        flags["--keep-going"],
        flags["--echo"],
        flags["--quiet"],
        flags["--json-errors"],
    )


def file_source(name: str) -> Source:
    """Return the script in a file; ``-`` is standard input.

    Raises:
        ScriptNotRead: when it cannot be read.
        GrammarError: when it is no UTF-8 text.
    """
    if name == "-":
        return Source("-", standard_input())
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise ScriptNotRead(f"{name} cannot be read: {error.strerror or error}") from error
    return Source(name, _decoded(name, data))


def standard_input() -> str:
    """Return all of standard input as text."""
    if sys.stdin is None:
        return ""
    buffer = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if buffer is None else _decoded("-", buffer.read())


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise GrammarError(
            f"{name}:{line}: this is not UTF-8 text: byte 0x{data[error.start]:02x} at {column}",
            hint="save it as UTF-8",
            line=line,
            column=column,
        ) from error


def run_words(words: Sequence[str], front: Front) -> int:
    """Run the scripts that the words of a command line ask for; return the exit status.

    Raises:
        UsageError, ScriptNotRead, GrammarError: as :func:`script_of`.
    """
    return run_script(Session(), script_of(words), front)


def run_script(session: Session, script: Script, front: Front) -> int:
    """Run scripts one after the other in one session and return the exit status.

    It is that of the last command, or of the first error, after which nothing more runs unless
    the script keeps going.
    """
    remarks: Remarks = front.remarks
    remarks.quiet = remarks.quiet or script.quiet
    remarks.json_errors = remarks.json_errors or script.json_errors
    first = status = exit_codes.OK
    for source in script.sources:
        for parsed in parse_script(source.text):
            if script.echo and parsed.text.strip():
                write_quietly(sys.stderr, "".join(f"+ {x}\n" for x in parsed.text.split("\n")))
            try:
                status = run_statement(session, parsed, front)
            except (BrokenPipeError, OutputLost):
                raise
            except Exception as error:  # noqa: BLE001 - the one catch-all of scripts
                status = session.status = report(remarks, error, parsed, name=source.name)
                first = first or status
                if not script.keep_going or status == exit_codes.INTERRUPTED:
                    return status
            if session.over:
                return first or status
    return first or status
