"""Looking after many corpora: one that fails does not stop the others."""

from __future__ import annotations

import os
import secrets
import socket
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from irengine.errors import BuildCancelled, CorpusBusy, IrError
from irengine.index import CancelToken
from irengine.maintenance.limits import Limits, checked_seconds
from irengine.maintenance.results import MaintenanceResult
from irengine.maintenance.runlog import append_runs
from irengine.maintenance.state import MaintenanceState
from irengine.maintenance.working import DFLT_LOCK_SECONDS, Job, known_name
from irengine.registry import registered
from irengine.store import CorpusStore

if TYPE_CHECKING:
    from irengine.index import ProgressEvent

__all__ = ["maintain"]


def maintain(
    name: str | None = None,
    *,
    all: bool = False,  # noqa: A002 - it is what the command line calls it
    now: datetime | None = None,
    dry_run: bool = False,
    corpora: Iterable[str] | None = None,
    force: bool = False,
    cancel: CancelToken | None = None,
    max_seconds: float | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    on_result: Callable[[MaintenanceResult], None] | None = None,
    lock_timeout: float = DFLT_LOCK_SECONDS,
    synopsis_options: Mapping[str, Any] | None = None,
) -> list[MaintenanceResult]:
    """Do the background work that is due, for one corpus or for every registered one.

    A corpus that is asked for by ``name`` raises what goes wrong. A sweep (``all``, ``corpora``,
    or no name; ``all`` beats ``name``) goes on: what goes wrong with one corpus is its result.
    A corpus another process is looking after comes last, when that may be over.

    Results are in registry order, or in that of ``corpora``. So is the work, unless time is short
    (``max_seconds``): then those come first that had their turn longest ago, or never, and a big
    corpus cannot keep the others from theirs run after run. What a run did goes to the log
    (:func:`irengine.maintenance.runs`), except for a dry run.

    Args:
        name: one corpus.
        all: every registered corpus.
        now: the time to decide by; by default the clock.
        dry_run: only say what would be done, and why not the rest. Corpora of files are compared
            with their folders: one that follows its source and has not changed is left alone.
            What a function gives is not asked for.
        corpora: sweep over these instead of every registered one.
        force: build whether or not it is due.
        cancel: stops the run between batches; what is left has the outcome ``left``.
        max_seconds: stops it in the same way after this much time.
        progress: called with the events of each build.
        on_result: called with each result as soon as it is final.
        lock_timeout: seconds to wait for another process, a corpus.
        synopsis_options: keywords of :func:`irengine.synopsis.with_synopsis`.

    Raises:
        CorpusNotFound: for a name in ``corpora``, or a ``name``, that nobody knows.
        IrError: with ``name``, whatever :func:`maintain_corpus` raises.
        ParameterError: for seconds that are no number of at least 0.
    """
    limits = Limits(
        cancel, None if max_seconds is None else checked_seconds("max_seconds", max_seconds)
    )
    single = name is not None and not all and corpora is None
    job = Job(
        now=now,
        force=force,
        patient=not single,
        looks=dry_run,
        progress=progress,
        synopsis_options=synopsis_options or {},
        limits=limits,
    )
    patience = checked_seconds("lock_timeout", lock_timeout)
    run = _Run(job, dry_run, on_result or _silent, patience)
    if single and name is not None:
        return [run.named(known_name(name))]
    names = registered() if corpora is None else [known_name(each) for each in corpora]
    return run.sweep(list(dict.fromkeys(names)))


def _silent(result: MaintenanceResult) -> None:
    """Take no notice of ``result``."""


class _Run:
    """One run over some corpora, and what is logged of it."""

    def __init__(
        self,
        job: Job,
        dry_run: bool,
        on_result: Callable[[MaintenanceResult], None],
        patience: float,
    ) -> None:
        self.job = job
        self.dry_run = dry_run
        self.on_result = on_result
        self.patience = patience
        self.id = secrets.token_hex(6)
        self.results: dict[str, MaintenanceResult] = {}
        self._tracebacks: dict[str, str] = {}
        self._begun = time.perf_counter()

    def named(self, name: str) -> MaintenanceResult:
        """Look after one corpus and let errors pass, once they are in the log."""
        try:
            result = self.job.run(name, dry_run=self.dry_run, lock_timeout=self.patience)
        except Exception as error:
            self._log(self._trouble(name, error))
            self._log_end()
            raise
        self._final(result)
        self._log_end()
        return result

    def sweep(self, names: list[str]) -> list[MaintenanceResult]:
        """Look after each corpus; locked ones are tried once more, with patience, at the end."""
        ordered = sorted(names, key=_last_turn) if self.job.limits.bounded else names
        try:
            locked = [name for name in ordered if not self._one(name, patience=0.0, last=False)]
            for name in locked:
                self._one(name, patience=self.patience, last=True)
        finally:
            self._log_end()
        return [self.results[name] for name in names]

    def _one(self, name: str, *, patience: float, last: bool) -> bool:
        """Look after one corpus; ``False`` when it is locked and may be tried again."""
        try:
            if self.job.limits.cancelled:
                result = self._not_begun(name)
            else:
                result = self.job.run(name, dry_run=self.dry_run, lock_timeout=patience)
        except CorpusBusy as error:
            if not last and self.patience > 0:
                return False
            result = self._trouble(name, error)
        except Exception as error:  # noqa: BLE001 - a source or strategy may raise anything
            result = self._trouble(name, error)
        self._final(result)
        return True

    def _not_begun(self, name: str) -> MaintenanceResult:
        """Return what is left of a corpus the run did not come to: nothing, or due work."""
        result = self.job.run(name, dry_run=True, lock_timeout=0.0)
        if result.outcome != "would-run":
            return result
        why = "stopped" if self.job.limits.stopped else "out of time"
        return replace(result, reason=f"{why}: not begun", outcome="left", synopsis=False)

    def _trouble(self, name: str, error: Exception) -> MaintenanceResult:
        if not isinstance(error, IrError):  # nobody watches: what is needed to mend it is logged
            self._tracebacks[name] = "".join(traceback.format_exception(error))
        message = error.message if isinstance(error, IrError) else str(error)
        result = MaintenanceResult(
            name,
            False,
            f"error: {message}",
            error=f"{type(error).__name__}: {message}",
            outcome="failed",
            error_code=error.code if isinstance(error, IrError) else "internal",
            hint=error.hint if isinstance(error, IrError) else "",
        )
        if isinstance(error, BuildCancelled):
            why = "stopped" if self.job.limits.stopped else "out of time"
            reason = f"{why}: what was done is kept"
            left = replace(result, reason=reason, reindex=True, error=None, outcome="left")
            return left if error.report is None else left.counted(error.report)
        if isinstance(error, CorpusBusy):
            return replace(result, reason=f"locked: {message}", error=None, outcome="locked")
        return result

    def _final(self, result: MaintenanceResult) -> None:
        self.results[result.name] = result
        self._log(result)
        self.on_result(result)

    # -- the log ----------------------------------------------------------------------------

    def _log(self, result: MaintenanceResult) -> None:
        """Write a line for a corpus that was worked on, or should have been."""
        self.results[result.name] = result
        if not self.dry_run and result.outcome not in ("skipped", "would-run"):
            line = {"event": "corpus", "run": self.id, "time": _now(), **result.to_dict()}
            if result.name in self._tracebacks:
                line["traceback"] = self._tracebacks[result.name]
            append_runs([line])

    def _log_end(self) -> None:
        if self.dry_run:
            return
        outcomes = [result.outcome for result in self.results.values()]
        counts = {word: outcomes.count(word) for word in ("done", "failed", "locked", "left")}
        append_runs(
            [
                {
                    "event": "run",
                    "run": self.id,
                    "time": _now(),
                    "started": self.job.began.isoformat(timespec="seconds"),
                    "pid": os.getpid(),
                    "host": socket.gethostname(),
                    "seconds": round(time.perf_counter() - self._begun, 3),
                    "stopped": self.job.limits.stopped,
                    "corpora": len(outcomes),
                    **counts,
                }
            ]
        )


def _last_turn(name: str) -> float:
    """Return when a corpus was last worked on; 0 when it never was, or nothing can be read."""
    try:
        state = MaintenanceState.of(CorpusStore.local(name))
    except (IrError, OSError):
        return 0.0  # its own turn tells what is wrong
    times = (state.last_turn, state.last_attempt, state.last_maintained)
    return max((moment.timestamp() for moment in times if moment is not None), default=0.0)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
