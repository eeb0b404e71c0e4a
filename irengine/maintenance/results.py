"""What looking after one corpus came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from irengine.index import BuildReport

__all__ = ["MaintenanceResult", "Outcome"]

Outcome: TypeAlias = Literal["done", "skipped", "would-run", "left", "locked", "failed"]
"""``left`` is work that is due and was not begun, or not finished, before the run had to end."""


@dataclass(frozen=True, slots=True)
class MaintenanceResult:
    """What was done for one corpus, or would be.

    ``ran`` says whether its source was read and the corpus brought up to date; ``reason`` why or
    why not. ``reindex`` and ``synopsis`` say what was done, and for a corpus that was left alone
    what is due and whether synopses are on. ``records`` counts the texts of the corpus, ``added``,
    ``changed``, ``removed`` and ``unchanged`` artifacts (of a dry run those expected, where the
    source is files), ``skipped`` items the source leaves out, ``item_errors`` items that could not
    be read. ``waiting`` is true when synopses could not be written. ``error`` is
    ``"Type: message"``, ``error_code`` its stable word. ``next`` is when work will be due, as ISO
    text in UTC, where that is known. ``remaining`` counts the artifacts a build that had to end
    did not come to, where that is known; the counts are then of what it did.
    """

    name: str
    ran: bool
    reason: str
    reindex: bool = False
    synopsis: bool = False
    records: int | None = None
    error: str | None = None
    outcome: Outcome = "skipped"
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: int = 0
    item_errors: int = 0
    waiting: bool = False
    seconds: float = 0.0
    error_code: str | None = None
    hint: str = ""
    next: str | None = None
    remaining: int | None = None

    def counted(self, report: BuildReport) -> MaintenanceResult:
        """Return the result with what a build counted."""
        return replace(
            self,
            records=report.records,
            added=report.added,
            changed=report.changed,
            removed=report.removed,
            unchanged=report.unchanged,
            skipped=len(report.skipped),
            item_errors=len(report.errors),
            remaining=report.remaining,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every field, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        if self.error is not None:
            return f"{self.name}: FAILED ({self.error})"
        done = [word for word in ("reindex", "synopsis") if getattr(self, word)]
        what = f"[{'+'.join(done) or '-'}]"
        texts = "" if self.records is None else f", {self.records} records"
        word = "maintained" if self.ran else "skipped"
        return f"{self.name}: {word} {what} ({self.reason}){texts}"
