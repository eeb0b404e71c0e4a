"""Log records of libraries as cleaned lines on standard error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["shown_logs"]


class _Lines(logging.Handler):
    def __init__(self, say: Callable[[str, str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say("warning", record.getMessage())


@contextmanager
def shown_logs(say: Callable[[str, str], None]) -> Iterator[None]:
    """Pass every log record from WARNING up to ``say(word, text)`` within the block.

    Without a handler Python would print them as they are, file names with escape sequences
    included.
    """
    handler = _Lines(say)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
