"""Lines of the shell in the app: pipelines, names and settings, in one session.

The tray is the selection of the session, and the row of the cursor its last result until a line has
one of its own, so that ``$sel`` and ``$_`` mean what one sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irtui.tui.lanes import Answered
from irtui.tui.screens.help import TextScreen
from irtui.tui.widgets.painting import Span

if TYPE_CHECKING:
    from irtui.commands.spec import Result
    from irtui.grammar import Parsed
    from irtui.tui.app import IrApp

__all__ = ["Lines"]

_SEEN = frozenset(("sel", "q", "_"))
_WORDS = {"error": "failed", "warning": "due", "hint": "muted", "note": "muted"}


class Lines:
    """The session behind the ``:`` line."""

    def __init__(self) -> None:
        from irtui.shell import Session

        self.session = Session(interactive=True)

    @staticmethod
    def are_for_session(parsed: Parsed) -> bool:
        """Return whether a line is more than one command with plain arguments."""
        from irtui.grammar.syntax import Pipeline
        from irtui.shell.meta import PLAIN_VERBS
        from irtui.shell.verbs import VERBS

        statement = parsed.statement
        if not isinstance(statement, Pipeline):
            return True
        verb, words = statement.command.verb, statement.command.words
        named = {ref.name for word in (verb, *words) for ref in word.refs}
        own = verb.ref is not None or verb.text in VERBS or verb.text in PLAIN_VERBS
        known = own or named - _SEEN
        return bool(statement.stages or statement.output or statement.name or known)

    def keep(self, name: str, result: Result) -> None:
        """Let ``$_`` and ``$1`` speak of the result of a command that was run beside it."""
        from irtui.commands.registry import lookup
        from irtui.shell.session import Held

        shape = lookup(name).output
        options = dict(result.options)
        self.session.take(
            Held(
                name,
                result.data,
                shape.full() if options.get("full") else shape,
                result.view,
                options,
                result.status,
            )
        )

    def run(self, app: IrApp, text: str) -> None:
        """Run a line beside the loop and show what it wrote and said."""
        from irtui.render.look import Look
        from irtui.shell import captured_front, run_line
        from irtui.shell.front import Captured

        screen = app.mode_screen
        if screen is None:
            return
        picked = [dict(each.row) for each in app.tray]
        current = None if app.current_hit is None else dict(app.current_hit)
        query = str(getattr(screen, "query_now", ""))
        look = Look(width=max(30, min(110, app.size.width) - 6))

        def work() -> Captured:
            self._see(picked, current, query, app.searched)
            captured = Captured()
            run_line(self.session, text, captured_front(captured, look=look))
            return captured

        screen.ask_once("command", work, lambda answered: _show(app, text, answered))

    def _see(
        self,
        picked: Sequence[Mapping[str, Any]],
        current: Mapping[str, Any] | None,
        query: str,
        corpora: Sequence[str],
    ) -> None:
        from irtui.shell.session import Held

        self.session.corpora = tuple(corpora)
        self.session.query = query or self.session.query
        self.session.drop()
        self.session.select(picked)
        if current is not None and self.session.last is None:
            self.session.take(Held("search", [current]))


def _show(app: IrApp, text: str, answered: Answered) -> None:
    if answered.error is not None:
        from irtui.commands.live import problem_data
        from irtui.tui.widgets.panes import error_lines

        app.push_screen(TextScreen(text, error_lines(problem_data(answered.error))))
        return
    captured = answered.value
    lines: list[list[Span]] = [[("", line)] for line in captured.text.splitlines()]
    lines += [[(_WORDS.get(word, ""), f"{word}: {said}")] for word, said in captured.said]
    app.push_screen(TextScreen(text, lines or [[("muted", "done")]]))
