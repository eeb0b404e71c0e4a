"""The ``:`` line: the commands of the command line, run beside the loop, shown in a pane.

A command that writes becomes a job. A few words are about the app itself: see :data:`SESSION`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from irtui.tui.lanes import Answered
from irtui.tui.screens.help import TextScreen
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of

if TYPE_CHECKING:
    from irtui.grammar.syntax import Ref
    from irtui.tui.app import IrApp

__all__ = ["SESSION", "CommandLine", "look_spans"]

SESSION = {
    "q": "leave the app",
    "quit": "leave the app",
    "help": "help, or help COMMAND: read about it",
    "keys": "show the keys of this place",
    "theme": "theme NAME: use another theme; without a name, the next one",
    "jobs": "show the jobs",
    "in": "in NAME…: search these corpora; without a name, the default ones",
    "mode": "mode search|corpora|graph|maintenance: go there",
}
_ROLES = {"dim": "muted", "bar": "score", "good": "ok", "warn": "due", "bad": "failed"}


def look_spans(line: Any) -> list[Span]:
    """Return a line of :mod:`irtui.render` as spans of the app."""
    return [
        (_ROLES.get(style, style if style in ("title", "match") else ""), text)
        for style, text in line
    ]


class CommandLine(ModalScreen[None]):
    """A line at the bottom."""

    DEFAULT_CSS = """
    CommandLine { align: left bottom; background: transparent; }
    CommandLine > Vertical { height: auto; background: $panel; width: 100%; }
    CommandLine Input { background: $panel; }
    CommandLine .foot { height: 1; padding: 0 1; color: $ir-muted; }
    """

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Show a field and a remark below it."""
        from irtui.commands.registry import all_commands

        names = [*SESSION, *(command.name for command in all_commands())]
        with Vertical():
            yield Static("", classes="foot", markup=False)
            yield Field(
                self._text,
                placeholder="a command: search, get, build, theme, help … (tab or → completes)",
                compact=True,
                suggester=SuggestFromList([f"{name} " for name in names]),
                select_on_focus=False,
            )

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def key_escape(self) -> None:
        """Close."""
        self.dismiss(None)

    def key_tab(self) -> None:
        """Take the suggestion."""
        self.query_one(Input).action_cursor_right()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what the command is for."""
        self._remark(_about(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run it."""
        text = event.value.strip().removeprefix(":")
        if not text:
            self.dismiss(None)
            return
        verb, _, rest = text.partition(" ")
        if verb in SESSION:
            self.dismiss(None)
            self._session(verb, rest.split())
            return
        problem = self._run(text)
        if problem:
            self._remark(problem, "failed")
        else:
            self.dismiss(None)

    def _remark(self, text: str, role: str = "muted") -> None:
        self.query_one(".foot", Static).update(content_of([(role, text)]))

    @property
    def _ir(self) -> IrApp:
        return cast("IrApp", self.app)

    def _session(self, verb: str, words: list[str]) -> None:
        app = self._ir
        acts: dict[str, Callable[[], Any]] = {
            "q": app.action_leave,
            "quit": app.action_leave,
            "keys": app.action_help,
            "jobs": app.action_jobs,
            "theme": lambda: app.use_theme(words[0]) if words else app.action_next_theme(),
            "in": lambda: app.choose_corpora(words),
            "mode": lambda: app.go(words[0]) if words and words[0] in app.MODES else None,
            "help": lambda: _help(app, words),
        }
        app.call_later(acts[verb])

    def _run(self, text: str) -> str:
        """Start what ``text`` says; return what is wrong with it, or ``""``."""
        from irtui.commands.arguments import parse_arguments
        from irtui.commands.output import split_output
        from irtui.commands.registry import lookup
        from irtui.commands.spec import UsageError
        from irtui.grammar import parse_line, plain_words
        from irtui.grammar.syntax import Pipeline

        parsed = parse_line(text)
        statement = parsed.statement
        if parsed.problems:
            return parsed.problems[0].message
        app = self._ir
        if app.lines.are_for_session(parsed) or not isinstance(statement, Pipeline):
            problem = _writes(statement)
            if not problem:
                app.lines.run(app, text)
            return problem
        try:
            words = plain_words([statement.command.verb, *statement.command.words], self._value)
            command = lookup(words[0])
            arguments, _ = split_output(command, parse_arguments(command, words[1:]))
        except UsageError as error:
            return f"{error.message}{'; ' + error.hint if error.hint else ''}"
        except LookupError as error:
            return str(error)
        if command.effect != "read":
            if not app.refuses(command.name):
                app.jobs.start(words)
            return ""
        screen = app.mode_screen
        if screen is not None:
            screen.ask_command(
                "command",
                command.name,
                lambda answered: _show(app, command.name, text, answered),
                **arguments,
            )
        return ""

    def _value(self, ref: Ref) -> Any:
        """Return what a reference means here: ``$sel``, ``$q``, ``$1``…"""
        app = self._ir
        if ref.name == "sel":
            return [picked.row["artifact_id"] for picked in app.tray]
        if ref.name == "q":
            return getattr(app.mode_screen, "query_now", "")
        if ref.name == "_" and app.current_hit is not None:
            return app.current_hit["artifact_id"]
        raise LookupError(
            f"${ref.name} means nothing here; $_ is the row of the cursor, $sel the tray"
        )


def _about(text: str) -> str:
    verb = text.strip().removeprefix(":").partition(" ")[0]
    if verb in SESSION:
        return SESSION[verb]
    from irtui.commands.registry import all_commands

    for command in all_commands():
        if verb in (command.name, *command.aliases):
            effect = "" if command.effect == "read" else " (runs as a job)"
            return f"{command.summary}{effect}"
    return ""


def _help(app: IrApp, words: list[str]) -> None:
    from irtui.commands.registry import all_commands, lookup
    from irtui.commands.spec import UsageError
    from irtui.render.help import command_help, overview

    try:
        text = (
            command_help(lookup(words[0]).to_dict())
            if words
            else overview([command.to_dict() for command in all_commands()])
        )
    except UsageError as error:
        app.say(f"{error.message}; {error.hint}", "failed")
        return
    app.push_screen(TextScreen("help", [[("", line)] for line in text.splitlines()]))


def _writes(statement: Any) -> str:
    """Return why a line that changes something cannot run here, or ``""``."""
    from irtui.commands.registry import lookup
    from irtui.commands.spec import UsageError

    verb = getattr(getattr(statement, "command", None), "verb", None)
    if verb is None or verb.ref is not None:
        return ""
    try:
        command = lookup(verb.text)
    except UsageError:
        return ""  # a word of the session, or a question
    if command.effect == "read":
        return ""
    return f"{command.name} changes something and runs as a job: write it without a pipe or name"


def _show(app: IrApp, name: str, text: str, answered: Answered) -> None:
    """Show the result of a command, as the command line does."""
    if answered.error is not None:
        from irtui.commands.live import problem_data
        from irtui.tui.widgets.panes import error_lines

        app.push_screen(TextScreen(text, error_lines(problem_data(answered.error))))
        return
    from irtui.render.look import Look
    from irtui.render.views import lines_of

    result = answered.value
    app.lines.keep(name, result)
    look = Look(width=max(30, min(110, app.size.width) - 6))
    lines = [look_spans(line) for line in lines_of(result.view, result.data, result.options, look)]
    lines += [[("muted", f"note: {note}")] for note in result.notes]
    app.push_screen(TextScreen(text, lines or [[("muted", "nothing")]]))
