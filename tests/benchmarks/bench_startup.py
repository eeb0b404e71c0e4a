"""How long a person waits before anything is there: whole processes, from start to end.

Run: ``python tests/benchmarks/bench_startup.py [--runs 15] [--notes 2000] [--json FILE]
[--peer PYTHON]``

Each line is the fastest and the median of the runs in wall time, and the processor time of the
fastest. The prompt is timed until ``ir>`` is on a pseudo-terminal. A corpus of generated notes is
built first, with the default model, in a folder of its own. ``--peer`` is an interpreter in which
PyPI ``ir==0.1.61`` is installed: its program is timed beside ours with the same notes, and how many
times as long it takes is said. Its hashing embedder (``light``) is used, so its hybrid search loads
no model.

Targets: help, version and completion 0.15 s; prompt 0.4 s; lexical search 0.5 s; hybrid search
with the default model 1.2 s.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import random
import resource
import select
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path

TARGETS = {
    "--version": 0.15,
    "--help": 0.15,
    "search --help": 0.15,
    "completion bash": 0.15,
    "completion corpora": 0.15,
    "-c 'ls'": 0.5,
    "prompt": 0.4,
    "search, lexical": 0.5,
    "search, hybrid": 1.2,
}
FIRST, SECOND = ("ba", "ko", "li", "mu", "ne", "po", "ra"), ("lan", "mer", "nos", "pit")
WORDS = [f"{a}{b}" for a in FIRST for b in SECOND]


def write_notes(folder: Path, count: int) -> None:
    """Write ``count`` notes of about a hundred words, the same each time."""
    folder.mkdir()
    chance = random.Random(7)
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=100))
        (folder / f"note-{number:05}.md").write_text(f"# Note {number}\n\n{text}.\n")


def timed(command: list[str], env: dict[str, str], cwd: Path) -> tuple[float, float]:
    """Run a command and return wall and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(
        command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.decode(errors='replace')}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed_prompt(command: list[str], env: dict[str, str], cwd: Path) -> tuple[float, float]:
    """Return wall seconds until the prompt is drawn, and processor seconds until it was left."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    running = subprocess.Popen(
        command,
        env={**env, "TERM": "xterm-256color"},
        cwd=cwd,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    shown, wall = b"", 0.0
    while True:
        ready, _, _ = select.select([master], [], [], 30)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if not wall and b"ir>" in shown:
            wall = time.perf_counter() - began
            os.write(master, b"\x04")
        if b"\x1b[6n" in piece:
            os.write(master, b"\x1b[1;1R")
    running.wait()
    os.close(master)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(
    runs: int, how: Callable[[list[str], dict[str, str], Path], tuple[float, float]], *args: object
) -> dict[str, float]:
    """Return fastest and median wall time, and the processor time of the fastest run."""
    taken = sorted(how(*args) for _ in range(runs))  # type: ignore[arg-type]
    return {
        "fastest": taken[0][0],
        "median": statistics.median(wall for wall, _ in taken),
        "processor": min(processor for _, processor in taken),
    }


def peer_rows(
    options: argparse.Namespace, env: dict[str, str], base: Path
) -> dict[str, dict[str, float]]:
    """Return the same figures of the peer's program, by the names of our rows."""
    program = str(options.peer.parent / "ir")
    home = base / "peer"
    home.mkdir()
    env = {name: value for name, value in env.items() if name != "PYTHONPATH"}
    env |= {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    env |= {f"IR_{kind}_DIR": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")}
    register = ["register", "notes", "files", "--root", str(base / "notes")]
    timed([program, *register, "--embedder", "light"], env, base)
    timed([program, "build", "notes"], env, base)
    question = ["search", "notes", "balan komer linos", "--mode"]
    commands = {
        "--help": ["--help"],
        "search --help": ["search", "--help"],
        "search, lexical": [*question, "lexical"],
        "search, hybrid": [*question, "hybrid"],
    }
    return {
        name: measured(options.runs, timed, [program, *words], env, base)
        for name, words in commands.items()
    }


def main() -> None:
    """Measure, print a table, and write the figures when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peer", type=Path, help="interpreter with PyPI ir==0.1.61")
    options = parser.parse_args()
    irtui = [sys.executable, "-m", "irtui"]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        env |= {f"IR_{kind}_DIR": str(base / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")}
        env["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
        write_notes(base / "notes", options.notes)
        timed([*irtui, "register", "notes", "files", "--root", "notes"], env, base)
        timed([*irtui, "build", "notes"], env, base)
        question = ["search", "-c", "notes", "balan komer linos"]
        commands = {
            "--version": ["--version"],
            "--help": ["--help"],
            "search --help": ["search", "--help"],
            "completion bash": ["completion", "bash"],
            "completion corpora": ["completion", "corpora"],
            "-c 'ls'": ["-c", "ls"],
            "search, lexical": [*question, "--mode", "lexical"],
            "search, hybrid": question,
        }
        rows = {
            name: measured(options.runs, timed, [*irtui, *words], env, base)
            for name, words in commands.items()
        }
        rows["prompt"] = measured(options.runs, timed_prompt, [*irtui, "shell"], env, base)
        peers = {} if options.peer is None else peer_rows(options, env, base)
    print(f"{options.notes:,} notes, {options.runs} runs; seconds")
    print(f"{'':24} {'fastest':>8} {'median':>8} {'cpu':>8} {'target':>8}{'peer':>8}")
    for name, row in rows.items():
        target = f"{TARGETS[name]:8.2f}" if name in TARGETS else " " * 8
        ratio = f"{peers[name]['fastest'] / row['fastest']:8.1f}" if name in peers else ""
        print(
            f"{name:24.24} {row['fastest']:8.3f} {row['median']:8.3f} {row['processor']:8.3f} "
            f"{target}{ratio}"
        )
    for name, row in peers.items():
        print(
            f"peer {name:19.19} {row['fastest']:8.3f} {row['median']:8.3f} {row['processor']:8.3f}"
        )
    if options.json:
        told = rows | {f"peer {name}": row for name, row in peers.items()}
        options.json.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
