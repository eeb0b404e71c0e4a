"""Measure how live search feels: keys typed into the app, with the real engine and a slow one.

Run it by hand: ``python tests/benchmarks/bench_typing.py CORPUS`` with a built corpus. Without a
terminal, 140 × 42: 20 keys at 120 ms. Printed are the lag of the event loop (how late a task comes
that wants to run every 2 ms), the time from a key to the first hits painted for it or for a later
one, from the last key to its last tier, and whether anything was painted out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import events

from irengine import open_corpus
from irtui.commands.apart import Apart
from irtui.commands.live import Answer, Live
from irtui.tui.app import IrApp, Options
from irtui.tui.screens.search import SearchScreen
from irtui.tui.start import prepare_interpreter

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH"))))
import _slow  # noqa: E402 - the process of the engine finds it by the path that was set

TEXT = "list files by size x"
GAP = 0.12
SLOW = 0.3
TICK = 0.002


class SlowApart(Apart):
    """An engine that first lets its process do something else for 300 ms."""

    def __init__(self, before: Callable[..., None]) -> None:
        super().__init__()
        self._before = before

    def answer(self, text: str, **options: Any) -> Answer:
        self.call(self._before, SLOW)
        return super().answer(text, **options)


async def watch_loop(lags: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK)
        lags.append(time.perf_counter() - began - TICK)


async def measure(corpus: str, live: Live, title: str) -> None:
    app = IrApp(Options(corpora=(corpus,)), live=live)
    keys: list[tuple[float, str]] = []
    painted: list[tuple[float, str, bool]] = []
    lags: list[float] = []
    async with app.run_test(size=(140, 42)) as pilot:
        while not app.looked:
            await pilot.pause(0.01)
        screen = app.mode_screen
        assert isinstance(screen, SearchScreen)
        screen.set_query("warm up")
        await pilot.pause(2.0)
        screen.set_query("")
        await pilot.pause(0.5)
        screen.listeners.append(
            lambda found: (
                found and painted.append((time.perf_counter(), found.answer.query, found.last))
            )
        )
        watcher = asyncio.create_task(watch_loop(lags))
        typed = ""
        for character in TEXT:
            typed += character
            keys.append((time.perf_counter(), typed))
            name = "space" if character == " " else character
            app.post_message(events.Key(name, character))
            await asyncio.sleep(GAP)
        last = keys[-1][1]
        while not any(query == last and final for _, query, final in painted):
            await asyncio.sleep(0.01)
        watcher.cancel()
    shown = [query for _, query, _ in painted]
    order = all(len(a) <= len(b) for a, b in zip(shown, shown[1:], strict=False))
    firsts = [
        next(at for at, query, _ in painted if at >= pressed and len(query) >= len(typed)) - pressed
        for pressed, typed in keys
    ]
    end = next(at for at, query, final in painted if query == last and final) - keys[-1][0]
    first = next(at for at, query, _ in painted if query == last) - keys[-1][0]
    lags.sort()
    print(
        f"{title:<14} loop lag p99 {1000 * lags[int(0.99 * len(lags))]:6.1f} ms, max"
        f" {1000 * lags[-1]:6.1f} ms; key to hits p50 {1000 * statistics.median(firsts):5.0f},"
        f" p95 {1000 * sorted(firsts)[int(0.95 * len(firsts))]:5.0f} ms; last key to its first"
        f" hits {first:.2f} s, to the last tier {end:.2f} s; {len(painted)} paints,"
        f" {'in order' if order else 'OUT OF ORDER'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", help="the name of a built corpus")
    corpus = parser.parse_args().corpus
    open_corpus(corpus)  # without it the keys would wait for hits for ever
    prepare_interpreter()
    for title, live in (
        ("real engine", Apart()),
        ("asleep 300 ms", SlowApart(_slow.asleep)),
        ("busy 300 ms", SlowApart(_slow.busy)),
        ("one process", Live()),
    ):
        asyncio.run(measure(corpus, live, title))


if __name__ == "__main__":
    main()
