"""``themes`` and ``theme``: the colours of every front end."""

from __future__ import annotations

import os
from typing import Any

from irtui.commands.context import Context
from irtui.commands.kept import Kept, chosen_theme
from irtui.commands.registry import command
from irtui.commands.shapes import THEMES
from irtui.commands.spec import Param, Result, UsageError

__all__ = ["theme", "themes"]


@command(
    "themes",
    "list the colour themes, where each is from, and which one is used",
    output=THEMES,
    details=(
        "A theme is one TOML file; a copy of a shipped one in the folder themes beside the "
        "registry, under a name of its own, is a new theme, and under the same name replaces it. "
        "What is wrong with a file is in its row."
    ),
    examples=("irtui themes", "irtui themes --json"),
)
def themes(context: Context) -> Result:
    """Return every theme and what is wrong with files that are none."""
    del context
    from irtui.theme import load_themes, theme_folders

    shipped, own = theme_folders()
    found, _ = load_themes()
    active = chosen_theme()
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "title": each.title,
            "dark": each.dark,
            "ansi": each.ansi,
            "active": name == active,
            "origin": "own" if each.path is not None and each.path.parent == own else "shipped",
            "path": str(each.path),
            "problem": "",
        }
        for name, each in sorted(found.items())
    ]
    for folder in (shipped, own):
        for problem in load_themes([folder])[1]:
            file = folder / problem.partition(":")[0]
            rows.append(
                {
                    "name": file.stem,
                    "title": "",
                    "dark": None,
                    "ansi": None,
                    "active": False,
                    "origin": "own" if folder == own else "shipped",
                    "path": str(file),
                    "problem": problem,
                }
            )
    notes = []
    if os.environ.get("NO_COLOR"):
        notes.append("NO_COLOR is set: there are no colours, whatever is chosen")
    elif not active:
        notes.append(
            "no theme is chosen: the app uses ir-dark, results the terminal's palette; "
            "irtui theme NAME chooses one"
        )
    elif active not in found:
        notes.append(f"the chosen theme {active!r} is not there; irtui theme NAME chooses another")
    return Result(rows, view="themes", notes=tuple(notes))


@command(
    "theme",
    "choose the colours of the app, the prompt and results",
    Param("name", "the name of a theme, or default", required=True, metavar="NAME"),
    effect="write",
    output=THEMES,
    details="With default nothing is chosen any more. NO_COLOR beats every choice.",
    examples=("irtui theme ir-light", "irtui theme default"),
)
def theme(context: Context, *, name: str) -> Result:
    """Remember which theme to use."""
    del context
    from irengine.errors import nearest
    from irtui.theme import ThemeError, find_theme, load_themes

    kept = Kept()
    if name == "default":
        kept.layout.pop("theme", None)
    else:
        try:
            find_theme(name)
        except ThemeError as error:
            known = [*load_themes()[0], "default"]
            raise UsageError(str(error), hint=nearest(name, known) or "see irtui themes") from None
        kept.layout["theme"] = name
    kept.write_or_raise()
    (row,) = [row for row in themes(Context()).data if row["name"] == name] or [_NOTHING]
    return Result({**row, "active": True}, view="themes")


_NOTHING: dict[str, Any] = {
    "name": "default",
    "title": "nothing is chosen any more",
    "dark": None,
    "ansi": None,
    "active": True,
    "origin": "shipped",
    "path": "",
    "problem": "",
}
