"""Let work deep inside a build look whether it has been cancelled.

What cuts up or embeds one document knows nothing of the build it is part of. The build says here,
for the length of a block, what raises when it is cancelled, and long loops ask now and then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

__all__ = ["checkpoint", "checkpoints", "no_checkpoint"]


def no_checkpoint() -> None:
    """Do nothing: what is asked when nothing can be cancelled."""


_asked: ContextVar[Callable[[], None]] = ContextVar("irengine_checkpoint", default=no_checkpoint)


@contextlib.contextmanager
def checkpoints(ask: Callable[[], None]) -> Iterator[None]:
    """Have ``ask`` called by every :func:`checkpoint` of this thread inside the block."""
    before = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(before)


def checkpoint() -> Callable[[], None]:
    """Raise when what this thread is doing was cancelled; else return what asks.

    A thread does not know what another one asks: work that is handed on takes the function along.

    Raises:
        BuildCancelled: it was cancelled.
    """
    ask = _asked.get()
    ask()
    return ask
