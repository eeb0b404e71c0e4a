"""Print what a build of a real tree costs when nothing, or one file, has changed.

    IR_TEST_DATA=FOLDER python tests/benchmarks/bench_increments.py [--embedder light] [TREE]

Works on a copy of TREE, by default the 14,073 pages of ``tree-tldr``. Seconds are of
one run; ``read`` counts the files that were opened.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _folders import own_folders

import irengine as ir


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path, nargs="?")
    parser.add_argument("--embedder", default="light")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        own_folders(base)
        tree = base / "tree"
        if options.tree is not None:
            shutil.copytree(options.tree, tree)
        else:
            with tarfile.open(Path(os.environ["IR_TEST_DATA"]) / "tree-tldr.tar.xz") as archive:
                archive.extractall(tree, filter="data")
        time.sleep(0.1)  # files just written would not be trusted by their times
        measure(tree, options.embedder)


def measure(tree: Path, embedder: str) -> None:
    paths = sorted(tree.rglob("*.md"))
    page = paths[len(paths) // 2]
    text = page.read_text(encoding="utf-8")
    moved = page.with_name("moved-elsewhere.md")
    steps: list[tuple[str, Callable[[], object]]] = [
        ("first build", lambda: None),
        ("nothing", lambda: None),
        ("one edited", lambda: page.write_text(text + "\nOne more line.\n", encoding="utf-8")),
        ("one renamed", lambda: page.rename(moved)),
        ("one moved", lambda: moved.rename(tree / "moved.md")),
        ("one deleted", lambda: (tree / "moved.md").unlink()),
        ("one restored", lambda: page.write_text(text, encoding="utf-8")),
        ("nothing", lambda: None),
    ]
    first = 0.0
    print(f"{len(paths)} files, embedder {embedder}")
    columns = "".join(f"{word:>10}" for word in ("seconds", "of first", "read", "embedded"))
    print(f"{'change':14}{columns}  report")
    for label, change in steps:
        change()
        time.sleep(0.05)
        source = ir.CorpusSource.from_files(tree, name="bench")
        reads = count_reads(source)
        begun = time.perf_counter()
        report = ir.build(source, embedder=embedder).report
        seconds = time.perf_counter() - begun
        first = first or seconds
        counts = f"+{report.added} ~{report.changed} -{report.removed} ={report.unchanged}"
        share = f"{seconds / first:.1%}"
        print(f"{label:14}{seconds:10.2f}{share:>10}{reads[0]:10}{report.embedded:10}  {counts}")


def count_reads(source: ir.CorpusSource) -> list[int]:
    """Count the items read from ``source`` from now on."""
    reads = [0]

    class Counting(type(source.scope)):
        def __getitem__(self, artifact_id):
            reads[0] += 1
            return super().__getitem__(artifact_id)

    source.scope.__class__ = Counting
    return reads


if __name__ == "__main__":
    main()
