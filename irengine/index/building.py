"""Bring a stored corpus up to date with its source, doing only what changed.

A build reads the ledger, walks the source, and queues what is new or different. Queued texts
are embedded and committed in steps, so an interrupted build keeps what it had and is searchable
up to there. Nothing is deleted before its replacement is published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from irengine.base import ledger_key
from irengine.cancelling import checkpoints
from irengine.checks import function, having, real_number, shown, whole_number
from irengine.embed import call_embedder
from irengine.embed.calling import DEFAULT_BATCH_SIZE
from irengine.errors import (
    BuildCancelled,
    ItemError,
    ParameterTypeError,
    StorageFull,
)
from irengine.index.choosing import Chosen, choose_embedder
from irengine.index.corpus import Corpus
from irengine.index.linking import EdgeExtractor, Links
from irengine.index.planning import (
    Candidate,
    candidates,
    digest_of,
    input_hash,
    listed_ids,
    metadata_for,
    notes_of,
    plan_hash,
    version_of,
)
from irengine.index.queue import Queued, vectors_there
from irengine.index.report import BuildReport, CancelToken, ProgressEvent, no_progress
from irengine.index.shrinking import (
    kept,
    refuse,
    refuse_early,
    settings_to_keep,
    too_many,
    unmoved,
)
from irengine.index.synopses import Synopses
from irengine.sources import CorpusSource, Skipped
from irengine.store import CorpusStore

if TYPE_CHECKING:
    import numpy as np

    from irengine.store import Batch

__all__ = ["DFLT_BATCH_SIZE", "STEP_RECORDS", "STEP_SECONDS", "build"]

DFLT_BATCH_SIZE = 256
"""Texts handed to the embedder in one call."""
STEP_RECORDS = 8192
"""A step is committed when it holds this many records…"""
STEP_SECONDS = 15.0
"""…or when this much time has passed since the last commit."""
_NO_LONGER_TEXT = frozenset({"binary", "empty", "no-text", "not-a-file", "too-large", "vanished"})
"""Why an item fails when what is indexed of it is certainly out of date."""

_TOLD = ["version", "strategy_id", "input_hash", "plan_hash", "fingerprint", "digest", "unfinished"]
"""What the ledger says of an artifact besides its records."""


def build(
    source: CorpusSource,
    *,
    store: CorpusStore | None = None,
    embedder: Any = None,
    full: bool = True,
    batch_size: int = DFLT_BATCH_SIZE,
    edge_extractor: EdgeExtractor | None = None,
    rehash: bool = False,
    allow_shrink: bool = False,
    switch_embedder: bool = False,
    keep_synopses: bool = True,
    progress: Callable[[ProgressEvent], None] | None = None,
    cancel: CancelToken | None = None,
    step_records: int = STEP_RECORDS,
    step_seconds: float = STEP_SECONDS,
    lock_timeout: float = 5.0,
) -> Corpus:
    """Build or incrementally update ``source`` into a :class:`Corpus`.

    An artifact is left alone when its content, metadata, strategy and embedder are those of the
    ledger; file sources are not even read when size and times are unchanged. A changed artifact
    keeps the vectors of its unchanged texts, and moved content takes its vectors along.

    Args:
        source: what to index.
        store: where to; by default the local store named after the source.
        embedder: a spec or callable; by default the one the corpus already has, else the
            source's own.
        full: also remove artifacts that left the source.
        batch_size: texts handed to the embedder in one call.
        edge_extractor: ``(artifact_id, filter_fields) -> {edge_type: [target]}``; rewrites the
            edges of every artifact in scope. Without one, stored edges stay as they are. What
            files say of each other is noted in any case (:mod:`irengine.graph.written`).
        rehash: read every item even when its size and times are unchanged.
        allow_shrink: permit removing more than a third of the corpus (20 artifacts or more),
            everything in it, or files that exist and are not selected any more.
        switch_embedder: permit re-embedding the corpus with another embedder.
        keep_synopses: when the strategy writes no synopses itself, keep those that unchanged
            artifacts have.
        progress: called with a :class:`ProgressEvent` now and then.
        cancel: looked at between artifacts, chunks and texts.
        step_records: commit after this many records.
        step_seconds: or after this many seconds.
        lock_timeout: seconds to wait for another writer.

    Returns:
        The corpus; its ``report`` says what was done.

    Raises:
        CorpusBusy: another process is building it.
        EmbedderMismatch: another embedder was asked for without ``switch_embedder``.
        ShrinkRefused: too much would be removed, or files that another selection took; nothing
            was removed.
        SourceError: the source as a whole cannot be read; nothing was changed.
        BuildCancelled: ``cancel`` was set; what had been committed stays.
    """
    if not isinstance(source, CorpusSource):
        raise ParameterTypeError(
            f"build needs a CorpusSource, not {shown(source)}",
            hint="CorpusSource.from_files makes one; build_corpus(name) builds a registered corpus",
        )
    batch_size = whole_number("batch_size", batch_size, least=1)
    step_records = whole_number("step_records", step_records, least=1)
    step_seconds = real_number("step_seconds", step_seconds, least=0.0)
    function("progress", progress)
    if cancel is not None:
        having("cancel", cancel, "raise_if_cancelled", "a CancelToken")
    if store is None:
        store = CorpusStore.local(source.name)
    having("store", store, "writing", "a store of a corpus")
    report = BuildReport(
        source.name, started=datetime.now(timezone.utc).isoformat(timespec="seconds")
    )
    synopses = Synopses(source, store, keep=keep_synopses)
    with store.writing(f"build {source.name}", timeout=lock_timeout) as batch:
        chosen = choose_embedder(source, store, embedder, switch=switch_embedder)
        report.embedder_id = chosen.id
        job = _Build(source, store, chosen, report, synopses, progress, cancel)
        job.rehash, job.batch_size = rehash, batch_size
        job.step_records, job.step_seconds = step_records, step_seconds
        job.links = Links(source, store, edge_extractor)
        try:
            with checkpoints(job.cancel.raise_if_cancelled):
                job.run(batch, full=full, allow_shrink=allow_shrink)
        except BuildCancelled as error:
            report.outcome, report.remaining, error.report = "cancelled", job.remaining, report
            raise
        except BaseException as error:  # an interrupted build is not "done" either
            report.outcome = f"failed: {type(error).__name__}"
            raise
        finally:
            snapshot = store.snapshot()
            report.records, report.generation = snapshot.count, snapshot.generation
            gone = store.path is not None and not store.path.is_dir()
            if report.is_news(store) and not gone:
                store.append_build(report.to_dict())
    corpus = Corpus(source.name, store, chosen.embedder, chosen.id)
    corpus.report = report
    return corpus


class _Build:
    """The state of one build; its methods are the phases."""

    rehash = False
    batch_size = DFLT_BATCH_SIZE
    step_records = STEP_RECORDS
    step_seconds = STEP_SECONDS

    def __init__(
        self,
        source: CorpusSource,
        store: CorpusStore,
        chosen: Chosen,
        report: BuildReport,
        synopses: Synopses,
        progress: Callable[[ProgressEvent], None] | None,
        cancel: CancelToken | None,
    ) -> None:
        self.source = source
        self.store = store
        self.chosen = chosen
        self.embedder_id = chosen.id
        self.switching = chosen.switching
        self.report = report
        self.synopses = synopses
        self.links = Links(source, store, None)
        self.progress = progress or no_progress
        self.cancel = cancel or CancelToken()
        self.achieved = getattr(self.cancel, "achieved", CancelToken().achieved)
        self.ledger: dict[str, dict[str, Any]] = {}
        self.seen: set[str] = set()
        self.failed: set[str] = set()
        self.new_versions: set[str] = set()
        self.donors: dict[str, list[str]] = {}
        self.queue: list[Queued] = []
        self.queued_texts = 0
        self.listed: int | None = None
        self.last_commit = time.monotonic()

    # -- the run ----------------------------------------------------------------------------

    def run(self, batch: Batch, *, full: bool, allow_shrink: bool) -> None:
        report = self.report
        with report.timed("scan"):
            self.ledger = {key: entry for key, entry in self.store.ledger_items()}
            ids = listed_ids(self.source)
            if ids is not None:
                self._expect(ids, full and not allow_shrink)
        self._set_config(batch, full=full)
        try:
            self._walk(batch, ids)
            self._embed_queue(batch)
            self.cancel.raise_if_cancelled()
        except BuildCancelled:
            if not self.switching:
                with report.timed("commit"):
                    batch.commit()
            raise
        scope = self.source.scope
        report.skipped = list(getattr(scope, "skipped", ()))
        left_out = {item.id for item in report.skipped}  # the scope has said why, once is enough
        report.errors = [error for error in report.errors if error.id not in left_out]
        report.notes = [Skipped(*note) for note in notes_of(scope)] + self.synopses.all_notes()
        report.notes += [Skipped(item, "blank", "no text is in it") for item in report.blank]
        if full:
            self._prune(batch, allow_shrink)
        if self.switching:
            self._drop_foreign(batch)
        self._commit(batch, compact=True)

    def _expect(self, ids: list[str], guard: bool) -> None:
        """Refuse an obvious shrinkage early, and note whose vectors a moved item may take."""
        known = {str(entry["artifact_id"]) for entry in self.ledger.values()}
        present = set(ids)
        vanished = {
            artifact_id for artifact_id in known - present if not kept(self.source, artifact_id)
        }
        if guard:
            settings = self.store.get_config()
            refuse_early(self.source, settings, self.ledger.values(), present, vanished)
        if vanished:
            for entry in self.ledger.values():
                if entry["artifact_id"] in vanished and entry["embedder_id"] == self.embedder_id:
                    self.donors.setdefault(str(entry["version"]), list(entry["record_ids"]))

    def _set_config(self, batch: Batch, *, full: bool) -> None:
        before = self.store.get_config()
        settings = {
            **settings_to_keep(self.source, before, full=full),
            "embedder_spec": self.chosen.spec,
            "embedder_id": self.embedder_id,
            "strategy_id": self.synopses.strategy_id,
        }
        if settings != before:
            batch.set_config(settings)

    def _walk(self, batch: Batch, ids: list[str] | None) -> None:
        self.listed = total = None if ids is None else len(ids)
        done = 0
        begun = time.perf_counter()
        nested = self._nested_seconds()
        for candidate in candidates(self.source, ids):
            self.cancel.raise_if_cancelled()
            done += 1
            if done % 256 == 1:
                self.progress(ProgressEvent("plan", done, total))
            try:
                self._plan_one(batch, candidate)
            except ItemError as error:
                self._item_failed(candidate.id, error)
            if self._enough_waits():
                self.progress(ProgressEvent("plan", done, total))  # embedding them may take long
                self._embed_queue(batch)
        self.progress(ProgressEvent("plan", done, done))
        spent = time.perf_counter() - begun - (self._nested_seconds() - nested)
        self.report.seconds["plan"] = self.report.seconds.get("plan", 0.0) + spent

    def _enough_waits(self) -> bool:
        """Whether to embed what waits before going on; little is enough when time is up."""
        texts = self.queued_texts
        hurried = texts >= DEFAULT_BATCH_SIZE and getattr(self.cancel, "hurried", False)
        return hurried or texts >= self.batch_size * 4 or len(self.queue) >= 4096

    @property
    def remaining(self) -> int | None:
        """How many artifacts have not been dealt with, where they could be listed."""
        report = self.report
        done = report.added + report.changed + report.unchanged + len(self.failed)
        return None if self.listed is None else max(0, self.listed - done)

    def _nested_seconds(self) -> float:
        """Time of the phases that run inside the walk."""
        return self.report.seconds.get("embed", 0.0) + self.report.seconds.get("commit", 0.0)

    def _item_failed(self, artifact_id: Any, error: ItemError) -> None:
        self.failed.add(str(artifact_id))
        if error.code in _NO_LONGER_TEXT:
            self.seen.discard(str(artifact_id))
        else:
            self.seen.add(str(artifact_id))  # what is indexed of it stays until it can be read
        detail = error.message + (f" ({error.hint})" if error.hint else "")
        self.report.errors.append(Skipped(str(artifact_id), error.code, detail))

    def _plan_one(self, batch: Batch, item: Candidate) -> None:
        if not isinstance(item.id, str):
            raise ItemError(f"the artifact id {item.id!r} is {type(item.id).__name__}, not text")
        self.seen.add(item.id)
        entry = self.ledger.get(ledger_key(item.id))
        same_identity = (
            entry is not None
            and entry["embedder_id"] == self.embedder_id
            and self.synopses.is_current(entry)
        )
        fingerprint = item.fingerprint
        if (
            entry is not None
            and same_identity
            and not self.rehash
            and fingerprint is not None
            and entry.get("fingerprint") == fingerprint
            and self.links.extractor is None
        ):
            self.report.keep(entry)
            return
        raw = item.read()
        version = version_of(self.source, item.id, raw)
        metadata = metadata_for(self.source, item.id, raw)
        given = input_hash(raw, metadata)
        new = {
            "artifact_id": item.id,
            "version": version,
            "embedder_id": self.embedder_id,
            "strategy_id": self.synopses.identity_of(entry),
            "input_hash": given,
            "fingerprint": fingerprint,
        }
        if digest := digest_of(self.source, item.id):
            new["digest"] = digest
        if (
            entry is not None
            and same_identity
            and entry["version"] == version
            and entry.get("input_hash") == given
            and self.links.extractor is None
        ):
            self._unchanged(batch, entry, {**entry, **new}, self.links.changed(item.id, raw, None))
            return
        plan = self.synopses.plan(item, raw, metadata, new, entry)
        new["plan_hash"] = plan_hash(plan)
        links = self.links.changed(item.id, raw, plan)
        if (
            entry is not None
            and entry["embedder_id"] == self.embedder_id
            and entry.get("plan_hash") == new["plan_hash"]
        ):
            self._unchanged(batch, entry, {**entry, **new}, links)
            return
        self.queue.append(Queued(item.id, plan, new, entry, links))
        self.queued_texts += len(plan.surfaces)
        if entry is None:
            self.new_versions.add(version)

    def _unchanged(
        self,
        batch: Batch,
        old: Mapping[str, Any],
        new: dict[str, Any],
        links: dict[str, Any] | None,
    ) -> None:
        """Keep the records; note a new fingerprint, version or link where there is one."""
        self.report.keep(old)
        if any(old.get(key) != new.get(key) for key in _TOLD):
            batch.set_entry(str(new["artifact_id"]), new)
        if links is not None:
            batch.set_links(str(new["artifact_id"]), links)

    # -- embedding and committing -----------------------------------------------------------

    def _embed_queue(self, batch: Batch) -> None:
        queue, self.queue, self.queued_texts = self.queue, [], 0
        stopped = None
        if queue:
            known = vectors_there(queue, self.store, self.embedder_id, self.donors)
            with self.report.timed("embed"):
                try:
                    self._embed(queue, known)
                except BuildCancelled as error:
                    stopped = error  # what has its vectors is kept
            for item in queue:
                if stopped is None or item.texts <= known.keys():
                    item.put_into(batch, known, self.report)
            self.achieved()
        if stopped is not None:
            raise stopped
        if self.switching:
            return  # vectors of two embedders must never be published together
        late = time.monotonic() - self.last_commit >= self.step_seconds
        if batch.pending >= self.step_records or (late and batch.pending):
            self._commit(batch)

    def _embed(self, queue: list[Queued], known: dict[str, np.ndarray]) -> None:
        """Compute the vectors that no neighbour has, and add them to ``known`` block by block."""
        texts = (surface.text for item in queue for surface in item.plan.surfaces)
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        size = min(self.batch_size, DEFAULT_BATCH_SIZE)
        for start in range(0, len(missing), size):
            self.cancel.raise_if_cancelled()
            block = missing[start : start + size]
            rows = call_embedder(
                self.chosen.loaded(), block, input_type="document", cancel=self.cancel
            )
            known.update(zip(block, rows, strict=True))
            self.report.embedded += len(block)
            if queue[0].texts <= known.keys():
                self.achieved()
            self.progress(ProgressEvent("embed", self.report.embedded, None))

    def _commit(self, batch: Batch, *, compact: bool = False) -> None:
        self.progress(ProgressEvent("commit", self.report.texts, None))
        with self.report.timed("commit"):
            try:
                batch.commit(compact=compact)
            except StorageFull:
                if not compact:
                    raise
                batch.commit()  # one segment needs room for two copies of it, for a moment
        self.last_commit = time.monotonic()

    # -- pruning ----------------------------------------------------------------------------

    def _prune(self, batch: Batch, allow_shrink: bool) -> None:
        vanished = [
            entry
            for entry in self.ledger.values()
            if entry["artifact_id"] not in self.seen
            and not kept(self.source, str(entry["artifact_id"]))
        ]
        ids = {str(entry["artifact_id"]) for entry in vanished}
        gone = unmoved(self.ledger.values(), ids, self.seen, self.new_versions)
        nothing_left = not self.seen and gone > 1
        if not allow_shrink and (nothing_left or too_many(gone, len(self.ledger))):
            self._commit(batch)
            refuse(self.source.name, gone, len(self.ledger))
        with self.report.timed("prune"):
            for done, entry in enumerate(vanished, 1):
                batch.remove(str(entry["artifact_id"]))
                if done % 256 == 0:
                    self.progress(ProgressEvent("prune", done, len(vanished)))
        self.report.removed = len(vanished)

    def _drop_foreign(self, batch: Batch) -> None:
        """Remove what could not be embedded anew: its vectors mean nothing to the new model."""
        for artifact_id in sorted(self.failed):
            if ledger_key(artifact_id) in self.ledger:
                batch.remove(artifact_id)
        for entry in self.ledger.values():
            if entry["artifact_id"] not in self.seen:
                batch.remove(str(entry["artifact_id"]))
