"""The prompt: one line editor around a session, with completion, colours, history and a toolbar."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition, completion_is_selected
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import DynamicStyle, Style

from irtui.commands.catalog import Catalog
from irtui.commands.kept import chosen_theme
from irtui.commands.spec import UsageError
from irtui.render.clean import clean_line
from irtui.shell.colouring import coloured
from irtui.shell.completing import suggestions
from irtui.shell.keeping import Keeper
from irtui.shell.loop import Runner, needs_more
from irtui.shell.session import Session
from irtui.signals import Terminated
from irtui.theme import DEFAULT, ThemeError, find_theme, prompt_styles

__all__ = ["KEYS", "Prompt", "ShellCompleter", "ShellLexer", "toolbar_text"]

KEYS = """enter             run; the next line while a quote, a parenthesis or a | is open
tab, shift-tab    next and last completion
right, ctrl-e     take what is proposed from the history
up, down, ctrl-r  the history, and a search in it
ctrl-x ctrl-e     the line in your editor (vi keys: v)
alt-enter         a line break
f4                emacs keys, vi keys
ctrl-c            clear the line; end a command that runs
ctrl-d            leave, on an empty line
"""


class ShellCompleter(Completer):
    """Completion from the session and the catalog as they are now."""

    def __init__(self, session: Session, catalog: Callable[[], Catalog]) -> None:
        self._session, self._catalog = session, catalog

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield what may stand before the cursor."""
        del complete_event
        text = document.text_before_cursor
        for each in suggestions(text, self._catalog(), self._session):
            yield Completion(
                each.text,
                start_position=each.start - len(text),
                display=clean_line(each.text),
                display_meta=clean_line(each.meta),
            )


class ShellLexer(Lexer):
    """Colours from the grammar."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """Return a function that gives the pieces of a line."""
        lines: list[StyleAndTextTuples] = [[]]
        for style, text in coloured(document.text):
            first, *rest = text.split("\n")
            lines[-1].append((style, first))
            for each in rest:
                lines.append([(style, each)])
        return lambda number: lines[number] if number < len(lines) else []


class Prompt:
    """A session at a terminal that can be drawn on.

    ``open_app`` runs the full-screen app with the words of its command line.
    """

    def __init__(
        self,
        runner: Runner,
        keeper: Keeper,
        history: History,
        open_app: Callable[[Sequence[str]], int],
        *,
        theme: str = "",
    ) -> None:
        self.runner, self.session, self.keeper = runner, runner.session, keeper
        self._open_app = open_app
        if theme:
            self.session.settings.theme = find_theme(theme).name
        self.session.host = self
        self._style = self._made_style()
        self.prompt: PromptSession[str] = PromptSession(
            "ir> ",
            completer=ShellCompleter(self.session, lambda: keeper.catalog),
            complete_in_thread=True,
            complete_while_typing=True,
            lexer=ShellLexer(),
            history=history,
            auto_suggest=AutoSuggestFromHistory(),
            bottom_toolbar=lambda: toolbar_text(self.session, keeper.catalog),
            style=DynamicStyle(lambda: self._style),
            multiline=Condition(lambda: needs_more(get_app().current_buffer.text)),
            prompt_continuation=lambda width, number, wrapped: "... " if not wrapped else "",
            key_bindings=self._bindings(),
            enable_open_in_editor=True,
            tempfile_suffix=".ir",
            reserve_space_for_menu=6,
            include_default_pygments_style=False,
        )

    def run(self) -> int:
        """Read and run lines until the session ends; return the status of the last command.

        Raises:
            Terminated: when the process shall end.
        """
        session = self.session
        try:
            while not session.over:
                mode = EditingMode.VI if session.settings.edit == "vi" else EditingMode.EMACS
                self.prompt.editing_mode = mode
                try:
                    text = self.prompt.prompt(pre_run=self._begin)
                    if text.strip():
                        self.runner.run(text)
                        if session.changed:  # perhaps the theme
                            self.restyle()
                        self.keeper.refresh_if_changed(session)
                except KeyboardInterrupt:
                    continue
                except EOFError:
                    break
        finally:
            self.keeper.stop()
        return session.status

    def _begin(self) -> None:
        """Prepare for signals; read the catalog once the prompt is there, not before."""
        _end_by_signal()
        if self.keeper.catalog.is_read:
            return
        app = get_app()

        def painted(_: object) -> None:
            app.after_render -= painted
            self.keeper.refresh()

        app.after_render += painted

    # --- what session commands ask for ----------------------------------------------------------

    def edit(self, text: str) -> str:
        """Let ``text`` be changed in the user's editor and return it.

        Raises:
            UsageError: when there is no editor.
        """
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
        handle, name = tempfile.mkstemp(suffix=".ir")
        file = Path(name)
        try:
            os.close(handle)
            file.write_text(text + "\n", encoding="utf-8")
            subprocess.run([*words, name], check=True)
            return file.read_text(encoding="utf-8")
        except (OSError, subprocess.CalledProcessError) as error:
            raise UsageError(f"{words[0]} did not work: {error}", hint="set EDITOR") from error
        finally:
            file.unlink(missing_ok=True)

    def open_app(self, words: Sequence[str]) -> int:
        """Run the app, then look at what is there again."""
        status = self._open_app(words)
        self.keeper.refresh()
        return status

    def keys(self) -> str:
        """Return what the keys do."""
        return KEYS

    def restyle(self) -> None:
        """Use the theme of the settings."""
        self._style = self._made_style()

    def _made_style(self) -> Style:
        try:
            theme = find_theme(self.session.settings.theme or chosen_theme() or DEFAULT)
        except ThemeError:  # what was chosen once is gone
            theme = find_theme(DEFAULT)
        return Style.from_dict({**prompt_styles(theme), "ir.wrong": "underline"})

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add("enter", filter=completion_is_selected)
        def _(event: KeyPressEvent) -> None:
            """Take the chosen completion instead of running the line."""
            event.current_buffer.complete_state = None

        @bindings.add("escape", "enter")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @bindings.add("f4")
        def _(event: KeyPressEvent) -> None:
            vi = self.session.settings.edit == "vi"
            self.session.settings.edit = "emacs" if vi else "vi"
            event.app.editing_mode = EditingMode.EMACS if vi else EditingMode.VI

        return bindings


def toolbar_text(session: Session, catalog: Catalog) -> str:
    """Return the line below the prompt: where, how many texts, mode, selection, last command."""
    names = session.corpora or ((catalog.here,) if catalog.here else tuple(catalog.texts))
    if not catalog.is_read:
        where = ", ".join(session.corpora)
    elif not catalog.corpora:
        where = "no corpus yet: try FOLDER"
    elif len(names) > 3:
        where = f"{len(names)} corpora"
    else:
        where = ", ".join(names) or "nothing built"
    parts = [where]
    if names and all(name in catalog.texts for name in names):
        parts.append(f"{sum(catalog.texts[name] for name in names):,} texts")
    elif names and catalog.is_read:
        missing = [name for name in names if name not in catalog.texts]
        parts.append(f"not built: {', '.join(missing)}")
    parts.append(session.mode or "hybrid")
    if session.selection.rows:
        parts.append(f"{len(session.selection.rows)} selected")
    if session.settings.form:
        parts.append(session.settings.form)
    if session.last is not None or session.status:
        done = f"{session.seconds * 1000:.0f} ms" if session.seconds < 10 else ""
        done = done or f"{session.seconds:.0f} s"
        parts.append(done if not session.status else f"status {session.status}")
    if session.settings.edit == "vi":
        parts.append("vi")
    return clean_line(" " + " · ".join(part for part in parts if part))


def _end_by_signal() -> None:
    """Let SIGTERM end the prompt in an orderly way: the terminal is put back."""
    app = get_app()

    def end() -> None:
        if app.is_running and app.future is not None and not app.future.done():
            app.exit(exception=Terminated())

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end)
