"""What the exit status of ``irtui`` means."""

from __future__ import annotations

__all__ = ["exit_code"]

OK = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
BUDGET = 4
LOCKED = 5
INTERNAL = 70
INTERRUPTED = 130
TERMINATED = 143

_BY_CODE = {
    "ambiguous-item": NOT_FOUND,
    "bad-embedder": USAGE,
    "bad-interval": USAGE,
    "corpus-not-found": NOT_FOUND,
    "no-ledger-entry": NOT_FOUND,
    "not-a-file": USAGE,
    "not-a-folder": USAGE,
    "path-not-found": NOT_FOUND,
    "unknown-item": NOT_FOUND,
    "unknown-section": NOT_FOUND,
    "budget": BUDGET,
    "corpus-locked": LOCKED,
    "cancelled": INTERRUPTED,
}


def exit_code(error: BaseException) -> int:
    """Return the exit status for an :class:`irengine.errors.IrError` or a usage error."""
    from irengine.errors import ParameterError

    by_code = _BY_CODE.get(getattr(error, "code", ""))
    if by_code is not None:
        return by_code
    return USAGE if isinstance(error, ParameterError) else FAILED
