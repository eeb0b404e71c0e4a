"""Lines of the shell in the app: pipelines, names and settings, in one session.

What one sees has the names it has at the prompt: the tray is ``$sel``, the hits are ``$1``, ``$2``…
and the row of the cursor is ``$_``, until a line has a result of its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irtui.commands.catalog import Catalog
from irtui.commands.typed import catalog_of, noted
from irtui.tui.lanes import Answered
from irtui.tui.screens.output import OutputScreen
from irtui.tui.selection import Picked
from irtui.tui.widgets.painting import ROLES, Span

if TYPE_CHECKING:
    from irtui.commands.context import Context
    from irtui.commands.live import Answer
    from irtui.commands.spec import Command, Result
    from irtui.grammar import Parsed
    from irtui.grammar.syntax import Pipeline
    from irtui.shell import Captured
    from irtui.tui.app import IrApp

__all__ = ["Lines", "refused", "session_words", "spans_of"]

_LANE = "command"
_WORDS = {"error": "failed", "warning": "due", "hint": "muted", "note": "muted"}
_ROLES = {
    "title": "title",
    "match": "match",
    "dim": "muted",
    "bar": "score",
    "good": "ok",
    "warn": "due",
    "bad": "failed",
}
"""What the styles of :mod:`irtui.render` are here. They stand where escape codes have numbers."""
_STYLED = re.compile(r"\x1b\[([a-z]+)m(.*?)\x1b\[0m")
_HIT = re.compile(r"\$\d")
_WRITING = ("save", "unsave", "source", "run")
"""Words of the session that write, or run what may."""


def spans_of(line: str) -> list[Span]:
    """Return a line that was painted with the roles of :data:`_ROLES` as spans."""
    spans: list[Span] = []
    at = 0
    for found in _STYLED.finditer(line):
        if found[1] not in ROLES:
            continue
        spans += [("", line[at : found.start()]), (found[1], found[2])]
        at = found.end()
    spans.append(("", line[at:]))
    return [span for span in spans if span[1]]


def session_words() -> dict[str, str]:
    """Return what words of the session do that are no commands, by name."""
    from irtui.commands.registry import all_commands
    from irtui.shell.meta import META
    from irtui.shell.verbs import VERBS

    taken = {*VERBS, *(name for each in all_commands() for name in (each.name, *each.aliases))}
    return {name: meta.summary for name, meta in META.items() if name not in taken}


def refused(parsed: Parsed, *, read_only: bool) -> str:
    """Return why a line cannot run in the session of the app, or ``""``.

    Raises:
        UsageError: for what is most likely a slip of the keyboard.
    """
    from irtui.grammar.syntax import Pipeline, Shell
    from irtui.grammar.syntax import Session as Meta

    statement = parsed.statement
    name = statement.name if isinstance(statement, Meta) else ""
    if isinstance(statement, Pipeline):
        name = statement.command.verb.text
        shell = any(isinstance(stage, Shell) for stage in statement.stages)
        if read_only and (shell or statement.output is not None):
            doing = "runs no other programs" if shell else "writes no files"
            return f"this session only reads (--read-only): it {doing}"
        command = _command(statement)
        if command is not None and command.effect != "read":
            if read_only:
                return f"{name}: this session only reads (--read-only)"
            if statement.stages or statement.output or statement.name:
                return f"{name} changes something, so it runs as a job: write it without |, > and ="
    if read_only and name in _WRITING:
        return f"{name}: this session only reads (--read-only)"
    return ""


def _command(statement: Pipeline) -> Command | None:
    """Return the command a pipeline begins with; ``None`` for a result or a word of the session.

    Raises:
        UsageError: for what is most likely a slip of the keyboard.
    """
    from irtui.commands.registry import lookup, misspelt
    from irtui.commands.spec import UsageError
    from irtui.shell.meta import PLAIN_VERBS
    from irtui.shell.verbs import VERBS

    verb = statement.command.verb
    if verb.ref is not None or verb.text in PLAIN_VERBS or verb.text in VERBS:
        return None
    try:
        return lookup(verb.text)
    except UsageError as error:
        several = bool(statement.command.words)
        if not error.hint.startswith("did you mean") or (several and not misspelt(verb.text)):
            return None  # the session takes it for a question
        hint = f"{error.hint} (discover {verb.text} … asks it as a question)"
        raise UsageError(error.message, hint=hint) from None


class Lines:
    """The session behind the ``:`` line.

    Attributes:
        session: what lines remember for one another.
        running: the line that runs, or ``""``.
        catalog: the names there are, for completion.
    """

    def __init__(self) -> None:
        from irtui.shell import Session

        self.session = Session(interactive=True)
        self.running = ""
        self.catalog = Catalog(is_read=False)
        self._named: object = None
        self._captured: Captured | None = None
        self._hits: Answer | None = None
        self._current = ""

    def stop(self) -> bool:
        """End a command of the system's shell; return whether one was running."""
        return self._captured is not None and self._captured.stop()

    def read_names(self, app: IrApp) -> None:
        """Read the catalog beside the loop, unless it is known."""
        known = {name: state.get("generation") for name, state in app.corpora_state.items()}
        screen = app.mode_screen
        if screen is None or known == self._named:
            return
        self._named = known
        live = app.live

        def told(answered: Answered) -> None:
            if answered.error is None:
                self.catalog = answered.value

        screen.ask_once("names", lambda: live.call(catalog_of), told)

    def job_words(self, app: IrApp, parsed: Parsed) -> list[str]:
        """Return the command line of a command that writes, for a job; of another line nothing.

        Raises:
            GrammarError: for a reference that stands for nothing.
            UsageError: for arguments that make no sense.
        """
        from irtui.commands.arguments import parse_arguments
        from irtui.commands.output import split_output
        from irtui.grammar.syntax import Pipeline
        from irtui.shell.words import bind

        statement = parsed.statement
        if not isinstance(statement, Pipeline):
            return []
        command = _command(statement)
        if command is None or command.effect == "read":
            return []
        self._see(app)
        self.session.corpora = ()  # what is written is named, whatever is searched
        words = bind(command, statement.command.words, self.session).words
        split_output(command, parse_arguments(command, words))
        return [command.name, *words]

    def run(self, app: IrApp, text: str) -> None:
        """Run a line beside the loop and show what it wrote and said."""
        from irtui.render.look import Look
        from irtui.shell import Captured, captured_front, run_line

        screen = app.mode_screen
        if screen is None:
            return
        if not text[:1].isspace():
            self.session.lines.append(text)
        self._see(app)
        answer = self._hits if _HIT.search(text) else None
        look = Look(OutputScreen.width_in(app.size.width), color=True, styles=_ROLES)
        captured = self._captured = Captured()
        live = app.live

        def there(command: Command, context: Context, arguments: Mapping[str, Any]) -> Result:
            del context
            result, notes = live.call(noted, command.name, dict(arguments))
            for note in notes:
                captured.note(note)
            return result

        def work() -> Captured:
            if answer is not None:
                self._list(answer)
            run_line(self.session, text, captured_front(captured, look=look, run=there))
            return captured

        self.running = text
        screen.ask_once(_LANE, work, lambda answered: self._told(app, text, answered))
        app.say(f"running: {text}", "running")

    def _see(self, app: IrApp) -> None:
        """Let the session know what is seen, as far as it is other than the last time."""
        from irtui.shell.session import Held

        session = self.session
        session.corpora = tuple(app.searched)
        session.query = str(getattr(app.mode_screen, "query_now", "")) or session.query
        session.drop()
        session.select(dict(each.row) for each in app.tray)
        found = getattr(getattr(app.mode_screen, "searching", None), "found", None)
        if found is not None and found.answer is not self._hits:
            self._hits, self._current = found.answer, ""
        current = app.current_hit
        if current is not None and current["key"] != self._current:
            self._current = str(current["key"])
            session.take(Held("search", [dict(current)]), numbered=False)

    def _list(self, answer: Answer) -> None:
        """Make the hits that are seen the listing, once."""
        from irtui.commands.registry import lookup
        from irtui.shell.session import Held

        rows = answer.rows(0, answer.count)
        self.session.listing = Held("search", rows, lookup("search").output)
        self._hits = answer

    def _told(self, app: IrApp, text: str, answered: Answered) -> None:
        from irtui.commands.live import problem_data
        from irtui.tui.widgets.panes import error_lines

        self.running, self._captured = "", None
        app.say("")
        if answered.error is not None:
            app.push_screen(OutputScreen(text, error_lines(problem_data(answered.error))))
            return
        self._take_over(app)
        captured = answered.value
        said = list(captured.said)
        if self.session.settings.timing:
            said.append(("note", f"{self.session.seconds:.3f} s"))
        if captured.written or any(word in ("error", "warning") for word, _ in said):
            lines = [spans_of(line) for line in captured.text.split("\n")]
            while lines and not lines[-1]:
                lines.pop()
            lines += [[(_WORDS.get(word, ""), f"{word}: {told}")] for word, told in said]
            app.push_screen(OutputScreen(text, lines))
        else:
            app.say(" · ".join(told for _, told in said) or f"done: {text}", "ok")

    def _take_over(self, app: IrApp) -> None:
        """Let the app be as the session is now: selection, corpora, theme, what is kept."""
        from irtui.commands.spec import UsageError
        from irtui.shell.saving import picked_data
        from irtui.shell.session import identity_of

        session = self.session
        if session.over:
            app.action_leave()
            return
        if session.changed:
            session.changed = False
            app.keep()
        if session.corpora != tuple(app.searched):
            app.choose_corpora(session.corpora)
        if session.settings.theme:
            app.use_theme(session.settings.theme)
            session.settings.theme = ""
        before = {identity_of(each.row): each.key for each in app.tray}
        rows = {identity_of(row): row for row in session.selection.rows}
        app.tray.drop([key for identity, key in before.items() if identity not in rows])
        for identity, row in rows.items():
            if identity in before:
                continue
            try:
                data = picked_data(
                    row, 1, query=session.query, mode=session.mode or "hybrid", at=time.time()
                )
            except UsageError as error:
                app.say(error.message, "due")
                continue
            app.tray.add([Picked(**data)])
