"""A text field that shows nothing a terminal would obey."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from irtui.render.clean import clean_line

__all__ = ["Field"]


class Field(Input):
    """A field whose value is cleaned, whether it is typed, pasted or set."""

    # A field of one line does not change its place with its text; by default every key would lay
    # out the whole screen.
    virtual_size = Reactive(Size(0, 0), layout=False)

    def validate_value(self, value: str) -> str:
        """Replace control characters one by one, so that places stay."""
        return clean_line(value)
