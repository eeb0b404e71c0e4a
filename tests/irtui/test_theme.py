"""Themes: every file loads, can be read by everybody, and says what is wrong with it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irtui.render.look import PLAIN
from irtui.styles import styled_look
from irtui.theme import (
    BASE,
    DEFAULT,
    MONO,
    ROLES,
    Theme,
    ThemeError,
    contrast,
    find_theme,
    load_theme,
    load_themes,
    prompt_styles,
    shell_styles,
    textual_theme,
    theme_folders,
)

SHIPPED = load_themes(theme_folders()[:1])[0]
COLOURED = [theme for theme in SHIPPED.values() if not theme.ansi]
READABLE = 4.5  # WCAG 2.1, level AA
VERY_READABLE = 7.0  # level AAA
PAINTED_ON = {
    "match": ("match-background",),
    "chip": ("chip-background",),
    "cursor": ("cursor-background",),
}
BACKGROUNDS = ("background", "surface", "panel")
_NO_TEXT = {"match-background", "chip-background", "cursor-background"}


def test_what_is_shipped() -> None:
    themes, problems = load_themes(theme_folders()[:1])
    assert problems == []
    assert set(themes) == {
        "ir-dark",
        "ir-light",
        "ir-contrast-dark",
        "ir-contrast-light",
        "ir-ansi",
        "ir-mono",
    }
    assert {DEFAULT, MONO} <= set(themes)
    assert [theme.dark for theme in (themes["ir-dark"], themes["ir-light"])] == [True, False]


@pytest.mark.parametrize("theme", COLOURED, ids=lambda theme: theme.name)
def test_every_text_can_be_read_on_what_it_stands_on(theme: Theme) -> None:
    least = VERY_READABLE if "contrast" in theme.name else READABLE
    poor = []
    for role in set(ROLES) - _NO_TEXT:
        for ground in PAINTED_ON.get(role, BACKGROUNDS):
            below = theme.roles[ground] if ground in theme.roles else theme.colors[ground]
            if contrast(theme.roles[role], below) < least:
                poor.append((role, ground))
    for name in set(BASE) - set(BACKGROUNDS):
        poor += [
            (name, ground)
            for ground in BACKGROUNDS
            if contrast(theme.colors[name], theme.colors[ground]) < least
        ]
    assert poor == []


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


def test_without_colour_there_is_none() -> None:
    theme = SHIPPED[MONO]
    assert {*theme.colors.values(), *theme.roles.values()} == {"ansi_default"}
    assert theme.reverse_cursor


@pytest.mark.parametrize("theme", SHIPPED.values(), ids=lambda theme: theme.name)
def test_every_front_end_can_use_it(theme: Theme) -> None:
    made = textual_theme(theme)
    assert (made.name, made.dark, made.ansi) == (theme.name, theme.dark, theme.ansi)
    assert {f"ir-{role}" for role in ROLES} <= set(made.variables)
    for what in ("input-selection", "block-cursor", "block-cursor-blurred"):
        text, back = (made.variables[f"{what}-{part}"] for part in ("foreground", "background"))
        assert theme.ansi or contrast(text, back) >= 4.5
    for depth in (24, 8):
        styles = shell_styles(theme, depth=depth)
        assert set(styles) == set(PLAIN)
        assert all(re.fullmatch(r"(\d+(;\d+)*)?", style) for style in styles.values())
        assert all(styles[name] for name in ("title", "match", "dim"))
    prompt_toolkit = pytest.importorskip("prompt_toolkit.styles")
    prompt_toolkit.Style.from_dict(prompt_styles(theme))


def _file(folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    text = SHIPPED["ir-dark"].path.read_text(encoding="utf-8")  # type: ignore[union-attr]
    folder.mkdir(exist_ok=True)
    file = folder / "mine.toml"
    file.write_text(text.replace(*change) if change[0] else text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('accent = "#e6b673"', 'accent = "beige"'), "colors.accent is not a colour"),
        (('accent = "#e6b673"', 'acent = "#e6b673"'), "unknown key colors.acent"),
        (('muted = "#97a1b2"\n', ""), "ir.muted is missing"),
        (("[ir]", "[role]"), "unknown key 'role'"),
        (("dark = true", 'dark = "yes"'), "dark must be true or false"),
        (('name = "ir-dark"', 'name = "Very Dark"'), "name must be"),
        (("[colors]", "[colors"), "mine.toml"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(ThemeError, match="mine.toml") as caught:
        load_theme(_file(tmp_path, change))
    assert said in str(caught.value)


def test_a_file_of_ones_own_replaces_a_shipped_theme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_CONFIG_DIR", str(tmp_path))
    _file(tmp_path / "themes", ("#e6b673", "#ffffff"))
    assert find_theme("ir-dark").colors["accent"] == "#ffffff"
    _file(tmp_path / "themes", ("[ir]", "[oops]"))
    themes, problems = load_themes()
    assert themes["ir-dark"].colors["accent"] == "#e6b673"
    assert len(problems) == 1
    with pytest.raises(ThemeError, match="there is no theme 'dusk'"):
        find_theme("dusk")


def test_colours_of_results_are_those_of_the_theme() -> None:
    dark = shell_styles(SHIPPED["ir-dark"])
    assert dark["title"] == "1;38;2;242;245;250"
    assert dark["match"] == "1;38;2;255;224;138;48;2;61;55;24"
    assert shell_styles(SHIPPED["ir-dark"], depth=8)["bar"] == "38;5;111"  # #87afff for #82aaf5
    assert shell_styles(SHIPPED["ir-ansi"])["match"] == "1;30;43"
    assert shell_styles(SHIPPED["ir-ansi"])["title"] == "1"
    mono = shell_styles(SHIPPED[MONO])
    assert (mono["match"], mono["dim"], mono["bad"]) == ("1;7", "2", "")


def test_a_theme_is_chosen_for_every_front_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work_in: Callable[[Path], None],
    run_here: Callable[..., Any],
) -> None:
    work_in(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in (("TERM", "xterm"), ("COLORTERM", "truecolor"), ("IRTUI_LINK", "")):
        monkeypatch.setenv(name, value)
    screen = Screen()
    assert styled_look(screen).styles is PLAIN  # nothing is chosen: the terminal's own palette

    _, said, note = run_here("themes", "--json")
    rows = {row["name"]: row for row in json.loads(said)}
    assert set(rows) == set(SHIPPED) and not any(row["active"] for row in rows.values())
    assert note == ""
    status, shown, _ = run_here("theme", "ir-light")
    assert status == 0 and "ir-light" in shown
    assert styled_look(screen).styles == shell_styles(SHIPPED["ir-light"])
    assert styled_look(screen, "ir-dark").styles == shell_styles(SHIPPED["ir-dark"])
    monkeypatch.delenv("COLORTERM")
    assert styled_look(screen).styles is PLAIN  # sixteen colours are the palette's
    monkeypatch.setenv("TERM", "xterm-256color")
    assert styled_look(screen).styles == shell_styles(SHIPPED["ir-light"], depth=8)
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled_look(screen).color is False
    monkeypatch.delenv("NO_COLOR")

    own = tmp_path / "config" / "themes"
    _file(own).rename(own / "mine.toml")
    (own / "broken.toml").write_text("[oops]\nx = 1\n")
    rows = {row["name"]: row for row in json.loads(run_here("themes", "--json")[1])}
    assert rows["ir-light"]["active"] and rows["ir-light"]["origin"] == "shipped"
    assert (rows["ir-dark"]["origin"], rows["ir-dark"]["path"]) == ("own", str(own / "mine.toml"))
    assert "unknown key 'oops'" in rows["broken"]["problem"]
    assert "* " in run_here("themes")[1]

    status, shown, said = run_here("theme", "ir-lihgt")
    assert (status, shown) == (2, "") and "did you mean ir-light" in said
    status, shown, _ = run_here("theme", "default", "--json")
    assert status == 0 and json.loads(shown)["name"] == "default"
    assert styled_look(screen).styles is PLAIN


class Screen(io.StringIO):
    """A terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True
