"""A text field that shows nothing a terminal would obey."""

from __future__ import annotations

from textual.widgets import Input

from irtui.render.clean import clean_line

__all__ = ["Field"]


class Field(Input):
    """A field whose value is cleaned, whether it is typed, pasted or set."""

    def validate_value(self, value: str) -> str:
        """Replace control characters one by one, so that places stay."""
        return clean_line(value)
