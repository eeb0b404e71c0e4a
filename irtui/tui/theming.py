"""The app's themes: read, kept, and followed while their files are edited."""

from __future__ import annotations

import os
from typing import Any

from textual.app import App

from irtui.commands.kept import Kept
from irtui.theme import DEFAULT, LIGHT, MONO, load_themes, textual_theme, theme_folders

__all__ = ["ThemedApp"]


_LIGHT_COLOURS = ("7", "15")


def _is_light(colours: str) -> bool:
    """Return whether ``COLORFGBG``, which some terminals set, speaks of a light background."""
    return ";" in colours and colours.rpartition(";")[2] in _LIGHT_COLOURS


class ThemedApp(App[int]):
    """An app with our themes.

    Attributes:
        kept: what is remembered between runs; the theme is ``layout["theme"]``.
    """

    kept: Kept
    options: Any
    _no_color: str
    _problems: list[str]

    def say(self, text: str, role: str = "") -> None:
        """Show a message."""
        raise NotImplementedError

    def keep(self, said: str = "", role: str = "ok") -> None:
        """Write what is to be remembered, and say ``said``, or why it could not be written."""
        raise NotImplementedError

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the roles of our themes to themes that do not know them."""
        themes, _ = load_themes()
        return dict(textual_theme(themes[DEFAULT]).variables)

    def _read_themes(self) -> None:
        themes, problems = load_themes()
        for theme in themes.values():
            self.register_theme(textual_theme(theme))
        self._problems += problems
        self._themes_read = _theme_times()

    def _first_theme(self) -> str:
        wanted = str(self.options.theme)
        if wanted and wanted in self.available_themes:
            return wanted
        if wanted:
            self._problems.append(f"there is no theme {wanted!r}")
        if self._no_color:
            return MONO
        kept = self.kept.layout.get("theme")
        if isinstance(kept, str) and kept in self.available_themes:
            return kept
        return LIGHT if _is_light(os.environ.get("COLORFGBG", "")) else DEFAULT

    def action_next_theme(self) -> None:
        """Use the next of our themes."""
        names = sorted(name for name in self.available_themes if name in load_themes()[0])
        at = names.index(self.theme) if self.theme in names else -1
        self.use_theme(names[(at + 1) % len(names)])

    def use_theme(self, name: str) -> None:
        """Use a theme, after reading the files again."""
        self._problems = []
        self._read_themes()
        if name not in self.available_themes:
            self.say(f"there is no theme {name!r}", "failed")
            return
        self.theme = name
        self.kept.layout["theme"] = name
        self.keep(f"theme {name}" + (f"; {self._problems[0]}" if self._problems else ""), "")

    def _follow_themes(self) -> None:
        """Show changes of theme files as they are saved."""
        if _theme_times() != self._themes_read:
            self._problems = []
            self._read_themes()
            name = self.theme
            self.theme = MONO if name != MONO else DEFAULT  # the same name changes nothing
            self.theme = name
            if self._problems:
                self.say(self._problems[0], "due")


def _theme_times() -> tuple[float, ...]:
    times = []
    for folder in theme_folders():
        for file in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            try:
                times.append(file.stat().st_mtime)
            except OSError:
                continue
    return tuple(times)
