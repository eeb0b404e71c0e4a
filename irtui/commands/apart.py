"""Open corpora in a process of their own, so that whoever draws a screen never waits for them.

Threads share one interpreter lock: while a search computes, the thread that follows the keyboard
gets its turn late. :class:`Apart` is a :class:`~irtui.commands.live.Live` whose corpora are open in
a child process. Requests and replies are pickles over the child's standard streams, each with its
length before it; requests of different threads are answered side by side.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from irtui.commands import apart_child as child
from irtui.commands.live import Answer, Live

if TYPE_CHECKING:
    from irengine.index import Corpus

__all__ = ["AnswerApart", "Apart"]

_T = TypeVar("_T")
_CLOSE_SECONDS = 1.0


@dataclass(eq=False)
class AnswerApart(Answer):
    """An answer whose hits are in the other process; rows are asked for there."""

    number: int = 0
    _names: list[str] = field(default_factory=list, repr=False)
    _home: Apart | None = field(default=None, repr=False)

    @property
    def count(self) -> int:
        """How many hits are ranked."""
        return len(self._names)

    def keys(self) -> list[str]:
        """Return what identifies each hit, in order."""
        return self._names

    def rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return the data of the hits ``start`` to ``stop``.

        Raises:
            IrError: of code ``hits-gone``, when the process was started anew in the meantime.
        """
        assert self._home is not None
        return self._home.call(child.rows, self.number, start, stop)


class Apart(Live):
    """Open corpora in a child process, which starts with the first request.

    When it ends by itself, what was asked is asked once more of a new one; a second end is an
    error of code ``engine-ended``. :meth:`close` ends it; it also ends with this process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._starting = threading.Lock()
        self._process: _Child | None = None
        self._closed = False

    def close(self) -> None:
        """End the process; what is being asked gets an error."""
        with self._starting:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def call(self, function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
        """Return ``function(live, *args, **kwargs)`` of the other process.

        ``function`` is one of a module; what goes in and comes out must be picklable.

        Raises:
            IrError: what the engine raised there, with its code, message and hint; also when the
                process ended twice.
        """
        from irengine.errors import IrError

        for last in (False, True):
            process = self._child()
            try:
                reply: _T = process.ask(function, args, kwargs)
            except _EndedError as error:
                with self._starting:
                    if self._process is process:
                        self._process = None
                if last or self._closed:
                    raise IrError(
                        f"the process that searches ended {error}",
                        hint="the next search starts it again",
                        code="engine-ended",
                    ) from None
            else:
                return reply
        raise AssertionError("unreachable")

    # --- what a Live does -----------------------------------------------------------------------

    def names(self) -> list[str]:
        """Return the built corpora, sorted; what only ``try`` made comes last."""
        return self.call(Live.names)

    def default_names(self) -> list[str]:
        """Return what is asked when nobody chose."""
        return self.call(Live.default_names)

    def known(self) -> list[str]:
        """Return every name there is, built or only registered."""
        return self.call(Live.known)

    def opened(self, names: Sequence[str]) -> tuple[list[Corpus], dict[str, dict[str, str]]]:
        """Refuse: an open corpus cannot leave its process; use :meth:`call`."""
        raise TypeError("open corpora stay in their process: call a function there")

    def opened_one(self, name: str) -> Corpus:
        """Refuse, as :meth:`opened` does."""
        raise TypeError("open corpora stay in their process: call a function there")

    def warm(self, names: Sequence[str]) -> None:
        """Open the corpora and load what embeds their queries."""
        self.call(Live.warm, list(names))

    def state(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return of each corpus what is known of it."""
        return self.call(Live.state, list(names))

    def run(self, command: str, /, **params: Any) -> Any:
        """Run a command in the other process and return its result."""
        return self.call(Live.run, command, **params)

    def answer(self, text: str, *, after: Answer | None = None, **options: Any) -> Answer:
        """Ask ``text`` in the query language, as :meth:`Live.answer` does."""
        before = after.number if isinstance(after, AnswerApart) else None
        number, facts, keys = self.call(child.answer, text, options, before)
        answer = AnswerApart(**facts, number=number, _names=keys, _home=self)
        process = self._process
        if process is not None:
            weakref.finalize(answer, process.release, number)
        return answer

    def count(self, text: str, *, names: Sequence[str], most: int = 10_000) -> int:
        """Return how many artifacts ``text`` has by its words and conditions."""
        return self.call(Live.count, text, names=list(names), most=most)

    def read(
        self,
        source: str,
        artifact_id: str,
        *,
        query: str = "",
        max_chars: int | None = None,
        as_known: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return a document with ``spans``; whether they are wanted is asked before, not during."""
        if as_known is not None and as_known():
            query = ""
        return self.call(Live.read, source, artifact_id, query=query, max_chars=max_chars)

    def _child(self) -> _Child:
        with self._starting:
            if self._process is None:
                self._process = _Child()
            return self._process


class _EndedError(Exception):
    """The process ended; the text says how."""


class _Child:
    """One run of the other process: sends requests, hands replies to the threads that wait."""

    def __init__(self) -> None:
        # A session of its own: a key of the terminal, or its closing, is not for the child, which
        # ends when its standard input does. What it says on its own would be drawn over.
        self._process = subprocess.Popen(
            [sys.executable, "-m", child.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name != "nt",
        )
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._dropped: list[int] = []
        self._ended = False
        threading.Thread(target=self._listen, name="engine-replies", daemon=True).start()

    def ask(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        waiting = _Waiting()
        lane = threading.current_thread().name
        with self._lock:
            if self._ended:
                raise _EndedError(self._how())
            number = next(self._numbers)
            self._waiting[number] = waiting
            dropped, self._dropped = self._dropped, []
            request = pickle.dumps((number, lane, function, args, kwargs, dropped), protocol=5)
            try:
                assert self._process.stdin is not None
                child.write(self._process.stdin, request)
            except (OSError, ValueError):
                self._waiting.pop(number, None)
                raise _EndedError(self._how()) from None
        waiting.event.wait()
        if waiting.kind == "ended":
            raise _EndedError(self._how())
        if waiting.kind == "error":
            from irengine.errors import IrError

            raise IrError(**waiting.value)
        return waiting.value

    def release(self, number: int) -> None:
        """Let the child forget an answer, with the next request."""
        self._dropped.append(number)

    def close(self) -> None:
        """End the child."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
        except OSError:
            self._process.kill()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        stream: BinaryIO = self._process.stdout  # type: ignore[assignment]
        while (reply := child.read(stream)) is not None:
            number, kind, value = pickle.loads(reply)
            waiting = self._waiting.pop(number, None)
            if waiting is not None:
                waiting.tell(kind, value)
        with self._lock:
            self._ended = True
            left, self._waiting = list(self._waiting.values()), {}
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
                    self._process.stdin.close()
        stream.close()
        for waiting in left:
            waiting.tell("ended", None)

    def _how(self) -> str:
        try:
            status = self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            return "without a word"
        return f"by signal {-status}" if status < 0 else f"with status {status}"


class _Waiting:
    """A place where a thread waits for its reply."""

    __slots__ = ("event", "kind", "value")

    def __init__(self) -> None:
        self.event = threading.Event()
        self.kind = ""
        self.value: Any = None

    def tell(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value
        self.event.set()
