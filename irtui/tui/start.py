"""``irtui`` and ``irtui tui``: look at the terminal, then run the app, then put all back."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from irtui import exit_codes
from irtui.commands.spec import UsageError

__all__ = ["prepare_interpreter", "start"]

_SWITCH_SECONDS = 0.0005
_COLLECT_AFTER = (20_000, 20, 100)

_USAGE = """usage: irtui tui [PATH] [options]

The full-screen app. With PATH the folder or file is indexed and searched at once.

  -c, --corpus NAME   search this corpus; may be repeated
  -q, --query TEXT    begin with this query; with PATH and no terminal it is answered in plain text
  --theme NAME        use this theme
  --read-only         change nothing
  --no-mouse          leave the mouse to the terminal (also IRTUI_MOUSE=0)
"""
_DUMB = ("", "dumb", "unknown")


def start(words: Sequence[str], answer: Callable[[str, str], int]) -> int:
    """Run the app with the words of its command line; return the exit status.

    Where there is no terminal, a folder and a query are for ``answer``, which returns it instead.

    Raises:
        UsageError: for a wrong option, or when there is no terminal to run in and no query.
    """
    words = list(words)
    if {"-h", "--help"} & set(words):
        sys.stdout.write(_USAGE)
        return exit_codes.OK
    options, mouse = _options(words)
    if options["path"] and options.get("query") and not _has_terminal():
        return answer(options["path"], options["query"])
    _check_terminal()
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    from irtui.commands.apart import Apart
    from irtui.tui.app import IrApp, Options
    from irtui.tui.driver import taking_up
    from irtui.tui.encoding import narrow

    narrow(sys.__stderr__)  # the screen is drawn there

    # Its process starts when the first screen is there: before, it would be in the way of that.
    app = IrApp(Options(**options), live=Apart())
    app.driver_class = taking_up(app.driver_class)
    prepare_interpreter()
    app.run(mouse=mouse)
    if app.crash is not None:
        raise app.crash
    if app.return_code and app.return_code < 128:
        return exit_codes.INTERNAL
    return app.return_code or exit_codes.OK


def prepare_interpreter() -> None:
    """Keep the event loop from waiting for other threads and for the garbage collector.

    A look through everything that was imported takes as long as several frames.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def _options(words: list[str]) -> tuple[dict[str, Any], bool]:
    path: str | None = None
    corpora: list[str] = []
    told: dict[str, Any] = {}
    mouse = os.environ.get("IRTUI_MOUSE", "1") not in ("0", "no", "off")
    while words:
        word = words.pop(0)
        name, glued, value = word.partition("=")
        if name in ("-c", "--corpus", "-q", "--query", "--theme"):
            if not glued:
                if not words:
                    raise UsageError(f"{name} needs a value", hint="see irtui tui --help")
                value = words.pop(0)
            if name in ("-c", "--corpus"):
                corpora.append(value)
            else:
                told["theme" if name == "--theme" else "query"] = value
        elif word == "--read-only":
            told["read_only"] = True
        elif word == "--no-mouse":
            mouse = False
        elif word.startswith("-"):
            raise UsageError(f"irtui tui has no option {word}", hint="see irtui tui --help")
        elif path is not None:
            raise UsageError("irtui tui takes one folder or file", hint="see irtui tui --help")
        else:
            path = word
    return {"path": path, "corpora": tuple(corpora), **told}, mouse


def _check_terminal() -> None:
    """Make sure there is a terminal: without one the app would wait for keys for ever."""
    if not _has_terminal():
        raise UsageError(
            "the app needs a terminal, and this is none",
            hint="irtui search QUESTION answers without one; irtui --help lists commands",
        )
    if (
        "TEXTUAL_DRIVER" not in os.environ
        and os.environ.get("TERM", "") in _DUMB
        and os.name != "nt"
    ):
        raise UsageError(
            f"the app cannot draw on a terminal of type {os.environ.get('TERM') or 'unknown'!r}",
            hint="set TERM; irtui shell works there, and so does irtui search QUESTION",
        )


def _has_terminal() -> bool:
    streams = (sys.stdin, sys.stderr, sys.stdout)
    in_browser = "TEXTUAL_DRIVER" in os.environ
    return in_browser or all(stream is not None and stream.isatty() for stream in streams)
