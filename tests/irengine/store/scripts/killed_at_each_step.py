"""Kill a writer before its n-th durable step, for every n, and look at what is left.

Steps are calls that change what is on disk. Each life is a forked child, so that nothing has to
be imported again. Arguments: scenario, first step, stride. Prints one line a step,
``n outcome``, and raises when anything is wrong.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import traceback
from pathlib import Path

import chromadb  # noqa: F401 - before forking, it takes a second
from _common import NAME, put, versions

import irengine.store.chroma as chroma
from irengine.store import CorpusStore, mirror, worker

KILLED = 77
SCENARIO, START, STRIDE = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def take(home: Path | None = None, *, fresh: bool = False) -> worker.Worker:
    """Never start a process: the step at which to die is counted in this one."""
    del fresh
    return worker.HereWorker(home)


worker.take = mirror.take = take


def change(store: CorpusStore) -> None:
    if SCENARIO == "forget":
        store.forget(["a1", "a2"])
        return
    with store.writing("test") as batch:
        for i in range(12):
            put(batch, f"a{i}", 2)
        batch.remove("a12")
        batch.commit()
        put(batch, "late", 3)
        batch.commit()


def expected(before: dict[str, int]) -> list[dict[str, int]]:
    if SCENARIO == "forget":
        return [before, {k: v for k, v in before.items() if k not in ("a1", "a2")}]
    middle = {k: v for k, v in before.items() if k != "a12"}
    middle |= {f"a{i}": 2 for i in range(12)}
    return [before, middle, {**middle, "late": 3}]


def arm(n: int) -> None:
    """Let this process die without warning before its ``n``-th step."""
    left = [n]

    def wrap(owner: object, name: str) -> None:
        original = getattr(owner, name)

        def step(*args: object, **kwargs: object) -> object:
            left[0] -= 1
            if left[0] == 0:
                os._exit(KILLED)
            return original(*args, **kwargs)

        setattr(owner, name, step)

    for name in ("replace", "unlink", "mkdir"):
        wrap(Path, name)
    for name in ("fsync", "rmdir"):
        wrap(os, name)
    for name in ("add", "delete", "close"):
        wrap(chroma.Session, name)


def in_child(work) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - this process must not go on
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    folder = CorpusStore.local(NAME).path
    assert folder is not None
    template = folder.with_name("template")

    def seed() -> None:
        if SCENARIO == "first":
            return
        with CorpusStore.local(NAME).writing("seed") as batch:
            for i in range(15):
                put(batch, f"a{i}", 1)
            batch.commit()
            put(batch, "a0", 0)

    assert in_child(seed) == 0
    if folder.exists():
        shutil.move(folder, template)
    for n in itertools.count(START, STRIDE):
        shutil.rmtree(folder, ignore_errors=True)
        if template.exists():
            shutil.copytree(template, folder)
        before = versions(CorpusStore.local(NAME))
        allowed = expected(before)

        def life(n: int = n) -> None:
            arm(n)
            change(CorpusStore.local(NAME))

        def afterlife(allowed: list[dict[str, int]] = allowed) -> None:
            store = CorpusStore.local(NAME)
            left = versions(store)
            assert left in allowed, left
            with store.writing("recover"):
                pass
            assert versions(store) == left
            report = store.verify()
            assert report.ok, report
            change(store)
            assert versions(store) == allowed[-1]
            report = store.verify()
            assert report.ok and report.chroma_checked, report
            names = {path.name for path in folder.iterdir()}
            assert sum(name.startswith("chroma-") for name in names) == 1, names
            assert "intent.json" not in names and not any(x.endswith(".tmp") for x in names)

        code = in_child(life)
        assert code in (0, KILLED), code
        assert in_child(afterlife) == 0, n
        print(n, "completed" if code == 0 else "killed", flush=True)
        if code == 0:
            return


main()
