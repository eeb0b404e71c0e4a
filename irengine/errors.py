"""The one error hierarchy: every failure a user can meet has a code, a message and a hint.

``IrError`` is the root. Each class also keeps the built-in base its callers would
reach for (``ValueError``, ``KeyError``, …), so ``except KeyError`` around a lookup
keeps working.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = [
    "AmbiguousItem",
    "BuildCancelled",
    "CalibrationRefused",
    "CaseError",
    "CorpusBusy",
    "CorpusDamaged",
    "CorpusNotFound",
    "EmbedderError",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "FetcherAttributeError",
    "FetcherImportError",
    "FilterError",
    "InvalidName",
    "IrError",
    "ItemError",
    "MaintenanceBusy",
    "MissingExtra",
    "NoLedgerEntry",
    "ParameterError",
    "ParameterTypeError",
    "RegistryError",
    "ScheduleError",
    "SeedNotFound",
    "ShrinkRefused",
    "SourceError",
    "StaleLedger",
    "SourceMissing",
    "StorageFull",
    "StoreError",
    "UnknownItem",
    "UnsupportedStorage",
    "is_slip",
    "nearest",
]


class IrError(Exception):
    """Root of every error this package raises on purpose.

    Attributes:
        code: a stable kebab-case word for programs (``"corpus-not-found"``).
        message: one sentence for people: what happened and why.
        hint: what to do about it; may be empty.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def to_dict(self) -> dict[str, str]:
        """Return the JSON form: ``code``, ``message``, ``hint``."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class ParameterError(IrError, ValueError):
    """An argument has a value the function does not accept."""

    code = "bad-parameter"


class ParameterTypeError(ParameterError, TypeError):
    """An argument is of a type the function does not accept or cannot store."""

    code = "bad-parameter-type"


class FilterError(ParameterError):
    """A metadata filter is malformed; the message names the operator or operand."""

    code = "bad-filter"


class InvalidName(ParameterError):
    """A corpus name that cannot be used (empty, ``..``, control characters)."""

    code = "bad-name"


class CorpusNotFound(IrError, KeyError):
    """No corpus of that name is built or registered."""

    code = "corpus-not-found"


class NoLedgerEntry(IrError, KeyError):
    """The ledger has no entry for an artifact."""

    code = "no-ledger-entry"


class SeedNotFound(IrError, ValueError):
    """The surface a hit names is not among the stored ones of its artifact."""

    code = "seed-not-found"


class RegistryError(IrError, ValueError):
    """The registry file is unreadable or an entry in it is invalid."""

    code = "registry"


class SourceError(IrError):
    """A source cannot be read as a whole: missing root, unmounted disk, bad fetcher."""

    code = "source-unavailable"


class SourceMissing(SourceError, FileNotFoundError):
    """The folder or file a source reads from does not exist."""

    code = "path-not-found"


class FetcherImportError(SourceError, ImportError):
    """The module a fetcher reference names cannot be imported."""

    code = "bad-fetcher"


class FetcherAttributeError(SourceError, AttributeError):
    """The module a fetcher reference names has no such attribute."""

    code = "bad-fetcher"


class ItemError(IrError, ValueError):
    """One item of a source cannot be read or decomposed; the others go on."""

    code = "bad-item"


class UnknownItem(ItemError, KeyError):
    """A source has no item of that id."""

    code = "unknown-item"


class AmbiguousItem(UnknownItem):
    """A name fits several items; ``candidates`` are those."""

    code = "ambiguous-item"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        code: str | None = None,
        candidates: Iterable[str] = (),
    ) -> None:
        super().__init__(message, hint=hint, code=code)
        self.candidates = tuple(candidates)


class ShrinkRefused(IrError):
    """A build would prune a suspiciously large part of the corpus."""

    code = "shrink-refused"


class EmbedderError(IrError, ValueError):
    """An embedder spec or id is malformed, or its output has the wrong shape."""

    code = "embedder"


class EmbedderMismatch(EmbedderError):
    """The corpus was built with a different embedder than the one asked for."""

    code = "embedder-mismatch"


class EmbedderUnavailable(EmbedderError):
    """The model a spec or a corpus names cannot be loaded here."""

    code = "embedder-unavailable"


class MissingExtra(IrError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    code = "missing-extra"


class StoreError(IrError):
    """A corpus store cannot do what was asked."""

    code = "store"


class CorpusBusy(StoreError):
    """Another process holds the corpus' writer lock."""

    code = "corpus-locked"


class MaintenanceBusy(CorpusBusy, RuntimeError):
    """Another run of maintenance holds the lock of the whole run."""

    code = "maintenance-busy"


class CorpusDamaged(StoreError):
    """Files of a corpus are missing or do not match their checksums."""

    code = "corpus-damaged"


class StaleLedger(CorpusDamaged, KeyError):
    """The ledger lists a record the store does not have."""

    code = "stale-ledger"


class StorageFull(StoreError, OSError):
    """The disk (or quota) is full; the last published generation still serves."""

    code = "disk-full"


class UnsupportedStorage(StoreError, NotImplementedError):
    """A storage backend that this version cannot use."""

    code = "unsupported-storage"


class CaseError(IrError, ValueError, KeyError):
    """An evaluation case, or the line of a file that should hold one, is malformed."""

    code = "bad-case"


class CalibrationRefused(IrError, ValueError):
    """Scores of questions with and without an answer do not differ enough for a floor."""

    code = "calibration-refused"


class ScheduleError(IrError):
    """The operating system's scheduler cannot do, or did not do, what was asked."""

    code = "schedule"


class BuildCancelled(IrError):
    """A build was cancelled; what it had committed stays.

    ``report`` is how far the build came (a :class:`irengine.index.BuildReport`), where known.
    """

    code = "cancelled"
    report: Any = None


def nearest(word: str, choices: Iterable[str], *, limit: int = 3, cutoff: float = 0.6) -> str:
    """Return a ``did you mean`` hint for ``word``, or ``""`` when nothing is close.

    ``cutoff`` is how alike words have to be, from 0 to 1.

    >>> nearest("note", ["notes", "papers"])
    'did you mean notes?'
    """
    import difflib  # takes longer to import than most commands need otherwise

    matches = difflib.get_close_matches(word, list(choices), n=limit, cutoff=cutoff)
    return f"did you mean {', '.join(matches)}?" if matches else ""


def is_slip(word: str, choices: Iterable[str]) -> bool:
    """Whether ``word`` is hardly meant otherwise than as one of ``choices``.

    Letters are swapped, missing or too many, or one of a long word is wrong. With one wrong letter
    a short word is another word: ``data:image/png`` does not ask for a ``date``.

    >>> is_slip("yaer", ["year", "date"]), is_slip("data", ["year", "date"])
    (True, False)
    """
    choices = tuple(choices)
    swapped = any(sorted(word) == sorted(each) for each in choices)
    return swapped or bool(nearest(word, choices, cutoff=0.8))
