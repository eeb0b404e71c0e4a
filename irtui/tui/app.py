"""The app: modes, themes, keys, signals, jobs, and what the modes share."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from irtui.commands.kept import Kept, kept_folder
from irtui.commands.live import Live
from irtui.tui.jobs import Job, JobCentre
from irtui.tui.keys import bindings, clashes, read_keymap
from irtui.tui.lanes import Lanes, Ticket
from irtui.tui.modes import MODES
from irtui.tui.saying import corpora_said, jobs_said
from irtui.tui.selection import Tray
from irtui.tui.theming import ThemedApp
from irtui.tui.widgets.bars import hint_here
from irtui.tui.widgets.painting import Span

if TYPE_CHECKING:
    from irtui.tui.screens.base import ModeScreen
    from irtui.tui.screens.lines import Lines

__all__ = ["IrApp", "Options"]

_WATCH_SECONDS = 2.0
_CLOCK_SECONDS = 1.0
_AGAIN_SECONDS = 1.0
_SIGNALS = ("SIGTERM", "SIGHUP", "SIGQUIT")


@dataclass(frozen=True, slots=True)
class Options:
    """How the app is started.

    Attributes:
        path: a folder or file to index and search, or ``None``.
        corpora: what to search; empty = the default.
        theme: a theme's name; empty = the kept one, or ``ir-mono`` under ``NO_COLOR``.
        read_only: refuse everything that writes.
        query: what to search for at once.
    """

    path: str | None = None
    corpora: tuple[str, ...] = ()
    theme: str = ""
    read_only: bool = False
    query: str = ""


class IrApp(ThemedApp):
    """The full-screen app.

    Attributes:
        live: the open corpora.
        lanes: the threads that ask them.
        jobs: child processes that write.
        tray: the selected passages, whatever the mode.
        searched: the names of the corpora that are searched.
        corpora_state: what is known of them, by name.
        current_hit: the row the cursor of Search is on, or ``None``.
        query_after: what is asked when a job has ended well, by the number of the job.
        crash: the fault that ended the app, if one did.
        kept: what is remembered between runs.
        looked: whether it is known what is built.
        here: the folder the app was started in.
    """

    TITLE = "irtui"
    MODES: ClassVar[dict[str, Any]] = {mode.id: mode.make for mode in MODES.values()}
    DEFAULT_MODE = "search"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("app"),
        Binding("ctrl+z", "suspend_process", "to the shell", show=False, priority=True),
    ]
    CSS = """
    SearchIcon { display: none; }
    CommandPalette > Vertical { margin-top: 1; }
    CommandPalette:ansi .option-list--option-highlighted { text-style: bold underline; }
    Input:ansi > .input--selection { text-style: reverse; }
    * { scrollbar-color: $ir-muted; scrollbar-background: $surface; }
    """

    def __init__(self, options: Options | None = None, *, live: Live | None = None) -> None:
        self.options = options or Options()
        self.live = live or Live()
        self.lanes = Lanes()
        self.jobs = JobCentre(self._job_changed)
        self.tray = Tray()
        self.searched: list[str] = list(self.options.corpora)
        self.corpora_state: dict[str, dict[str, Any]] = {}
        self.current_hit: dict[str, Any] | None = None
        self.crash: BaseException | None = None
        self.looked = False
        self.kept = Kept()
        self.here = _here()
        self.keymap_used: dict[str, str] = {}
        self.query_after: dict[int, str] = {}
        self._problems: list[str] = []
        self._interrupted = float("-inf")
        self._themes_read: tuple[float, ...] = ()
        # Told of NO_COLOR, Textual turns colours into greys, and the terminal's own into black. The
        # theme without colours is what is meant.
        self._no_color = os.environ.pop("NO_COLOR", "")
        super().__init__()
        if self._no_color:
            os.environ["NO_COLOR"] = self._no_color
        self.animation_level = "none"
        self._read_themes()
        self.theme = self._first_theme()

    def keep(self, said: str = "", role: str = "ok") -> None:
        """Write what is to be remembered, and say ``said``, or why it could not be written.

        A session that only reads remembers nothing beyond its end.
        """
        only_reads = self.options.read_only
        problem = "" if only_reads else self.kept.write()
        if problem:
            self.say(problem, "due")
        elif said and only_reads:
            self.say(f"{said}; until this session ends: it only reads (--read-only)", "due")
        elif said:
            self.say(said, role)

    # --- starting and ending --------------------------------------------------------------------

    def on_mount(self) -> None:
        """Take over signals, read the user's keys, and look at the corpora."""
        loop = asyncio.get_running_loop()
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is not None:
                try:
                    loop.add_signal_handler(number, self._end, 128 + number)
                except (NotImplementedError, RuntimeError, ValueError):
                    continue  # no signals on this system, or not in its main thread
        keymap, problems = read_keymap(kept_folder() / "keys.toml")
        self.keymap_used = keymap
        self.set_keymap(keymap)
        self._problems += [*problems, *clashes(keymap)]
        for each in self.mode_screens():
            each.refresh_bars()
        self.app_resume_signal.subscribe(self, self._paint_all)
        self.call_after_refresh(self._begin)

    def _paint_all(self, _: object) -> None:
        """Paint the whole screen again: the terminal was with others."""
        self.screen.refresh(layout=True)

    def _begin(self) -> None:
        if self._problems:
            self.say(self._problems[0], "due")
        self._look_at_corpora()
        self.set_interval(_WATCH_SECONDS, self._look_at_corpora)
        self.set_interval(_WATCH_SECONDS, self._follow_themes)
        self.set_interval(_CLOCK_SECONDS, self._tell_time)
        if self.options.path is not None:
            self.index_path(self.options.path)

    def on_unmount(self) -> None:
        """Leave no thread and no process behind."""
        if "lines" in vars(self):  # made when the first line is typed
            self.lines.stop()
        self.live.close()
        self.lanes.close()

    def _fatal_error(self) -> None:
        """Close after a fault nobody thought of; whoever ran the app reports it.

        Textual would print the traceback over the terminal.
        """
        if self.is_headless:
            super()._fatal_error()
            return
        self.crash = self._exception
        self._close_messages_no_wait()

    async def run_action(self, *args: Any, **options: Any) -> bool:
        """Do nothing any more once the app was told to leave: keys may have been typed ahead."""
        return True if self._exit else await super().run_action(*args, **options)

    def _end(self, status: int) -> None:
        """End after a signal; the terminal is put back by the app's own way out."""
        self.exit(status, return_code=status)

    def action_leave(self) -> None:
        """Leave; running jobs are asked about."""
        active = self.jobs.active
        if not active:
            self.exit(0)
            return
        from irtui.tui.screens.asking import Choice

        def chosen(answer: str | None) -> None:
            if answer == "stop":
                self.run_worker(self._stop_and_exit(), group="leave", exit_on_error=False)
            elif answer == "keep":
                self.exit(0)

        names = ", ".join(job.title for job in active)
        self.push_screen(
            Choice(
                f"still running: {names}",
                {"stop": "stop them, then leave", "keep": "leave, let them go on", "": "stay"},
            ),
            chosen,
        )

    async def _stop_and_exit(self) -> None:
        await self.jobs.stop_all()
        self.exit(0)

    async def action_interrupt(self) -> None:
        """Copy what is marked, else stop what a line runs, else ask once more before leaving."""
        marked = self.screen.get_selected_text()
        if marked:
            self.copy(marked)
            self.screen.clear_selection()
            return
        if self.lines.stop():
            self.say("stopped")
            return
        now = time.monotonic()
        if now - self._interrupted < _AGAIN_SECONDS:
            self.action_leave()
            return
        self._interrupted = now
        self.say("press ctrl+c again to leave")

    # --- modes ----------------------------------------------------------------------------------

    @property
    def mode_screen(self) -> ModeScreen | None:
        """The screen of the current mode, below whatever is open above it."""
        from irtui.tui.screens.base import ModeScreen

        return next((s for s in self.screen_stack if isinstance(s, ModeScreen)), None)

    def go(self, mode: str) -> None:
        """Show a mode."""
        if self.current_mode != mode:
            self.switch_mode(mode)

    def action_mode(self, mode: str) -> None:
        """Show a mode."""
        self.go(mode)

    async def action_back(self) -> None:
        """Go one step back: close what is open, drop what is marked, leave a field, unzoom."""
        screen = self.mode_screen
        if screen is None or self.screen is not screen:
            self.pop_screen()
        elif screen.get_selected_text():
            screen.clear_selection()
        elif screen.maximized is not None:
            screen.minimize()
        else:
            screen.step_back()

    def say(self, text: str, role: str = "") -> None:
        """Show a message in the status line of the mode."""
        screen = self.mode_screen
        if screen is not None and screen.is_mounted:
            screen.say(text, role)

    def refuses(self, what: str) -> bool:
        """Return whether writing is refused, and say so."""
        if self.options.read_only:
            self.say(f"{what}: this session only reads (--read-only)", "due")
        return bool(self.options.read_only)

    # --- corpora --------------------------------------------------------------------------------

    def choose_corpora(self, names: Sequence[str]) -> None:
        """Search these corpora from now on."""
        self.searched = list(names)
        self._look_at_corpora(forced=True)

    def _look_at_corpora(self, *, forced: bool = False) -> None:
        """Ask, beside the loop, what is built and whether it has a new generation."""
        chosen = list(self.searched)

        def work(ticket: Ticket) -> Iterator[Any]:
            del ticket
            names = chosen or self.live.default_names()
            yield names, self.live.state(names)

        screen = self.mode_screen
        if screen is None or self.lanes["state"].busy and not forced:
            return

        def told(answered: Any) -> None:
            if answered.error is not None:
                self.say(str(answered.error), "failed")
                return
            names, state = answered.value
            before = self.corpora_state
            changed = tuple(
                name
                for name in dict.fromkeys([*state, *before])
                if _mark(state.get(name)) != _mark(before.get(name))
            )
            first = not self.looked
            self.looked = True
            self.searched, self.corpora_state = list(names), state
            if first and names:
                self._warm(list(names))
            if changed or first:
                for each in self.mode_screens():
                    each.refresh_bars()
                    each.corpora_changed(state, changed)

        screen.ask("state", work, told)

    def _warm(self, names: list[str]) -> None:
        """Load what the first search needs while nobody has typed yet."""

        def work(ticket: Ticket) -> Iterator[Any]:
            del ticket
            self.live.warm(names)
            yield None

        self.lanes["warm"].ask(work, lambda _: None)

    def mode_screens(self) -> list[ModeScreen]:
        """Return the screens of the modes that were shown."""
        from irtui.tui.screens.base import ModeScreen

        stacks = self._screen_stacks.values()
        return [s for stack in stacks for s in stack if isinstance(s, ModeScreen) and s.is_mounted]

    def corpora_spans(self) -> list[Span]:
        """Return what the top line says of the corpora."""
        return corpora_said(self)

    @cached_property
    def lines(self) -> Lines:
        """The session of the ``:`` line."""
        from irtui.tui.screens.lines import Lines

        return Lines()

    @property
    def indexing(self) -> bool:
        """Whether nothing of what is searched can be read yet, and a job is at work."""
        states = [self.corpora_state.get(name, {"problem": None}) for name in self.searched]
        return bool(self.jobs.active) and all("problem" in state for state in states)

    def index_path(self, path: str, *, then: str = "") -> None:
        """Index a folder or file, in a job, and search it; also what is there of it already.

        ``then`` is a query that is asked when it is done and nothing else was typed.
        """
        from irtui.commands.try_ import corpus_name

        where = Path(path).expanduser().resolve()
        name = corpus_name(where)
        self.searched = [name]
        if self.options.read_only:
            self._look_at_corpora(forced=True)
            return
        self._look_at_corpora(forced=True)
        job = self.jobs.start(["try", str(where)], title=f"index {where.name or where}")
        self.query_after[job.id] = then

    # --- jobs -----------------------------------------------------------------------------------

    def _job_changed(self, job: Job) -> None:
        for screen in self.mode_screens():
            screen.refresh_bars()
            screen.job_changed(job.id, ended=not job.active)
        if not job.active:
            if job.state == "done":
                self.say(f"{job.title}: done in {job.seconds:.0f} s", "ok")
            elif job.error is not None and job.state == "failed":
                more = hint_here(self.screen, "app.jobs")
                self.say(f"{job.title}: {job.error['message']}; {more} shows more", "failed")
            else:
                self.say(f"{job.title}: {job.state}", "due")
            self._look_at_corpora(forced=True)

    def _tell_time(self) -> None:
        """Let the seconds of a job go on also while it has nothing to tell."""
        for job in self.jobs.active[-1:]:
            for screen in self.mode_screens():
                screen.refresh_bars()
                screen.job_changed(job.id, ended=False)

    def jobs_spans(self) -> list[Span]:
        """Return what the status line says of running jobs."""
        return jobs_said(self)

    def action_jobs(self) -> None:
        """Show the jobs."""
        from irtui.tui.screens.jobs import JobsScreen

        if not isinstance(self.screen, JobsScreen):
            self.push_screen(JobsScreen())

    # --- what opens above a mode ----------------------------------------------------------------

    def action_help(self) -> None:
        """Show the keys of this place."""
        from irtui.tui.screens.help import KeysScreen

        screen = self.mode_screen
        if screen is not None and not isinstance(self.screen, KeysScreen):
            scopes = [*getattr(screen.focused, "SCOPES", ()), *screen.SCOPES, "app"]
            self.push_screen(KeysScreen(list(dict.fromkeys(scopes)), self.keymap_used))

    def action_topic(self) -> None:
        """Show what the mode is for."""
        from irtui.tui.screens.help import TextScreen

        screen = self.mode_screen
        if screen is not None and not isinstance(self.screen, TextScreen):
            self.push_screen(TextScreen(MODES[screen.MODE].title, screen.TOPIC))

    def action_command_line(self) -> None:
        """Open the line for commands."""
        from irtui.tui.screens.command import CommandLine

        if not isinstance(self.screen, CommandLine):
            self.push_screen(CommandLine())

    def action_jump(self) -> None:
        """Put a letter on each pane; typing it goes there."""
        from irtui.tui.screens.jump import JumpScreen

        screen = self.mode_screen
        if screen is not None and self.screen is screen:
            self.push_screen(JumpScreen(screen.panes()))

    def action_zoom(self) -> None:
        """Let the focused pane fill the screen, or shrink it again."""
        screen = self.screen
        if screen.maximized is not None:
            screen.minimize()
        elif screen.focused is not None:
            screen.maximize(screen.focused, container=False)

    def action_palette(self) -> None:
        """Find any action by typing."""
        self.action_command_palette()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """List every action of this place for the palette."""
        from irtui.tui.palette import entries

        del screen
        yield from entries(self)

    def action_selection_hint(self) -> None:
        """Say how text is copied."""
        self.say("drag marks text, ctrl+c copies it; shift+drag is the terminal's own selection")

    # --- the clipboard --------------------------------------------------------------------------

    def copy(self, text: str, *, what: str = "") -> None:
        """Copy to the clipboard, and keep it in a file too: not every terminal allows the first."""
        from irtui.tui.clipboard import copied

        self.say(copied(self, text, what=what))


def _here() -> Path:
    """Return the folder one is in; the home folder when it was removed under the terminal."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def _mark(state: dict[str, Any] | None) -> Any:
    if state is None:
        return None
    return state.get("generation"), state.get("state"), str(state.get("problem", ""))
