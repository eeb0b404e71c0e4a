"""The Chroma process: serve requests of :mod:`irengine.store.worker` until its input ends.

A message is eight bytes of length and a pickle, from and to the parent process only.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from typing import Any, BinaryIO

from irengine.errors import IrError, StorageFull, StoreError
from irengine.store.chroma_work import ChromaWork
from irengine.store.memory_limit import MemoryLimit

__all__ = ["main", "receive", "send"]

_LENGTH = 8


def send(pipe: BinaryIO, message: object) -> None:
    """Write one message."""
    data = pickle.dumps(message, protocol=5)
    pipe.write(len(data).to_bytes(_LENGTH, "big"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """Read one message.

    Raises:
        EOFError: the other side is gone.
    """
    head = pipe.read(_LENGTH)
    data = pipe.read(int.from_bytes(head, "big")) if len(head) == _LENGTH else b""
    if not data:
        raise EOFError("the other process is gone")
    return pickle.loads(data)


def main() -> int:
    """Serve until the parent closes the pipe."""
    # Ctrl-C reaches the whole group; the parent decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up among the answers
    work = ChromaWork(MemoryLimit())
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            send(answers, _served(work, receive(sys.stdin.buffer)))
    return 0


def _served(work: ChromaWork, request: tuple[str, tuple[Any, ...]]) -> tuple[Any, ...]:
    method, arguments = request
    try:
        return "done", getattr(work, method)(*arguments)
    except IrError as error:
        kind = "full" if isinstance(error, StorageFull) else "failed"
        return kind, error.message, error.hint, error.code
    except Exception as error:  # noqa: BLE001 - the parent has to hear of it
        return "failed", f"{type(error).__name__}: {error}", "", StoreError.code
