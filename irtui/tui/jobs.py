"""Jobs: commands that write run in a child process, so that the screen never waits for them.

The child is ``irtui COMMAND … --progress jsonl``: its events come line by line from its standard
error, its result from its standard output. Cancelling sends it SIGTERM, upon which it keeps what it
has committed; when the app ends, jobs that may go on keep running.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Job", "JobCentre", "JobState"]

JobState: TypeAlias = Literal["running", "stopping", "done", "failed", "cancelled"]

_LINES = 500
_KILL_AFTER = 10.0
_LONGEST_LINE = 1 << 22
_DOCUMENTS = "plan"
_PHASES = {
    "scan": "listing",
    "plan": "reading",
    "embed": "embedding",
    "commit": "saving",
    "prune": "removing",
}
_TELLABLE, _SETTLED = 0.05, 2.0
"""How much has to be done, and for how many seconds, before the rest can be guessed."""


@dataclass(slots=True)
class Job:
    """One child process and what it has said so far.

    Attributes:
        id: a number, counting up.
        words: the command line after ``irtui``.
        title: what it is called on the screen.
        state: ``running``, ``stopping``, ``done``, ``failed`` or ``cancelled``.
        phase, done, total: from its last progress event.
        counts: how far each phase is that it told of.
        events: its last events, oldest first.
        lines: what else it said.
        result: what it printed, read as JSON, once it has ended.
        status: its exit status.
        error: ``code``, ``message`` and ``hint``, when it failed.
    """

    id: int
    words: tuple[str, ...]
    title: str
    state: JobState = "running"
    phase: str = ""
    done: int = 0
    total: int | None = None
    counts: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    result: Any = None
    status: int | None = None
    error: dict[str, str] | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return (self.ended if self.ended is not None else time.monotonic()) - self.began

    @property
    def active(self) -> bool:
        """Whether its process lives."""
        return self.ended is None

    @property
    def share(self) -> float | None:
        """How much of it is done, of 1; ``None`` while that cannot be told.

        A build reads documents and embeds their texts by turns, and knows only how many documents
        there are: once all are read, nobody knows how many texts still wait.
        """
        done, total = self.counts.get(_DOCUMENTS, (self.done, self.total))
        if not total or (done >= total and self.phase != _DOCUMENTS):
            return None
        return min(1.0, done / total)

    def says(self) -> str:
        """Return its state in a few words."""
        if self.state != "running" or not self.phase:
            return self.state
        word = _PHASES.get(self.phase, self.phase)
        if self.share is not None:
            return f"{word} {int(100 * self.share)} %"
        return f"{word} {self.done:,}" if self.done else word

    def tells(self) -> str:
        """Return how far it is, how long it has run, and about how long it still will."""
        parts = []
        documents, of = self.counts.get(_DOCUMENTS, (0, None))
        texts, _ = self.counts.get("embed", (0, None))
        if documents:
            parts.append(f"{documents:,} of {of:,} documents read" if of else f"{documents:,} read")
        elif self.done:
            parts.append(f"{self.done:,}" + (f" of {self.total:,}" if self.total else ""))
        if texts:
            parts.append(f"{texts:,} passages embedded")
        parts.append(f"{self.seconds:.0f} s")
        share = self.share
        if share is not None and _TELLABLE <= share < 1 and self.seconds >= _SETTLED:
            left = self.seconds * (1 - share) / share
            time_left = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
            parts.append(f"about {time_left} left")
        return " · ".join(parts)


def _output_options(name: str) -> tuple[str, ...]:
    """Return how a command is asked to say what it does: not every one tells its progress."""
    from irtui.commands.registry import lookup

    flags = {flag for param in lookup(name).output_params for flag in param.flags}
    return ("--json", "--progress", "jsonl") if "--progress" in flags else ("--json",)


class JobCentre:
    """Starts, follows and stops jobs; ``changed(job)`` is called in the event loop."""

    def __init__(self, changed: Callable[[Job], None]) -> None:
        self._changed = changed
        self._jobs: dict[int, Job] = {}
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Any:
        return iter(list(self._jobs.values()))

    def __getitem__(self, number: int) -> Job:
        return self._jobs[number]

    @property
    def active(self) -> list[Job]:
        """Jobs whose process lives, oldest first."""
        return [job for job in self._jobs.values() if job.active]

    def start(self, words: Sequence[str], *, title: str = "") -> Job:
        """Run ``irtui words --json`` in a child process, with its progress where it tells any.

        Raises:
            UsageError: when there is no such command.
        """
        _output_options(words[0])
        job = Job(len(self._jobs) + 1, tuple(words), title or " ".join(words))
        self._jobs[job.id] = job
        task = asyncio.get_running_loop().create_task(self._follow(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._changed(job)
        return job

    def cancel(self, job: Job) -> bool:
        """Ask a job to stop at its next safe point; ask again to end it at once."""
        if not job.active:
            return False
        again = job.state == "stopping"
        job.state = "stopping"
        process = self._processes.get(job.id)
        if process is not None:  # one that is only being started is stopped when it is there
            try:
                process.send_signal(signal.SIGKILL if again else signal.SIGTERM)
            except ProcessLookupError:
                return False
        self._changed(job)
        return True

    async def stop_all(self) -> None:
        """Cancel every job and wait until their processes are gone."""
        for job in self.active:
            self.cancel(job)
        waiting = [task for task in self._tasks if not task.done()]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=_KILL_AFTER)
            for job in self.active if late else ():
                self.cancel(job)

    async def _follow(self, job: Job) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "irtui",
                *job.words,
                *_output_options(job.words[0]),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                env={**os.environ, "NO_COLOR": "1"},
                start_new_session=True,  # ctrl+c of the terminal is for the app alone
            )
        except OSError as error:
            job.error = {"code": "process", "message": str(error), "hint": ""}
            self._end(job, 70)
            return
        self._processes[job.id] = process
        if job.state == "stopping":
            process.terminate()
        assert process.stdout is not None and process.stderr is not None
        printed, _ = await asyncio.gather(process.stdout.read(), self._listen(job, process.stderr))
        status = await process.wait()
        try:
            job.result = json.loads(printed) if printed.strip() else None
        except json.JSONDecodeError:
            job.lines.extend(printed.decode("utf-8", "replace").splitlines()[-_LINES:])
        self._end(job, status)

    async def _listen(self, job: Job, stream: asyncio.StreamReader) -> None:
        while True:
            try:
                raw = await stream.readline()
            except ValueError:  # a line beyond every measure; what follows it is read on
                continue
            if not raw:
                return
            line = raw.decode("utf-8", "replace").rstrip("\n")
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                event = None
            if isinstance(event, dict):
                self._hear(job, event)
            elif line:
                job.lines.append(line)
                del job.lines[:-_LINES]
            self._changed(job)

    def _hear(self, job: Job, event: dict[str, Any]) -> None:
        job.events.append(event)
        del job.events[:-_LINES]
        told = event.get("progress", event)
        if isinstance(told, dict) and isinstance(told.get("phase"), str):
            job.phase = told["phase"]
            job.done = int(told.get("done") or 0)
            total = told.get("total")
            job.total = int(total) if isinstance(total, (int, float)) and total else None
            if job.done < job.counts.get(job.phase, (0, None))[0]:
                job.counts.clear()  # the next corpus of the same job
            job.counts[job.phase] = (job.done, job.total)
        if isinstance(told, dict) and "code" in told and "message" in told:
            job.error = {key: str(told.get(key, "")) for key in ("code", "message", "hint")}

    def _end(self, job: Job, status: int) -> None:
        job.ended = time.monotonic()
        job.status = status
        self._processes.pop(job.id, None)
        if status == 0:
            job.state, job.error = "done", None
        elif job.state == "stopping":
            job.state = "cancelled"
        else:
            job.state = "failed"
            if job.error is None:
                said = job.lines[-1] if job.lines else f"exit status {status}"
                hint = ""
                if status < 0:
                    said = f"its process was ended by signal {-status}"
                    hint = "what it had committed is kept; start it again to go on from there"
                job.error = {"code": "failed", "message": said, "hint": hint}
        self._changed(job)
