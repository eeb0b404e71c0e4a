"""What the palette offers: every key of this place, themes, corpora."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from irtui.theme import load_themes
from irtui.tui.keys import keys_of
from irtui.tui.widgets.bars import key_name

if TYPE_CHECKING:
    from irtui.tui.app import IrApp

__all__ = ["entries"]


def entries(app: IrApp) -> Iterator[SystemCommand]:
    """Yield what can be done here: documents are never among it, a search finds those."""
    screen = app.mode_screen
    if screen is None:
        return
    focused = screen.focused
    scopes = [*getattr(focused, "SCOPES", ()), *screen.SCOPES, "app"]
    for scope in dict.fromkeys(scopes):
        owner = focused if scope in getattr(focused, "SCOPES", ()) else screen
        for key in keys_of(scope):
            if key.id == "app.palette":
                continue
            node = app if scope == "app" else owner
            title = f"{scope}: {key.label}"
            help_text = f"{key.help} ({key_name(key.first)})"
            if node is not None:
                yield SystemCommand(title, help_text, partial(app.run_action, key.action, node))
    for name, theme in sorted(load_themes()[0].items()):
        yield SystemCommand(f"theme: {name}", theme.title, partial(app.use_theme, name))
    for name in app.corpora_state:
        help_text = "search in this corpus only"
        yield SystemCommand(f"corpus: {name}", help_text, partial(app.choose_corpora, [name]))
