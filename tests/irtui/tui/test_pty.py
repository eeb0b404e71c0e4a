"""On a real terminal: start, type, quit; whatever ends the app, the terminal is as it was."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import build_garden, write_garden

WAIT = 30.0
LEFT = b"\x1b[?1049l"  # the alternate screen is left
MOUSE_OFF = b"\x1b[?1000l"
SHOWN = b"\x1b[?25h"  # the cursor is shown


class Terminal:
    """The app on a pseudo-terminal."""

    def __init__(self, folder: Path, *words: str, **env: str) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 100)) if hasattr(termios, "tcsetwinsize") else None
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "irtui", *words],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=folder,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "TERM": "xterm-256color",
                "COLUMNS": "100",
                "LINES": "24",
                **env,
            },
        )

    def read(self, seconds: float = 0.1) -> bool:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.output += piece
        return bool(piece)

    def until(self, wanted: bytes) -> None:
        end = time.monotonic() + WAIT
        while wanted not in self.output:
            assert time.monotonic() < end, self.output[-3000:]
            self.read()

    def type(self, keys: bytes) -> None:
        self.output = b""
        os.write(self.master, keys)

    def ended(self) -> int:
        end = time.monotonic() + WAIT
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output[-3000:]
            self.read()
        while self.read(0.05):
            pass
        return self.process.returncode

    def is_restored(self) -> bool:
        after = termios.tcgetattr(self.slave)
        modes = all(code in self.output for code in (LEFT, SHOWN))
        return modes and after[:4] == self.before[:4]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def app(folders: Path) -> Iterator[Any]:
    build_garden("garden", write_garden(folders / "notes"))
    running: list[Terminal] = []

    def start(*words: str, **env: str) -> Terminal:
        running.append(Terminal(folders, *words, **env))
        running[-1].until(b"garden")
        return running[-1]

    yield start
    for terminal in running:
        terminal.close()


def test_start_type_quit(app: Any) -> None:
    terminal = app()
    os.write(terminal.master, b"frost")
    terminal.until(b"Fleece")
    os.write(terminal.master, b"\x1b")
    time.sleep(0.3)  # an escape alone is told from the start of a sequence by its silence
    os.write(terminal.master, b"q")
    assert terminal.ended() == 0
    assert terminal.is_restored()
    assert MOUSE_OFF in terminal.output


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_a_signal_ends_it_and_the_terminal_is_as_it_was(app: Any, name: str) -> None:
    terminal = app("tui")
    number = getattr(signal, name)
    terminal.process.send_signal(number)
    assert terminal.ended() == 128 + number
    assert terminal.is_restored()


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def until_stopped(terminal: Terminal) -> None:
    stat = Path(f"/proc/{terminal.process.pid}/stat")
    end = time.monotonic() + WAIT
    while stat.read_text().rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < end
        terminal.read()


def goes_on(terminal: Terminal) -> None:
    """Continue it: it is drawn, answers and can be left."""
    terminal.output = b""
    terminal.process.send_signal(signal.SIGCONT)
    terminal.until(b"garden")
    os.write(terminal.master, b"frost")
    terminal.until(b"Fleece")
    os.write(terminal.master, b"\x11")
    assert terminal.ended() == 0
    assert terminal.is_restored()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_the_process_of_the_engine_never_outlives_the_app(app: Any, name: str) -> None:
    terminal = app("tui", "-q", "frost")
    terminal.until(b"Fleece")
    engines = children(terminal.process.pid)
    assert len(engines) == 1
    terminal.process.send_signal(getattr(signal, name))
    terminal.ended()
    end = time.monotonic() + WAIT
    while any(Path(f"/proc/{pid}").exists() for pid in engines):
        state = Path(f"/proc/{engines[0]}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            break  # nobody is left to take note of its end
        assert time.monotonic() < end
        time.sleep(0.05)


def test_ctrl_c_twice_leaves(app: Any) -> None:
    terminal = app("tui", "--no-mouse")
    os.write(terminal.master, b"\x03")
    terminal.until(b"again")
    os.write(terminal.master, b"\x03")
    assert terminal.ended() == 0
    assert terminal.is_restored()
    assert b"\x1b[?1000h" not in terminal.output


def test_a_fault_nobody_thought_of_leaves_a_line_and_a_file(app: Any, folders: Path) -> None:
    (folders / "sitecustomize.py").write_text(
        "import irtui.tui.screens.help as h\n"
        "def broken(*_):\n    raise RuntimeError('out of order')\n"
        "h.TextScreen.__init__ = broken\n"
    )
    path = os.pathsep.join([str(folders), *sys.path])
    terminal = app("tui", PYTHONPATH=path)
    os.write(terminal.master, b"\x1bOP")  # F1
    assert terminal.ended() == 70
    assert terminal.is_restored()
    assert b"internal error: RuntimeError: out of order" in terminal.output
    assert b"Traceback" not in terminal.output
    (report,) = (folders / "cache" / "crashes").iterdir()
    assert "out of order" in report.read_text()


def test_no_colour_means_none(app: Any) -> None:
    terminal = app("tui", NO_COLOR="1")
    os.write(terminal.master, b"frost")
    terminal.until(b"Fleece")
    os.write(terminal.master, b"\x11")
    terminal.ended()
    coloured = [
        code for code in (b"38;2;", b"48;2;", b"38;5;", b"48;5;") if code in terminal.output
    ]
    assert coloured == []


def test_a_terminal_without_utf_8_is_drawn_in_ascii(app: Any) -> None:
    terminal = app("tui", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    terminal.until(b"* ready")
    os.write(terminal.master, b"\x11")
    terminal.ended()
    assert b"\\u25" not in terminal.output and b"\xe2\x97\x8f" not in terminal.output


@pytest.mark.parametrize("words", [(), ("tui",)], ids=["bare", "named"])
@pytest.mark.parametrize("kind", ["dumb", ""])
def test_a_dumb_terminal_is_told_what_works_there(
    folders: Path, kind: str, words: tuple[str, ...]
) -> None:
    terminal = Terminal(folders, *words, TERM=kind)
    try:
        assert terminal.ended() == 2
    finally:
        terminal.close()
    said = " ".join(terminal.output.decode().split())
    assert f"the app cannot draw on a terminal of type '{kind or 'unknown'}'" in said
    assert "irtui shell works there" in said and "irtui search QUESTION" in said
    assert "\x1b" not in said


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state is read in /proc")
def test_ctrl_z_gives_the_terminal_back_until_it_is_taken_up_again(app: Any) -> None:
    terminal = app("tui")
    os.write(terminal.master, b"\x1a")
    until_stopped(terminal)
    while terminal.read():
        pass
    assert terminal.is_restored()
    goes_on(terminal)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state is read in /proc")
def test_stopped_and_continued_from_outside_it_is_drawn_anew_and_can_be_left(app: Any) -> None:
    terminal = app("tui")
    terminal.process.send_signal(signal.SIGSTOP)
    until_stopped(terminal)
    goes_on(terminal)


@pytest.mark.usefixtures("folders")
class TestWithoutATerminal:
    def _run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "irtui", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WAIT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        )

    def test_the_overview_is_shown(self) -> None:
        done = self._run()
        assert done.returncode == 0 and "search" in done.stdout

    def test_asked_for_by_name_it_says_what_is_missing(self) -> None:
        done = self._run("tui")
        assert done.returncode == 2 and done.stdout == ""
        assert "needs a terminal" in done.stderr

    def test_a_folder_and_a_question_are_answered_in_plain_text(self, tmp_path: Path) -> None:
        (tmp_path / "bees.md").write_text("# Bees\n\nBees make honey.\n")
        store = str(tmp_path / "data")
        done = self._run("tui", str(tmp_path), "-q", "who makes honey", IR_DATA_DIR=store)
        assert done.returncode == 0 and "bees.md:3" in done.stdout

    def test_wrong_options_are_named(self) -> None:
        assert "no option --fast" in self._run("tui", "--fast").stderr
        assert "--theme needs a value" in self._run("tui", "--theme").stderr
        assert "--read-only" in self._run("tui", "--help").stdout
