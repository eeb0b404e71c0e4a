"""What a build tells its caller: progress while it runs, a report when it is done."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irengine.errors import BuildCancelled

if TYPE_CHECKING:
    from irengine.sources import Skipped
    from irengine.store import CorpusStore

__all__ = ["BuildReport", "CancelToken", "ProgressEvent", "no_progress"]


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """How far a phase has come. ``total`` is ``None`` while it is not known.

    Phases, in the order they appear: ``scan``, ``plan``, ``embed``, ``commit``, ``prune``.
    """

    phase: str
    done: int
    total: int | None = None


def no_progress(event: ProgressEvent) -> None:
    """Take no notice of ``event``."""


class CancelToken:
    """A flag another thread or a signal handler sets; the build looks between batches."""

    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        """Ask the build to stop at the next safe point."""
        self.cancelled = True

    @property
    def hurried(self) -> bool:
        """Whether to stop as soon as something has been achieved."""
        return False

    def achieved(self) -> None:
        """Take note that something was achieved, which is kept when the build stops now."""

    def raise_if_cancelled(self) -> None:
        """Raise :class:`BuildCancelled` when :meth:`cancel` was called."""
        if self.cancelled:
            raise BuildCancelled(
                "the build was cancelled", hint="what was committed stays; build again to go on"
            )


@dataclass
class BuildReport:
    """The outcome of one build.

    ``added``, ``changed``, ``removed`` and ``unchanged`` count artifacts, those in ``blank``
    included, which hold no text and are known, but never found; ``texts`` counts
    surfaces that got a vector, ``embedded`` those of them the model had to compute (the rest came
    from unchanged neighbours or moved content). ``skipped`` are items the source left out,
    ``errors`` items that could not be read or decomposed; the others went on. ``notes`` say what
    was odd about items that were read (a duplicate key, a lossy decoding). ``seconds`` maps each
    phase to its wall time. ``remaining`` counts the artifacts that a cancelled build did not come
    to, ``None`` where the source could not be listed.
    """

    name: str
    embedder_id: str = ""
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    texts: int = 0
    embedded: int = 0
    records: int = 0
    generation: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    errors: list[Skipped] = field(default_factory=list)
    notes: list[Skipped] = field(default_factory=list)
    blank: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    started: str = ""
    outcome: str = "done"
    remaining: int | None = 0

    @property
    def texts_per_second(self) -> float:
        """Texts that went through the embedder, a second of the embedding phase."""
        spent = self.seconds.get("embed", 0.0)
        return self.embedded / spent if spent > 0 else 0.0

    @property
    def nothing_changed(self) -> bool:
        """Whether the build found the corpus up to date."""
        return not (self.added or self.changed or self.removed)

    def is_news(self, store: CorpusStore) -> bool:
        """Whether the history of builds needs it: all but a second end without a change."""
        if not self.nothing_changed or self.outcome != "done":
            return True
        last = store.builds()[-1:]
        return not last or last[0].get("outcome") != "done"

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time spent in the block to ``seconds[phase]``."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - begun

    def keep(self, entry: Mapping[str, Any]) -> None:
        """Count an artifact whose records stay as they are; ``entry`` is that of the ledger."""
        self.unchanged += 1
        if not entry["record_ids"]:
            self.blank.append(str(entry["artifact_id"]))

    def skipped_by_reason(self) -> dict[str, int]:
        """Count the skipped items by reason, most frequent first."""
        counts: dict[str, int] = {}
        for item in self.skipped:
            counts[item.reason] = counts.get(item.reason, 0) + 1
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with at most 1,000 skipped items and errors in full."""
        return {
            "name": self.name,
            "outcome": self.outcome,
            "started": self.started,
            "embedder_id": self.embedder_id,
            "generation": self.generation,
            "records": self.records,
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "blank": len(self.blank),
            "remaining": self.remaining,
            "texts": self.texts,
            "embedded": self.embedded,
            "texts_per_second": round(self.texts_per_second, 1),
            "seconds": {phase: round(spent, 3) for phase, spent in self.seconds.items()},
            "skipped": self.skipped_by_reason(),
            "skipped_items": [_item_dict(item) for item in self.skipped[:1000]],
            "errors": [_item_dict(item) for item in self.errors[:1000]],
            "n_errors": len(self.errors),
            "notes": [_item_dict(item) for item in self.notes[:1000]],
        }


def _item_dict(item: Skipped) -> dict[str, str]:
    return {"id": item.id, "reason": item.reason, "detail": item.detail}
