"""Synopses across builds: what was written is kept, what could not be written is noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from irengine.base import IndexPlan, Surface
from irengine.index.planning import Candidate, decompose
from irengine.sources import Skipped
from irengine.strategy import strategy_id
from irengine.synopsis.wrapping import Layer, Written, layers_of, rewrapped_id, unwrapped_id

if TYPE_CHECKING:
    from irengine.sources import CorpusSource
    from irengine.store import CorpusStore

__all__ = ["Synopses"]

_GIVE_UP_AFTER = 3
"""Artifacts in a row for which no model answered; the others wait for the next build."""


class Synopses:
    """What one build does about synopses; for a strategy without any, and none stored, nothing.

    A build with a synopsis strategy asks only for what is not written yet: an unchanged artifact
    keeps its synopsis when the inner strategy, the embedder or the gate changed. A build with a
    plain strategy asks for none and, unless ``keep`` is false, leaves those of unchanged
    artifacts; the synopsis of a changed one goes, because it sums up another text.
    """

    def __init__(self, source: CorpusSource, store: CorpusStore, *, keep: bool) -> None:
        self.source = source
        self.store = store
        self.keep = keep
        self.strategy_id = strategy_id(source.indexing_strategy)
        self.wrapped = unwrapped_id(self.strategy_id) != self.strategy_id
        self._waiting = 0
        self._notes: list[Skipped] = []
        self._in_vain = 0
        self._why = ""

    def identity_of(self, entry: Mapping[str, Any] | None) -> str:
        """Return the strategy id of an artifact whose records are left as they are."""
        stored = "" if entry is None else str(entry["strategy_id"])
        keeps = self._keeps(stored) and unwrapped_id(stored) == self.strategy_id
        return stored if keeps else self.strategy_id

    def is_current(self, entry: Mapping[str, Any]) -> bool:
        """Whether an artifact was planned by this strategy, with nothing left to write."""
        same = entry["strategy_id"] == self.identity_of(entry)
        return same and not (self.wrapped and entry.get("unfinished"))

    def plan(
        self,
        item: Candidate,
        raw: Any,
        metadata: Mapping[str, Any],
        new: dict[str, Any],
        entry: Mapping[str, Any] | None,
    ) -> IndexPlan:
        """Return the plan of an artifact, and note in its ledger entry ``new`` how it was made.

        Raises:
            ItemError: when the strategy, a predicate or a synthesizer fails.
        """
        new["strategy_id"] = self.strategy_id
        if entry is not None and entry.get("unfinished"):
            new["unfinished"] = ""
        if self.wrapped:
            same = entry is not None and entry.get("input_hash") == new["input_hash"]
            return self._written(item, raw, metadata, new, entry if same else None)
        plan = decompose(self.source, item.id, raw, metadata)
        stored = "" if entry is None else str(entry["strategy_id"])
        if entry is not None and self._keeps(stored) and entry["version"] == new["version"]:
            plan.surfaces = [*self._stored(item.id, entry), *plan.surfaces]
            new["strategy_id"] = rewrapped_id(stored, self.strategy_id)
            if entry.get("unfinished"):
                new["unfinished"] = entry["unfinished"]
        return plan

    def all_notes(self) -> list[Skipped]:
        """Return what the report says: each synopsis that could not be written, and how many."""
        if not self._waiting:
            return []
        wait = "1 artifact waits" if self._waiting == 1 else f"{self._waiting:,} artifacts wait"
        told = f"{wait} for a synopsis: {self._why}; the next build tries again"
        return [Skipped("", "no-synopsis", told), *self._notes]

    def _keeps(self, stored: str) -> bool:
        return self.keep and not self.wrapped and unwrapped_id(stored) != stored

    def _stored(self, artifact_id: str, entry: Mapping[str, Any]) -> Iterator[Surface]:
        """Yield the synopses the corpus has of an artifact, in plan order."""
        kinds = {kind for kind, _, _ in layers_of(str(entry["strategy_id"]))}
        for record_id in entry["record_ids"] if kinds else ():
            record = self.store.get_record(record_id)
            by = record.metadata.get("synthesizer_id")
            if record.surface_kind in kinds and isinstance(by, str):
                told = {"synthesizer_id": by}
                yield Surface(artifact_id, record.surface_kind, record.text, "document", told)

    def _written(
        self,
        item: Candidate,
        raw: Any,
        metadata: Mapping[str, Any],
        new: dict[str, Any],
        entry: Mapping[str, Any] | None,
    ) -> IndexPlan:
        texts: dict[tuple[str, str], str] = {}
        layers: frozenset[Layer] = frozenset()
        if entry is not None:
            layers = layers_of(str(entry["strategy_id"]))
            for surface in self._stored(item.id, entry):
                texts[surface.kind, str(surface.metadata["synthesizer_id"])] = surface.text
        gave_up = self._in_vain >= _GIVE_UP_AFTER
        written = Written(texts, layers, self._why if gave_up else "")
        plan = decompose(self.source, item.id, raw, metadata, written)
        if written.missing:
            failure = written.missing[0]
            new["unfinished"] = self._why = failure.reason
            self._waiting += 1
            if not gave_up:
                self._notes.append(Skipped(item.id, "no-synopsis", failure.reason))
                self._in_vain = self._in_vain + 1 if failure.unreachable else 0
        elif written.made:
            self._in_vain = 0
        return plan
