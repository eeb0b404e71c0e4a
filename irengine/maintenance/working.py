"""Looking after one corpus: decide, take its lock, decide again, build, note it down."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from irengine.checks import function, mapping
from irengine.errors import BuildCancelled, CorpusBusy
from irengine.index import CancelToken, build
from irengine.maintenance.limits import Limits, Pace, checked_seconds
from irengine.maintenance.lock import corpus_lock
from irengine.maintenance.results import MaintenanceResult
from irengine.maintenance.state import MaintenanceState
from irengine.policy import MaintenancePolicy, due, in_downtime, synopsis_due
from irengine.policy.zones import utc
from irengine.registry import PRESETS, get, policy_for, registered, source_for
from irengine.store import CorpusStore
from irengine.synopsis import with_synopsis_policy

if TYPE_CHECKING:
    from irengine.index import Corpus, ProgressEvent

__all__ = ["DFLT_LOCK_SECONDS", "Job", "known_name", "maintain_corpus"]

DFLT_LOCK_SECONDS = 5.0
"""How long to wait for another process that looks after, or builds, the same corpus."""


def maintain_corpus(
    name: str,
    *,
    now: datetime | None = None,
    dry_run: bool = False,
    full: bool = True,
    force: bool = False,
    cancel: CancelToken | None = None,
    max_seconds: float | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    lock_timeout: float = DFLT_LOCK_SECONDS,
    synopsis_options: Mapping[str, Any] | None = None,
) -> MaintenanceResult:
    """Do the background work that is due for one corpus; nothing is done twice.

    The policy of the corpus and what was done before decide (:func:`irengine.policy.due`). Due
    work is an incremental build, pinned to the embedder the corpus has. Where the policy has
    synopses they are written inside its windows; a build outside keeps those there are, and the
    missing ones are written when the next window opens.

    Args:
        name: a registered corpus, or a preset.
        now: the time to decide by; by default the clock, looked at again under the lock. Without
            a zone it is local time.
        dry_run: only say what would be done. Nothing is read from the source or written.
        full: also remove what left the source.
        force: build whether or not it is due. Synopses still wait for their window.
        cancel: looked at between batches; what was committed stays.
        max_seconds: stop in the same way when this much time has passed.
        progress: called with the events of the build.
        lock_timeout: seconds to wait for another process.
        synopsis_options: keywords of :func:`irengine.synopsis.with_synopsis`.

    Raises:
        CorpusNotFound: when ``name`` is neither registered nor a preset.
        CorpusBusy: another process is still at it.
        BuildCancelled: ``cancel`` was set, or (code ``budget``) the time is up.
        IrError: whatever the build raises; the failure is noted, and the work stays due.
    """
    job = Job(
        now=now,
        full=full,
        force=force,
        progress=progress,
        synopsis_options=synopsis_options or {},
        limits=Limits(cancel, _seconds("max_seconds", max_seconds)),
    )
    patience = checked_seconds("lock_timeout", lock_timeout)
    return job.run(known_name(name), dry_run=dry_run, lock_timeout=patience)


def known_name(name: str) -> str:
    """Return the name of a registered corpus or a preset as the registry has it.

    Raises:
        CorpusNotFound: when it is neither.
    """
    if name not in PRESETS:
        get(name)
    return unicodedata.normalize("NFC", name)


def _seconds(label: str, value: float | None) -> float | None:
    return None if value is None else checked_seconds(label, value)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to build, because of what, and whether synopses are on, open, or wait.

    ``idle`` says that nothing has to be done when nothing changed; ``detail`` goes on where the
    reason says that nothing is due.
    """

    build: bool
    due: bool
    reason: str
    enabled: bool
    open: bool
    next: datetime | None = None
    idle: bool = False
    detail: str = ""


@dataclass
class Job:
    """How one run looks after corpora.

    ``patient`` lets work that failed just now wait, as a run without anybody watching should.
    ``began`` is when the run began: what another process began after that is not done again.
    ``looks`` compares files with the index when it is only to be said what would be done.
    """

    now: datetime | None = None
    full: bool = True
    force: bool = False
    patient: bool = False
    looks: bool = False
    progress: Callable[[ProgressEvent], None] | None = None
    synopsis_options: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    began: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def __post_init__(self) -> None:
        function("progress", self.progress)
        mapping("synopsis_options", self.synopsis_options, "of option to value")

    def run(self, name: str, *, dry_run: bool, lock_timeout: float) -> MaintenanceResult:
        """Look after one corpus; see :func:`maintain_corpus`."""
        look = self.look(name)
        decision, state = look
        if dry_run:
            return self._foreseen(name, decision, state)
        if not decision.build:
            return _left_alone(name, decision)
        self.limits.raise_if_cancelled()
        with corpus_lock(name, timeout=lock_timeout, stop=self.limits.raise_if_cancelled):
            decision, state = self.look(name)  # it may have been done while this one waited
            if not decision.build:
                return _left_alone(name, decision)
            if self._done_meanwhile(state):
                reason = "another run did it meanwhile"
                return replace(_left_alone(name, decision), reason=reason, reindex=False)
            return self._work(name, decision, state, lock_timeout)

    def _foreseen(
        self, name: str, decision: Decision, state: MaintenanceState
    ) -> MaintenanceResult:
        """Return what would be done, and why it would be or not."""
        result = _left_alone(name, decision)
        if not decision.build:
            return replace(result, reason=decision.reason + (decision.detail if self.looks else ""))
        found = None
        if self.looks:
            from irengine.maintenance.looking import expected

            found = expected(name)
        waits = "; synopses wait for downtime" if decision.enabled and not decision.open else ""
        if found is not None:
            result = replace(
                result,
                added=found.added,
                changed=found.changed,
                removed=found.removed,
                unchanged=found.unchanged,
            )
            if found.nothing and decision.idle:
                since = state.last_maintained
                when = "" if since is None else f" since {since.isoformat(timespec='seconds')}"
                reason = f"dry-run: nothing changed{when}; looked at anew at each run{waits}"
                return replace(result, reason=reason, reindex=False)
        told = "" if found is None else f"; {found}"
        return replace(
            result,
            reason=f"dry-run: {decision.reason}{told}{waits}",
            reindex=True,
            synopsis=decision.enabled and decision.open,
            outcome="would-run",
        )

    def look(self, name: str) -> tuple[Decision, MaintenanceState]:
        """Decide about a corpus without touching it."""
        state = MaintenanceState.of(CorpusStore.local(name))
        return self._decide(policy_for(name), state), state

    def _moment(self) -> datetime:
        return datetime.now(timezone.utc) if self.now is None else utc(self.now)

    def _decide(self, policy: MaintenancePolicy, state: MaintenanceState) -> Decision:
        now = self._moment()
        tried = state.last_attempt if self.patient else None
        found = due(policy, state.last_maintained, tried, now)
        enabled, open_ = policy.synopsis.enabled, in_downtime(policy, now)
        pending = synopsis_due(
            policy, state.last_synopsis, state.last_maintained, state.waiting, now
        )
        if self.force or found:
            reason = found.reason if found else "forced"
        elif pending:
            reason = "synopses are due"
        else:
            reason = f"not due ({policy.reindex.on})"
        build_it = self.force or found.due or pending
        idle = policy.reindex.on == "source-change" and not (self.force or pending)
        detail = ": only when asked for" if policy.reindex.on == "manual" else f": {found.reason}"
        return Decision(build_it, found.due, reason, enabled, open_, found.next, idle, detail)

    def _done_meanwhile(self, state: MaintenanceState) -> bool:
        """Whether another process began, and ended, this work after this run had begun."""
        if self.now is not None or state.last_attempt is None:
            return False
        return self.began <= state.last_attempt <= self._moment()

    def _work(
        self, name: str, decision: Decision, state: MaintenanceState, lock_timeout: float
    ) -> MaintenanceResult:
        moment, begun = self._moment(), time.perf_counter()
        state = replace(state, last_turn=moment)
        store = CorpusStore.local(name, storage=registered().get(name, {}).get("storage"))
        try:
            corpus = self._build(name, store, moment, lock_timeout)
        except CorpusBusy:
            raise  # nothing was begun
        except BuildCancelled:
            state.keep(store)  # nothing failed: the work is due as before, after that of others
            raise
        except Exception as error:
            seconds = time.perf_counter() - begun
            told = f"{type(error).__name__}: {error}"
            replace(state, last_attempt=moment, seconds=seconds, error=told).keep(store)
            raise
        seconds = time.perf_counter() - begun
        report = corpus.report
        wrote = decision.enabled and decision.open
        waiting = report is not None and any(note.reason == "no-synopsis" for note in report.notes)
        replace(
            state,
            last_maintained=moment,
            last_attempt=moment,
            last_synopsis=moment if wrote else state.last_synopsis,
            synopsis_enabled=decision.enabled,
            waiting=waiting if wrote else state.waiting,
            seconds=seconds,
            error=None,
        ).keep(store)
        reason = f"reindexed: {decision.reason}"
        if decision.enabled and not wrote:
            reason += "; synopses wait for downtime"
        result = MaintenanceResult(
            name, True, reason, reindex=True, synopsis=wrote, outcome="done", seconds=seconds
        )
        if report is None:  # pragma: no cover - a build always reports
            return result
        return replace(result.counted(report), waiting=waiting)

    def _build(
        self, name: str, store: CorpusStore, moment: datetime, lock_timeout: float
    ) -> Corpus:
        source = source_for(name)
        source.indexing_strategy = with_synopsis_policy(
            source.indexing_strategy,
            policy_for(name).synopsis,
            now=moment,
            **dict(self.synopsis_options),
        )
        return build(
            source,
            store=store,
            full=self.full,
            progress=self.progress,
            cancel=Pace(self.limits),
            lock_timeout=lock_timeout,
        )


def _left_alone(name: str, decision: Decision) -> MaintenanceResult:
    return MaintenanceResult(
        name,
        False,
        decision.reason,
        reindex=decision.due,
        synopsis=decision.enabled,
        next=None if decision.next is None else decision.next.isoformat(),
    )
