"""Which artifacts get a synopsis."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from irengine.base import Artifact
from irengine.checks import whole_number
from irengine.errors import ParameterError
from irengine.strategy.text import as_text

__all__ = [
    "ALWAYS",
    "DFLT_THIN_DESCRIPTION_CHARS",
    "Predicate",
    "make_thin_description_predicate",
    "thin_description_predicate",
]

Predicate = Callable[[Artifact], bool]
"""Whether an artifact gets a synopsis. A ``when_id`` attribute is its identity."""

ALWAYS = "always"
"""The gate that is none: every artifact gets a synopsis."""

DFLT_THIN_DESCRIPTION_CHARS = 40
"""Characters below which a description says too little to be found by."""


def make_thin_description_predicate(
    *, min_chars: int = DFLT_THIN_DESCRIPTION_CHARS, field: str = "description"
) -> Predicate:
    """Return a predicate that is true of artifacts whose ``field`` is empty or thin.

    Looks at ``raw[field]``, or at the raw item itself when it is no mapping; space around the
    text does not count. The predicate's ``when_id`` holds field and threshold, so that another
    threshold makes what was built stale.

    Raises:
        ParameterError: for a threshold below 1 or an empty field.

    >>> thin = make_thin_description_predicate(min_chars=5)
    >>> thin(Artifact("a", {"description": " hi "})), thin.when_id
    (True, 'thin:description:5')
    """
    min_chars = whole_number("min_chars", min_chars, least=1)
    if not isinstance(field, str) or not field:
        raise ParameterError(f"field must be the name of a field, not {field!r}")

    def thin(artifact: Artifact) -> bool:
        raw = artifact.raw
        value = raw.get(field) if isinstance(raw, Mapping) else raw
        return len(as_text(value or None).strip()) < min_chars

    thin.when_id = f"thin:{field}:{min_chars}"  # type: ignore[attr-defined]
    return thin


thin_description_predicate: Predicate = make_thin_description_predicate()
"""True of artifacts whose ``description`` has fewer than 40 characters."""
