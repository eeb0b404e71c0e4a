"""What a run would find: files compared with the index, without building anything."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irengine.coverage.measuring import covers_files, source_coverage
from irengine.errors import EmbedderMismatch
from irengine.registry import PRESETS, get, registered, source_from_entry
from irengine.store import CorpusStore
from irengine.strategy import strategy_id
from irengine.synopsis.wrapping import unwrapped_id

__all__ = ["Expected", "expected"]

_FETCHED = ("records", "tools")


@dataclass(frozen=True, slots=True)
class Expected:
    """How many artifacts a build would add, change, remove and leave; ``anew`` that all are cut
    anew, because the definition changed.
    """

    added: int
    changed: int
    removed: int
    unchanged: int
    anew: bool = False

    @property
    def nothing(self) -> bool:
        """Whether a build would change nothing."""
        return not (self.added or self.changed or self.removed or self.anew)

    def __str__(self) -> str:
        if self.anew:
            return "the strategy changed"
        counts = ((self.added, "new"), (self.changed, "changed"), (self.removed, "gone"))
        told = [f"{count:,} {word}" for count, word in counts if count]
        return ", ".join(told) or "nothing changed"


def expected(name: str) -> Expected | None:
    """Compare a corpus of files with its index, as a build would; nothing is written.

    ``None`` for a corpus whose items come from a function: it is not called to look. Files that
    are indexed are judged by size and times first.

    Raises:
        SourceError: the source cannot be opened or listed; neither could it by a build.
        EmbedderMismatch: the definition names another embedder than the index has.
    """
    entry: Mapping[str, Any] | None = registered().get(name)
    if entry is None:
        entry = {"kind": name, "params": {}} if name in PRESETS else get(name)
    if entry.get("kind") in _FETCHED or entry.get("params", {}).get("fetcher") is not None:
        return None
    source = source_from_entry(name, entry)
    store = CorpusStore.local(name)
    if not covers_files(source):
        return None
    if not store.exists:
        return Expected(len(list(source.scope)), 0, 0, 0)
    settings = store.get_config()
    _check_embedder(name, str(entry.get("embedder", "default")), settings)
    known = {str(told["artifact_id"]): told for _, told in store.ledger_items()}
    report = source_coverage(source, known)
    cut = str(settings.get("strategy_id", ""))
    anew = unwrapped_id(cut) != unwrapped_id(strategy_id(source.indexing_strategy))
    return Expected(
        len(report.missing),
        len(report.stale),
        len(report.vanished),
        report.indexed - len(report.stale),
        anew,
    )


def _check_embedder(name: str, spec: str, settings: Mapping[str, Any]) -> None:
    from irengine.embed import embedder_id_for

    stored = str(settings.get("embedder_id", ""))
    if stored and spec != "default" and embedder_id_for(spec) != stored:
        raise EmbedderMismatch(
            f"corpus {name!r} was built with a different embedder "
            f"({stored}, not {embedder_id_for(spec)})",
            hint=f"irtui build {shlex.quote(name)} --switch-embedder embeds it anew",
        )
