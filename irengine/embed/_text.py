"""Text hygiene shared by the embedders."""

from __future__ import annotations

__all__ = ["well_formed"]


def well_formed(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8 form, by U+FFFD; offsets stay the same."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(
            "\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text
        )
    return text
