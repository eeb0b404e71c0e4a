"""Print how soon a watcher makes changes searchable in a big tree of files.

    python tests/benchmarks/bench_watch.py [--files 10000] [--steps 10]

A step writes a file, renames it and deletes it; each line is the time from the change until a
search by words shows it, in seconds: the middle one and the longest. ``listed`` counts the folders
of the tree that were looked into meanwhile. One run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from _folders import own_folders, write_notes

import irengine as ir
from irengine.watch import Watcher


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        own_folders(base)
        root = base / "tree"
        write_notes(root, options.files)
        ir.register("tree", "files", root=str(root), embedder="light")
        ir.build_corpus("tree")
        measure(root, options.files, options.steps)


def measure(root: Path, files: int, steps: int) -> None:
    reader = ir.open_corpus("tree")
    listed: list[str] = []
    scandir = os.scandir
    took: dict[str, list[float]] = {"write": [], "rename": [], "delete": []}

    def noted(path: str = ".") -> object:
        listed.append(str(path))
        return scandir(path)

    def found(word: str) -> set[str]:
        return {hit.artifact_id for hit in ir.search(reader, word, mode="lexical", k=5)}

    with Watcher() as running:
        running.ready.wait(60)
        with mock.patch("os.scandir", noted):
            for step in range(steps):
                folder, word = root / f"d{step % (files // 100):03d}", f"unique{step}"
                file, moved = folder / "fresh.md", folder / "moved.md"
                file.write_text(f"{word}\n")
                took["write"].append(seconds_until(lambda: bool(found(word))))  # noqa: B023
                file.rename(moved)
                name = f"{folder.name}/moved.md"
                took["rename"].append(seconds_until(lambda: found(word) == {name}))  # noqa: B023
                moved.unlink()
                took["delete"].append(seconds_until(lambda: not found(word)))  # noqa: B023
    print(f"{files} files, {steps} steps, embedder light")
    for change, seconds in took.items():
        print(f"{change:8} median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")
    below = {path for path in listed if path.startswith(str(root))}
    print(f"listed   {len(below)} of {files // 100 + 1} folders")


def seconds_until(condition: Callable[[], bool]) -> float:
    begun = time.perf_counter()
    while not condition():
        time.sleep(0.005)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
