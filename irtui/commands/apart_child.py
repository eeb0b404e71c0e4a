"""The process in which :class:`irtui.commands.apart.Apart` keeps its corpora open.

Its standard streams carry pickles, each after its length in four bytes: requests ``(number, lane,
function, args, kwargs, dropped)`` come in, replies ``(number, "value" or "error", what)`` go out.
There is one thread a lane. It ends with its standard input.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import sys
import threading
from dataclasses import fields
from typing import Any, BinaryIO, cast

from irtui.commands.live import Answer, Live, problem_data

__all__ = ["Serving", "answer", "main", "read", "rows", "write"]

_LENGTH = struct.Struct(">I")
_FACTS = tuple(each.name for each in fields(Answer) if not each.name.startswith("_"))
_MOST_KEPT = 64


class Serving(Live):
    """Open corpora, and the answers whose hits may still be asked for, by number."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, Answer] = {}
        # Not from 1: an answer of a process before must not be taken for one of this.
        self._last = int.from_bytes(os.urandom(6), "big")

    def keep(self, given: Answer) -> int:
        """Keep an answer; return its number."""
        self._last += 1
        self.kept[self._last] = given
        while len(self.kept) > _MOST_KEPT:
            self.kept.pop(next(iter(self.kept)), None)
        return self._last


def answer(
    live: Live, text: str, options: dict[str, Any], before: int | None
) -> tuple[int, dict[str, Any], list[str]]:
    """Ask ``text``; return the number of the answer, its plain fields, and the keys of its hits."""
    serving = cast("Serving", live)
    given = serving.answer(text, after=serving.kept.get(before or 0), **options)
    return serving.keep(given), {name: getattr(given, name) for name in _FACTS}, given.keys()


def rows(live: Live, number: int, start: int, stop: int) -> list[dict[str, Any]]:
    """Return rows of an answer.

    Raises:
        IrError: when it is not kept any more.
    """
    kept = cast("Serving", live).kept.get(number)
    if kept is None:
        from irengine.errors import IrError

        raise IrError("these hits are not known any more", hint="search again", code="hits-gone")
    return kept.rows(start, stop)


def write(stream: Any, message: bytes) -> None:
    """Write one message and flush it."""
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def read(stream: BinaryIO) -> bytes | None:
    """Return the next message, or ``None`` at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length = _LENGTH.unpack(head)[0]
    message = stream.read(length)
    return message if len(message) == length else None


def main() -> None:
    """Answer requests until there are no more."""
    requests = sys.stdin.buffer
    # Whatever prints must not get between the replies.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    live, lock = Serving(), threading.Lock()
    lanes: dict[str, queue.SimpleQueue[Any]] = {}
    while (message := read(requests)) is not None:
        request = pickle.loads(message)
        number, lane, function, args, kwargs, dropped = request
        for each in dropped:
            live.kept.pop(each, None)
        if lane not in lanes:
            lanes[lane] = queue.SimpleQueue()
            threading.Thread(
                target=_serve, args=(lanes[lane], live, replies, lock), name=lane, daemon=True
            ).start()
        lanes[lane].put((number, function, args, kwargs))
    os._exit(0)  # nothing here is worth waiting for: only readers are open


def _serve(
    requests: queue.SimpleQueue[Any], live: Live, replies: BinaryIO, lock: threading.Lock
) -> None:
    while True:
        number, function, args, kwargs = requests.get()
        try:
            reply = pickle.dumps((number, "value", function(live, *args, **kwargs)), protocol=5)
        except Exception as error:  # noqa: BLE001 - whatever it is, the asking side shows it
            reply = pickle.dumps((number, "error", problem_data(error)), protocol=5)
        try:
            with lock:
                write(replies, reply)
        except OSError:
            os._exit(0)  # whoever asked is gone


if __name__ == "__main__":
    # A second copy of this module would have classes and functions of its own.
    from irtui.commands import apart_child

    apart_child.main()
