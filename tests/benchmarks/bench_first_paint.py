"""Print how soon the app paints and how much memory it takes, beside other full-screen programs.

    python tests/benchmarks/bench_first_paint.py [--also 'posting=/path/to/posting']…

Each program is started several times in a pseudo-terminal of 120 by 40 cells, with folders of its
own, and killed. ``first`` is when half of the cells had been drawn, ``typed`` when letters typed at
that moment stood on the screen (where there is something to type in), in seconds since the start;
the memory is that of all its processes two seconds later, shared pages counted for each. Medians,
and the worst in brackets.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import shlex
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyte

ROWS, COLUMNS = 40, 120
HALF = ROWS * COLUMNS // 2
LIMIT = 20.0
MARK = "zqzq"


@dataclass(frozen=True, slots=True)
class Start:
    """What one start cost: seconds, seconds (or NaN), megabytes."""

    first: float
    typed: float
    memory: float


def start(command: list[str], home: Path, *, rest: float = 2.0) -> Start:
    """Run ``command`` in a terminal until it has drawn, type, rest, and end it."""
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        **{f"IR_{kind}_DIR": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")},
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")},
    }
    begun = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    first = typed = float("nan")
    end = begun + LIMIT
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.02)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        stream.feed(data)
        if first != first:
            painted = sum(
                cell.data != " " or cell.bg != "default"
                for line in screen.buffer.values()
                for cell in line.values()
            )
            if painted >= HALF:
                first = time.monotonic() - begun
                end = time.monotonic() + rest
                os.write(terminal, MARK.encode())
        elif typed != typed and any(MARK in line for line in screen.display):
            typed = time.monotonic() - begun
    memory = sum(
        process.memory_info().rss
        for process in [psutil.Process(child), *psutil.Process(child).children(recursive=True)]
    )
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return Start(first, typed, memory / 2**20)


def shown(values: list[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({max(values):.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--also", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    programs = {"irtui": f"{sys.executable} -m irtui tui"}
    programs |= dict(text.split("=", 1) for text in options.also)
    print(f"{'program':12}{'first s':>16}{'typed s':>16}{'MB':>16}")
    for name, command in programs.items():
        starts = []
        with tempfile.TemporaryDirectory() as home:
            (Path(home) / "notes").mkdir()
            for number in range(20):
                text = f"# Note {number}\n\nBees and frost.\n"
                (Path(home) / "notes" / f"{number}.md").write_text(text)
            start(shlex.split(command), Path(home))  # files of the program come off the disk
            starts = [start(shlex.split(command), Path(home)) for _ in range(options.times)]
        columns = [
            shown([getattr(one, field) for one in starts], digits)
            for field, digits in (("first", 2), ("typed", 2), ("memory", 0))
        ]
        print(f"{name:12}" + "".join(f"{column:>16}" for column in columns), flush=True)


if __name__ == "__main__":
    main()
