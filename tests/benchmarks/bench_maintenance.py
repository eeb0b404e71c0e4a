"""Print what a sweep costs when nothing has changed: ten corpora of 10,000 files each.

    python tests/benchmarks/bench_maintenance.py [--corpora 10] [--files 10000]

``engine`` is the call in a process that has everything loaded, ``command`` a whole
``irtui --maintain``. Seconds are of one run each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _folders import own_folders, write_notes

import irengine as ir
from irengine.maintenance import maintain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=int, default=10)
    parser.add_argument("--files", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        own_folders(base)
        for number in range(options.corpora):
            root = base / f"tree{number}"
            write_notes(root, options.files)
            ir.register(f"corpus{number}", "files", root=str(root), embedder="light")
        print(f"{options.corpora} corpora of {options.files} files, embedder light")
        measure("first", lambda: sweep(options.files, added=True))
        for _ in range(3):
            measure("unchanged", lambda: sweep(options.files, added=False))
        command = [sys.executable, "-m", "irtui", "--maintain"]
        measure("command", lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        measure("dry run", lambda: maintain(dry_run=True))


def sweep(files: int, *, added: bool) -> None:
    for result in maintain():
        assert (result.added if added else result.unchanged) == files, result


def measure(label: str, work: object) -> None:
    begun, used = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    print(f"{label:12}{seconds:8.2f} s {cpu:8.2f} CPU-s", flush=True)


if __name__ == "__main__":
    main()
