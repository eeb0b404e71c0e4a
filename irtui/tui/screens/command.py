"""The ``:`` line: the commands of the command line, run beside the loop, shown in a pane.

A line means what it does at the prompt: see :class:`irtui.tui.screens.lines.Lines`. A command that
writes becomes a job. A few words are about the app itself: see :data:`SESSION`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Input, Static

from irtui.tui.screens.lines import refused, session_words
from irtui.tui.screens.output import OutputScreen
from irtui.tui.widgets.field import Field
from irtui.tui.widgets.painting import Span, content_of

if TYPE_CHECKING:
    from irtui.tui.app import IrApp
    from irtui.tui.screens.lines import Lines

__all__ = ["SESSION", "CommandLine"]

SESSION = {
    "q": "leave the app",
    "quit": "",
    "exit": "",
    "help": "help, or help COMMAND: read about it",
    "keys": "show the keys of this place",
    "theme": "theme NAME: use another theme; without a name, the next one",
    "jobs": "show the jobs",
    "in": "in NAME…: search these corpora; without a name, the default ones",
    "mode": "mode search|corpora|graph|maintenance: go there; hybrid|dense|lexical: rank so",
    "edit": "the last line again, to change it",
    "tui": "",
}
"""What the words of the app do; those without a text are other names, or out of place here."""


_PLACEHOLDER = "a command: discover WORDS | head 3, build, help …  (tab completes, ↑ repeats)"


class _Completion(Suggester):
    """What the prompt would complete, the likeliest that goes on from what is typed."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._lines = lines

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole line with its last word completed."""
        from irtui.shell.completing import suggestions

        words = (*SESSION, *session_words())
        whole = [f"{word} " for word in words if value and word.startswith(value)]
        whole += [
            value[: each.start] + each.text
            for each in suggestions(value, self._lines.catalog, self._lines.session)
        ]
        return next((line for line in whole if line.startswith(value) and line != value), None)


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
        self._at: int | None = None

    def compose(self) -> ComposeResult:
        """Show a field and a remark below it."""
        with Vertical():
            yield Static("", classes="foot", markup=False)
            yield Field(
                self._text,
                placeholder=_PLACEHOLDER,
                compact=True,
                suggester=_Completion(self._ir.lines),
                select_on_focus=False,
            )

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()
        self._ir.lines.read_names(self._ir)

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
        words = rest.split()
        if verb in SESSION and not (verb == "mode" and words and words[0] not in self._ir.MODES):
            self.dismiss(None)
            self._session(verb, words)
            return
        problem = self._run(event.value.removeprefix(":").rstrip())
        if problem:
            self._remark(problem, "failed")
        else:
            self.dismiss(None)

    def key_up(self) -> None:
        """Take a line that was run before."""
        self._walk(-1)

    def key_down(self) -> None:
        """Go back to a newer line."""
        self._walk(1)

    def _walk(self, by: int) -> None:
        lines, field = self._ir.lines.session.lines, self.query_one(Input)
        at = max(0, min(len(lines), self._at + by if self._at is not None else len(lines) + by))
        self._at = at
        field.value = lines[at] if at < len(lines) else ""
        field.cursor_position = len(field.value)

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
            "exit": app.action_leave,
            "keys": app.action_help,
            "jobs": app.action_jobs,
            "theme": lambda: app.use_theme(words[0]) if words else app.action_next_theme(),
            "in": lambda: app.choose_corpora(words),
            "mode": lambda: app.go(words[0]) if words else app.say(SESSION["mode"]),
            "help": lambda: _help(app, words),
            "edit": lambda: app.push_screen(CommandLine((app.lines.session.lines or [""])[-1])),
            "tui": lambda: app.say("this is the app; q leaves it"),
        }
        app.call_later(acts[verb])

    def _run(self, text: str) -> str:
        """Start what ``text`` says; return what is wrong with it, or ``""``."""
        from irtui.commands.spec import UsageError
        from irtui.grammar import parse_line
        from irtui.grammar.problems import GrammarError

        app = self._ir
        if text.split()[0] in session_words():
            text = f":{text.lstrip()}"
        parsed = parse_line(text)
        if parsed.problems:
            problem = parsed.problems[0]
            return f"{problem.message}; {problem.hint}" if problem.hint else problem.message
        try:
            wrong = refused(parsed, read_only=app.options.read_only)
            if wrong:
                return wrong
            words = app.lines.job_words(app, parsed)
        except (UsageError, GrammarError) as error:
            return f"{error.message}; {error.hint}" if error.hint else error.message
        if words:
            app.jobs.start(words)
        elif app.lines.running:
            return f"still running: {app.lines.running} (ctrl+c ends what follows a !)"
        else:
            app.lines.run(app, text)
        return ""


def _about(text: str) -> str:
    verb = text.strip().removeprefix(":").partition(" ")[0]
    if verb in SESSION:
        return SESSION[verb]
    from irtui.commands.registry import all_commands

    meta = session_words().get(verb)
    if meta:
        return meta
    for command in all_commands():
        if verb in (command.name, *command.aliases):
            effect = "" if command.effect == "read" else " (runs as a job)"
            return f"{command.summary}{effect}"
    return ""


def _help(app: IrApp, words: list[str]) -> None:
    """Show what the prompt says about its commands, and the words of the app."""
    from irtui.shell import Captured, captured_front, run_line

    captured = Captured()
    run_line(app.lines.session, " ".join([":help", *words]), captured_front(captured))
    said = [f"{word}: {text}" for word, text in captured.said]
    lines: list[list[Span]] = [[("", line)] for line in [*captured.text.splitlines(), *said]]
    if not words:
        own: list[list[Span]] = [[("heading", "Of the app")]]
        own += [[("title", f"  {name:<6} "), ("", text)] for name, text in SESSION.items() if text]
        lines = [*own, [], *lines]
    app.push_screen(OutputScreen(" ".join(["help", *words]), lines))
