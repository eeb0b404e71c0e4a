"""``irtui shell``: which prompt fits the terminal, or a script when there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from irtui import exit_codes
from irtui.commands.spec import UsageError
from irtui.shell.loop import Runner, plain_loop
from irtui.shell.session import Session

__all__ = ["start_shell"]

USAGE = """usage: irtui shell [OPTIONS]

A prompt for one command after the other; a line that is none is a question.

  -c, --corpus NAME   ask this corpus; may be repeated
  --theme NAME        use these colours
  --vi                vi keys
  --plain             no colours, no completion: only lines

:help lists everything; ctrl-d leaves. A pipe on standard input is run as a script.
"""
_DUMB = ("", "dumb", "unknown")


def start_shell(
    words: Sequence[str],
    *,
    run_script: Callable[[], int],
    write: Callable[..., Any],
    confirm: Callable[[str], bool],
    stopping: Callable[[], None],
    open_app: Callable[[Sequence[str]], int],
) -> int:
    """Run a shell with the words of its command line; return the exit status.

    Args:
        words: the options.
        run_script: runs standard input as a script, where it is no terminal.
        write, confirm, stopping: how results are written, questions asked, and stopping is told.
        open_app: runs the full-screen app.

    Raises:
        UsageError: for a wrong option.
        Terminated: when a signal ends it.
    """
    words = list(words)
    if {"-h", "--help"} & set(words):
        write(USAGE)
        return exit_codes.OK
    session = Session(interactive=True)
    theme, plain = _options(words, session)
    if sys.stdin is None or not sys.stdin.isatty():
        return run_script()
    plain = plain or bool(os.environ.get("IRTUI_PLAIN")) or not sys.stdout.isatty()
    if plain or os.environ.get("TERM", "") in _DUMB:
        return plain_loop(Runner(session, write, confirm, stopping))
    from irtui.shell.history import LineHistory, history_file
    from irtui.shell.keeping import Keeper
    from irtui.shell.paging import paged
    from irtui.shell.prompt import Prompt
    from irtui.theme import ThemeError

    pager = paged(write, lambda: session.settings.pager and not session.depth)
    runner = Runner(session, pager, confirm, stopping)
    try:
        prompt = Prompt(runner, Keeper(), LineHistory(history_file()), open_app, theme=theme)
    except ThemeError as error:
        raise UsageError(str(error)) from error
    return prompt.run()


def _options(words: list[str], session: Session) -> tuple[str, bool]:
    theme, plain = "", False
    corpora: list[str] = []
    while words:
        word = words.pop(0)
        name, glued, value = word.partition("=")
        if name in ("-c", "--corpus", "--theme"):
            if not glued:
                if not words:
                    raise UsageError(f"{name} needs a value", hint="see irtui shell --help")
                value = words.pop(0)
            if name == "--theme":
                theme = value
            else:
                corpora.append(value)
        elif word == "--vi":
            session.settings.edit = "vi"
        elif word == "--plain":
            plain = True
        else:
            raise UsageError(f"irtui shell has no option {word}", hint="see irtui shell --help")
    session.corpora = tuple(corpora)
    return theme, plain
