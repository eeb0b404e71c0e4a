"""The prompt on a real terminal: keys, signals, sizes, and terminals that can do less.

One prompt runs for most tests, because starting it takes longer than everything typed into it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WAIT = 15.0
SEQUENCE = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]")
SLOW = """import time
import irtui.commands.meta as m, irtui.commands.runner
from irtui.commands.registry import lookup
spec = lookup("completion")
def slow(context, *, shell):
    context.note("it began")
    time.sleep(600)
object.__setattr__(spec, "handler", slow)
"""


class Prompt:
    """``irtui shell`` on a pseudo-terminal that answers where its cursor is."""

    def __init__(self, base: Path, *words: str, rows: int = 30, **env: str) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(rows, 100)
        self.before = termios.tcgetattr(self.slave)
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "irtui", *words],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=base,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={
                **kept,
                **{f"IR_{kind.upper()}_DIR": str(base / kind) for kind in ("data", "config")},
                "IR_CACHE_DIR": str(base / "cache"),
                "PYTHONPATH": os.pathsep.join(sys.path),
                "TERM": "xterm-256color",
                "PAGER": "cat",
                **env,
            },
        )
        self.output = b""
        self.answered = 0

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.1) -> bool:
        ready, _, _ = select.select([self.master], [], [], seconds)
        try:
            piece = os.read(self.master, 65536) if ready else b""
        except OSError:
            return False
        self.output += piece
        for _ in range(piece.count(b"\x1b[6n")):
            os.write(self.master, b"\x1b[1;1R")
        return bool(piece)

    @property
    def shown(self) -> str:
        """What was written since the last keys, without escape sequences of the prompt."""
        text = SEQUENCE.sub(b"", self.output).decode("utf-8", "replace")
        return text.replace("\r", "")

    def until(self, wanted: str, times: int = 1) -> str:
        end = time.monotonic() + WAIT
        while self.shown.count(wanted) < times:
            assert time.monotonic() < end, self.shown[-2000:]
            assert self.read() or self.process.poll() is None, self.shown[-2000:]
        return self.shown

    def type(self, keys: str, wanted: str = "", times: int = 1) -> str:
        """Type, and wait until something is shown."""
        self.output = b""
        os.write(self.master, keys.encode())
        return self.until(wanted, times) if wanted else ""

    def settle(self) -> str:
        """Read until nothing more comes."""
        while self.read(0.3):
            pass
        return self.shown

    def fresh(self) -> None:
        """Begin with an empty line."""
        self.settle()
        self.type("\x03", "ir>")
        self.settle()
        self.output = b""

    def ended(self) -> int:
        end = time.monotonic() + WAIT
        while self.process.poll() is None:
            assert time.monotonic() < end, self.shown[-2000:]
            self.read()
        while self.read(0.05):
            pass
        return self.process.returncode

    @property
    def is_restored(self) -> bool:
        return termios.tcgetattr(self.slave)[:4] == self.before[:4]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture(scope="module")
def plot(garden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The garden again, for lines that change it."""
    return Path(shutil.copytree(garden, tmp_path_factory.mktemp("plot") / "garden"))


@pytest.fixture(scope="module")
def opened(plot: Path) -> Iterator[Callable[..., Any]]:
    running: list[Prompt] = []

    def start(*words: str, **options: Any) -> Prompt:
        running.append(Prompt(plot, *words, **options))
        running[-1].until("ir>")
        return running[-1]

    yield start
    for prompt in running:
        prompt.close()


@pytest.fixture(scope="module")
def shared(opened: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Prompt:
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(SLOW)
    editor = folder / "editor"
    editor.write_text("#!/bin/sh\necho 'ls | count' > \"$1\"\n")
    editor.chmod(0o755)
    path = os.pathsep.join([str(folder), *sys.path])
    return opened("shell", PYTHONPATH=path, EDITOR=str(editor))


@pytest.fixture
def prompt(shared: Prompt) -> Prompt:
    shared.fresh()
    return shared


class TestTyping:
    def test_with_completion(self, prompt):
        prompt.type("sea", "find ranked answers")
        prompt.type("\t", "search")
        prompt.type(" -m lex", "lexical")
        prompt.type("\t", "lexical")
        shown = prompt.type(" fig\r", "Cover the fig tree")
        assert "Frost" in shown
        assert "Cover the fig tree" in prompt.type("get $1\r", "note: notes/frost.md")

    def test_the_history_is_proposed(self, prompt):
        prompt.type("search -m lexical anchor\r", "merged by rank")
        prompt.fresh()
        prompt.type("search -m lexical an", "anchor")
        assert "merged by rank" in prompt.type("\x05\r", "merged by rank")

    def test_a_line_goes_on_while_something_is_open(self, prompt):
        prompt.type("ls | where (name = notes\r", "...")
        prompt.settle()
        prompt.type("or name = papers) | count\r", "2\n")

    def test_an_editor_writes_the_line(self, prompt):
        prompt.type("search something")
        prompt.settle()
        prompt.type("\x18\x05", "2\n")

    def test_vi_keys(self, prompt):
        prompt.type(":keys vi\r", "ir>", 2)
        prompt.settle()
        prompt.type("ls | countX\x1b")
        time.sleep(0.7)  # an escape alone is told from the start of a sequence by its silence
        prompt.type("x\r", "2\n")
        prompt.settle()
        prompt.type(":keys emacs\r", "ir>", 2)

    def test_a_mistake_is_marked(self, prompt):
        shown = prompt.type("search --lim 3\r", "did you mean --limit")
        assert "search has no option --lim" in shown

    def test_ten_pasted_lines_are_shown_and_run_together(self, prompt):
        lines = [f"a{n} = ls" for n in range(9)] + ["$a8 | count"]
        prompt.type("\x1b[200~" + "\r".join(lines) + "\x1b[201~", "$a8 | count")
        assert "has 2 rows" not in prompt.settle()
        shown = prompt.type("\r", "2\n")
        assert [f"$a{n} has 2 rows" in shown for n in range(9)] == [True] * 9


class TestSignals:
    def test_ctrl_c_ends_a_long_command_and_keeps_the_session(self, prompt):
        prompt.type("best = search -m lexical fig\r", "$best has 1 rows")
        prompt.settle()
        prompt.type("completion bash\r", "it began")
        began = time.monotonic()
        prompt.type("\x03", "interrupted")
        assert time.monotonic() - began < 20
        prompt.until("ir>")
        prompt.type("$best | ids\r", "frost.md")

    def test_ctrl_c_in_a_question_is_no(self, prompt):
        prompt.type("rm notes --purge\r", "[y/N]")
        prompt.type("\x03", "interrupted")
        prompt.until("ir>")
        prompt.settle()
        prompt.type("search -c notes -m lexical fig | ids\r", "frost.md")

    def test_ctrl_c_clears_a_line(self, prompt):
        prompt.type("search what", "what")
        prompt.type("\x03", "ir>")
        prompt.settle()
        prompt.type("ls | count\r", "2\n")

    def test_resizing_redraws(self, prompt):
        prompt.type("search one two three", "three")
        prompt.output = b""
        prompt.resize(20, 40)
        os.killpg(os.getpgid(prompt.process.pid), signal.SIGWINCH)
        prompt.until("search one")
        prompt.resize(30, 100)
        os.killpg(os.getpgid(prompt.process.pid), signal.SIGWINCH)
        prompt.settle()

    def test_a_document_cannot_steer_the_terminal(self, prompt):
        prompt.type("search -m lexical zebra\r", "runs")
        prompt.settle()
        shown = prompt.output
        prompt.type("get $1\r", "note: papers/evil.md")
        prompt.settle()
        for code in (b"\x1b]0;", b"\x1b[2J", b"\x9b31m", "\u202e".encode()):
            assert code not in shown + prompt.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_and_the_terminal_is_as_it_was(opened, number):
    prompt = opened("shell")
    prompt.type("half a li", "half a li")
    prompt.process.send_signal(number)
    assert prompt.ended() == 143
    assert prompt.is_restored


def test_no_colour_no_accents_and_ctrl_d(opened):
    prompt = opened("shell", NO_COLOR="1", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    shown = prompt.type("search -m lexical fig | head 1\r", "Cover the fig tree")
    assert "\\u" not in shown
    prompt.settle()
    codes = re.findall(rb"\x1b\[([0-9;]*)m", prompt.output)
    coloured = [c for c in codes for part in c.split(b";") if part[:1] in (b"3", b"4") and part[1:]]
    assert coloured == []
    prompt.type("\x04")
    assert prompt.ended() == 0
    assert prompt.is_restored


@pytest.mark.parametrize("env", [{"TERM": "unknown"}, {"IRTUI_PLAIN": "1"}])
def test_plain_lines_are_there_for_other_terminals_and_for_screen_readers(opened, env):
    prompt = opened("shell", NO_COLOR="1", IRTUI_LINK="", **env)
    prompt.type("search -m lexical fig | ids\n", "frost.md")
    prompt.type("\x04")
    assert prompt.ended() == 0
    assert b"\x1b" not in prompt.output


def test_a_dumb_terminal_gets_plain_lines(opened):
    prompt = opened("shell", TERM="dumb")
    prompt.type("ls | where (name = notes\n", "... ")
    prompt.type(") | count\n", "1\n")
    prompt.type("get nope -c notes\n", "there is no artifact 'nope'")
    prompt.type("completion\x03", "ir> ")
    prompt.type("search -m lexical fig\n", "Cover the fig tree")
    prompt.settle()
    assert b"\x1b" not in prompt.output
    prompt.type("\x04")
    assert prompt.ended() == 0


def test_without_a_terminal_it_is_a_script(irtui_in, garden):
    there = irtui_in(garden)
    done = subprocess.run(
        [sys.executable, "-m", "irtui", "shell"],
        input="ls | count\nwho is it\n",
        capture_output=True,
        text=True,
        env={**there.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=garden,
    )
    assert done.returncode == 2
    assert done.stdout == "2\n"  # no prompt, no banner, no blank lines
    assert "-:2:1: error: there is no command 'who'" in done.stderr
