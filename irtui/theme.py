"""Themes: one TOML file each, read once for the app, the prompt and the command line.

A file has ``name``, ``title``, ``dark`` and ``ansi``, the table ``[colors]`` with the app's base
colours, and ``[ir]`` with the roles that only this program knows. Colours are ``#rrggbb``; with
``ansi = true`` they are names of the terminal's own palette (``ansi_default``, ``ansi_blue``…).
Those shipped are in the wheel; the folder ``themes`` beside the registry holds the user's own, and
a file there replaces a shipped theme of its name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.theme import Theme as TextualTheme

__all__ = [
    "BASE",
    "DEFAULT",
    "LIGHT",
    "MONO",
    "ROLES",
    "Theme",
    "ThemeError",
    "contrast",
    "find_theme",
    "load_theme",
    "load_themes",
    "prompt_styles",
    "shell_styles",
    "textual_theme",
    "theme_folders",
]

DEFAULT = "ir-dark"
LIGHT = "ir-light"
MONO = "ir-mono"
"""What ``NO_COLOR`` asks for: no colour at all, only bold, reverse and underline."""

BASE = (
    "background",
    "surface",
    "panel",
    "foreground",
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
)
"""What every theme says in ``[colors]``."""

ROLES = (
    "muted",
    "match",
    "match-background",
    "chip",
    "chip-background",
    "cursor",
    "cursor-background",
    "selected",
    "title",
    "link",
    "code",
    "heading",
    "score",
    "facet-bar",
    "budget",
    "budget-over",
    "ok",
    "due",
    "failed",
    "running",
)
"""What every theme says in ``[ir]``: colours of parts of this program."""

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_ANSI = re.compile(
    r"ansi_(default|(bright_)?(black|red|green|yellow|blue|magenta|cyan|white))", re.ASCII
)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_KEYS = frozenset(("name", "title", "dark", "ansi", "reverse-cursor", "colors", "ir", "variables"))


class ThemeError(Exception):
    """A theme file that cannot be used; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme as its file says it.

    Attributes:
        name, title: what it is called in commands, and to people.
        dark: whether its background is dark.
        ansi: whether its colours are those of the terminal.
        reverse_cursor: whether the row of the cursor is shown in reverse.
        colors: a value for each name in :data:`BASE`.
        roles: a value for each name in :data:`ROLES`.
        variables: more variables of the app's style sheets, by name.
        path: the file it was read from.
    """

    name: str
    title: str
    dark: bool
    ansi: bool
    reverse_cursor: bool
    colors: Mapping[str, str]
    roles: Mapping[str, str]
    variables: Mapping[str, str]
    path: Path | None = None


def theme_folders() -> list[Path]:
    """Return the folders themes are read from: the shipped ones first, then the user's."""
    from irengine.config import config_dir

    package = Path(__file__).parent
    shipped = package / "_themes"
    if not shipped.is_dir():  # a checkout: only a wheel holds the themes inside the package
        shipped = package.parent / "themes"
    return [shipped, config_dir() / "themes"]


def load_themes(
    folders: Iterable[Path] | None = None,
) -> tuple[dict[str, Theme], list[str]]:
    """Return all themes by name, and what is wrong with files that were left out.

    A later folder replaces themes of the same name.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for folder in theme_folders() if folders is None else folders:
        if not folder.is_dir():
            continue
        for file in sorted(folder.glob("*.toml")):
            try:
                theme = load_theme(file)
            except ThemeError as error:
                problems.append(str(error))
            else:
                themes[theme.name] = theme
    return themes, problems


def find_theme(name: str) -> Theme:
    """Return the theme of that name.

    Raises:
        ThemeError: when there is none, or its file is wrong.
    """
    shipped, own = theme_folders()
    if not own.is_dir() and _NAME.fullmatch(name) and (shipped / f"{name}.toml").is_file():
        return load_theme(shipped / f"{name}.toml")  # others cannot be of that name
    themes, problems = load_themes()
    if name in themes:
        return themes[name]
    told = f"; {problems[0]}" if problems else ""
    raise ThemeError(f"there is no theme {name!r}; themes: {', '.join(sorted(themes))}{told}")


def load_theme(file: Path) -> Theme:
    """Read one theme file.

    Raises:
        ThemeError: for what is no TOML, a key that is missing or unknown, or no colour.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"{file.name}: {error}") from None
    for key in told:
        if key not in _KEYS:
            raise ThemeError(f"{file.name}: unknown key {key!r}")
    name = told.get("name")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ThemeError(f"{file.name}: name must be lower-case letters, digits and dashes")
    flags = {}
    for key, default in (("dark", True), ("ansi", False), ("reverse-cursor", False)):
        flags[key] = told.get(key, default)
        if not isinstance(flags[key], bool):
            raise ThemeError(f"{file.name}: {key} must be true or false")
    ansi = flags["ansi"]
    return Theme(
        name=name,
        title=str(told.get("title", name)),
        dark=flags["dark"],
        ansi=ansi,
        reverse_cursor=flags["reverse-cursor"],
        colors=_colors(file, "colors", told.get("colors"), BASE, ansi),
        roles=_colors(file, "ir", told.get("ir"), ROLES, ansi),
        variables={str(k): str(v) for k, v in dict(told.get("variables", {})).items()},
        path=file,
    )


def _colors(
    file: Path, table: str, values: Any, names: tuple[str, ...], ansi: bool
) -> dict[str, str]:
    if not isinstance(values, dict):
        raise ThemeError(f"{file.name}: the table [{table}] is missing")
    for key in values:
        if key not in names:
            raise ThemeError(f"{file.name}: unknown key {table}.{key}")
    found = {}
    for key in names:
        value = values.get(key)
        if value is None:
            raise ThemeError(f"{file.name}: {table}.{key} is missing")
        pattern = _ANSI if ansi else _HEX
        if not isinstance(value, str) or pattern.fullmatch(value) is None:
            kind = "a colour of the terminal such as ansi_blue" if ansi else "a colour (#rrggbb)"
            raise ThemeError(f"{file.name}: {table}.{key} is not {kind}: {value!r}")
        found[key] = value
    return found


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two ``#rrggbb`` colours, 1 to 21 (WCAG 2.1, 1.4.3)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def textual_theme(theme: Theme) -> TextualTheme:
    """Return the theme for the app; its roles are variables such as ``$ir-match``."""
    from textual.theme import Theme as Made

    cursor, cursor_back = theme.roles["cursor"], theme.roles["cursor-background"]
    variables = {
        "ir-cursor-style": "bold reverse" if theme.reverse_cursor else "bold",
        "block-cursor-foreground": cursor,
        "block-cursor-background": cursor_back,
        "block-cursor-text-style": "bold reverse" if theme.reverse_cursor else "bold",
        "block-cursor-blurred-foreground": cursor,
        "block-cursor-blurred-background": cursor_back,
        "input-selection-foreground": cursor,
        "input-selection-background": cursor_back,
        **(_of_the_terminal(theme) if theme.ansi else {}),
        **{f"ir-{name}": value for name, value in theme.roles.items()},
        **theme.variables,
    }
    base: dict[str, Any] = {name: theme.colors[name] for name in BASE}
    return Made(
        name=theme.name,
        dark=theme.dark,
        ansi=theme.ansi,
        variables=variables,
        **base,
    )


def _of_the_terminal(theme: Theme) -> dict[str, str]:
    """Return what Textual would fill with colours of its own where a theme has the terminal's."""
    role, plain = theme.roles, theme.colors["background"]
    scrollbar = ("background", "background-hover", "background-active", "corner-color")
    return {
        "ansi-background": plain,
        "ansi-foreground": theme.colors["foreground"],
        "border": role["muted"],
        "border-blurred": role["muted"],
        "scrollbar": role["muted"],
        "scrollbar-hover": role["muted"],
        "scrollbar-active": role["muted"],
        **{f"scrollbar-{name}": plain for name in scrollbar},
        "link-color": role["link"],
        "link-color-hover": role["link"],
        "link-background-hover": plain,
        "footer-key-foreground": role["title"],
        "input-selection-background": role["match-background"],
        "input-selection-foreground": role["match"],
        "screen-selection-background": role["match-background"],
        "screen-selection-foreground": role["match"],
    }


def prompt_styles(theme: Theme) -> dict[str, str]:
    """Return styles for ``prompt_toolkit.styles.Style.from_dict``: ``ir.match``, ``ir.ok``…

    The completion menu and the toolbar have the colours of the app's panels.
    """
    role = {name: _for_prompt(value) for name, value in theme.roles.items()}
    base = {name: _for_prompt(value) for name, value in theme.colors.items()}
    styles = {f"ir.{name}": f"fg:{value}" for name, value in role.items() if name in _TEXT_ROLES}
    reverse = " reverse" if theme.reverse_cursor else ""
    styles |= {
        "ir.match": f"fg:{role['match']} bg:{role['match-background']} bold",
        "ir.chip": f"fg:{role['chip']} bg:{role['chip-background']}",
        "ir.cursor": f"fg:{role['cursor']} bg:{role['cursor-background']} bold{reverse}",
        "ir.error": f"fg:{base['error']}",
        "ir.warning": f"fg:{base['warning']}",
        "bottom-toolbar": f"noreverse fg:{base['foreground']} bg:{base['panel']}",
        "completion-menu": f"fg:{base['foreground']} bg:{base['panel']}",
        "completion-menu.completion.current": (
            f"noreverse fg:{role['cursor']} bg:{role['cursor-background']} bold{reverse}"
        ),
        "auto-suggestion": f"fg:{role['muted']}",
    }
    return styles


def shell_styles(theme: Theme, *, depth: int = 24) -> dict[str, str]:
    """Return what results on a terminal are styled with: parameters of SGR by name of a style.

    The background stays the terminal's, so only a match has one of its own.

    Args:
        theme: the theme.
        depth: bits of a colour: 24, or 8 for the nearest of the 256 most terminals have.
    """
    role = theme.roles

    def text(name: str, *, bold: bool = False) -> str:
        return ";".join(part for part in ("1" * bold, _sgr(role[name], 38, depth)) if part)

    ground = _sgr(role["match-background"], 48, depth)
    return {
        "title": text("title", bold=True),
        "match": ";".join(part for part in (text("match", bold=True), ground or "7") if part),
        "dim": text("muted") or "2",
        "bar": text("score"),
        "good": text("ok"),
        "warn": text("due"),
        "bad": text("failed"),
    }


_PALETTE = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def _sgr(value: str, kind: int, depth: int) -> str:
    """Return a colour as parameters of SGR, ``""`` for the terminal's own.

    ``kind`` is 38 for text and 48 for what is behind it (ECMA-48, 8.3.117; ISO 8613-6).
    """
    if value.startswith("ansi_"):
        name = value.removeprefix("ansi_")
        if name == "default":
            return ""
        bright = name.startswith("bright_")
        number = _PALETTE.index(name.removeprefix("bright_"))
        return str(kind - 8 + number + (60 if bright else 0))
    red, green, blue = (int(value[at : at + 2], 16) for at in (1, 3, 5))
    if depth == 24:
        return f"{kind};2;{red};{green};{blue}"
    return f"{kind};5;{_nearest(red, green, blue)}"


_STEPS = (0, 95, 135, 175, 215, 255)


def _nearest(red: int, green: int, blue: int) -> int:
    """Return the nearest colour of the cube and the greys of 256 colours."""
    cube = [min(range(6), key=lambda at: abs(_STEPS[at] - part)) for part in (red, green, blue)]
    grey = min(range(24), key=lambda at: abs(8 + 10 * at - (red + green + blue) / 3))
    options = {
        16 + 36 * cube[0] + 6 * cube[1] + cube[2]: tuple(_STEPS[at] for at in cube),
        232 + grey: (8 + 10 * grey,) * 3,
    }
    wanted = (red, green, blue)
    return min(
        options,
        key=lambda code: sum((a - b) ** 2 for a, b in zip(options[code], wanted, strict=True)),
    )


_TEXT_ROLES = frozenset(ROLES) - {"match-background", "chip-background", "cursor-background"}


def _for_prompt(value: str) -> str:
    if not value.startswith("ansi_"):
        return value
    name = value.removeprefix("ansi_")
    plain = {"white": "gray", "bright_black": "brightblack", "bright_white": "white"}
    return "ansi" + plain.get(name, name.replace("_", ""))
