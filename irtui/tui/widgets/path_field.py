"""A field for a path: Tab completes it, as a shell does."""

from __future__ import annotations

import os
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from irtui.tui.keys import Key, bindings, register_keys
from irtui.tui.widgets.field import Field

__all__ = ["FolderField", "PathField"]

register_keys(
    (Key("path.complete", "tab", "complete", "complete", "complete the path", 5),), above=True
)


class PathField(Field):
    """A field in which Tab writes what all paths that go on from here have in common."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("path"))
    ONLY_FOLDERS: ClassVar[bool] = False
    _told = ""
    """What was typed when the ways on were told."""

    class Several(Message):
        """There are several ways on; ``names`` are their last parts."""

        def __init__(self, names: list[str]) -> None:
            super().__init__()
            self.names = names

    def action_complete(self) -> None:
        """Complete the path; where nothing can be added, tell how it may go on, then leave."""
        from irtui.shell.completing import paths_from

        typed = self.value
        found = [
            path
            for path in paths_from(typed)
            if path.startswith(typed) and (path.endswith("/") or not self.ONLY_FOLDERS)
        ]
        longer = os.path.commonprefix(found)
        if len(longer) > len(typed):
            self.value = longer
            self.cursor_position = len(longer)
        elif len(found) > 1 and self._told != typed:
            self._told = typed
            start = typed.rfind("/") + 1
            self.post_message(self.Several([path[start:] for path in found]))
        else:
            self.screen.focus_next()


class FolderField(PathField):
    """A field for a folder."""

    ONLY_FOLDERS = True
