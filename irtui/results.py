"""Standard output: results and nothing else, written at once."""

from __future__ import annotations

import os
import stat
import sys
from typing import TextIO

from irtui import exit_codes

__all__ = ["OutputLost", "holds_text", "open_missing_streams", "silence_stdout", "write_result"]


class OutputLost(Exception):
    """Standard output takes no more: it is closed, or its disk is full."""


def write_result(text: str, *, raw: bool = False) -> int:
    """Write results at once: before remarks, also when both go to one file. Return status 0.

    ``raw`` writes the names of files as the bytes they are, where a program reads them.

    Raises:
        OutputLost: when it takes no more.
        BrokenPipeError: when nobody reads it any more.
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
        raise OutputLost(error.strerror or str(error)) from error
    return exit_codes.OK


def holds_text(stream: TextIO) -> bool:
    """Return whether somebody put text there: a pipe, a socket or a file, but no device."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def open_missing_streams() -> None:
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


def silence_stdout() -> None:
    """Point standard output at nothing: the interpreter flushes it once more at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
