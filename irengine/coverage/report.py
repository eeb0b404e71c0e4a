"""How much of what is on disk is indexed: the result of looking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CoverageReport"]

_SHOWN = 20


@dataclass(frozen=True)
class CoverageReport:
    """Disk against index for a corpus of files.

    Attributes:
        name: the corpus.
        on_disk: files that are there, whatever becomes of them.
        indexed: files of the source that are in the index.
        blank: those of them that hold no text: known, but never found.
        excluded: how many files each rule leaves out, the most frequent first.
        missing: ids that should be indexed and are not, sorted.
        stale: indexed ids whose content or metadata changed since.
        vanished: indexed ids that the source no longer has.
        kept: indexed ids that are not listed, but may exist (a closed folder, a narrow window).
        excluded_items: the rule of each file that is left out.
        note: what is odd about the whole, such as a folder without any file.
    """

    name: str
    on_disk: int
    indexed: int
    excluded: Mapping[str, int]
    missing: Sequence[str] = field(default_factory=list)
    stale: Sequence[str] = field(default_factory=list)
    vanished: Sequence[str] = field(default_factory=list)
    kept: Sequence[str] = field(default_factory=list)
    excluded_items: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    blank: int = 0

    @property
    def should_index(self) -> int:
        """Files on disk that belong into the index: the indexed and the missing ones."""
        return self.indexed + len(self.missing)

    @property
    def coverage_ratio(self) -> float:
        """The share of :attr:`should_index` that is indexed; 1.0 when there is nothing to."""
        return self.indexed / self.should_index if self.should_index else 1.0

    @property
    def up_to_date(self) -> bool:
        """Whether a build would change nothing."""
        return not (self.missing or self.stale or self.vanished)

    def to_dict(self) -> dict[str, Any]:
        """Return every field and the two derived ones, ready for JSON."""
        return {
            "name": self.name,
            "on_disk": self.on_disk,
            "indexed": self.indexed,
            "blank": self.blank,
            "should_index": self.should_index,
            "excluded": dict(self.excluded),
            "coverage_ratio": self.coverage_ratio,
            "missing": list(self.missing),
            "stale": list(self.stale),
            "vanished": list(self.vanished),
            "kept": list(self.kept),
            "excluded_items": dict(self.excluded_items),
            "note": self.note,
        }

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.coverage_ratio:.1%} indexed "
            f"({self.indexed} of {self.should_index}"
            f"{f', {self.blank} of them blank' * bool(self.blank)}; {self.on_disk} on disk)"
        ]
        for word, items in (
            ("missing", self.missing),
            ("stale", self.stale),
            ("vanished", self.vanished),
        ):
            lines += [f"  {word}: {item}" for item in items[:_SHOWN]]
            if len(items) > _SHOWN:
                lines.append(f"  and {len(items) - _SHOWN} more {word}")
        if self.up_to_date:
            lines.append("  everything that should be indexed is, as it is on disk")
        if self.note:
            lines.append(f"  {self.note}")
        return "\n".join(lines)


def counted(rules: Mapping[str, str]) -> dict[str, int]:
    """Return how many items each rule takes, the most frequent first, ties by name."""
    counts = Counter(rules.values())
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
