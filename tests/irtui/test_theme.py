"""Themes: every file loads, can be read by everybody, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    rich_styles,
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
    from rich.style import Style as RichStyle

    for style in rich_styles(theme).values():
        RichStyle.parse(style)
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
