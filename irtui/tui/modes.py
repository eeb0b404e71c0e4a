"""The modes of the app and where they live.

A mode is one screen class, a subclass of :class:`irtui.tui.screens.base.ModeScreen`. Adding or
replacing one is a line here; its module is imported when it is first shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from irtui.tui.screens.base import ModeScreen

__all__ = ["MODES", "Mode"]


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode: its id, what the top line calls it, and its screen as ``module:class``."""

    id: str
    title: str
    short: str
    where: str

    def make(self) -> ModeScreen:
        """Import the module and make the screen."""
        module, _, name = self.where.partition(":")
        return cast("ModeScreen", getattr(import_module(module), name)())


MODES: dict[str, Mode] = {
    mode.id: mode
    for mode in (
        Mode("search", "Search", "Srch", "irtui.tui.screens.search:SearchScreen"),
        Mode("corpora", "Corpora", "Corp", "irtui.tui.screens.corpora:CorporaScreen"),
        Mode("graph", "Graph", "Graph", "irtui.tui.screens.graph:GraphScreen"),
        Mode(
            "maintenance",
            "Maintenance",
            "Maint",
            "irtui.tui.screens.maintenance:MaintenanceScreen",
        ),
    )
}
