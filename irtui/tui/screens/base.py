"""What every mode has: the lines around it, size classes, asking lanes, saying things."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget

from irtui.tui.lanes import Answered, Newest, Ticket, Work
from irtui.tui.messages import LaneAnswer
from irtui.tui.widgets.bars import HintLine, StatusLine, TopBar

if TYPE_CHECKING:
    from irtui.tui.app import IrApp

__all__ = ["ModeScreen"]


class ModeScreen(Screen[None]):
    """A mode. Subclasses give ``MODE``, ``SCOPES``, ``TOPIC``, ``BINDINGS`` and a body.

    ``MODE`` is its id in :data:`irtui.tui.modes.MODES`; ``SCOPES`` the scopes of its keys;
    ``TOPIC`` what F1 shows, as plain text; ``FIRST_FOCUS`` the selector of what has the focus.
    """

    MODE: ClassVar[str] = ""
    SCOPES: ClassVar[tuple[str, ...]] = ()
    TOPIC: ClassVar[str] = ""
    FIRST_FOCUS: ClassVar[str] = ""
    AUTO_FOCUS = ""

    HORIZONTAL_BREAKPOINTS = [
        (0, "-one"),
        (60, "-two"),
        (100, "-three"),
        (140, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-tiny"),
        (10, "-short"),
        (16, "-tall"),
    ]

    DEFAULT_CSS = """
    ModeScreen { layout: vertical; background: $background; }
    ModeScreen > #body { height: 1fr; width: 100%; }
    ModeScreen.-short > TopBar, ModeScreen.-short > HintLine { display: none; }
    ModeScreen.-tiny > TopBar, ModeScreen.-tiny > HintLine { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._newest: dict[str, Newest] = {}

    @property
    def ir(self) -> IrApp:
        """The app, by its own type."""
        from typing import cast

        return cast("IrApp", self.app)

    def compose(self) -> ComposeResult:
        """Put the body between the lines every mode has."""
        yield TopBar()
        with Container(id="body"):
            yield from self.compose_body()
        yield StatusLine()
        yield HintLine()

    def compose_body(self) -> ComposeResult:
        """Give the widgets of the mode."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Focus where typing is meant to go."""
        if self.FIRST_FOCUS:
            self.query_one(self.FIRST_FOCUS).focus()

    # --- for subclasses and their widgets -------------------------------------------------------

    def ask(self, lane: str, work: Work, then: Callable[[Answered], None]) -> int:
        """Run ``work`` in a lane, in the place of what waits there; return its number.

        ``then`` is called in the event loop for each value and for an error, unless an answer to
        a newer request of this screen was there first.
        """
        newest = self._newest.setdefault(lane, Newest())

        def take(answered: Answered) -> None:
            if newest.takes(answered.number, time.monotonic()):
                then(answered)

        def deliver(answered: Answered) -> None:
            self.post_message(LaneAnswer(answered, take))

        return self.ir.lanes[lane].ask(work, deliver)

    def ask_once(self, lane: str, get: Callable[[], Any], then: Callable[[Answered], None]) -> int:
        """Ask, as :meth:`ask` does, for the one value that ``get`` returns."""

        def work(ticket: Ticket) -> Iterator[Any]:
            del ticket
            yield get()

        return self.ask(lane, work, then)

    def ask_command(
        self, lane: str, command: str, then: Callable[[Answered], None], /, **params: Any
    ) -> int:
        """Run a command that reads in a lane; ``then`` gets its ``Result``."""
        live = self.ir.live
        return self.ask_once(lane, lambda: live.run(command, **params), then)

    def painted_at(self, lane: str) -> float:
        """Return when something of a lane was painted last, in monotonic seconds."""
        newest = self._newest.get(lane)
        return newest.at if newest is not None else float("-inf")

    def say(self, text: str, role: str = "") -> None:
        """Show a message in the status line: ``role`` may be ``ok``, ``due`` or ``failed``."""
        self.query_one(StatusLine).say(text, role)

    def allowed(self, key_id: str) -> str:
        """Return why a key does nothing just now, or ``""``."""
        del key_id
        return ""

    def step_back(self) -> bool:
        """Leave what one is in; return whether there was anything to leave. For Escape."""
        return False

    def refresh_bars(self) -> None:
        """Paint the lines around the mode again."""
        for bar in (TopBar, StatusLine, HintLine):
            self.query_one(bar).refresh()

    def _tell_keys(self) -> None:
        for bar in (StatusLine, HintLine):
            self.query_one(bar).refresh()

    def panes(self) -> list[Widget]:
        """Return the widgets that can have the focus, for the jump overlay."""
        return list(self.focus_chain)

    def corpora_changed(
        self, state: Mapping[str, Mapping[str, Any]], changed: tuple[str, ...]
    ) -> None:
        """Take note that the corpora are others, or have a new generation."""

    def job_changed(self, job_id: int, *, ended: bool) -> None:
        """Take note that a job went on."""

    def error_text(self) -> str:
        """Return the error that is shown, for copying, or ``""``."""
        return ""

    def equivalent_command(self) -> str:
        """Return the command line that gives what is shown, or ``""``."""
        return ""

    # --- messages -------------------------------------------------------------------------------

    def on_lane_answer(self, message: LaneAnswer) -> None:
        """Hand an answer to whoever asked."""
        message.stop()
        message.then(message.answered)

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self._tell_keys()

    def on_descendant_blur(self) -> None:
        """Show the keys of what has the focus now."""
        self._tell_keys()
