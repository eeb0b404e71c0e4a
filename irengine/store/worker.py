"""Talk to Chroma in a process of its own.

Adding records to Chroma holds the interpreter lock for the whole call (a spinning thread gets 2 %
of its speed), keeps hundreds of megabytes, and a torn store kills whoever opens it. In a process
of its own it runs beside the embedding on another core, gives its memory back, and a crash is an
error message. A process that is idle waits a while for the next writer.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from irengine.errors import StorageFull, StoreError
from irengine.store._worker import receive, send
from irengine.store.chroma_work import ChromaWork

__all__ = ["HereWorker", "ProcessWorker", "Worker", "add_rows", "borrowed", "give_back", "take"]

_log = logging.getLogger(__name__)

_IDLE_SECONDS = 60.0
_MOST_RECORDS = 5000
"""A process that added more than this has grown, and is not kept."""
_BLOCK = 5000
# Chroma's index writes memory to the disk that it never set. What the allocator hands out must
# therefore not hold what was freed before: the text of other records. (glibc, macOS)
_CLEAN_MEMORY = {"MALLOC_PERTURB_": "165", "MallocPreScribble": "1", "MallocScribble": "1"}
_CODE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from irengine.store._worker import main
raise SystemExit(main())
"""


class Worker(Protocol):
    """Something that serves the requests of :class:`ChromaWork`."""

    added: int

    def call(self, method: str, *arguments: Any) -> Any:
        """Carry out one request.

        Raises:
            StorageFull: no space left.
            StoreError: Chroma failed, or its process died.
        """
        ...

    def stop(self) -> None:
        """End it."""
        ...


class HereWorker:
    """Serves in this process, where no other can be started."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home
        self.added = 0
        self._work = ChromaWork()

    def call(self, method: str, *arguments: Any) -> Any:
        """Carry out one request."""
        return getattr(self._work, method)(*arguments)

    def stop(self) -> None:
        """Close what is open."""
        self._work.close()


class ProcessWorker:
    """Serves in a child process, which ends when this one does.

    ``home`` is the folder of the corpus it works for: it holds text of that one in its memory, and
    is not lent to another.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.home = home
        self.added = 0
        self.pid = os.getpid()
        self._lock = threading.Lock()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        # Isolated and in no particular folder: modules and an .env file of the folder we happen
        # to be in must not reach it. It looks for packages where we do.
        path = [str(Path(part or ".").absolute()) for part in sys.path]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _CODE, json.dumps(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                cwd=os.sep,
                env={**_CLEAN_MEMORY, **os.environ},
            )
        except OSError:
            self._said.close()
            raise

    def call(self, method: str, *arguments: Any) -> Any:
        """Carry out one request."""
        assert self._process.stdin is not None and self._process.stdout is not None  # pipes
        with self._lock:
            try:
                send(self._process.stdin, (method, arguments))  # type: ignore[arg-type]
                answer: Any = receive(self._process.stdout)  # type: ignore[arg-type]
            except (EOFError, OSError, ValueError) as error:
                raise self._died() from error
            except BaseException:
                self._process.kill()  # its answer would be taken for that to the next request
                raise
        if answer[0] == "done":
            return answer[1]
        _, message, hint, code = answer
        kind = StorageFull if answer[0] == "full" else StoreError
        raise kind(message, hint=hint, code=code)

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End it at once; what it had open should be closed by now."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()
        self._said.close()

    def _died(self) -> StoreError:
        status = self._process.wait()
        reason = f"signal {-status}" if status < 0 else f"status {status}"
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        return StoreError(
            f"Chroma's process died ({': '.join([reason, *said])})",
            hint="search is not affected; irtui verify NAME --repair makes the Chroma copy anew",
            code="chroma",
        )


_parked: list[ProcessWorker] = []
_timer: list[threading.Timer] = []
_guard = threading.Lock()


def take(home: Path | None = None, *, fresh: bool = False) -> Worker:
    """Return the idle worker of the corpus in ``home``, or start one (always, if ``fresh``)."""
    with _guard:
        while _parked:
            worker = _parked.pop()
            if worker.pid == os.getpid():  # a forked child must leave its parent's alone
                if worker.alive and worker.home == home and not fresh:
                    return worker
                worker.stop()
    try:
        return ProcessWorker(home)
    except OSError as error:
        _log.info("no process for Chroma (%s); it runs in this one", error)
        return HereWorker(home)


def give_back(worker: Worker) -> None:
    """Park a healthy worker for the next writer, or end it."""
    try:
        worker.call("close")
    except StoreError as error:
        _log.warning("closing the Chroma copy: %s", error)
        worker.stop()
        return
    if not isinstance(worker, ProcessWorker) or worker.added > _MOST_RECORDS:
        worker.stop()
        return
    with _guard:
        spare = _parked[:]
        _parked[:] = [worker]
        for timer in _timer:
            timer.cancel()
        _timer[:] = [threading.Timer(_IDLE_SECONDS, stop_idle)]
        _timer[0].daemon = True
        _timer[0].start()
    for other in spare:
        if other.pid == os.getpid():
            other.stop()


def stop_idle() -> None:
    """End the parked worker; the next writer starts another."""
    with _guard:
        spare = _parked[:]
        _parked.clear()
        for timer in _timer:
            timer.cancel()
        _timer.clear()
    for worker in spare:
        if worker.pid == os.getpid():
            worker.stop()


atexit.register(stop_idle)


@contextlib.contextmanager
def borrowed(home: Path | None = None) -> Iterator[Worker]:
    """Use a worker for the length of a block."""
    worker = take(home)
    try:
        yield worker
    finally:
        give_back(worker)


def add_rows(worker: Worker, rows: Iterable[tuple[str, bytes, Any]]) -> None:
    """Send ``(id, JSON line, unit vector)`` rows in blocks."""
    block: list[tuple[str, bytes, Any]] = []
    for row in rows:
        block.append(row)
        if len(block) == _BLOCK:
            _add_block(worker, block)
            block = []
    if block:
        _add_block(worker, block)


def _add_block(worker: Worker, block: list[tuple[str, bytes, Any]]) -> None:
    ids = [record_id for record_id, _, _ in block]
    lines = [line for _, line, _ in block]
    worker.call("add", ids, lines, np.stack([vector for _, _, vector in block]))
    worker.added += len(block)
